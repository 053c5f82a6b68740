import type { EngineError } from '../../shared/errors.ts'

// The language of rules of edits: tests of items, joined by `and`, `or`, `not` and parentheses. It has no loops, no
// names of its own and no way to call anything, so a rule costs what its text is long.

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'empty' | 'given'; readonly item: string }
  | { readonly kind: 'in'; readonly item: string; readonly ranges: readonly CodeRange[] }
  | { readonly kind: 'codes'; readonly isEqual: boolean; readonly sides: readonly [Code, Code] }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly sides: readonly [Term, Term] }

/** Both ends belong to it; they are of one length. */
export type CodeRange = readonly [first: string, last: string]

export const OPERATORS = Object.freeze(['=', '!=', '<', '<=', '>', '>='] as const)
export type Operator = (typeof OPERATORS)[number]

/** A code as it is written, or that of an item. */
export type Code =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'item'; readonly item: string }

/** An operand of a comparison by size. Days and numbers are not compared with each other. */
export type Term =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'number of' | 'year of' | 'date of'; readonly item: string }
  | { readonly kind: 'today' }
  | { readonly kind: 'age'; readonly birth: string; readonly at: string }

const MAX_TOKENS = 400
const MAX_DEPTH = 16

interface Token {
  readonly kind: 'word' | 'text' | 'sign' | 'end'
  readonly text: string
  readonly at: number
}

/** Tells an error at a place of the text, from 0. */
export type WrongAt = (at: number, message: string) => EngineError

/**
 * Reads a condition.
 * @throws EngineError bad_input, as `wrong` makes it, at the place of what is not understood
 */
export function parseCondition(text: string, wrong: WrongAt): Condition {
  const parser = new Parser(tokensOf(text, wrong), wrong)
  return parser.whole()
}

const TOKEN = /\s*(?:('[^'\n]*')|(<=|>=|!=|[=<>(),])|([A-Za-z\d][\w.-]*))/y

function tokensOf(text: string, wrong: WrongAt): readonly Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const [all, quoted, sign, word] = pattern.exec(text) ?? []
    if (all === undefined) {
      const at = from + (/^\s*/.exec(text.slice(from, from + 100))?.[0].length ?? 0)
      throw wrong(at, `${JSON.stringify(text[at])} is not understood; codes stand in '...'`)
    }
    const token = quoted ?? sign ?? word ?? ''
    const kind = quoted === undefined ? (sign === undefined ? 'word' : 'sign') : 'text'
    tokens.push({ kind, text: token, at: from + all.length - token.length })
    if (tokens.length > MAX_TOKENS) {
      throw wrong(from, `the condition has more than ${MAX_TOKENS} words; make it two rules`)
    }
  }
  tokens.push({ kind: 'end', text: 'the end', at: end })
  return tokens
}

const ITEM = /^[a-z][A-Za-z\d]{0,49}$/
const RESERVED: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'in', 'is', 'empty', 'given', 'today'],
  ...['number', 'year', 'date', 'age'],
])
const CODE = /^[A-Z\d.]{1,20}$/
const RANGE = /^([A-Z\d.]{1,20})(?:-([A-Z\d.]{1,20}))?$/
const NUMBER = /^\d{1,9}$/

class Parser {
  readonly #tokens: readonly Token[]
  readonly #wrong: WrongAt
  #next = 0
  #depth = 0

  constructor(tokens: readonly Token[], wrong: WrongAt) {
    this.#tokens = tokens
    this.#wrong = wrong
  }

