import type { CodeRange } from './code-range.ts'
import { RuleWords, type WrongAt } from './rule-words.ts'

// Conditions in rules: tests of items, joined by `and`, `or`, `not` and parentheses. The language has no loops,
// variables or calls, so the length of a condition limits its cost.

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'empty' | 'given'; readonly item: string }
  | { readonly kind: 'in'; readonly item: string; readonly ranges: readonly CodeRange[] }
  | { readonly kind: 'codes'; readonly isEqual: boolean; readonly sides: readonly [Code, Code] }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly sides: readonly [Term, Term] }

const OPERATORS = Object.freeze(['=', '!=', '<', '<=', '>', '>='] as const)
export type Operator = (typeof OPERATORS)[number]

/** A code, given literally or as that of an item. */
export type Code =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'item'; readonly item: string }

/** An operand of a comparison by size. A day cannot be compared with a number. */
export type Term =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'number of' | 'year of' | 'date of'; readonly item: string }
  | { readonly kind: 'today' }
  | { readonly kind: 'age'; readonly birth: string; readonly at: string }

const MAX_DEPTH = 16

/**
 * Reads a condition.
 * @throws EngineError bad_input, created by `wrong` with the position of the invalid word
 */
export function parseCondition(text: string, wrong: WrongAt): Condition {
  return new Parser(new RuleWords(text, wrong)).whole()
}

const NUMBER = /^\d{1,9}$/

class Parser {
  readonly #words: RuleWords
  #depth = 0

  constructor(words: RuleWords) {
    this.#words = words
  }

  whole(): Condition {
    const condition = this.#or()
    if (this.#words.peek().kind !== 'end') throw this.#words.unexpected('and, or, or the end')
    return condition
  }

  #or(): Condition {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#words.wrongAt(
        this.#words.peek().at,
        `more than ${MAX_DEPTH} levels; make it two rules`,
      )
    }
    const parts = this.#joined('or', () => this.#joinedByAnd())
    this.#depth--
    return parts
  }

  #joinedByAnd = (): Condition => this.#joined('and', () => this.#factor())

  #joined(kind: 'and' | 'or', part: () => Condition): Condition {
    const first = part()
    const parts = [first]
    while (this.#words.takes(kind)) parts.push(part())
    return parts.length === 1 ? first : { kind, parts }
  }

  #factor(): Condition {
    if (this.#words.takes('not')) {
      if (this.#words.takes('(')) return { kind: 'not', part: this.#closed() }
      return { kind: 'not', part: this.#test() }
    }
    return this.#words.takes('(') ? this.#closed() : this.#test()
  }

  #closed(): Condition {
    const inside = this.#or()
    this.#words.expect(')')
    return inside
  }

  #test(): Condition {
    const token = this.#words.peek()
    const isTerm = ['number', 'year', 'date', 'age', 'today'].includes(token.text)
    if (isTerm || NUMBER.test(token.text)) return this.#comparison(this.#term())
    if (token.kind === 'text') return this.#codes(this.#code())
    const item = this.#words.item()
    if (this.#words.takes('is')) {
      if (this.#words.takes('empty')) return { kind: 'empty', item }
      if (this.#words.takes('given')) return { kind: 'given', item }
      throw this.#words.unexpected('empty or given')
    }
    if (this.#words.takes('in')) return { kind: 'in', item, ranges: this.#words.ranges() }
    return this.#codes({ kind: 'item', item })
  }

  #codes(left: Code): Condition {
    const { at } = this.#words.peek()
    const operator = this.#operator()
    if (operator !== '=' && operator !== '!=') {
      const message = `codes are compared by = and !=; for ${operator} give number(...), year(...) or date(...)`
      throw this.#words.wrongAt(at, message)
    }
    return { kind: 'codes', isEqual: operator === '=', sides: [left, this.#code()] }
  }

  #code(): Code {
    const text = this.#words.quoted()
    return text === undefined ? { kind: 'item', item: this.#words.item() } : { kind: 'text', text }
  }

  #comparison(left: Term): Condition {
    const operator = this.#operator()
    const { at } = this.#words.peek()
    const right = this.#term()
    if (isDay(left) !== isDay(right)) {
      throw this.#words.wrongAt(at, 'a date is compared with a date, and a number with a number')
    }
    return { kind: 'compare', operator, sides: [left, right] }
  }

  #term(): Term {
    const token = this.#words.peek()
    if (token.kind === 'word' && NUMBER.test(token.text)) {
      this.#words.next()
      return { kind: 'number', value: Number(token.text) }
    }
    if (this.#words.takes('today')) return { kind: 'today' }
    for (const name of ['number', 'year', 'date'] as const) {
      if (!this.#words.takes(name)) continue
      const [item = ''] = this.#arguments(1)
      return { kind: `${name} of`, item }
    }
    if (this.#words.takes('age')) {
      const [birth = '', at = ''] = this.#arguments(2)
      return { kind: 'age', birth, at }
    }
    throw this.#words.unexpected(
      'a number, today, number(...), year(...), date(...) or age(..., ...)',
    )
  }

  #arguments(count: number): readonly string[] {
    this.#words.expect('(')
    const items = [this.#words.item()]
    while (items.length < count) {
      this.#words.expect(',')
      items.push(this.#words.item())
    }
    this.#words.expect(')')
    return items
  }

  #operator(): Operator {
    const found = OPERATORS.find((one) => this.#words.takes(one))
    if (found) return found
    throw this.#words.unexpected(`${OPERATORS.join(', ')}, in or is`)
  }
}

const isDay = ({ kind }: Term) => kind === 'date of' || kind === 'today'

/**
 * Returns the items that a condition reads, in order and with repetitions.
 * @param isValue whether to leave out items that are only tested for being empty
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
