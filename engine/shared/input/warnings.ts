/** Characters of a header; names that a request made up may be hundreds of kilobytes. */
const MAX_HEADER = 2048

/**
 * What is said of a request besides its answer, by parameter (data-commons.md 2.2, 11.36). It grows
 * while the request is answered, and is complete when the status of the answer can be decided.
 */
export class Warnings {
  readonly #texts = new Map<string, string>()

  /** Adds a text to those of the parameter. */
  add(parameter: string, text: string): void {
    const before = this.#texts.get(parameter)
    this.#texts.set(parameter, before === undefined ? text : `${before}; ${text}`)
  }

  addAll(texts: Readonly<Record<string, string>>): void {
    for (const [parameter, text] of Object.entries(texts)) this.add(parameter, text)
  }

  /** By parameter, in the order in which they came. */
  get texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#texts)
  }

  /**
   * The value of a header: `parameter: text`, several with ` | ` between them, in ASCII and cut; `undefined`
   * when there is nothing to say.
   */
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

/** Texts come from requests: a header takes no line break, and many readers nothing beyond ASCII. */
const ascii = (text: string) =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
