import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import { countUp } from './rank-sort.ts'
import { type LevelMove, type LinkMove, type Move, type Way, wayOf } from './way.ts'

/**
 * Where the values of a field are when seen from a dataset's rows: along `outer` to the elements
 * that the field is bound to (contract 1.3), along `inner` from each of them to what holds values.
 */
export interface Source {
  readonly column: Column
  readonly outer: Way
  readonly inner: Way
  /** Every step is a level of the dataset's own, so the column's counts speak of its rows. */
  readonly isOwn: boolean
}

/** A field that no record has a value of. */
export interface Valueless {
  readonly column: undefined
  /** To the elements that lack it; `undefined`: there are none. */
  readonly outer: Way | undefined
}

export function sourceOf(
  field: FieldPath,
  rows: number,
  arrays: ReleaseArrays,
): Source | Valueless {
  const bound = field.steps.findLastIndex((step) => step.kind !== 'link' && step.nested) + 1
  const outer = wayOf(field.steps.slice(0, bound), rows, arrays)
  const inner = outer && wayOf(field.steps.slice(bound), outer.size, arrays)
  const column = arrays.column(field.column.dataset, field.column.path)
  if (!outer || !inner || !column) return { column: undefined, outer }
  const isOwn = field.steps.every((step) => step.kind === 'level' && step.nested)
  return { column, outer, inner, isOwn }
}

/** One code per row or element, 0 for none: `codes[i]` or, with `via`, `codes[via[i]]`. */
export interface Lookup {
  readonly codes: Codes
  readonly via?: Uint32Array | undefined
}

/** A source that can be read in one pass: down levels to elements that have one code each. */
export interface Direct {
  readonly levels: readonly LevelMove[]
  readonly lookup: Lookup
  /** How many elements there are. */
  readonly size: number
}

/**
 * Folds the links at the end of a source into one lookup. `undefined` when its form is another or
 * when that would take more than `budget` steps.
 */
export function directOf(
  { column, outer, inner }: Source,
  rows: number,
  budget: number,
): Direct | undefined {
  if (column.offsets) return undefined
  const moves: Move[] = [...outer.moves, ...inner.moves]
  const links: LinkMove[] = []
  for (let last = moves.at(-1); last?.kind === 'link' && !last.inverse; last = moves.at(-1)) {
    links.push(last)
    moves.pop()
  }
  const levels = moves.filter((move) => move.kind === 'level' && !move.inverse) as LevelMove[]
  // What is bound to neither the rows nor the last level must be looked at element by element.
  const isBoundToEnd = outer.moves.length === 0 || outer.moves.length === levels.length
  if (levels.length < moves.length || !isBoundToEnd) return undefined
  const steps = links.reduce((sum, link) => sum + link.size, 0)
  if (steps > budget) return undefined
  const size = levels.at(-1)?.size ?? rows
  return { levels, lookup: lookupOf(column, links, size), size }
}

/** @param links from the last to the first */
function lookupOf({ codes }: Column, links: readonly LinkMove[], size: number): Lookup {
  const [last, ...before] = links
  // The code of an id is its row + 1, and so is a target.
  if (!codes && !last) return { codes: countUp(1, size) }
  const lookup: Lookup = codes
    ? { codes: last ? shifted(codes) : codes, via: last?.targets }
    : { codes: (last as LinkMove).targets }
  return before.reduce(
    (further, { targets }): Lookup => ({
      codes: shifted(further.codes, further.via),
      via: targets,
    }),
    lookup,
  )
}

/** Codes by target, which is row + 1: none for the target 0. */
function shifted(codes: Codes, via?: Uint32Array): Codes {
  const kind = codes.constructor as Uint32ArrayConstructor
  const found: Codes = new kind((via ?? codes).length + 1)
  if (via) for (let i = 0; i < via.length; i++) found[i + 1] = codes[via[i] as number] as number
  else found.set(codes, 1)
  return found
}
