import type { Executor, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { arraysOf } from '../release/arrays.ts'
import type { DocumentsHandle } from '../release/documents.ts'
import type { ArrayKey, LoadedArrays } from '../release/loaded.ts'
import { type Projection, projectionKeys, projectionsOf } from './projection.ts'
import type { RecordHandles } from './records.ts'

/** What rendering needs of a release. It must stay open until the body has ended. */
export interface RenderedRelease {
  load(
    keys: Iterable<ArrayKey>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
  documents(dataset: DatasetName): Promise<DocumentsHandle>
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

/** Rows and linked elements that are rendered where they are asked for. */
const SMALL_ROWS = 20
const SMALL_ELEMENTS = 200

/** Whether there is so little to read that handing it to a thread would take longer. */
export function isSmall(
  projection: Projection,
  rows: ArrayLike<number> & Iterable<number>,
  { loaded }: RecordHandles,
): boolean {
  if (rows.length > SMALL_ROWS || hasReverse(projection)) return false
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
