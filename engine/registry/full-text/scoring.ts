import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import type { Contents } from './contents.ts'
import type { SortedValues } from './sorted-values.ts'

/** Share of the score for a word that only starts with the query word. */
const BEGUN_SHARE = 0.25
/** The usual constants of BM25 (k1 and b): saturation of repeated words, and the effect of record length. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** A word prefix, or the word codes of a phrase. The codes are empty if the index lacks one of the words. */
export type SoughtTerm = string | readonly number[]

export interface Sought {
  /** At most 32 terms, because each term is one bit of a mask. */
  readonly terms: readonly SoughtTerm[]
  /** Masks of terms, one bit per term. A match has all terms of at least one mask. */
  readonly groups: readonly number[]
  /** Bitmap of the slots that may match. */
  readonly passing: Bits
}

/** Matching slots, unordered, with their scores. */
export interface Scored {
  readonly slots: Uint32Array
  readonly scores: Float64Array
  /** The highest score of all matches. */
  readonly best: number
}

interface Progress {
  /** 0-based position of the word. */
  readonly nth: number
  /** Number of records with this word. */
  readonly touched: number
  /** Number of records matched so far. */
  readonly matched: number
}

/**
 * Finds and ranks records by BM25. A word scores higher the rarer it is, the more weight the texts with it have
 * (with saturation), and the shorter the record is. The arrays are as long as the number of slots and are reused
 * by the next search.
 */
export class Scorer {
  #frequencies = new Float64Array(0)
  #scores = new Float64Array(0)
  /** For each slot, a mask of the terms that it contains. */
  #found = new Int32Array(0)
  #touched = new Uint32Array(0)
  #matched = new Uint32Array(0)

  /** Scores the slots that may match and have all terms of a group. */
  score(contents: Contents, sought: Sought): Scored {
    this.#grow(contents.slots)
    let matched = 0
    for (const [nth, term] of sought.terms.entries()) {
      const touched =
        typeof term === 'string' ? this.#touch(contents, term) : this.#touchPhrase(contents, term)
      matched = this.#add(contents, sought, { nth, touched, matched })
    }
    return this.#take(matched, sought.groups)
  }

  /** Marks the records that contain the word, or a word that starts with it. Returns their number. */
  #touch({ words, wordSlots, alive }: Contents, word: string): number {
    const { slots, weights, starts, lengths } = wordSlots
    const frequencies = this.#frequencies
    const begun = wordsBegunBy(word, words)
    let count = 0
    for (let nth = 0; nth < begun.length; nth++) {
      const term = begun[nth]!
      // The exact word sorts before longer words that start with it.
      const share = nth === 0 && words.value(term) === word ? 1 : BEGUN_SHARE
      const start = starts[term]!
      const end = start + lengths[term]!
      for (let i = start; i < end; i++) {
        const slot = slots[i]!
        const frequency = frequencies[slot]!
        if (frequency === 0) {
          if (!hasBit(alive, slot)) continue
          this.#touched[count++] = slot
        }
        frequencies[slot] = frequency + share * weights[i]!
      }
    }
    return count
  }

  /**
   * Marks the records that contain the phrase, by checking those that have its rarest word. Returns the number of
   * marked records.
   */
  #touchPhrase({ wordSlots, wordOrder, alive }: Contents, phrase: readonly number[]): number {
    const { slots, starts, lengths } = wordSlots
    if (phrase.length === 0) return 0
    const rarest = phrase.reduce((a, b) => (lengths[b]! < lengths[a]! ? b : a))
    const start = starts[rarest]!
    const end = start + lengths[rarest]!
    let count = 0
    for (let i = start; i < end; i++) {
      const slot = slots[i]!
      if (!hasBit(alive, slot)) continue
      const frequency = wordOrder.weightOf(slot, phrase)
      if (frequency === 0) continue
      this.#touched[count++] = slot
      this.#frequencies[slot] = frequency
    }
    return count
  }

  /** Adds the score of one word to the marked records. Returns the number of matches so far. */
  #add(
    contents: Contents,
    { passing, groups }: Sought,
    { nth, touched, matched }: Progress,
  ): number {
    // If there is only one group, a match has all terms.
    const needed = groups.length === 1 ? 2 ** nth - 1 : 0
    const frequencies = this.#frequencies
    const rarity = rarityOf(touched, contents.aliveCount) * (SATURATION + 1)
    const averageLength = contents.wordCount / contents.aliveCount
    let count = matched
    for (let i = 0; i < touched; i++) {
      const slot = this.#touched[i]!
      const frequency = frequencies[slot]!
      frequencies[slot] = 0
      if (!hasBit(passing, slot)) continue
      const found = this.#found[slot]!
      // A record without one of the earlier terms cannot match.
      if ((found & needed) !== needed) continue
      if (found === 0) this.#matched[count++] = slot
      this.#found[slot] = found | (1 << nth)
      const length = contents.lengths[slot]! / averageLength
      const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
      this.#scores[slot] = this.#scores[slot]! + (rarity * frequency) / (frequency + damping)
    }
    return count
  }

  /** Collects the records that have all terms of a group, and resets the arrays for the next search. */
  #take(matched: number, groups: readonly number[]): Scored {
    const slots = new Uint32Array(matched)
    const scores = new Float64Array(matched)
    let count = 0
    let best = 0
    for (let i = 0; i < matched; i++) {
      const slot = this.#matched[i]!
      const score = this.#scores[slot]!
      const found = this.#found[slot]!
      if (hasGroup(found, groups)) {
        slots[count] = slot
        scores[count++] = score
        if (score > best) best = score
      }
      this.#found[slot] = 0
      this.#scores[slot] = 0
    }
    return { slots: slots.subarray(0, count), scores: scores.subarray(0, count), best }
  }

  #grow(slots: number): void {
    if (this.#scores.length >= slots) return
    const size = Math.ceil(slots * 1.25)
    this.#frequencies = new Float64Array(size)
    this.#scores = new Float64Array(size)
    this.#found = new Int32Array(size)
    this.#touched = new Uint32Array(size)
    this.#matched = new Uint32Array(size)
  }
}

/**
 * Returns whether all terms of a group were found. Called for each record, so it is a plain loop, which is
 * faster.
 */
function hasGroup(found: number, groups: readonly number[]): boolean {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!
    if ((found & group) === group) return true
  }
  return false
}

/** Returns the inverse document frequency of a word that `having` of `count` records have. */
function rarityOf(having: number, count: number): number {
  return Math.log(1 + (count - having + 0.5) / (having + 0.5))
}

/** Returns the codes of the words with a prefix, in order. */
export function wordsBegunBy(text: string, words: SortedValues<string>): Uint32Array {
  const from = words.countBelow((word) => word < text)
  const to = words.countBelow((word) => word < text || word.startsWith(text), { from })
  return words.inOrder.subarray(from, to)
}
