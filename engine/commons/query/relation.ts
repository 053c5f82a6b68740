import {
  type Bits,
  countBits,
  hasBit,
  newBits,
  setBit,
  setRange,
} from '../../shared/arrays/bitset.ts'
import { foldOwn } from './fold-level.ts'
import type { JoinPath, LevelMove, LinkMove, Move } from './join-path.ts'

/** Returns a bitmap of all rows or elements that a path reaches from the given ones. */
export function image({ moves }: JoinPath, from: Bits): Bits {
  let bits = from
  for (const move of moves) bits = across(move, move.inverse, move.size, bits)
  return bits
}

/**
 * Returns a bitmap of the rows or elements at the start of a path, from which the path reaches one of those in `to`.
 * Rows or elements outside of `within` may be missing.
 * @param size number of rows or elements at the start of the path
 */
export function preimage({ moves }: JoinPath, size: number, to: Bits, within?: Bits): Bits {
  let bits = to
  for (let i = moves.length - 1; i >= 0; i--) {
    const move = moves[i] as Move
    const link = moves[i - 1]
    if (isUp(move) && link?.kind === 'link' && link.inverse) {
      i--
      bits = namedBy(link, move, i === 0 ? size : (moves[i - 1] as Move).size, bits)
      continue
    }
    const before = i === 0 ? size : (moves[i - 1] as Move).size
    bits = across(move, !move.inverse, before, bits, i === 0 ? within : undefined)
  }
  return bits
}

const isUp = (move: Move): move is LevelMove => move.kind === 'level' && move.inverse

/** Number of lists that can be searched in the time of following one link. */
const EARLY_END = 2

/** Returns the rows that the elements of the given records link to. */
function namedBy(link: LinkMove, up: LevelMove, size: number, records: Bits): Bits {
  const count = countBits(records)
  // The search of a list stops at its first member, which comes early if there are many members.
  const probes = count === 0 ? 0 : (size * up.size) / count
  return count > EARLY_END * probes
    ? askLists(link, up.parents, records, size)
    : markNamed(up.offsets, link.targets, records, size)
}

/** Sets the bits of all rows that the elements of the given records link to. */
function markNamed(offsets: Uint32Array, targets: Uint32Array, records: Bits, size: number): Bits {
  const reached = newBits(size)
  for (let w = 0; w < records.length; w++) {
    const base = w << 5
    for (let word = records[w]!; word !== 0; word &= word - 1) {
      const record = base + 31 - Math.clz32(word & -word)
      const end = offsets[record + 1]!
      for (let i = offsets[record]!; i < end; i++) {
        const target = targets[i]!
        if (target !== 0) setBit(reached, target - 1)
      }
    }
  }
  return reached
}

/** For each row, searches the list of records that link to it until a given record is found. */
function askLists(
  { reverseOffsets, reverseElements }: LinkMove,
  parents: Uint32Array,
  records: Bits,
  size: number,
): Bits {
  const reached = newBits(size)
  for (let row = 0; row < size; row++) {
    const end = reverseOffsets[row + 1]!
    for (let i = reverseOffsets[row]!; i < end; i++) {
      if (!hasBit(records, parents[reverseElements[i]!] as number)) continue
      setBit(reached, row)
      break
    }
  }
  return reached
}

function across(move: Move, backward: boolean, size: number, bits: Bits, within?: Bits): Bits {
  const reached = newBits(size)
  if (move.kind === 'level') {
    if (backward) toParents(move, bits, reached)
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

/** Cost of a parent with no element or several, relative to 32 parents with one element each. */
const IRREGULAR = 3

/** Maps elements to their parents. */
function toParents(move: LevelMove, bits: Bits, reached: Bits): void {
  const { offsets, parents, irregular, irregularities } = move
  // Following one element costs as much as reading about four words, because it reads at random positions.
  const most = (reached.length + irregularities * IRREGULAR) >>> 2
  if (irregular && countBits(bits) > most) foldOwn(offsets, irregular, bits, reached)
  else markOwn(parents, bits, reached)
}

/** Maps elements to their parents. Parents ascend with elements, so each word is written once. */
function markOwn(parents: Uint32Array, bits: Bits, reached: Bits): void {
  let at = 0
  let marked = 0
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const parent = parents[base + 31 - Math.clz32(word & -word)]!
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

/** Maps parents to their elements. */
function markRanges(offsets: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const parent = base + 31 - Math.clz32(word & -word)
      setRange(reached, offsets[parent]!, offsets[parent + 1]!)
    }
  }
}

/** Maps elements with a link to the rows that they refer to. */
function markTargets(targets: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const target = targets[base + 31 - Math.clz32(word & -word)]!
      if (target !== 0) setBit(reached, target - 1)
    }
  }
}

/** Maps rows to the elements that link to them, using a list per row. */
function markLists(offsets: Uint32Array, elements: Uint32Array, bits: Bits, reached: Bits): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const end = offsets[row + 1]!
      for (let i = offsets[row]!; i < end; i++) setBit(reached, elements[i]!)
    }
  }
}

/** Returns whether the lists of the selected rows have at most `most` elements together. */
function isWorthScattering(offsets: Uint32Array, bits: Bits, most: number): boolean {
  let total = 0
  for (let w = 0; w < bits.length && total <= most; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      total += offsets[row + 1]! - offsets[row]!
    }
  }
  return total <= most
}

/** Maps rows to the elements that link to them by testing every element. */
function gather(targets: Uint32Array, bits: Bits, reached: Bits, within?: Bits): void {
  const whole = targets.length >>> 5
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue
    const base = w << 5
    let word = 0
    for (let i = base + 31; i >= base; i--) {
      const target = targets[i]!
      // Target 0 means no link.
      const bit = target === 0 ? 0 : (bits[(target - 1) >>> 5]! >>> ((target - 1) & 31)) & 1
      word = (word << 1) | bit
    }
    reached[w] = word
  }
  for (let i = whole << 5; i < targets.length; i++) {
    const target = targets[i]!
    if (target !== 0 && (bits[(target - 1) >>> 5]! >>> ((target - 1) & 31)) & 1) {
      setBit(reached, i)
    }
  }
}
