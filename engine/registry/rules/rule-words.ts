import type { EngineError } from '../../shared/errors.ts'
import type { CodeRange } from './code-range.ts'

// Rule files are read word by word. A word is an id, a code, a number, or a text in quotes; signs are words as well.

/** Values of a word in a rule. */
interface Word {
  readonly kind: 'word' | 'text' | 'sign' | 'end'
  readonly text: string
  /** 0-based position in the text of the field. */
  readonly at: number
}

/** Creates the error for a 0-based position in a text. */
export type WrongAt = (at: number, message: string) => EngineError

/** Maximum number of words in a field of a rule. */
export const MAX_WORDS = 400

const WORD = /\s*(?:('[^'\n]*')|(->|<=|>=|!=|[=<>(),])|([A-Za-z\d](?:[\w.]|-(?!>))*))/y

const ITEM = /^[a-z][A-Za-z\d]{0,49}$/
const RESERVED: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'empty',
  'given',
  'today',
  'number',
  'year',
  'date',
  'age',
])
const CODE = /^[A-Z\d.]{1,20}$/
const RANGE = /^([A-Z\d.]{1,20})(?:-([A-Z\d.]{1,20}))?$/

/** Reads the words of a text in order. All errors are created by the given function. */
export class RuleWords {
  readonly #words: readonly Word[]
  readonly #wrong: WrongAt
  #next = 0

  /** @throws EngineError bad_input for a text with other characters or more than 400 words */
  constructor(text: string, wrong: WrongAt) {
    this.#words = wordsOf(text, wrong)
    this.#wrong = wrong
  }

  peek(): Word {
    return this.#words[this.#next] as Word
  }

  next(): Word {
    const word = this.peek()
    this.#next++
    return word
  }

  /** Takes the next word if it is the given one. Returns whether it was. */
  takes(text: string): boolean {
    const word = this.peek()
    const isIt = word.kind !== 'text' && word.kind !== 'end' && word.text === text
    if (isIt) this.#next++
    return isIt
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.unexpected(text)
  }

  item(): string {
    const { kind, text } = this.peek()
    if (kind !== 'word' || !ITEM.test(text) || RESERVED.has(text)) {
      throw this.unexpected('the id of an item, such as primarySite')
    }
    this.#next++
    return text
  }

  /** Takes a text in quotes. Returns it without the quotes. */
  quoted(): string | undefined {
    if (this.peek().kind !== 'text') return undefined
    return this.next().text.slice(1, -1)
  }

  /** Takes codes and ranges of codes in parentheses. */
  ranges(): readonly CodeRange[] {
    return this.list(() => this.#range())
  }

  /** Takes one or more parts that are in parentheses and separated by commas. */
  list<Part>(part: () => Part): readonly Part[] {
    this.expect('(')
    const parts = [part()]
    while (this.takes(',')) parts.push(part())
    this.expect(')')
    return parts
  }

  #range(): CodeRange {
    const { text, at, kind } = this.peek()
    const [, first, last = first] = (kind === 'word' && RANGE.exec(text)) || []
    if (first === undefined || last === undefined || !CODE.test(first)) {
      throw this.unexpected('a code such as C509, or a range such as C500-C509')
    }
    if (first.length !== last.length || first > last) {
      throw this.#wrong(at, `nothing is in ${text}; give the lower code first, both of one length`)
    }
    this.#next++
    return [first, last]
  }

  unexpected(accepted: string): EngineError {
    const { text, at } = this.peek()
    return this.#wrong(at, `there is ${text.slice(0, 60)}; give ${accepted}`)
  }

  wrongAt(at: number, message: string): EngineError {
    return this.#wrong(at, message)
  }
}

function wordsOf(text: string, wrong: WrongAt): readonly Word[] {
  const words: Word[] = []
  const pattern = new RegExp(WORD)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const [all, quoted, sign, word] = pattern.exec(text) ?? []
    if (all === undefined) {
      const at = from + (/^\s*/.exec(text.slice(from, from + 100))?.[0].length ?? 0)
      throw wrong(at, `${JSON.stringify(text[at])} is not understood; codes stand in '...'`)
    }
    const taken = quoted ?? sign ?? word ?? ''
    const kind = quoted === undefined ? (sign === undefined ? 'word' : 'sign') : 'text'
    words.push({ kind, text: taken, at: from + all.length - taken.length })
    if (words.length > MAX_WORDS) {
      throw wrong(from, `the text has more than ${MAX_WORDS} words; make it two rules`)
    }
  }
  words.push({ kind: 'end', text: 'the end', at: end })
  return words
}
