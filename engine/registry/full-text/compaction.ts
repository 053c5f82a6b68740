import { hasBit } from '../../shared/arrays/bitset.ts'
import { Contents } from './contents.ts'

/** Number of lists, mostly short, and number of slots to process between pauses. */
const SOME_LISTS = 64
const SOME_SLOTS = 4_096

/** Copies the contents without dead slots, in steps. The contents must not change before the copy is complete. */
export function* compacted(from: Contents): Generator<void, Contents> {
  yield* from.settle()
  const ids = yield* from.ids.retain((code) => from.slotOf(code) >= 0)
  const counts = yield* livingCounts(from)
  const words = yield* from.words.retain((word) => counts[word]! > 0)
  const copy = new Contents(ids.values, words.values)
  /** New slot + 1, indexed by old slot; 0 if dropped. */
  const places = new Uint32Array(from.slots)
  for (let slot = 0; slot < from.slots; slot++) {
    if (!hasBit(from.alive, slot)) continue
    const id = (ids.codes[from.idCodes[slot]!] as number) - 1
    places[slot] = copy.addSlot(id, from.lengths[slot]!) + 1
    copy.wordOrder.copySlot(from.wordOrder, slot, words.codes)
    if (slot % SOME_SLOTS === 0) yield
  }
  // The new codes of words ascend in this order, and terms are numbered in the order of copying, so both are equal.
  for (const [nth, word] of from.words.inOrder.entries()) {
    const count = counts[word]!
    if (count > 0) copy.wordSlots.copyTerm(from.wordSlots, word, places, count)
    if (nth % SOME_LISTS === 0) yield
  }
  yield* copyFilters(from, copy, places)
  for (const [name, order] of from.orders) {
    copy.orders.set(name, yield* order.copied(places, copy.slots))
  }
  return copy
}

/** Counts the live records per word. */
function* livingCounts({ words, wordSlots, alive }: Contents): Generator<void, Uint32Array> {
  const counts = new Uint32Array(words.size)
  for (let word = 0; word < counts.length; word++) {
    counts[word] = wordSlots.countAmong(word, alive)
    if (word % SOME_LISTS === 0) yield
  }
  return counts
}

function* copyFilters(from: Contents, to: Contents, places: Uint32Array): Generator<void, void> {
  for (const [name, terms] of from.filters) {
    const copies = new Map<string, number>()
    for (const [value, term] of terms) {
      const count = from.filterSlots.countAmong(term, from.alive)
      if (count > 0)
        copies.set(value, to.filterSlots.copyTerm(from.filterSlots, term, places, count))
      yield
    }
    to.filters.set(name, copies)
  }
}
