import type { DatasetName, TableName } from '../datasets/define.ts'
import type { Dictionary } from './dictionary.ts'
import type {
  ColumnArrays,
  ColumnLayout,
  LevelArrays,
  LevelLayout,
  LinkArrays,
  LinkLayout,
} from './layout.ts'

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

export interface LoadedPart {
  /** Bitmaps bear that of their column. */
  readonly layout: ColumnLayout | LevelLayout | LinkLayout | undefined
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, unknown>>
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
}
