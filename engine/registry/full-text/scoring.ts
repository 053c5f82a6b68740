import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import type { Contents } from './contents.ts'
import type { SortedValues } from './sorted-values.ts'
import type { Word } from './words.ts'

/** A word that only begins with what is asked for counts as this part of one that equals it. */
export const BEGUN_SHARE = 0.25
/** The usual constants of BM25: how soon a repeated word counts no more, and how much length counts. */
export const SATURATION = 1.2
export const LENGTH_SHARE = 0.75

export interface Sought {
  readonly words: readonly string[]
  /** Slots that may match. */
  readonly passing: Bits
  readonly mode: 'OR' | 'AND'
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
  #found = new Uint8Array(0)
  #touched = new Uint32Array(0)
  #matched = new Uint32Array(0)

  /** The slots that may match and have all words, or one at least. */
  score(contents: Contents, sought: Sought): Scored {
    this.#grow(contents.slots)
    let matched = 0
    for (let nth = 0; nth < sought.words.length; nth++) {
      const touched = this.#touch(contents, sought.words[nth] as string)
      matched = this.#add(contents, sought, { nth, touched, matched })
    }
    return this.#take(matched, sought.mode === 'AND' ? sought.words.length : 1)
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

  /** Adds the scores of one word to those of the records that were noted; how many match now. */
  #add(contents: Contents, { passing, mode }: Sought, { nth, touched, matched }: Progress): number {
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
      // What lacks an earlier word cannot have all.
      if (mode === 'AND' && found < nth) continue
      if (found === 0) this.#matched[count++] = slot
      this.#found[slot] = found + 1
      const length = contents.lengths[slot]! / averageLength
      const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
      this.#scores[slot] = this.#scores[slot]! + (rarity * frequency) / (frequency + damping)
    }
    return count
  }

  /** Takes out what was found so many times, and makes all ready for the next search. */
  #take(matched: number, times: number): Scored {
    const slots = new Uint32Array(matched)
    const scores = new Float64Array(matched)
    let count = 0
    let best = 0
    for (let i = 0; i < matched; i++) {
      const slot = this.#matched[i]!
      const score = this.#scores[slot]!
      if (this.#found[slot]! >= times) {
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
    this.#found = new Uint8Array(size)
    this.#touched = new Uint32Array(size)
    this.#matched = new Uint32Array(size)
  }
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

/** What is looked for, each once: a code that no record has as it is typed is sought by its parts. */
export function soughtWords(typed: readonly Word[], contents: Contents): string[] {
  const { words, wordSlots, alive } = contents
  const isThere = (text: string) =>
    wordsBegunBy(text, words).some((term) => wordSlots.countAmong(term, alive) > 0)
  const sought = typed.flatMap(({ text, parts }) =>
    parts.length === 0 || isThere(text) ? [text] : parts,
  )
  return [...new Set(sought)]
}
