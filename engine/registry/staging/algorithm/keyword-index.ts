import { atOnce } from '../../../shared/concurrency/at-once.ts'

/** A name of a term, by which texts refer to the term. */
export interface Keyword<T> {
  readonly text: string
  readonly term: T
}

/** A keyword in a text. Offsets are 0-based UTF-16 code units, and `end` is inclusive. */
interface KeywordHit<T> extends Keyword<T> {
  readonly start: number
  readonly end: number
}

interface Node<T> {
  readonly next: Map<number, Node<T>>
  /** Node of the longest proper suffix that is a prefix of a keyword. */
  fallback: Node<T> | undefined
  readonly keywords: Keyword<T>[]
  /** Nearest node along the fallbacks at which keywords end. */
  shorter: Node<T> | undefined
}

/** Code units processed between pauses. */
const EXTENT = 4_096
const WORD = /[\p{L}\p{M}\p{N}]/u

/** Finds many keywords in one pass over a text, ignoring case, by an Aho-Corasick automaton. Hits may overlap. */
export class KeywordIndex<T> {
  readonly #root: Node<T> = freshNode()

  constructor(keywords: Iterable<Keyword<T>>) {
    atOnce(this.#take(keywords))
  }

  /** Builds an index in steps. */
  static *inSteps<T>(keywords: Iterable<Keyword<T>>): Generator<undefined, KeywordIndex<T>> {
    const index = new KeywordIndex<T>([])
    yield* index.#take(keywords)
    return index
  }

  /** Returns all hits, ordered by end. Of hits with the same end, longer ones come first. */
  find(text: string, options: { readonly wholeWordsOnly: boolean }): KeywordHit<T>[] {
    return [...this.hits(text, options)].filter((hit) => hit !== undefined)
  }

  /** Yields hits one by one. Sometimes yields undefined, so that the caller can pause. */
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

  /** Breadth first, so that fallbacks, which are closer to the root, are linked earlier. */
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

/** Converts one code unit to lower case. A unit whose lower case is longer stays, so that offsets remain correct. */
function foldedUnit(text: string, place: number): number {
  const unit = text.charCodeAt(place)
  if (unit < 0x41) return unit
  const lower = text.charAt(place).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : unit
}

function isWhole(text: string, start: number, end: number): boolean {
  return !isWordAt(text, start - 1) && !isWordAt(text, end + 1)
}

/** Returns whether the character at a code unit is a letter, a mark or a digit. */
function isWordAt(text: string, place: number): boolean {
  const unit = text.charCodeAt(place)
  if (Number.isNaN(unit)) return false
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return WORD.test(String.fromCodePoint(text.codePointAt(isLowHalf ? place - 1 : place) ?? unit))
}
