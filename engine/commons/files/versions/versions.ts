import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { TableForm } from '../../../shared/formats/table-cells.ts'
import { datasetOf } from '../../datasets/index.ts'
import { knownReleases } from '../../release/known-releases.ts'
import { columnKey, type KnownRelease, type StepArrays } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import type { Releases } from '../../release/releases.ts'
import { handlesFor } from '../../render/context.ts'
import { jsonOf, tableOf } from '../../render/values.ts'
import { wholeOrBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { CONTENT_TYPES } from '../../search/search.ts'
import { Selections } from '../../search/selections.ts'
import { LISTING_KEYS } from '../records/listed-files.ts'
import { type ChunkForm, describeVersionsJob, historyJob, latestJob } from './describe.ts'
import { readIds } from './ids.ts'
import type { VersionSources } from './sources.ts'
import { indexStepsJob } from './step-index.ts'
import type { StepsHandle } from './step-lines.ts'
import { jsonBody, tableBody } from './version-bodies.ts'
import { LISTED_FIELDS, VERSION_FIELDS } from './version-facts.ts'

export interface VersionForm {
  readonly format: TableForm | 'json'
  readonly pretty: boolean
}

interface VersionsContext {
  readonly current: CurrentRelease
  readonly releases: Releases
  readonly executor: Executor
}

/** Number of ids per job, which takes a few milliseconds. Clients send 500 at a time (data-commons.md 4.1). */
const CHUNK_IDS = 512

/** Data loaded once per release. */
interface Cached {
  readonly releaseId: string
  readonly known: Promise<readonly KnownRelease[]>
  /** Index built in memory for a release that was stored without an index. */
  arrays: Promise<StepArrays> | undefined
}

/** Versions of files in the current release (data-commons-service.md 2.2, data-commons.md 4.1). */
export class Versions {
  readonly #context: VersionsContext
  readonly #selections = new Selections()
  #cached: Cached | undefined

  constructor(context: VersionsContext) {
    this.#context = context
  }

  /**
   * Returns all versions of a file, ordered by version. The id may be that of any version.
   * @throws EngineError not_found for an unknown id; unavailable without a release, busy, corrupt_source
   */
  history(id: string, { format, pretty }: VersionForm, run: SearchRun = {}): Promise<SearchAnswer> {
    const { current, executor } = this.#context
    return leasedAnswer(current, CONTENT_TYPES[format], run, async (release, signal) => {
      const sources = await this.#sources(release, { signal })
      const ids = [id.trim().toLowerCase()]
      const records = await executor.run(historyJob, { sources, ids }, { signal })
      if (records.length === 0) {
        throw new EngineError('not_found', `there is no file with the id "${id.slice(0, 80)}"`)
      }
      return format === 'json' ? jsonOf(records, { pretty }) : tableOf(records, { form: format })
    })
  }

  /**
   * Returns each file with its latest version beside it, in the order of the ids. Repeated and unknown ids are
   * left out. Ids are looked up in chunks.
   * @param given an array of ids and of arrays of ids
   * @throws EngineError bad_input with the place of the error; not_found if all ids are unknown; unavailable,
   *   busy and corrupt_source like history
   */
  async versions(given: unknown, form: VersionForm, run: SearchRun = {}): Promise<SearchAnswer> {
    const ids = readIds(given)
    const { current } = this.#context
    return leasedAnswer(current, CONTENT_TYPES[form.format], run, async (release, signal) => {
      const sources = await this.#sources(release, { signal })
      const describe = (chunk: ChunkForm) => this.#describe({ sources, ids }, chunk, signal)
      const { format } = form
      return wholeOrBegun(
        format === 'json' ? jsonBody(describe, form) : tableBody(describe, format),
      )
    })
  }

  /**
   * Returns the id of the latest version for each of these files that has a newer version, keyed by the given
   * id. All ids are in lower case.
   * @throws EngineError like history
   */
  async latestOf(ids: readonly string[]): Promise<Map<string, string>> {
    const lease = this.#context.current.lease()
    try {
      const sources = await this.#sources(lease.release, {})
      const chunks = chunksOf(ids.map((id) => id.toLowerCase()))
      const found = new Map<string, string>()
      for (const chunk of chunks) {
        const input = { sources, ids: chunk }
        for (const [id, latest] of await this.#context.executor.run(latestJob, input)) {
          found.set(id, latest)
        }
      }
      return found
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  #describe(
    { sources, ids }: { readonly sources: VersionSources; readonly ids: readonly string[] },
    form: ChunkForm,
    signal: AbortSignal,
  ) {
    const chunks = chunksOf(ids)
    const { executor } = this.#context
    const start = (stop: AbortSignal) => {
      const { value: chunk } = chunks.next()
      if (!chunk) return undefined
      return executor.run(describeVersionsJob, { sources, ids: chunk, form }, { signal: stop })
    }
    return inOrder(start, { ahead: executor.parallelism + 1, signal })
  }

  async #sources(release: Release, { signal }: SearchRun): Promise<VersionSources> {
    const files = datasetOf('files')
    const { projection } = this.#selections.of(files, { fields: VERSION_FIELDS }, 'list')
    const listed = this.#selections.of(files, { fields: LISTED_FIELDS }, 'list').projection
    // Awaited first and alone, so that its failure cannot surface in a later request.
    const releases = await this.#cachedOf(release).known
    const [steps, ids, records] = await Promise.all([
      this.#steps(release),
      release.load([columnKey('files', 'file_id'), ...LISTING_KEYS], { signal }),
      handlesFor(projection, { release, signal }),
    ])
    return { steps, ids, records, projection, listed, releases }
  }

  async #steps(release: Release): Promise<StepsHandle | undefined> {
    const file = await release.versions()
    if (!file) return undefined
    const { descriptor, bytes, arrays } = file
    if (arrays) return { descriptor, arrays }
    const cached = this.#cachedOf(release)
    cached.arrays ??= this.#context.executor.run(indexStepsJob, { descriptor, bytes }).then(shared)
    // A failed build is not cached, so that the next request tries again.
    cached.arrays.catch(() => {
      cached.arrays = undefined
    })
    return { descriptor, arrays: await cached.arrays }
  }

  #cachedOf({ id: releaseId }: Release): Cached {
    if (this.#cached?.releaseId === releaseId) return this.#cached
    const known = this.#context.releases.list().then(knownReleases)
    const cached: Cached = { releaseId, known, arrays: undefined }
    known.catch(() => {
      if (this.#cached === cached) this.#cached = undefined
    })
    this.#cached = cached
    return cached
  }
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[], undefined> {
  for (let at = 0; at < ids.length; at += CHUNK_IDS) yield ids.slice(at, at + CHUNK_IDS)
  return undefined
}

/** Copies arrays to shared memory, so that jobs can use them without a copy. */
function shared(arrays: StepArrays): StepArrays {
  const { starts, checksums, idHashes, idLines, nextHashes, nextLines } = arrays
  return {
    starts: sharedCopy(Float64Array, starts),
    checksums: sharedCopy(Uint32Array, checksums),
    idHashes: sharedCopy(Uint32Array, idHashes),
    idLines: sharedCopy(Uint32Array, idLines),
    nextHashes: sharedCopy(Uint32Array, nextHashes),
    nextLines: sharedCopy(Uint32Array, nextLines),
  }
}

function sharedCopy<Column extends Float64Array | Uint32Array>(
  Kind: new (target: SharedArrayBuffer) => Column,
  array: Column,
): Column {
  const copy = new Kind(new SharedArrayBuffer(array.byteLength))
  copy.set(array)
  return copy
}
