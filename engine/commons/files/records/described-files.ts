import type { Guard } from '../../../shared/access/guards.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { touch } from '../../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import { type FileFacts, type FileRecord, FileRecordReader } from './file-record.ts'
import { LISTING_KEYS, rowsListing } from './listed-files.ts'

/** A file that has a record in the release, or is listed in one. */
export interface DescribedFile {
  readonly facts: FileFacts
  /** The file's own record, or undefined if it is only listed in other records. */
  readonly record: FileRecord | undefined
  /** Access rules of the file's own record and of every record that lists it (data-commons.md 11.1). */
  readonly guards: readonly Guard[]
  /** Ids of records that list the file. If one of these records is not open, its id comes first. */
  readonly owners: readonly string[]
}

/** Maximum number of cached files, enough for half a minute of range requests or pages of small files. */
const MAX_CACHED = 4096
/** Number of ids per lookup. */
const BATCH_IDS = 100

/** Records of files in the served release. The most recently used are cached. */
export class DescribedFiles {
  readonly #reader: FileRecordReader
  readonly #turns: LoopTurns
  #release: Release | undefined
  readonly #cached = new Map<string, DescribedFile>()

  constructor(scratch: Scratch, turns = new LoopTurns()) {
    this.#reader = new FileRecordReader(scratch, turns)
    this.#turns = turns
  }

  /**
   * Returns the release's records of files, by id. Ids must be in lower case; unknown ones are left out.
   * The release must stay open.
   * @throws EngineError corrupt_source if the release is damaged
   */
  async of(ids: readonly string[], release: Release): Promise<Map<string, DescribedFile>> {
    this.#serve(release)
    const found = new Map<string, DescribedFile>()
    const unknown: string[] = []
    for (const id of ids) {
      const cached = this.#cached.get(id)
      if (cached) found.set(id, cached)
      else unknown.push(id)
    }
    if (unknown.length > 0) {
      for (const [id, described] of await this.#read(unknown, release)) found.set(id, described)
    }
    if (release === this.#release) {
      for (const [id, described] of found) touch(this.#cached, id, described, MAX_CACHED)
    }
    return found
  }

  #serve(release: Release): void {
    if (this.#release === release) return
    this.#cached.clear()
    this.#release = release
  }

  async #read(ids: readonly string[], release: Release): Promise<Map<string, DescribedFile>> {
    const own = await rowsOf('files', ids, release, { turns: this.#turns })
    const listing = await this.#listing(ids, release)
    const rows = new Set([
      ...own.values(),
      ...[...listing.values()].flatMap((listed) => listed.rows),
    ])
    const records = await this.#reader.read([...rows], release)
    const found = new Map<string, DescribedFile>()
    for (const id of ids) {
      const record = records.get(own.get(id) ?? -1)
      const { rows = [], isCut = false } = listing.get(id) ?? {}
      const listed = rows.flatMap((row) => {
        const owner = records.get(row)
        const related = owner?.related.filter((one) => one.id === id) ?? []
        return related.map((one) => ({ ...one, owner: owner?.id ?? '' }))
      })
      const facts = record ?? listed[0]
      if (!facts) continue
      const guards = [...(record ? [record.guard] : []), ...listed.map(({ guard }) => guard)]
      if (isCut) guards.push(CLOSED)
      const byOpenness = listed.toSorted((a, b) => Number(a.guard.isOpen) - Number(b.guard.isOpen))
      const owners = [...new Set(byOpenness.map(({ owner }) => owner))]
      found.set(id, { facts, record, guards, owners })
    }
    return found
  }

  /**
   * Finds the records that list files. A file can be listed by very many records, such as a protocol shared by
   * all files of a project. Then only the first open record is kept, since it alone determines access.
   */
  async #listing(ids: readonly string[], release: Release): Promise<Map<string, Listing>> {
    const arrays = arraysOf(await release.load([...LISTING_KEYS, ACCESS_KEY]))
    const access = arrays.column('files', 'access')
    const open = access?.dictionary.find('open') ?? 0
    const listing = new Map<string, Listing>()
    for (const [id, rows] of rowsListing(ids, arrays)) {
      if (rows.length <= MAX_LISTING) {
        listing.set(id, { rows, isCut: false })
        continue
      }
      const closed = rows.filter((row) => open === 0 || access?.codes?.[row] !== open)
      const cached = [...rows.slice(0, 1), ...closed.slice(0, MAX_LISTING)]
      listing.set(id, { rows: cached, isCut: closed.length > MAX_LISTING })
    }
    return listing
  }
}

interface Listing {
  readonly rows: readonly number[]
  /** Whether further closed records were left out. Nobody has access to all of so many records. */
  readonly isCut: boolean
}

/** Key of the access column, needed in addition to LISTING_KEYS. */
export const ACCESS_KEY = columnKey('files', 'access')
/** Maximum number of records to read that list one file. */
const MAX_LISTING = 256
const CLOSED: Guard = { isOpen: false, anyOf: [], allOf: [], consent: [] }

interface RowsOfOptions {
  /** Called with the first unknown id. May throw. */
  readonly missing?: (id: string) => void
  /** Yields to the event loop. By default the call has its own. */
  readonly turns?: LoopTurns | undefined
}

/** Returns the rows of records by id. Unknown ids are left out. */
export async function rowsOf(
  dataset: 'files' | 'annotations' | 'cases',
  ids: readonly string[],
  release: Release,
  { missing, turns = new LoopTurns() }: RowsOfOptions = {},
): Promise<Map<string, number>> {
  const rows = new Map<string, number>()
  for (const [i, id] of ids.entries()) {
    if (i > 0 && i % BATCH_IDS === 0) await turns.pause()
    const row = await release.find(dataset, id)
    if (row === undefined) missing?.(id)
    else rows.set(id, row)
  }
  return rows
}
