import type { Scratch } from '../../../shared/executor.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { KnownRelease } from '../../release/layout.ts'
import type { LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import type { Hit } from '../../render/hit.ts'
import type { Projection } from '../../render/projection.ts'
import { Projector } from '../../render/projector.ts'
import { openRecords, type RecordHandles } from '../../render/records.ts'
import { rowsListing } from '../records/listed-files.ts'
import type { KnownFiles } from './chain.ts'
import { StepLines, type StepsHandle } from './step-lines.ts'
import { factsOfListed, factsOfRecord, factsOfStep, type VersionFacts } from './version-facts.ts'
import type { Telling } from './version-records.ts'

/** Sources of information about versions, as plain data for a job. Valid while the release is open. */
export interface VersionSources {
  /** Index of replaced files. Undefined if the release has none. */
  readonly steps: StepsHandle | undefined
  /** Ids of files with a record, and of related files that records list. */
  readonly ids: LoadedArrays
  readonly records: RecordHandles
  /** Projection of VERSION_FIELDS. */
  readonly projection: Projection
  /** Projection of LISTED_FIELDS. */
  readonly listed: Projection
  readonly releases: readonly KnownRelease[]
}

/** Sources of versions. A job opens them and caches them while it runs. */
export class OpenSources implements Telling {
  readonly releases: readonly KnownRelease[]
  readonly known: KnownFiles
  readonly #rows = new Map<string, number | undefined>()
  readonly #records = new Map<number, Hit>()
  readonly #lines: StepLines
  readonly #projection: Projection
  readonly #listedProjection: Projection
  /** For files without a record of their own, the row of a record that lists them. */
  readonly #listed = new Map<string, number>()
  readonly #ids: ReleaseArrays
  readonly #projector: Projector
  readonly #rowOf: (id: string) => number | undefined

  constructor(sources: VersionSources, scratch: Scratch) {
    const { steps, ids, records, projection, listed, releases } = sources
    this.releases = releases
    this.#ids = arraysOf(ids)
    this.#listedProjection = listed
    this.#lines = new StepLines(steps)
    this.#projection = projection
    this.#projector = new Projector(openRecords(records, scratch))
    const column = this.#ids.column('files', 'file_id')
    this.#rowOf = (id) => {
      const code = column?.dictionary.find(id) ?? 0
      return code === 0 ? undefined : code - 1
    }
    this.known = {
      isRecord: (id) => this.#row(id) !== undefined || this.#listed.has(id),
      step: (id) => this.#lines.step(id),
      before: (id) => this.#lines.before(id),
    }
  }

  /** Looks for ids that are otherwise unknown in the lists of other records. */
  list(ids: readonly string[]): void {
    const { isRecord, step, before } = this.known
    const unknown = ids.filter((id) => !(isRecord(id) || step(id) || before(id).length > 0))
    for (const [id, [row]] of rowsListing(unknown, this.#ids)) {
      if (row !== undefined) this.#listed.set(id, row)
    }
  }

  /** Reads the records of all these ids at once. */
  prepare(ids: Iterable<string>): void {
    const wanted = new Set<number>()
    for (const id of ids) {
      const row = this.#row(id)
      if (row !== undefined && !this.#records.has(row)) wanted.add(row)
    }
    const rows = Uint32Array.from(wanted).sort()
    let i = 0
    for (const hit of this.#projector.hits(this.#projection, rows)) {
      this.#records.set(rows[i++]!, hit)
    }
  }

  facts(id: string): VersionFacts {
    const row = this.#row(id)
    if (row === undefined) return this.#factsOfOther(id)
    if (!this.#records.has(row)) this.prepare([id])
    return factsOfRecord(this.#records.get(row) as Hit)
  }

  #factsOfOther(id: string): VersionFacts {
    const row = this.#listed.get(id)
    if (row === undefined) return factsOfStep(id, this.known)
    const [record = {}] = this.#projector.hits(this.#listedProjection, Uint32Array.of(row))
    return factsOfListed(id, record)
  }

  #row(id: string): number | undefined {
    if (this.#rows.has(id)) return this.#rows.get(id)
    const row = this.#rowOf(id)
    this.#rows.set(id, row)
    return row
  }
}
