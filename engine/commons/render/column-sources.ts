import { touch } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { type ColumnPlan, planColumns } from './column-plan.ts'
import { ColumnRows } from './column-rows.ts'
import type { Projection } from './projection.ts'
import type { RecordHandles, RenderedRelease } from './records.ts'

/** Records written from columns. */
export interface ColumnHandles extends RecordHandles {
  readonly plan: ColumnPlan
}

export const isColumns = (handles: RecordHandles): handles is ColumnHandles =>
  handles.plan !== undefined

/** What is known of a projection on a release. */
interface Known {
  /** Rows that were asked for since its columns were loaded last. */
  rows: number
  /** As many as there were when it was looked last what columns take. */
  looked: number
  /** `null`: only documents know all that is printed. */
  plan: ColumnPlan | null | undefined
  handles: ColumnHandles | undefined
  /** Bound to the arrays of `handles`. */
  table: ColumnRows | undefined
}

/** Projections of a release. */
const MAX_KEPT = 32
/** Part of the memory for arrays that the columns of one answer may take: more would leave none for others. */
const MAX_COLUMNS = 1 / 2
/** Finding out what columns take, as often as these are asked for, costs little beside their documents. */
const MIN_ROWS = 32
/** Reading a record's documents takes as long as reading and proving so many bytes of arrays. */
const DOCUMENT_BYTES = 8 << 10

/**
 * Chooses what is written from columns, by what was asked for until now: those that are not in memory
 * are loaded when reading the documents of as many rows would have taken as long.
 */
export class ColumnSources {
  readonly #known = new WeakMap<RenderedRelease, Map<Projection, Known>>()

  /** The columns of so many rows; `undefined` when their documents are to be read. */
  async of(
    { projection, rows }: { readonly projection: Projection; readonly rows: number },
    release: RenderedRelease,
    signal: AbortSignal | undefined,
  ): Promise<ColumnHandles | undefined> {
    const known = this.#knownOf(projection, release)
    if (known.handles && release.holds(known.handles.loaded)) return known.handles
    known.handles = undefined
    known.table = undefined
    known.rows += rows
    if (known.rows - known.looked < MIN_ROWS) return undefined
    known.looked = known.rows
    known.plan ??= planColumns(projection, release.manifest.datasets) ?? null
    const { plan } = known
    if (!plan) return undefined
    const { bytes, absent, memory } = release.sizeOf(plan.keys)
    if (bytes > memory * MAX_COLUMNS || absent > known.rows * DOCUMENT_BYTES) return undefined
    const handles = { loaded: await release.load(plan.keys, { signal }), documents: {}, plan }
    known.rows = 0
    known.looked = 0
    // What had no place beside others must not be kept by this either.
    if (release.holds(handles.loaded)) known.handles = handles
    return handles
  }

  /** Writes rows on the calling thread. */
  tableOf(
    projection: Projection,
    handles: ColumnHandles,
    { release, scratch }: { readonly release: RenderedRelease; readonly scratch: Scratch },
  ): ColumnRows {
    const make = () => new ColumnRows(handles.plan, handles.loaded, scratch)
    const known = this.#knownOf(projection, release)
    if (known.handles !== handles) return make()
    known.table ??= make()
    return known.table
  }

  #knownOf(projection: Projection, release: RenderedRelease): Known {
    const all = this.#known.get(release) ?? new Map<Projection, Known>()
    this.#known.set(release, all)
    const known = all.get(projection) ?? {
      rows: 0,
      looked: 0,
      plan: undefined,
      handles: undefined,
      table: undefined,
    }
    touch(all, projection, known, MAX_KEPT)
    return known
  }
}
