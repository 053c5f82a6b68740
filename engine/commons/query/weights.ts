import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import { countUp } from '../../shared/arrays/rank-sort.ts'
import { countCodes, countLists } from './histogram.ts'
import type { LevelMove, LinkMove, Move } from './join-path.ts'
import { image } from './relation.ts'
import { bitsOf, type Selection } from './selection.ts'
import { leadingLevels, type Source } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** If fewer than one row in this many is selected, following the path for each row is faster. */
const SPARSE = 8

/**
 * Counts how often the selected rows lead to each code, by passing the number of paths on from element to
 * element. Returns undefined if following the path for each row is faster.
 */
export function weighCodes(source: Source, rows: Selection): Uint32Array | undefined {
  const { moves, column } = source
  const isTwiceUp = moves.some((move, i) => isUp(move) && isUp(moves[i + 1]))
  if (isTwiceUp || rows.count * SPARSE < rows.size) return undefined
  const levels = leadingLevels(moves)
  const members = image({ moves: levels, size: rows.size }, bitsOf(rows))
  const [first, ...rest] = moves.slice(levels.length)
  const { distinct } = column.layout
  if (!first) {
    const codes = column.codes ?? countUp(1, rows.size)
    return column.offsets
      ? countLists(codes, column.offsets, members, distinct)
      : countCodes({ codes }, members, distinct)
  }
  let weights = firstWeights(first, members)
  for (const [i, move] of rest.entries()) {
    const before = i === 0 ? first : rest[i - 1]
    if (isUp(move) && before?.kind === 'link') dropRepeats(before, move, weights)
    weights = passedOn(move, weights)
  }
  return weighed(column, weights)
}

const isUp = (move: Move | undefined): move is LevelMove => move?.kind === 'level' && move.inverse

function firstWeights(move: Move, members: Bits): Uint32Array {
  if (move.kind === 'level') throw new Error('levels come before')
  if (!move.inverse) return countCodes({ codes: move.targets }, members, move.size).subarray(1)
  const weights = new Uint32Array(move.size)
  for (let i = 0; i < weights.length; i++) {
    const target = move.targets[i]!
    if (target !== 0 && hasBit(members, target - 1)) weights[i] = 1
  }
  return weights
}

function passedOn(move: Move, weights: Uint32Array): Uint32Array {
  const passed = new Uint32Array(move.size)
  const list = move.kind === 'level' ? move.parents : move.targets
  // Targets are row numbers plus one.
  const base = move.kind === 'level' ? 0 : 1
  const isGathered = move.kind === 'level' ? !move.inverse : move.inverse
  for (let i = 0; i < list.length; i++) {
    const other = list[i]! - base
    if (other < 0) continue
    if (isGathered) passed[i] = weights[other]!
    else passed[other] = passed[other]! + weights[i]!
  }
  return passed
}

/** Counts a record once if several of its elements link to the same record. */
function dropRepeats({ targets }: LinkMove, { parents }: LevelMove, weights: Uint32Array): void {
  for (let i = 1; i < targets.length; i++) {
    for (let n = i - 1; n >= 0 && parents[n] === parents[i]; n--) {
      if (targets[n] === targets[i]) weights[i] = 0
    }
  }
}

function weighed({ codes, offsets, layout }: Source['column'], weights: Uint32Array): Uint32Array {
  const counts = new Uint32Array(layout.distinct + 1)
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i]!
    const end = offsets ? offsets[i + 1]! : i + 1
    for (let n = offsets ? offsets[i]! : i; n < end; n++) {
      const code = codes ? codes[n]! : n + 1
      counts[code] = counts[code]! + weight
    }
  }
  return counts
}
