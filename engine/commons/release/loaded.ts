import type { Bits } from '../../shared/arrays/bitset.ts'
import type { WasmMemory } from '../../shared/web-assembly.ts'
import type { DatasetName, TableName } from '../datasets/define.ts'
import type { Dictionary } from './dictionary.ts'
import type {
  BitmapArrays,
  ColumnArrays,
  ColumnLayout,
  IndexArrays,
  LevelArrays,
  LevelLayout,
  LinkArrays,
  LinkLayout,
  StepArrays,
} from './layout.ts'
import type { LineArrays } from './manifest-lines.ts'

/** Path of an array file below the release folder without its ending, such as `columns/files/access`. */
export type ArrayKey = string

/**
 * Arrays of a release for a job, as plain data over shared memory that is sent to threads without a copy.
 * Created by `Release.load`, read through `arraysOf`.
 */
export interface LoadedArrays {
  readonly releaseId: string
  readonly rows: Readonly<Record<TableName, number>>
  readonly parts: Readonly<Record<ArrayKey, LoadedPart>>
  /** The memory that most of the arrays are in, for kernels. */
  readonly memory?: WasmMemory | undefined
}

/** Sizes of some arrays of a release, in bytes. */
export interface ArraySize {
  /** Bytes of all these arrays. */
  readonly bytes: number
  /** Bytes of the arrays that are not in memory. */
  readonly absent: number
  /** Memory limit for all arrays of the release together. */
  readonly memory: number
}

interface Part<Kind extends string, Layout, Arrays> {
  readonly kind: Kind
  readonly layout: Layout
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Arrays
}

export type LoadedPart =
  | Part<'column', ColumnLayout, ColumnArrays>
  /** Bitmaps of a column, with the column's layout. */
  | Part<'bitmaps', ColumnLayout, BitmapArrays>
  /** Index of a column, with the column's layout. */
  | Part<'index', ColumnLayout, IndexArrays>
  | Part<'level', LevelLayout, LevelArrays>
  | Part<'link', LinkLayout, LinkArrays>
  | Part<'lines', undefined, LineArrays>
  | Part<'steps', undefined, StepArrays>
  | Part<'members', undefined, MemberArrays>

/** Rows of a dataset that are members of a stored set. */
interface MemberArrays {
  readonly rows: Bits
}

type PartOf<Kind> = Extract<LoadedPart, { readonly kind: Kind }>

/**
 * Narrows a part to a kind.
 * @throws TypeError if it is of another kind, which its key should rule out
 */
export function partOf<Kind extends LoadedPart['kind']>(
  kind: Kind,
  part: LoadedPart,
): PartOf<Kind> {
  const isOfKind = (one: LoadedPart): one is PartOf<Kind> => one.kind === kind
  if (isOfKind(part)) return part
  throw new TypeError(`a part of kind "${part.kind}" is no "${kind}"`)
}

/** A column. Its `counts` and `order` are there if they were loaded (`indexKey`). */
export interface Column extends ColumnArrays {
  readonly layout: ColumnLayout
  readonly dictionary: Dictionary
  /** Words of the column's BitmapArrays, if there are any and they were loaded. */
  readonly bitmaps?: Int32Array | undefined
}

/**
 * Returns the number of rows with each value of a column other than the id (IndexArrays).
 * @throws TypeError if they were not loaded
 */
export function countsOf({ counts }: Column): Uint32Array {
  if (counts) return counts
  throw new TypeError('the counts of a column were not loaded')
}

export interface Level extends LevelArrays {
  readonly layout: LevelLayout
}

export interface Link extends LinkArrays {
  readonly layout: LinkLayout
}

/** Synchronous access to arrays that were loaded before. Asking for others is a bug. */
export interface ReleaseArrays {
  rows(table: TableName): number
  /** Returns undefined if no record has the field. */
  column(dataset: DatasetName, path: string): Column | undefined
  /** Returns undefined if the level has no elements. */
  level(table: TableName, path: string): Level | undefined
  /** Returns undefined if no record has the link. */
  link(table: TableName, at: string): Link | undefined
  /** Rows that are members of a stored set, by its key. */
  members(key: ArrayKey): Bits
}
