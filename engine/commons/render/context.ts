import type { Executor, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { arraysOf } from '../release/arrays.ts'
import type { DocumentsHandle } from '../release/documents.ts'
import type { ReleaseManifest } from '../release/layout.ts'
import type { ArrayKey, ArraySize, LoadedArrays } from '../release/loaded.ts'
import { planColumns } from './column-plan.ts'
import { type Projection, projectionKeys, projectionsOf } from './projection.ts'
import type { RecordHandles } from './records.ts'

/** What rendering needs of a release. It must stay open until the body has ended. */
export interface RenderedRelease {
  load(
    keys: Iterable<ArrayKey>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
  documents(dataset: DatasetName): Promise<DocumentsHandle>
  /** What columns there are, and how documents print them. */
  readonly manifest: Pick<ReleaseManifest, 'datasets'>
  /** Bytes of arrays. */
  sizeOf(keys: Iterable<ArrayKey>): ArraySize
}

export interface RenderContext {
  readonly release: RenderedRelease
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  /** For what is rendered on the calling thread. */
  readonly scratch: Scratch
}

/** Loads what a projection leads to. */
export async function handlesFor(
  projection: Projection,
  { release, signal }: Pick<RenderContext, 'release' | 'signal'>,
): Promise<RecordHandles> {
  const documents: Partial<Record<DatasetName, DocumentsHandle>> = {}
  for (const { dataset } of projectionsOf(projection)) {
    documents[dataset] ??= await release.documents(dataset)
  }
  return { loaded: await release.load(projectionKeys(projection), { signal }), documents }
}

/** Part of the memory for arrays that the columns of one answer may take: more would leave none for others. */
const MAX_COLUMNS = 1 / 2
/** Finding out what few rows need takes longer than reading their documents. */
const MIN_COLUMN_ROWS = 32
/** Reading a record's documents takes as long as reading and proving so many bytes of arrays. */
const DOCUMENT_BYTES = 8 << 10

/**
 * Loads what rows are written from: columns where they say all that is printed and that costs less,
 * else documents.
 */
export async function sourceFor(
  { projection, rows, isPlain }: SourceRequest,
  context: Pick<RenderContext, 'release' | 'signal'>,
): Promise<RecordHandles> {
  const { release, signal } = context
  const isMany = isPlain && rows >= MIN_COLUMN_ROWS
  const plan = isMany ? planColumns(projection, release.manifest.datasets) : undefined
  if (!plan) return handlesFor(projection, context)
  const { bytes, absent, memory } = release.sizeOf(plan.keys)
  if (bytes > memory * MAX_COLUMNS || absent > rows * DOCUMENT_BYTES) {
    return handlesFor(projection, context)
  }
  return { loaded: await release.load(plan.keys, { signal }), documents: {}, plan }
}

export interface SourceRequest {
  readonly projection: Projection
  /** How many there are. */
  readonly rows: number
  /** The form is one that columns are written in. */
  readonly isPlain: boolean
}

/** Rows and linked elements that are rendered where they are asked for. */
const SMALL_ROWS = 20
/** Columns are written in a tenth of the time. */
const SMALL_COLUMN_ROWS = 200
const SMALL_ELEMENTS = 200

/** Whether there is so little to read that handing it to a thread would take longer. */
export function isSmall(
  projection: Projection,
  rows: ArrayLike<number> & Iterable<number>,
  { loaded, plan }: RecordHandles,
): boolean {
  const most = plan ? SMALL_COLUMN_ROWS : SMALL_ROWS
  if (rows.length > most || hasReverse(projection)) return false
  const arrays = arraysOf(loaded)
  let elements = 0
  for (const part of projection.parts) {
    if (!('at' in part) || part.level === '') continue
    const offsets = arrays.level(projection.dataset, part.level)?.offsets
    for (const row of rows) elements += (offsets?.[row + 1] ?? 0) - (offsets?.[row] ?? 0)
  }
  return elements <= SMALL_ELEMENTS
}

/** Whether a record may take many others with it. */
export function hasReverse(projection: Projection): boolean {
  for (const { parts } of projectionsOf(projection)) {
    for (const part of parts) if (!('at' in part)) return true
  }
  return false
}
