import { Gate } from '../../shared/concurrency/gate.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../shared/executor.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import { DATASETS } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import { gzipped } from '../files/download/gzip.ts'
import type { Query } from '../query/query.ts'
import type { Release } from '../release/release.ts'
import { handlesFor } from '../render/context.ts'
import type { Projection } from '../render/projection.ts'
import { answerQuery } from '../search/answer-query.ts'
import { notBegun } from '../search/body.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import {
  leasedAnswer,
  type SearchAnswer,
  type SearchRun,
  withEnd,
} from '../search/leased-answer.ts'
import { type RequestedFilters, readRecordFilter } from '../search/record-filter.ts'
import { warnOfValues } from '../search/value-warnings.ts'
import { type CaseArchive, jsonOfCases, tarOfCases } from './case-archive.ts'
import { shownCase } from './shown-cases.ts'
import type { TableKind } from './tables.ts'

/** Request for the tables of the cases that match the filters. */
export interface CaseTablesRequest extends RequestedFilters {
  /** Maximum number of cases. */
  readonly size: number
  /** `tsv` gives an archive of tables, `json` gives a JSON array. */
  readonly format: 'tsv' | 'json'
  /** Whether JSON is indented by two spaces per level. */
  readonly pretty: boolean
}

interface CaseTablesContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

/** Maximum number of concurrent archives. Each takes a thread for one or two seconds. */
const MAX_ANSWERS = 16
const BUSY = 'too many archives of cases are under way; try again soon'

const CONTENT_TYPES = { tsv: 'application/x-gzip', json: 'application/json' } as const

/** Clinical and biospecimen tables of cases, with a row per diagnosis, sample and so on (data-commons.md 11.42). */
export class CaseTables {
  readonly #context: CaseTablesContext
  readonly #resolver = createResolver(DATASETS.cases)
  readonly #places = new Gate(MAX_ANSWERS, 0, BUSY)
  readonly #shown = new Map<TableKind, Projection>()

  constructor(context: CaseTablesContext) {
    this.#context = context
  }

  /**
   * Returns the tables as a tar.gz, or the cases as JSON. When the promise resolves, the request is valid and
   * the status can be sent.
   * @throws EngineError bad_input with the place of the error; unavailable without a release; busy;
   *   corrupt_source
   */
  async of(
    kind: TableKind,
    request: CaseTablesRequest,
    run: SearchRun = {},
  ): Promise<SearchAnswer> {
    const { current, executor, turns } = this.#context
    const { size, format, pretty } = request
    const filter = await readRecordFilter('cases', request, this.#resolver, { turns })
    const query: Query = { dataset: 'cases', filter, facets: [], sort: [], from: 0, size }
    const projection = this.#shownCase(kind)
    const { warnings = new Warnings() } = run
    const leave = await this.#places.enter(run.signal)
    const making = leasedAnswer(current, CONTENT_TYPES[format], run, async (release, signal) => {
      await warnOfValues([filter], release, warnings, { signal })
      const { rows } = await answerQuery(query, release, executor, { signal })
      const archive: CaseArchive = {
        kind,
        projection,
        rows,
        executor,
        signal,
        handles: await handlesFor(projection, { release, signal }),
        modified: dateOf(release),
      }
      if (format === 'json') return notBegun(jsonOfCases(archive, pretty))
      return notBegun(packed(await tarOfCases(archive)))
    })
    return making.then(
      (answer) => withEnd(answer, leave),
      (error) => {
        leave()
        throw error
      },
    )
  }

  /** Returns the projection of a kind of table, compiled on first use. */
  #shownCase(kind: TableKind): Projection {
    const shown = this.#shown.get(kind) ?? shownCase(kind)
    this.#shown.set(kind, shown)
    return shown
  }
}

/** Returns the release date, so that archives of one release are identical whenever they are made. */
function dateOf({ manifest }: Release): Date {
  const date = new Date(`${manifest.version.releaseDate}T00:00:00Z`)
  return Number.isFinite(date.getTime()) ? date : new Date(0)
}

async function* packed(tar: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const dispose = async () => {
    await tar.return(undefined)
  }
  yield* gzipped({ body: tar, [Symbol.asyncDispose]: dispose }).body
}
