import type { Bits } from '../../shared/arrays/bitset.ts'
import type { DatasetName, TableName } from '../datasets/define.ts'
import type { Dictionary } from './dictionary.ts'
import type {
  BitmapArrays,
  ColumnArrays,
  ColumnLayout,
  LevelArrays,
  LevelLayout,
  LinkArrays,
  LinkLayout,
  StepArrays,
} from './layout.ts'
import type { LineArrays } from './manifest-lines.ts'

/** Names of array files below the release folder without their ending: `columns/files/access`. */
export type ArrayKey = string

/**
 * What a job is given of a release: plain data over shared memory, so that it crosses to a thread
 * without being copied. Made by `Release.load`; read through `arraysOf`.
 */
export interface LoadedArrays {
  readonly releaseId: string
  readonly rows: Readonly<Record<TableName, number>>
  readonly parts: Readonly<Record<ArrayKey, LoadedPart>>
}

/** Bytes of some arrays of a release. */
export interface ArraySize {
  readonly bytes: number
  /** Of those that are not in memory. */
  readonly absent: number
  /** What all arrays together may take. */
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
  /** Of a column, whose layout they bear. */
  | Part<'bitmaps', ColumnLayout, BitmapArrays>
  | Part<'level', LevelLayout, LevelArrays>
  | Part<'link', LinkLayout, LinkArrays>
  | Part<'lines', undefined, LineArrays>
  | Part<'steps', undefined, StepArrays>
  | Part<'members', undefined, MemberArrays>

/** Rows of a dataset that are members of a stored set. */
export interface MemberArrays {
  readonly rows: Bits
}

type PartOf<Kind> = Extract<LoadedPart, { readonly kind: Kind }>

/**
 * A part as one of a kind.
 * @throws TypeError when it is of another, since its key says which it is
 */
export function partOf<Kind extends LoadedPart['kind']>(
  kind: Kind,
  part: LoadedPart,
): PartOf<Kind> {
  const isOfKind = (one: LoadedPart): one is PartOf<Kind> => one.kind === kind
  if (isOfKind(part)) return part
  throw new TypeError(`a part of kind "${part.kind}" is no "${kind}"`)
}

export interface Column extends ColumnArrays {
  readonly layout: ColumnLayout
  readonly dictionary: Dictionary
  /** When the column has any and they were loaded too: the words of BitmapArrays. */
  readonly bitmaps?: Int32Array | undefined
}

export interface Level extends LevelArrays {
  readonly layout: LevelLayout
}

export interface Link extends LinkArrays {
  readonly layout: LinkLayout
}

/** Synchronous sight of the arrays that were loaded beforehand; asking for others is a bug. */
export interface ReleaseArrays {
  rows(table: TableName): number
  /** `undefined`: no record has the field. */
  column(dataset: DatasetName, path: string): Column | undefined
  /** `undefined`: the level has no element. */
  level(table: TableName, path: string): Level | undefined
  /** `undefined`: no record has the link. */
  link(table: TableName, at: string): Link | undefined
  /** Rows that are members of a stored set, by its key. */
  members(key: ArrayKey): Bits
}
