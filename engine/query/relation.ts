import { type Bits, newBits, setBit, setRange } from './bitset.ts'
import type { Move, Way } from './way.ts'

/** All that is reached from the members of a set. */
export function image({ moves }: Way, from: Bits): Bits {
  let bits = from
  for (const move of moves) bits = across(move, move.inverse, move.size, bits)
  return bits
}

/**
 * All, of `size` at the start of the way, from which some member of a set is reached. `within` lets
 * it leave out what is not in there; it need not.
 */
export function preimage({ moves }: Way, size: number, to: Bits, within?: Bits): Bits {
  let bits = to
  for (let i = moves.length - 1; i >= 0; i--) {
    const move = moves[i] as Move
    const before = i === 0 ? size : (moves[i - 1] as Move).size
    bits = across(move, !move.inverse, before, bits, i === 0 ? within : undefined)
  }
  return bits
}

function across(move: Move, backward: boolean, size: number, bits: Bits, within?: Bits): Bits {
  const reached = newBits(size)
  if (move.kind === 'level') {
    if (backward) markOwn(move.parents, bits, reached)
    else markRanges(move.offsets, bits, reached)
  } else if (!backward) {
    markTargets(move.targets, bits, reached)
  } else if (isWorthScattering(move.reverseOffsets, bits, within ? size >>> 3 : size >>> 2)) {
    markLists(move.reverseOffsets, move.reverseElements, bits, reached)
  } else {
    gather(move.targets, bits, reached, within)
  }
  return reached
}

/** Elements to their parents, which ascend with them: a word is stored when all of it is known. */
function markOwn(parents: Uint32Array, bits: Bits, reached: Bits): void {
  let at = 0
  let marked = 0
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const parent = parents[base + 31 - Math.clz32(word & -word)] as number
      if (parent >>> 5 !== at) {
        reached[at] = marked
        at = parent >>> 5
        marked = 0
      }
      marked |= 1 << (parent & 31)
    }
  }
  if (marked !== 0) reached[at] = marked
}

/** Parents to their elements. */
function markRanges(offsets: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const parent = base + 31 - Math.clz32(word & -word)
      setRange(reached, offsets[parent] as number, offsets[parent + 1] as number)
    }
  }
}

/** Holders of a link to the rows that they name. */
function markTargets(targets: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const target = targets[base + 31 - Math.clz32(word & -word)] as number
      if (target !== 0) setBit(reached, target - 1)
    }
  }
}

/** Rows to the holders of links that name them, by the rows' lists. */
function markLists(offsets: Uint32Array, elements: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const end = offsets[row + 1] as number
      for (let i = offsets[row] as number; i < end; i++) setBit(reached, elements[i] as number)
    }
  }
}

/** Whether the lists of a set's rows hold at most so many elements. */
function isWorthScattering(offsets: Uint32Array, bits: Bits, most: number): boolean {
  let total = 0
  for (let w = 0; w < bits.length && total <= most; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      total += (offsets[row + 1] as number) - (offsets[row] as number)
    }
  }
  return total <= most
}

/** The same by asking every holder. */
function gather(targets: Uint32Array, bits: Bits, reached: Bits, within?: Bits): void {
  const whole = targets.length >>> 5
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue
    const base = w << 5
    let word = 0
    for (let i = base + 31; i >= base; i--) {
      const target = targets[i] as number
      // Target 0 is none; the shift by 31 that its row -1 leads to is in no word.
      const bit =
        target === 0 ? 0 : ((bits[(target - 1) >>> 5] as number) >>> ((target - 1) & 31)) & 1
      word = (word << 1) | bit
    }
    reached[w] = word
  }
  for (let i = whole << 5; i < targets.length; i++) {
    const target = targets[i] as number
    if (target !== 0 && ((bits[(target - 1) >>> 5] as number) >>> ((target - 1) & 31)) & 1) {
      setBit(reached, i)
    }
  }
}
