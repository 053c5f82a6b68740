import { touch } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { type ColumnPlan, planColumns } from './column-plan.ts'
import { ColumnRows } from './column-rows.ts'
import { CopiedMembers } from './copied-members.ts'
import type { Projection } from './projection.ts'
import type { RecordHandles, RenderedRelease } from './records.ts'

/** Handles of records that are written from columns. */
interface ColumnHandles extends RecordHandles {
  readonly plan: ColumnPlan
}

export const isColumns = (handles: RecordHandles): handles is ColumnHandles =>
  handles.plan !== undefined

/** State of one projection for one release. */
interface Known {
  /** Number of rows requested since the columns were last loaded. */
  rows: number
  /** Value of `rows` when the size of the columns was last checked. */
  looked: number
  /** Null if the projection needs documents; undefined if it is not planned yet. */
  plan: ColumnPlan | null | undefined
  handles: ColumnHandles | undefined
  /** Table bound to the arrays of `handles`. */
  table: ColumnRows | undefined
}

/** Maximum number of projections per release whose state is kept. */
const MAX_KEPT = 32
/** Maximum share of the memory for arrays that the columns of one response may take. */
const MAX_COLUMNS = 7 / 8
/** Number of rows between two checks of the columns' size. A check is faster than reading their documents. */
const MIN_ROWS = 32
/** Size of arrays in bytes that can be read and verified in the time of reading one record's documents. */
const DOCUMENT_BYTES = 8 << 10

/**
 * Decides from the number of requested rows which responses are written from columns. Columns that are not in
 * memory are loaded once reading documents has taken as long as that.
 */
export class ColumnSources {
  readonly #known = new WeakMap<RenderedRelease, Map<Projection, Known>>()
  readonly #copied = new WeakMap<Projection, CopiedMembers>()

  /** Returns the columns for a number of rows, or undefined if documents are to be read instead. */
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
    // Not kept if the arrays did not fit in the cache, because this reference would keep them in memory.
    if (release.holds(handles.loaded)) known.handles = handles
    return handles
  }

  /** Returns the table that writes rows on the calling thread, cached while its arrays are current. */
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

  /** Returns what copies records out of their documents on the calling thread. It knows the order of members. */
  copiedOf(projection: Projection): CopiedMembers {
    const known = this.#copied.get(projection) ?? new CopiedMembers(projection)
    this.#copied.set(projection, known)
    return known
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
