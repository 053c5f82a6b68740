import { EngineError } from '../../shared/errors.ts'
import { wholeNumber } from './submitted.ts'

/** Maximum nesting depth. A document, a link and its parents take four levels. */
const MAX_LEVELS = 16
/** Maximum number of keys per object, over ten times that of any type. Millions of keys take seconds. */
const MAX_KEYS = 2000

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const BLANKS = /[ \t\n\r]*/y
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

interface JsonBounds {
  /** Maximum number of elements of the outer array, and of values of all kinds. */
  readonly elements: number
  readonly values: number
}

/** Bounds for text that has already been checked against limits. */
const UNBOUNDED: JsonBounds = Object.freeze({ elements: Infinity, values: Infinity })

/**
 * Parses JSON (RFC 8259) for documents (submission.md 7.3): integers are exact up to 64 bits, duplicate keys
 * are an error that names all of them, and nesting is limited.
 * @throws EngineError `bad_input` with the position but no content; `too_many` as soon as a limit is exceeded
 */
export function readJson(text: string, bounds = UNBOUNDED): unknown {
  return new JsonReader(text, bounds).read()
}

/** Creates the error for duplicate keys. Without it, the last value would silently win. */
export function duplicateKeys(keys: Iterable<string>): EngineError {
  return new EngineError(
    'bad_input',
    `The document contains duplicate keys: ${[...keys].join(',')}`,
  )
}

class JsonReader {
  readonly #text: string
  readonly #repeated = new Set<string>()
  readonly #bounds: JsonBounds
  #at = 0
  #level = 0
  #values = 0

  constructor(text: string, bounds: JsonBounds) {
    this.#text = text
    this.#bounds = bounds
  }

  read(): unknown {
    const value = this.#value()
    this.#skip()
    if (this.#at < this.#text.length) throw this.#syntaxError('expected the end')
    if (this.#repeated.size > 0) throw duplicateKeys(this.#repeated)
    return value
  }

  #value(): unknown {
    this.#values++
    if (this.#values > this.#bounds.values) throw tooMany(`${this.#bounds.values} values`)
    this.#skip()
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#array())
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  #nested<Value>(read: () => Value): Value {
    this.#at++
    this.#level++
    if (this.#level > MAX_LEVELS) throw this.#syntaxError(`expected at most ${MAX_LEVELS} levels`)
    const value = read()
    this.#level--
    return value
  }

  #object(): Readonly<Record<string, unknown>> {
    const members = new Map<string, unknown>()
    for (let isFirst = true; !this.#ends('}', isFirst); isFirst = false) {
      this.#skip()
      if (this.#text[this.#at] !== '"') throw this.#syntaxError('expected a key in double quotes')
      const key = this.#string()
      if (members.has(key)) this.#repeated.add(key)
      if (members.size === MAX_KEYS) throw this.#syntaxError(`expected at most ${MAX_KEYS} keys`)
      if (!this.#takes(':')) throw this.#syntaxError('expected a colon')
      members.set(key, this.#value())
    }
    return Object.fromEntries(members)
  }

  #array(): readonly unknown[] {
    const items: unknown[] = []
    for (let isFirst = true; !this.#ends(']', isFirst); isFirst = false) {
      if (this.#level === 1 && items.length === this.#bounds.elements) {
        throw tooMany(`${this.#bounds.elements} entities`)
      }
      items.push(this.#value())
    }
    return items
  }

  /** Consumes the closing bracket and returns true. Otherwise consumes the comma before the next element. */
  #ends(close: string, isFirst: boolean): boolean {
    if (this.#takes(close)) return true
    if (!isFirst && !this.#takes(',')) throw this.#syntaxError(`expected a comma or ${close}`)
    return false
  }

  #takes(character: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #string(): string {
    const end = this.#closingQuote()
    try {
      const value = JSON.parse(this.#text.slice(this.#at, end + 1)) as string
      this.#at = end + 1
      return value
    } catch {
      throw this.#syntaxError('expected a text without line breaks, controls and unknown escapes')
    }
  }

  #closingQuote(): number {
    for (let end = this.#at; ; ) {
      end = this.#text.indexOf('"', end + 1)
      if (end === -1) throw this.#syntaxError('expected a closing quote')
      let before = end
      while (this.#text[before - 1] === '\\') before--
      if ((end - before) % 2 === 0) return end
    }
  }

  #scalar(): unknown {
    for (const [word, value] of LITERALS) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    NUMBER.lastIndex = this.#at
    const found = NUMBER.exec(this.#text)
    if (found === null) throw this.#syntaxError('expected a value')
    const [digits, fraction, exponent] = found
    const isWhole = fraction === undefined && exponent === undefined
    const number = (isWhole ? wholeNumber(digits) : undefined) ?? Number(digits)
    if (number === Infinity || number === -Infinity)
      throw this.#syntaxError('expected a lesser number')
    this.#at += digits.length
    return number
  }

  #skip(): void {
    BLANKS.lastIndex = this.#at
    BLANKS.exec(this.#text)
    this.#at = BLANKS.lastIndex
  }

  #syntaxError(wanted: string): EngineError {
    let line = 1
    let start = 0
    for (let end = this.#text.indexOf('\n'); end !== -1 && end < this.#at; ) {
      line++
      start = end + 1
      end = this.#text.indexOf('\n', start)
    }
    const place = `line ${line}, column ${this.#at - start + 1}`
    return new EngineError('bad_input', `Unable to parse json: ${wanted} at ${place}`)
  }
}

function tooMany(what: string): EngineError {
  return new EngineError('too_many', `the document has more than ${what}`)
}
