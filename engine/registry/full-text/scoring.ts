import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import type { Contents } from './contents.ts'
import type { SortedValues } from './sorted-values.ts'

/** A word that only begins with what is asked for counts as this part of one that equals it. */
export const BEGUN_SHARE = 0.25
/** The usual constants of BM25: how soon a repeated word counts no more, and how much length counts. */
export const SATURATION = 1.2
export const LENGTH_SHARE = 0.75

/** A word with those that begin with it; or codes of words that follow each other, none where one of them is unknown. */
export type SoughtTerm = string | readonly number[]

export interface Sought {
  /** At most 32. */
  readonly terms: readonly SoughtTerm[]
  /** What matches has all terms of any of these: a bit for each term, by its place. */
  readonly groups: readonly number[]
  /** Slots that may match. */
  readonly passing: Bits
}

/** Slots that match, in no order, and their scores. */
export interface Scored {
  readonly slots: Uint32Array
  readonly scores: Float64Array
  /** The highest of the scores. */
  readonly best: number
}

interface Progress {
  /** Of the word, from 0. */
  readonly nth: number
  /** Records that have it. */
  readonly touched: number
  /** Records that matched before. */
  readonly matched: number
}

/**
 * Finds words and ranks what has them, after BM25: for each word of the query, the rarer it is the
 * more; the heavier the texts that have it the more, with less and less effect; and the more the
 * shorter the record. All its arrays are as long as there are slots, and serve the next search.
 */
export class Scorer {
  #frequencies = new Float64Array(0)
  #scores = new Float64Array(0)
  /** A bit for each term. */
  #found = new Int32Array(0)
  #touched = new Uint32Array(0)
  #matched = new Uint32Array(0)

  /** The slots that may match and have all terms of a group. */
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

  /** Notes the records that have the word or one that begins with it; how many there are. */
  #touch({ words, wordSlots, alive }: Contents, word: string): number {
    const { slots, weights, starts, lengths } = wordSlots
    const frequencies = this.#frequencies
    const begun = wordsBegunBy(word, words)
    let count = 0
    for (let nth = 0; nth < begun.length; nth++) {
      const term = begun[nth]!
      // The word itself is before those that it begins.
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

  /** The same for words that follow each other, in the records that have the rarest of them. */
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

  /** Adds the scores of one word to those of the records that were noted; how many match now. */
  #add(
    contents: Contents,
    { passing, groups }: Sought,
    { nth, touched, matched }: Progress,
  ): number {
    // Where there is one group, all terms are of it.
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
      // What lacks an earlier term cannot have all.
      if ((found & needed) !== needed) continue
      if (found === 0) this.#matched[count++] = slot
      this.#found[slot] = found | (1 << nth)
      const length = contents.lengths[slot]! / averageLength
      const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
      this.#scores[slot] = this.#scores[slot]! + (rarity * frequency) / (frequency + damping)
    }
    return count
  }

  /** Takes out what has all of a group, and makes all ready for the next search. */
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

/** A loop, since it is asked of each record that matches. */
function hasGroup(found: number, groups: readonly number[]): boolean {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!
    if ((found & group) === group) return true
  }
  return false
}

/** Of `count` records, so many have the word. */
function rarityOf(having: number, count: number): number {
  return Math.log(1 + (count - having + 0.5) / (having + 0.5))
}

/** The codes of the words that begin with a text, in order. */
export function wordsBegunBy(text: string, words: SortedValues<string>): Uint32Array {
  const from = words.countBelow((word) => word < text)
  const to = words.countBelow((word) => word < text || word.startsWith(text), { from })
  return words.inOrder.subarray(from, to)
}
