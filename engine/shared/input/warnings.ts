/** Longest header value in characters. Names from a request may have hundreds of kilobytes. */
const MAX_HEADER = 2048

/**
 * Warnings of a response, keyed by parameter (data-commons.md 2.2, 11.36). They are collected while the
 * request is processed, and are complete before the response status is sent.
 */
export class Warnings {
  readonly #texts = new Map<string, string>()
  readonly #isHeaderOnly: boolean

  /** @param isHeaderOnly whether the warnings go into the header alone, for clients that take any for a failure */
  constructor({ isHeaderOnly = false }: { readonly isHeaderOnly?: boolean } = {}) {
    this.#isHeaderOnly = isHeaderOnly
  }

  /** Adds a text to the warnings of a parameter. */
  add(parameter: string, text: string): void {
    const before = this.#texts.get(parameter)
    this.#texts.set(parameter, before === undefined ? text : `${before}; ${text}`)
  }

  addAll(texts: Readonly<Record<string, string>>): void {
    for (const [parameter, text] of Object.entries(texts)) this.add(parameter, text)
  }

  /** Warnings for the body, keyed by parameter, in the order of their first text. */
  get texts(): Readonly<Record<string, string>> {
    return this.#isHeaderOnly ? {} : Object.fromEntries(this.#texts)
  }

  /** Value of the warning header: `parameter: text`, joined by ` | `, in ASCII, shortened, or undefined. */
  get header(): string | undefined {
    if (this.#texts.size === 0) return undefined
    const parts: string[] = []
    let length = 0
    for (const [parameter, text] of this.#texts) {
      if (length > MAX_HEADER) break
      const part = ascii(`${parameter}: ${text}`.slice(0, MAX_HEADER))
      parts.push(part)
      length += part.length
    }
    const whole = parts.join(' | ')
    return whole.length <= MAX_HEADER ? whole : `${whole.slice(0, MAX_HEADER - 3)}...`
  }
}

/** Escapes everything except printable ASCII: texts come from requests, headers must not have line breaks. */
const ascii = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
