import { atOnce } from '../../../shared/concurrency/at-once.ts'

/** What is found: a term by its id, under one of its names. */
export interface Keyword<T> {
  readonly text: string
  readonly term: T
}

/** A keyword in a text, by code units from 0; `end` is the last one's place. */
export interface KeywordHit<T> extends Keyword<T> {
  readonly start: number
  readonly end: number
}

interface Node<T> {
  readonly next: Map<number, Node<T>>
  /** The node of the longest other keyword's beginning that the text so far ends with. */
  fallback: Node<T> | undefined
  readonly keywords: Keyword<T>[]
  /** The nearest node on the path of fallbacks at which keywords end. */
  shorter: Node<T> | undefined
}

/** Units of a text that are gone through without a pause. */
const EXTENT = 4_096
const WORD = /[\p{L}\p{M}\p{N}]/u

/**
 * Finds many keywords in one pass over a text, whatever their case: an automaton after Aho and
 * Corasick. Hits may overlap.
 */
export class KeywordIndex<T> {
  readonly #root: Node<T> = freshNode()

  constructor(keywords: Iterable<Keyword<T>>) {
    atOnce(this.#take(keywords))
  }

  /** Makes one with pauses for whoever runs the steps. */
  static *inSteps<T>(keywords: Iterable<Keyword<T>>): Generator<undefined, KeywordIndex<T>> {
    const index = new KeywordIndex<T>([])
    yield* index.#take(keywords)
    return index
  }

  /** All hits in order of their ends, longer ones first. */
  find(text: string, options: { readonly wholeWordsOnly: boolean }): KeywordHit<T>[] {
    return [...this.hits(text, options)].filter((hit) => hit !== undefined)
  }

  /** The same one by one, with an undefined now and then for whoever makes pauses. */
  *hits(
    text: string,
    { wholeWordsOnly }: { readonly wholeWordsOnly: boolean },
  ): Generator<KeywordHit<T> | undefined> {
    let node = this.#root
    for (let end = 0; end < text.length; end++) {
      if (end % EXTENT === EXTENT - 1) yield
      node = this.#goOn(node, foldedUnit(text, end))
      for (let one: Node<T> | undefined = node; one; one = one.shorter) {
        for (const keyword of one.keywords) {
          const start = end - keyword.text.length + 1
          if (wholeWordsOnly && !isWhole(text, start, end)) continue
          yield { ...keyword, start, end }
        }
      }
    }
  }

  *#take(keywords: Iterable<Keyword<T>>): Generator<undefined, void> {
    for (const keyword of keywords) {
      this.#add(keyword)
      yield
    }
    yield* this.#link()
  }

  #add(keyword: Keyword<T>): void {
    if (keyword.text === '') return
    let node = this.#root
    for (let i = 0; i < keyword.text.length; i++) {
      const unit = foldedUnit(keyword.text, i)
      let next = node.next.get(unit)
      if (!next) {
        next = freshNode()
        node.next.set(unit, next)
      }
      node = next
    }
    node.keywords.push(keyword)
  }

  /** Breadth first, so that fallbacks, which are nearer to the root, are linked before. */
  *#link(): Generator<undefined, void> {
    const queue = [this.#root]
    for (const node of queue) {
      yield
      for (const [unit, next] of node.next) {
        next.fallback = node.fallback ? this.#goOn(node.fallback, unit) : this.#root
        const { fallback } = next
        next.shorter = fallback.keywords.length > 0 ? fallback : fallback.shorter
        queue.push(next)
      }
    }
  }

  #goOn(from: Node<T>, unit: number): Node<T> {
    for (let node: Node<T> | undefined = from; node; node = node.fallback) {
      const next = node.next.get(unit)
      if (next) return next
    }
    return this.#root
  }
}

function freshNode<T>(): Node<T> {
  return { next: new Map(), fallback: undefined, keywords: [], shorter: undefined }
}

/** One unit in lower case; one whose lower case is longer stays, so that offsets do. */
function foldedUnit(text: string, place: number): number {
  const unit = text.charCodeAt(place)
  if (unit < 0x41) return unit
  const lower = text.charAt(place).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}

function isWhole(text: string, start: number, end: number): boolean {
  return !isWordAt(text, start - 1) && !isWordAt(text, end + 1)
}

/** Whether the character that the unit belongs to is a letter or a digit. */
function isWordAt(text: string, place: number): boolean {
  const unit = text.charCodeAt(place)
  if (Number.isNaN(unit)) return false
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return WORD.test(String.fromCodePoint(text.codePointAt(isLowHalf ? place - 1 : place) ?? unit))
}
