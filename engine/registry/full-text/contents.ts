import { type Bits, newBits, setBit } from '../../shared/arrays/bitset.ts'
import { grown } from '../../shared/arrays/growing.ts'
import { OrderValues } from './order-values.ts'
import { Postings } from './postings.ts'
import type { IndexedRecord, RecordQuery } from './record.ts'
import { SortedValues } from './sorted-values.ts'
import { WordOrder } from './word-order.ts'
import { wordsOf } from './words.ts'

type Order = NonNullable<RecordQuery['order']>

/**
 * Contents of an index. Each put gives the record a new slot. The record's old slot is then dead, until
 * `compacted` copies the contents without dead slots.
 */
export class Contents {
  readonly ids: SortedValues<string>
  readonly words: SortedValues<string>
  /** Terms are word codes. A weight is the sum of the weights of the texts that contain the word. */
  readonly wordSlots = new Postings({ weighted: true })
  readonly wordOrder = new WordOrder()
  /** Terms keyed by filter name and value. */
  readonly filters = new Map<string, Map<string, number>>()
  readonly filterSlots = new Postings({ weighted: false })
  readonly orders = new Map<string, OrderValues>()
  /** Number of slots. Slots are numbered from 0. */
  slots = 0
  alive: Bits = newBits(32)
  aliveCount = 0
  /** Total words of all live records. */
  wordCount = 0
  /** The id code and word count of each slot. */
  idCodes = new Uint32Array(16)
  lengths = new Uint32Array(16)
  /** For each id code, the slot plus one. 0 means that the id has no slot. */
  #slotOfId = new Uint32Array(16)

  constructor(ids = new SortedValues<string>(), words = new SortedValues<string>()) {
    this.ids = ids
    this.words = words
  }

  put({ id, texts, filters, orders }: IndexedRecord): void {
    this.delete(id)
    const weights = new Map<number, number>()
    let length = 0
    this.wordOrder.addSlot()
    for (const { text, weight } of texts) {
      if (!(weight > 0)) continue
      this.wordOrder.addText(weight)
      for (const { text: whole, parts } of wordsOf(text)) {
        const terms = [whole, ...parts].map((word) => this.#wordTerm(word))
        for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight)
        for (const term of parts.length > 0 ? terms.slice(1) : terms) this.wordOrder.addWord(term)
        length += 1 + parts.length
      }
    }
    const slot = this.addSlot(this.ids.code(id), length)
    for (const [term, weight] of weights) this.wordSlots.add(term, slot, weight)
    for (const [name, values] of Object.entries(filters)) {
      for (const value of new Set(values)) this.filterSlots.add(this.#filterTerm(name, value), slot)
    }
    for (const [name, value] of Object.entries(orders)) this.#orderOf(name).set(slot, value)
  }

  delete(id: string): boolean {
    const code = this.ids.find(id)
    const slot = code === undefined ? -1 : this.slotOf(code)
    if (code === undefined || slot < 0) return false
    this.#slotOfId[code] = 0
    const w = slot >>> 5
    this.alive[w] = this.alive[w]! & ~(1 << (slot & 31))
    this.aliveCount--
    this.wordCount -= this.lengths[slot]!
    return true
  }

  /** Sorts ids, words and order values, in steps. */
  *settle(): Generator<void, void> {
    yield* this.ids.settle()
    yield* this.words.settle()
    for (const { values } of this.orders.values()) yield* values.settle()
  }

  /** Returns the slot of an id, or -1 if the id has none. */
  slotOf(idCode: number): number {
    return (this.#slotOfId[idCode] ?? 0) - 1
  }

  idOf(slot: number): string {
    return this.ids.value(this.idCodes[slot]!)
  }

  /** Returns the rank of each slot's id among all ids. Contents must be settled, as for the methods below. */
  idRanks(slots: Uint32Array): Uint32Array {
    const ranks = this.ids.ranks()
    const found = new Uint32Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      found[i] = ranks[this.idCodes[slots[i]!] as number] as number
    }
    return found
  }

  /** Returns a sort key for each slot. Greater keys come first, and equal values have equal keys. */
  orderKeys(slots: Uint32Array, { name, descending }: Order): Float64Array {
    return this.orders.get(name)?.keysOf(slots, descending) ?? new Float64Array(slots.length)
  }

  /** Adds a slot for a record that has this number of words. */
  addSlot(idCode: number, length: number): number {
    const slot = this.slots++
    if (slot >= this.lengths.length) {
      this.idCodes = grown(this.idCodes, slot + 1)
      this.lengths = grown(this.lengths, slot + 1)
      this.alive = grown(this.alive, (this.lengths.length >>> 5) + 1)
    }
    if (idCode >= this.#slotOfId.length) this.#slotOfId = grown(this.#slotOfId, idCode + 1)
    this.idCodes[slot] = idCode
    this.#slotOfId[idCode] = slot + 1
    this.lengths[slot] = length
    setBit(this.alive, slot)
    this.aliveCount++
    this.wordCount += length
    return slot
  }

  #wordTerm(word: string): number {
    const known = this.words.find(word)
    if (known !== undefined) return known
    this.wordSlots.addTerm()
    // The word is copied, because a substring would keep the whole text in memory.
    return this.words.code(Buffer.from(word).toString())
  }

  #filterTerm(name: string, value: string): number {
    const terms = this.filters.get(name) ?? new Map<string, number>()
    this.filters.set(name, terms)
    const term = terms.get(value) ?? this.filterSlots.addTerm()
    terms.set(value, term)
    return term
  }

  #orderOf(name: string): OrderValues {
    const order = this.orders.get(name) ?? new OrderValues()
    this.orders.set(name, order)
    return order
  }
}
