import type { Codes } from '../release/layout.ts'
import type { LevelMove, LinkMove, Move } from './join-path.ts'
import type { Source } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Elements and values that a list of rows leads to. All arrays are in the order of the rows. */
interface Reached {
  readonly rows: Uint32Array
  /** Elements that conditions bind to. The owner of each is the index of its row in `rows`. */
  readonly holders: Pairs
  /** Codes of the values. The owner of each is the index of its element in `holders`. */
  readonly values: Pairs
}

/** A batch has so many rows that they lead to about this many pairs. */
const BATCH = 1 << 15
const MAX_ROWS = 1 << 13
/** Number of rows in the first batch, when the number of pairs per row is not yet known. */
const FIRST_ROWS = 16

/** Follows any path from rows to the values of a field. Yields batches. */
export function walk(
  { column, moves, bound }: Source,
  rows: Uint32Array,
  visit: (reached: Reached) => void,
): void {
  const front = new Front()
  const holders = new Pairs()
  for (let from = 0, count = FIRST_ROWS; from < rows.length; ) {
    const some = rows.subarray(from, from + count)
    front.pairs.take(some)
    let most = front.advance(moves.slice(0, bound))
    holders.takeOwners(front.pairs)
    most = Math.max(most, front.advance(moves.slice(bound)))
    front.spare.length = 0
    readValues(column, front.pairs, front.spare)
    visit({ rows: some, holders, values: front.spare })
    from += count
    count = Math.min(MAX_ROWS, Math.max(1, Math.floor((BATCH * count) / Math.max(1, most))))
  }
}

/** Follows steps from the given members. Owners in the result are indices in `members`. */
export function reach(moves: readonly Move[], members: Uint32Array): Pairs {
  const front = new Front()
  front.pairs.take(members)
  front.advance(moves)
  return front.pairs
}

/** The pairs reached so far, and a spare list that the next step fills. */
class Front {
  pairs = new Pairs()
  spare = new Pairs()

  /** Follows steps. Returns the largest number of pairs on the way. */
  advance(moves: readonly Move[]): number {
    let most = this.pairs.length
    for (const [i, move] of moves.entries()) {
      this.spare.length = 0
      along(move, { from: this.pairs, to: this.spare, next: moves.slice(i + 1) })
      const done = this.pairs
      this.pairs = this.spare
      this.spare = done
      most = Math.max(most, this.pairs.length)
    }
    return most
  }
}

/** Two growing lists of equal length: owners, and the rows or elements that they lead to. */
class Pairs {
  owners = new Uint32Array(1024)
  members = new Uint32Array(1024)
  length = 0

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.owners.length) return
    this.owners = longer(this.owners, needed)
    this.members = longer(this.members, needed)
  }

  /** Starts with the given members, each as its own owner. */
  take(members: Uint32Array): void {
    this.length = 0
    this.reserve(members.length)
    this.members.set(members)
    this.length = members.length
    for (let i = 0; i < members.length; i++) this.owners[i] = i
  }

  /** Takes the owners from other pairs. In these, each pair becomes its own owner. */
  takeOwners(pairs: Pairs): void {
    this.length = 0
    this.reserve(pairs.length)
    this.owners.set(pairs.owners.subarray(0, pairs.length))
    this.length = pairs.length
    for (let i = 0; i < pairs.length; i++) pairs.owners[i] = i
  }
}

function longer(list: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(Math.max(least, 2 * list.length))
  more.set(list)
  return more
}

interface Step {
  readonly from: Pairs
  readonly to: Pairs
  /** Steps after this one. */
  readonly next: readonly Move[]
}

function along(move: Move, { from, to, next }: Step): void {
  if (move.kind === 'level') {
    if (move.inverse) toParents(move, from, to)
    else toRanges(move.offsets, from, to)
  } else if (move.inverse) toNaming(move, from, to, next)
  else toTargets(move, from, to)
}

/** Goes from records to the elements that link to them. Several links from one record count once. */
function toNaming(move: LinkMove, from: Pairs, to: Pairs, next: readonly Move[]): void {
  const end = next.findIndex((one) => one.kind === 'link' || !one.inverse)
  const ups = next.slice(0, end === -1 ? next.length : end) as readonly LevelMove[]
  const { reverseOffsets: offsets, reverseElements: elements } = move
  for (let i = 0; i < from.length; i++) {
    const owner = from.owners[i]!
    const member = from.members[i]!
    const stop = offsets[member + 1]!
    to.reserve(stop - offsets[member]!)
    let last = -1
    for (let n = offsets[member]!; n < stop; n++) {
      const element = elements[n]!
      let record = element
      for (const { parents } of ups) record = parents[record]!
      if (record === last) continue
      last = record
      to.owners[to.length] = owner
      to.members[to.length++] = element
    }
  }
}

/** Goes from each member to all numbers in its range, or to the list items in that range. */
function toRanges(offsets: Uint32Array, from: Pairs, to: Pairs, list?: Codes): void {
  for (let i = 0; i < from.length; i++) {
    const owner = from.owners[i]!
    const member = from.members[i]!
    const start = offsets[member]!
    const count = offsets[member + 1]! - start
    to.reserve(count)
    const { owners, members, length } = to
    for (let n = 0; n < count; n++) {
      owners[length + n] = owner
      members[length + n] = list ? list[start + n]! : start + n
    }
    to.length = length + count
  }
}

function toParents({ parents }: LevelMove, from: Pairs, to: Pairs): void {
  to.reserve(from.length)
  for (let i = 0; i < from.length; i++) {
    to.owners[i] = from.owners[i]!
    to.members[i] = parents[from.members[i]!]!
  }
  to.length = from.length
}

function toTargets({ targets }: LinkMove, from: Pairs, to: Pairs): void {
  to.reserve(from.length)
  const { owners, members } = to
  let length = 0
  for (let i = 0; i < from.length; i++) {
    const target = targets[from.members[i]!] as number
    if (target === 0) continue
    owners[length] = from.owners[i]!
    members[length++] = target - 1
  }
  to.length = length
}

function readValues({ codes, offsets }: Source['column'], from: Pairs, to: Pairs): void {
  if (codes && offsets) {
    toRanges(offsets, from, to, codes)
    return
  }
  to.reserve(from.length)
  const { owners, members } = to
  let length = 0
  for (let i = 0; i < from.length; i++) {
    const member = from.members[i]!
    const code = codes ? codes[member]! : member + 1
    if (code === 0) continue
    owners[length] = from.owners[i]!
    members[length++] = code
  }
  to.length = length
}
