import { countUp } from '../../shared/arrays/rank-sort.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import { type JoinPath, joinPathOf, type LevelMove, type LinkMove, type Move } from './join-path.ts'
import type { Selection } from './selection.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Describes how the values of a field are reached from the rows of a dataset. */
export interface Source {
  readonly column: Column
  /** Steps from the rows to the elements that have the values. */
  readonly moves: readonly Move[]
  /** Number of steps to the elements that conditions bind to (data-commons.md 1.3). 0 means the rows. */
  readonly bound: number
  /** Whether all steps are levels of the dataset, so that the column's counts apply to its rows. */
  readonly isOwn: boolean
}

/** Source of a field that has no value in any record. */
interface Valueless {
  readonly column: undefined
  /** Path to the elements that conditions bind to, all of which lack the field. Undefined if there are none. */
  readonly outer: JoinPath | undefined
}

/** Returns the path from the rows of a dataset to a field's column. `rows` is the number of rows. */
export function sourceOf(
  { steps, column: place }: FieldPath,
  rows: number,
  arrays: ReleaseArrays,
): Source | Valueless {
  const bound = steps.findLastIndex((step) => step.kind !== 'link' && step.nested) + 1
  const outer = joinPathOf(steps.slice(0, bound), rows, arrays)
  const inner = outer && joinPathOf(steps.slice(bound), outer.size, arrays)
  const column = arrays.column(place.dataset, place.path)
  if (!outer || !inner || !column) return { column: undefined, outer }
  const isOwn = steps.every((step) => step.kind === 'level' && step.nested)
  return { column, moves: [...outer.moves, ...inner.moves], bound: outer.moves.length, isOwn }
}

/** One code per row or element: `codes[i]`, or `codes[via[i]]` if there is `via`, the target of each row's link. */
export interface Lookup {
  readonly codes: Codes
  readonly via?: Uint32Array | undefined
}

/** A field that can be read in one pass: nested levels down to elements with one code each. */
export interface Direct {
  readonly levels: readonly LevelMove[]
  readonly lookup: Lookup
  /** Number of elements. */
  readonly size: number
}

/** Work that may be spent on preparing a lookup, in steps, in addition to one step per row. */
const PREPARING = 50_000

/**
 * Combines the links at the end of a path into one lookup. Returns undefined for other paths, or if following
 * the links for the few rows needed is cheaper.
 */
export function directOf(
  source: Source,
  { size: all, count }: Pick<Selection, 'size' | 'count'>,
): Direct | undefined {
  const { moves, bound } = source
  const levels = leadingLevels(moves)
  // If conditions bind to an element above the last level, each of these elements must be tested.
  if (bound !== 0 && bound !== levels.length) return undefined
  const lookup = lookupOf(source, moves.slice(levels.length), 2 * count + PREPARING)
  const size = levels.at(-1)?.size ?? all
  return lookup && { levels, lookup: lookup.codes ? lookup : { codes: countUp(1, size) }, size }
}

/** Returns the moves at the start of a path that lead into nested levels of the record. */
export function leadingLevels(moves: readonly Move[]): readonly LevelMove[] {
  const levels: LevelMove[] = []
  for (const move of moves) {
    if (move.kind !== 'level' || move.inverse) break
    levels.push(move)
  }
  return levels
}

/** Returns, for each row, the start of its elements on the last level. */
export function offsetsOver([first, ...deeper]: readonly LevelMove[]): Uint32Array {
  let offsets = first?.offsets ?? new Uint32Array(0)
  for (const level of deeper) offsets = followed(level.offsets, offsets)
  return offsets
}

function followed(offsets: Uint32Array, from: Uint32Array): Uint32Array {
  const further = new Uint32Array(from.length)
  for (let i = 0; i < from.length; i++) further[i] = offsets[from[i]!] as number
  return further
}

/**
 * Returns whether conditions on the field bind to elements of a linked record. If so, a row without a linked
 * record does not count as lacking the value, which a lookup cannot express.
 */
export const isBoundBehindLink = ({ moves, bound }: Pick<Source, 'moves' | 'bound'>): boolean =>
  moves.slice(0, bound).some((move) => move.kind === 'link' && !move.inverse)

/** Lookup in which `codes` may be missing. Without `codes`, the code of i is i + 1. */
type OpenLookup = Lookup | { readonly codes: undefined }

/**
 * Combines links into one lookup. Returns undefined if the path has other steps, an element has several codes,
 * or the work exceeds `budget` steps.
 */
export function lookupOf(
  { column: { codes, offsets } }: Pick<Source, 'column'>,
  moves: readonly Move[],
  budget: number,
): OpenLookup | undefined {
  const links = moves.filter((move) => move.kind === 'link' && !move.inverse) as LinkMove[]
  const steps = links.reduce((sum, { size }) => sum + size, 0)
  if (offsets || links.length < moves.length || steps > budget) return undefined
  return links.toReversed().reduce(
    (further: OpenLookup, { targets }): OpenLookup =>
      // A target is a row plus one, and so is the code of an id.
      further.codes ? { codes: shifted(further), via: targets } : { codes: targets },
    codes ? { codes } : { codes },
  )
}

/** Returns the codes indexed by target, which is a row plus one. Target 0 has code 0. */
function shifted({ codes, via }: Lookup): Codes {
  const kind = codes.constructor as Uint32ArrayConstructor
  const found: Codes = new kind((via ?? codes).length + 1)
  if (via) for (let i = 0; i < via.length; i++) found[i + 1] = codes[via[i]!] as number
  else found.set(codes, 1)
  return found
}
