import type { Executor, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { arraysOf } from '../release/arrays.ts'
import type { DocumentsHandle } from '../release/documents.ts'
import type { ColumnSources } from './column-sources.ts'
import { type Projection, projectionKeys, projectionsOf } from './projection.ts'
import type { RecordHandles, RenderedRelease } from './records.ts'

export interface RenderContext {
  readonly release: RenderedRelease
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  /** Memory for rendering on the calling thread. */
  readonly scratch: Scratch
  readonly columns: ColumnSources
}

/** Loads the arrays and documents that a projection needs. */
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

/** Loads columns if rows can be written from them and this is cheaper. Otherwise loads documents. */
export async function sourceFor(
  { projection, rows, isPlain }: SourceRequest,
  context: Pick<RenderContext, 'release' | 'signal' | 'columns'>,
): Promise<RecordHandles> {
  const { release, signal, columns } = context
  const handles = isPlain ? await columns.of({ projection, rows }, release, signal) : undefined
  return handles ?? handlesFor(projection, context)
}

interface SourceRequest {
  readonly projection: Projection
  readonly rows: number
  /** Whether the format can be written from columns. */
  readonly isPlain: boolean
}

/** Maximum number of rows that are rendered on the calling thread. */
const SMALL_ROWS = 20
/** Maximum number of rows whose documents are copied without being parsed on the calling thread. */
const SMALL_COPIED_ROWS = 128
/** Maximum number of linked elements that are rendered on the calling thread. */
const SMALL_ELEMENTS = 200
/**
 * Maximum number of column values that are rendered on the calling thread, which takes a millisecond, less
 * than passing chunks between threads.
 */
const SMALL_VALUES = 20_000

/**
 * Returns whether rendering takes less time than passing the work to a thread.
 * @param isCopied whether records are copied from their documents (CopiedMembers)
 */
export function isSmall(
  projection: Projection,
  rows: ArrayLike<number> & Iterable<number>,
  { loaded, plan }: RecordHandles,
  isCopied = false,
): boolean {
  const mostOfColumns = plan && SMALL_VALUES / Math.max(plan.keys.length, 1)
  const mostOfDocuments = isCopied ? SMALL_COPIED_ROWS : SMALL_ROWS
  if (rows.length > (mostOfColumns ?? mostOfDocuments) || hasReverse(projection)) return false
  const arrays = arraysOf(loaded)
  let elements = 0
  for (const part of projection.parts) {
    if (!('at' in part) || part.level === '') continue
    const offsets = arrays.level(projection.dataset, part.level)?.offsets
    for (const row of rows) elements += (offsets?.[row + 1] ?? 0) - (offsets?.[row] ?? 0)
  }
  return elements <= (mostOfColumns ?? SMALL_ELEMENTS)
}

/** Returns whether a record may include many records of other datasets. */
export function hasReverse(projection: Projection): boolean {
  for (const { parts } of projectionsOf(projection)) {
    for (const part of parts) if (!('at' in part)) return true
  }
  return false
}