  whole(): Condition {
    const condition = this.#or()
    if (this.#peek().kind !== 'end') throw this.#unexpected('and, or, or the end')
    return condition
  }

  #or(): Condition {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#wrong(this.#peek().at, `more than ${MAX_DEPTH} levels; make it two rules`)
    }
    const parts = this.#joined('or', () => this.#joinedByAnd())
    this.#depth--
    return parts
  }

  #joinedByAnd = (): Condition => this.#joined('and', () => this.#factor())

  #joined(kind: 'and' | 'or', part: () => Condition): Condition {
    const first = part()
    const parts = [first]
    while (this.#takes(kind)) parts.push(part())
    return parts.length === 1 ? first : { kind, parts }
  }

  #factor(): Condition {
    if (this.#takes('not')) {
      if (this.#takes('(')) return { kind: 'not', part: this.#closed() }
      return { kind: 'not', part: this.#test() }
    }
    return this.#takes('(') ? this.#closed() : this.#test()
  }

  #closed(): Condition {
    const inside = this.#or()
    this.#expect(')')
    return inside
  }

  #test(): Condition {
    const token = this.#peek()
    const isTerm = ['number', 'year', 'date', 'age', 'today'].includes(token.text)
    if (isTerm || NUMBER.test(token.text)) return this.#comparison(this.#term())
    if (token.kind === 'text') return this.#codes(this.#code())
    const item = this.#item()
    if (this.#takes('is')) {
      if (this.#takes('empty')) return { kind: 'empty', item }
      if (this.#takes('given')) return { kind: 'given', item }
      throw this.#unexpected('empty or given')
    }
    if (this.#takes('in')) return { kind: 'in', item, ranges: this.#ranges() }
    return this.#codes({ kind: 'item', item })
  }

  #codes(left: Code): Condition {
    const operator = this.#operator()
    if (operator !== '=' && operator !== '!=') {
      const message = `codes are compared by = and !=; for ${operator} give number(...), year(...) or date(...)`
      throw this.#wrong((this.#tokens[this.#next - 1] as Token).at, message)
    }
    return { kind: 'codes', isEqual: operator === '=', sides: [left, this.#code()] }
  }

  #code(): Code {
    const token = this.#peek()
    if (token.kind === 'text') {
      this.#next++
      return { kind: 'text', text: token.text.slice(1, -1) }
    }
    return { kind: 'item', item: this.#item() }
  }

  #comparison(left: Term): Condition {
    const operator = this.#operator()
    const { at } = this.#peek()
    const right = this.#term()
    if (isDay(left) !== isDay(right)) {
      throw this.#wrong(at, 'a date is compared with a date, and a number with a number')
    }
    return { kind: 'compare', operator, sides: [left, right] }
  }

  #term(): Term {
    const token = this.#peek()
    if (token.kind === 'word' && NUMBER.test(token.text)) {
      this.#next++
      return { kind: 'number', value: Number(token.text) }
    }
    if (this.#takes('today')) return { kind: 'today' }
    for (const name of ['number', 'year', 'date'] as const) {
      if (!this.#takes(name)) continue
      const [item = ''] = this.#arguments(1)
      return { kind: `${name} of`, item }
    }
    if (this.#takes('age')) {
      const [birth = '', at = ''] = this.#arguments(2)
      return { kind: 'age', birth, at }
    }
    throw this.#unexpected('a number, today, number(...), year(...), date(...) or age(..., ...)')
  }

  #arguments(count: number): readonly string[] {
    this.#expect('(')
    const items = [this.#item()]
    while (items.length < count) {
      this.#expect(',')
      items.push(this.#item())
    }
    this.#expect(')')
    return items
  }

  #ranges(): readonly CodeRange[] {
    this.#expect('(')
    const ranges = [this.#range()]
    while (this.#takes(',')) ranges.push(this.#range())
    this.#expect(')')
    return ranges
  }

  #range(): CodeRange {
    const { text, at, kind } = this.#peek()
    const [, first, last = first] = (kind === 'word' && RANGE.exec(text)) || []
    if (first === undefined || last === undefined || !CODE.test(first)) {
      throw this.#unexpected('a code such as C509, or a range such as C500-C509')
    }
    if (first.length !== last.length || first > last) {
      throw this.#wrong(at, `nothing is in ${text}; give the lower code first, both of one length`)
    }
    this.#next++
    return [first, last]
  }

  #item(): string {
    const { kind, text } = this.#peek()
    if (kind !== 'word' || !ITEM.test(text) || RESERVED.has(text)) {
      throw this.#unexpected('the id of an item, such as primarySite')
    }
    this.#next++
    return text
  }

  #operator(): Operator {
    const found = OPERATORS.find((one) => this.#takes(one))
    if (found) return found
    throw this.#unexpected(`${OPERATORS.join(', ')}, in or is`)
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token
  }

  #takes(text: string): boolean {
    const token = this.#peek()
    const isIt = token.kind !== 'text' && token.kind !== 'end' && token.text === text
    if (isIt) this.#next++
    return isIt
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#unexpected(text)
  }

  #unexpected(accepted: string): EngineError {
    const { text, at } = this.#peek()
    return this.#wrong(at, `there is ${text.slice(0, 60)}; give ${accepted}`)
  }
}

const isDay = ({ kind }: Term) => kind === 'date of' || kind === 'today'

/**
 * Items that a condition reads, in order; one that is read twice is there twice.
 * @param isValue whether those are left out that are only asked whether they are empty
 */
export function itemsOf(condition: Condition, isValue = false): readonly string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.flatMap((part) => itemsOf(part, isValue))
    case 'not':
      return itemsOf(condition.part, isValue)
    case 'empty':
    case 'given':
      return isValue ? [] : [condition.item]
    case 'in':
      return [condition.item]
    case 'codes':
      return condition.sides.flatMap((side) => (side.kind === 'item' ? [side.item] : []))
    case 'compare':
      return condition.sides.flatMap(itemsOfTerm)
  }
}

function itemsOfTerm(term: Term): readonly string[] {
  if (term.kind === 'age') return [term.birth, term.at]
  return 'item' in term ? [term.item] : []
}
