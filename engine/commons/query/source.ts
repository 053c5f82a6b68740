import { countUp } from '../../shared/arrays/rank-sort.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import { type JoinPath, joinPathOf, type LevelMove, type LinkMove, type Move } from './join-path.ts'
import type { Selection } from './selection.ts'

/** Location of a field's values as seen from a dataset's rows. */
export interface Source {
  readonly column: Column
  /** Moves from the rows to the holders of values. */
  readonly moves: readonly Move[]
  /** Number of moves to the elements that the field binds to (data-commons.md 1.3). 0 means the rows. */
  readonly bound: number
  /** Whether every step is a level of the dataset itself, so that the column's counts apply to its rows. */
  readonly isOwn: boolean
}

/** A field without a value in any record. */
interface Valueless {
  readonly column: undefined
  /** Path to the elements that lack the field. Undefined if there are none. */
  readonly outer: JoinPath | undefined
}

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

/** One code per row or element, 0 for none: `codes[i]` or, with `via`, `codes[via[i]]`. */
export interface Lookup {
  readonly codes: Codes
  readonly via?: Uint32Array | undefined
}

/** A source that can be read in one pass: down levels to elements with one code each. */
export interface Direct {
  readonly levels: readonly LevelMove[]
  readonly lookup: Lookup
  /** Number of elements. */
  readonly size: number
}

/** Steps that preparing a pass may take in addition to those for skipped rows. */
const PREPARING = 50_000

/**
 * Folds the links at the end of a source into one lookup. Returns undefined if the source has another form,
 * or if so few rows are needed that following each is less work.
 */
export function directOf(
  source: Source,
  { size: all, count }: Pick<Selection, 'size' | 'count'>,
): Direct | undefined {
  const { moves, bound } = source
  const levels = leadingLevels(moves)
  // A field bound to neither the rows nor the last level has to be evaluated element by element.
  if (bound !== 0 && bound !== levels.length) return undefined
  const lookup = lookupOf(source, moves.slice(levels.length), 2 * count + PREPARING)
  const size = levels.at(-1)?.size ?? all
  return lookup && { levels, lookup: lookup.codes ? lookup : { codes: countUp(1, size) }, size }
}

export function leadingLevels(moves: readonly Move[]): readonly LevelMove[] {
  const levels: LevelMove[] = []
  for (const move of moves) {
    if (move.kind !== 'level' || move.inverse) break
    levels.push(move)
  }
  return levels
}

/** Returns the offsets from rows to the elements of the last level. */
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
 * Returns whether the field binds to elements behind a link to a single record. A row without that record
 * then does not count as lacking the value, which a lookup cannot distinguish.
 */
export const isBoundBehindLink = ({ moves, bound }: Pick<Source, 'moves' | 'bound'>): boolean =>
  moves.slice(0, bound).some((move) => move.kind === 'link' && !move.inverse)

/** A lookup without `codes`: the code of i is i + 1. */
type OpenLookup = Lookup | { readonly codes: undefined }

/**
 * Joins links into one lookup. Returns undefined if there are other moves, several codes per element, or more
 * than `budget` steps.
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
      // A target is its row plus one, as the code of an id is.
      further.codes ? { codes: shifted(further), via: targets } : { codes: targets },
    codes ? { codes } : { codes },
  )
}

/** Returns the codes by target, which is a row plus one. Target 0 has none. */
function shifted({ codes, via }: Lookup): Codes {
  const kind = codes.constructor as Uint32ArrayConstructor
  const found: Codes = new kind((via ?? codes).length + 1)
  if (via) for (let i = 0; i < via.length; i++) found[i + 1] = codes[via[i]!] as number
  else found.set(codes, 1)
  return found
}
