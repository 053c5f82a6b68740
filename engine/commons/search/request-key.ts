import { isObject } from '../../shared/input/unknowns.ts'

/**
 * Serialises JSON values to a unique key. Undefined members count as null. Returns undefined if the key would
 * be too long or a value is not JSON.
 */
export function shortKey(values: readonly unknown[], mostCharacters: number): string | undefined {
  const writer = new KeyWriter(mostCharacters)
  return writer.write(values) ? writer.text : undefined
}

class KeyWriter {
  readonly #most: number
  text = ''

  constructor(mostCharacters: number) {
    this.#most = mostCharacters
  }

  /** Writes a value. Returns false when the maximum length is reached. */
  write(value: unknown): boolean {
    if (typeof value === 'string') {
      return value.length <= this.#most - this.text.length && this.#add(JSON.stringify(value))
    }
    if (value === undefined || value === null) return this.#add('null')
    if (typeof value === 'boolean' || Number.isFinite(value)) return this.#add(String(value))
    if (Array.isArray(value)) {
      return (
        this.#add('[') && value.every((one) => this.write(one) && this.#add(',')) && this.#add(']')
      )
    }
    if (!isObject(value)) return false
    const names = Object.keys(value)
    const isWritten = names.every((name) => {
      return this.write(name) && this.#add(':') && this.write(value[name]) && this.#add(',')
    })
    return this.#add('{') && isWritten && this.#add('}')
  }

  #add(text: string): boolean {
    this.text += text
    return this.text.length <= this.#most
  }
}
