import { createHash } from 'node:crypto'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { type Executor, Scratch } from '../../shared/executor.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import { DATASET_NAMES, type Dataset, type DatasetName } from '../datasets/define.ts'
import { DATASETS, datasetOf } from '../datasets/index.ts'
import { type Mapping, mappingOf } from '../datasets/mapping.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { Answer, Query } from '../query/query.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'
import { ColumnSources } from '../render/column-sources.ts'
import type { RenderContext } from '../render/context.ts'
import { withDrsUris } from '../render/drs-manifest.ts'
import type { Envelope } from '../render/frame.ts'
import { renderManifest } from '../render/manifest.ts'
import type { ParquetOptions } from '../render/parquet.ts'
import type { Projection } from '../render/projection.ts'
import { renderRecord } from '../render/record.ts'
import { type BodyFormat, type BodyRequest, parquetOf, renderBody } from '../render/render.ts'
import { SHEET_FIELDS } from '../render/sample-sheet.ts'
import { AnswerCache } from './answer-cache.ts'
import { answerNow, answerQuery } from './answer-query.ts'
import { isFew, listBody, notBegun } from './body.ts'
import { completionFilter } from './completion.ts'
import type { CurrentRelease } from './current-release.ts'
import { FacetStatistics } from './facet-statistics.ts'
import { type Making, type SearchAnswer, type SearchRun, smallOrLeased } from './leased-answer.ts'
import { filesOf, filesOfKeys } from './linked-files.ts'
import { type LatestOf, type MissingRecord, missingRecord } from './missing-record.ts'
import { paginationOf } from './pagination.ts'
import { ParquetFiles } from './parquet-files.ts'
import {
  QUICK_SEARCHED,
  type QuickSearchAnswer,
  type QuickSearchRequest,
  quickSearchFields,
  quickSearchHit,
} from './quick-search.ts'
import { readRecords } from './read-records.ts'
import { type ListRequest, listPart, ReadRequests } from './read-requests.ts'
import { Selections } from './selections.ts'
import { columnsIn, isTextTable, warnOfColumns } from './table-warnings.ts'
import { areAllFound, needsAllValues, warnOfValues } from './value-warnings.ts'

/** Request for a list, with the parameters of the interface (data-commons.md 2.1). */
export interface SearchRequest extends ListRequest {
  readonly format: BodyFormat
  readonly pretty: boolean
  /** Whether JSON is a bare array of records (data-commons.md 3.1). */
  readonly isBare?: boolean | undefined
  /** Whether a TSV of files is the portal's sample sheet, with its own columns (data-commons.md 3.5). */
  readonly isSheet?: boolean | undefined
  /** Returns a download manifest of all matches instead of records. `size` and `from` are ignored. */
  readonly returnType?: 'manifest' | 'drs_manifest' | undefined
  /** Host name, with a port if needed, for the URIs of a `drs_manifest`. */
  readonly drsHost?: string | undefined
}

export type RecordRequest = Pick<SearchRequest, 'fields' | 'expand' | 'format' | 'pretty'>

export interface LookupRequest
  extends Pick<SearchRequest, 'size' | 'from' | 'format' | 'pretty' | 'isBare'> {
  /** Prefix of an id or name, in any case. */
  readonly query: string
}

interface SearchContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly latestOf?: LatestOf | undefined
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

export const CONTENT_TYPES: Readonly<Record<BodyFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  tsv: 'text/tab-separated-values',
  csv: 'text/csv',
  xml: 'application/xml',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
}

/** Search over the current release: all datasets and all response formats (data-commons.md 1 to 4). */
export class Search {
  readonly datasets: readonly Dataset[] = DATASET_NAMES.map((name) => DATASETS[name])
  readonly #context: SearchContext
  readonly #statistics = new FacetStatistics()
  readonly #cache = new AnswerCache()
  readonly #selections = new Selections()
  readonly #requests: ReadRequests
  readonly #scratch = new Scratch()
  readonly #columns = new ColumnSources()
  readonly #parquet = new ParquetFiles()

  constructor(context: SearchContext) {
    this.#context = context
    this.#requests = new ReadRequests(this.#selections, context.turns)
  }

  /** Returns the response of `/{dataset}/_mapping` (data-commons.md 3.3), built in a millisecond or two. */
  mapping(name: DatasetName): Mapping {
    return mappingOf(datasetOf(name))
  }

  /**
   * Returns the matching records, with facets and pagination (data-commons.md 3.1 to 3.7). When the promise
   * resolves, the request has succeeded: only sending the body remains.
   * @throws EngineError bad_input with the place of the error, unavailable without a release, busy,
   *   corrupt_source
   */
  async search(
    name: DatasetName,
    request: SearchRequest,
    run: SearchRun = {},
  ): Promise<SearchAnswer> {
    const { returnType, drsHost } = request
    if (returnType !== undefined) {
      const filter = await this.#requests.filter(name, request)
      return this.#manifest(name, filter, run, returnType === 'drs_manifest' ? drsHost : undefined)
    }
    const isSheet = request.isSheet === true && name === 'files' && request.format === 'tsv'
    const shown = isSheet ? { ...request, fields: SHEET_FIELDS, expand: [] } : request
    const { query, projection, unknown } = await this.#requests.of(name, shown)
    const { format, pretty, isBare } = request
    if (format === 'parquet') {
      const { warnings = new Warnings() } = run
      warnings.addAll(unknown)
      const rowsOf = this.#rowsOf({ ...query, facets: [] })
      const key = [name, listPart({ ...shown, facets: [], histograms: [] })]
      return this.#file({ key, projection, filter: query.filter, rowsOf }, { ...run, warnings })
    }
    return this.#list(
      query,
      { projection, format, pretty, isBare, isSheet, warnings: unknown },
      run,
    )
  }

  /**
   * Returns one record (data-commons.md 3.1).
   * @throws EngineError not_found; as search
   */
  record(
    name: DatasetName,
    id: string,
    request: RecordRequest,
    run: SearchRun = {},
  ): Promise<SearchAnswer> {
    const dataset = datasetOf(name)
    const { projection, warnings: unknown } = this.#selections.of(dataset, request, 'single')
    const { warnings = new Warnings() } = run
    warnings.addAll(unknown)
    const { format, pretty } = request
    const type = CONTENT_TYPES[format]
    if (format === 'json' || format === 'tsv' || format === 'csv' || format === 'xml') {
      return this.#answer(type, run, async (release) => {
        const { signal } = run
        const row = await this.#rowOf(release, { dataset, id }, signal)
        // Yields to the event loop, because a whole record takes milliseconds to render.
        await this.#context.turns?.pause()
        const request = { projection, row, format, pretty, warnings: warnings.texts }
        const body = await renderRecord(request, this.#contextOf(release, signal))
        if (isTextTable(format)) warnOfColumns(columnsIn(body, format), warnings)
        return body
      })
    }
    if (format === 'parquet') {
      const { fields, expand } = request
      const rowsOf: RequestedFile['rowsOf'] = async (release, signal) =>
        Uint32Array.of(await this.#rowOf(release, { dataset, id }, signal))
      return this.#file({ key: [name, 'one', id, fields, expand], projection, rowsOf }, run)
    }
    return this.#answer(type, run, async (release, stopping) => {
      const signal = stopping()
      const rows = Uint32Array.of(await this.#rowOf(release, { dataset, id }, signal))
      const pagination = paginationOf({ count: 1, total: 1, size: 1, from: 0, sorted: false })
      const envelope = { pagination, warnings: warnings.texts }
      const context = this.#contextOf(release, signal)
      return notBegun(renderBody({ projection, rows, format, envelope }, context))
    })
  }

  /** Returns records whose id or name starts with the query, as a list (data-commons.md 4). */
  async lookup(
    name: DatasetName,
    request: LookupRequest,
    run: SearchRun = {},
  ): Promise<SearchAnswer> {
    const dataset = datasetOf(name)
    const { query: start, from, size, format, pretty, isBare } = request
    const selected = this.#selections.of(dataset, {}, 'list')
    const filter = completionFilter(dataset, start)
    const query: Query = { dataset: name, filter, facets: [], sort: [], from, size }
    if (format === 'parquet') {
      const key = [name, 'ids', start, from, size]
      const { projection } = selected
      return this.#file({ key, projection, rowsOf: this.#rowsOf(query) }, run)
    }
    return this.#list(query, { ...selected, format, pretty, isBare }, run)
  }

  /**
   * Returns records of several datasets whose id or name starts with the query (data-commons.md 4).
   * @throws EngineError as search
   */
  async quickSearch(
    { query: start, size }: QuickSearchRequest,
    { signal }: SearchRun = {},
  ): Promise<QuickSearchAnswer & Pick<SearchAnswer, 'releaseId'>> {
    const lease = this.#context.current.lease()
    const scratch = this.#scratch
    try {
      const { release } = lease
      const hits: QuickSearchAnswer['data']['query']['hits'][number][] = []
      let found = 0
      for (const name of QUICK_SEARCHED) {
        // Each dataset's records are read on this thread, so it yields to other requests first.
        await this.#context.turns?.pause()
        signal?.throwIfAborted()
        const dataset = datasetOf(name)
        const filter = completionFilter(dataset, start)
        const page = { from: 0, size: Math.max(size - hits.length, 0) }
        const query: Query = { dataset: name, filter, facets: [], sort: [], ...page }
        const { total, rows } = await answerQuery(query, release, this.#context.executor, {
          signal,
        })
        found += total
        const fields = quickSearchFields(name)
        const { projection } = this.#selections.of(dataset, { fields }, 'list')
        for (const { id, ...record } of await readRecords(projection, rows, { release, scratch })) {
          hits.push(quickSearchHit(name, String(id), record))
        }
      }
      return { releaseId: release.id, data: { query: { hits, total: found } } }
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  #list(
    query: Query,
    {
      warnings: unknown,
      ...shown
    }: Omit<BodyRequest, 'rows' | 'envelope'> & Pick<Envelope, 'warnings'>,
    run: SearchRun,
  ): Promise<SearchAnswer> {
    const { warnings = new Warnings() } = run
    warnings.addAll(unknown)
    return this.#answer(CONTENT_TYPES[shown.format], run, async (release, stopping) => {
      const { signal } = run
      const { total, rows, aggregations } = await this.evaluate(release, query, signal)
      const cachedWarnings = this.#cache.valueWarningsOf(query.filter, release)
      if (cachedWarnings) warnings.addAll(cachedWarnings)
      else await this.#warnOfValues(query, total, { release, warnings, signal })
      const { size, from, sort } = query
      const page = { count: rows.length, total, size, from, sorted: sort.length > 0 }
      const envelope = { pagination: paginationOf(page), aggregations, warnings: warnings.texts }
      const onColumns = (count: number) => warnOfColumns(count, warnings)
      const request = { ...shown, rows, envelope, onColumns }
      // A small body is complete at once, so it needs no signal that stops it later.
      const context = this.#contextOf(release, isFew(rows.length) ? signal : stopping())
      return listBody(renderBody(request, context), rows.length, isTextTable(shown.format))
    })
  }

  /** Warns about values that no record has, and caches the warnings for the same request. */
  async #warnOfValues(
    { filter, dataset }: Query,
    total: number,
    {
      release,
      warnings,
      signal,
    }: Pick<SearchRun, 'signal'> & {
      release: Release
      warnings: Warnings
    },
  ): Promise<void> {
    const own = new Warnings()
    const isFound = total > 0 && filter !== undefined && needsAllValues(filter)
    const isAll = filter !== undefined && areAllFound(filter, dataset, total)
    if (!isFound && !isAll) await warnOfValues([filter], release, own, { signal })
    this.#cache.keepValueWarnings(filter, own.texts, release)
    warnings.addAll(own.texts)
  }

  /** Returns a response that is a file, of which ranges can be asked for. */
  #file(
    { key: parts, projection, filter, rowsOf }: RequestedFile,
    run: SearchRun,
  ): Promise<SearchAnswer> {
    const { warnings = new Warnings(), signal, isSized = false } = run
    return this.#answer(CONTENT_TYPES.parquet, run, async (release, stopping) => {
      await warnOfValues([filter], release, warnings, { signal })
      const context = this.#contextOf(release, stopping())
      const rows = await rowsOf(release, context.signal)
      const key = createHash('sha256')
        .update(JSON.stringify([release.id, parts]))
        .digest('hex')
      const write = (options: ParquetOptions) => parquetOf({ projection, rows }, context, options)
      return this.#parquet.open({ key, write, isSized, signal: context.signal })
    })
  }

  #rowsOf(query: Query): RequestedFile['rowsOf'] {
    return async (release, signal) => (await this.evaluate(release, query, signal)).rows
  }

  #manifest(
    name: DatasetName,
    filter: Filter | undefined,
    run: SearchRun,
    drsHost: string | undefined,
  ): Promise<SearchAnswer> {
    const { warnings = new Warnings() } = run
    const all = { from: 0, size: Number.MAX_SAFE_INTEGER }
    const query: Query = { dataset: name, filter, facets: [], sort: [], ...all }
    return this.#answer(CONTENT_TYPES.tsv, run, async (release, stopping) => {
      const signal = stopping()
      const { rows } = await this.evaluate(release, query, signal)
      await warnOfValues([filter], release, warnings, { signal })
      const files =
        name === 'files'
          ? rows
          : filesOf(name, rows, arraysOf(await release.load(filesOfKeys(name), { signal })))
      const { executor } = this.#context
      const lines = renderManifest(files, { executor, release, signal })
      return notBegun(drsHost === undefined ? lines : withDrsUris(lines, drsHost))
    })
  }

  async #rowOf(
    release: Release,
    record: MissingRecord,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const row = await release.find(record.dataset.name, record.id)
    if (row !== undefined) return row
    throw await missingRecord(record, release, { signal, latestOf: this.#context.latestOf })
  }

  /**
   * Returns the answer to a query, using cached results of earlier queries.
   * @internal
   */
  async evaluate(release: Release, query: Query, signal: AbortSignal | undefined): Promise<Answer> {
    const { executor } = this.#context
    const options = { cache: this.#cache, signal }
    const compute = (part: Query) => answerQuery(part, release, executor, options)
    return (
      answerNow(query, release, this.#cache) ?? this.#statistics.answer(query, release, compute)
    )
  }

  #contextOf(release: Release, signal: AbortSignal | undefined): RenderContext {
    const { executor } = this.#context
    return { executor, release, signal, scratch: this.#scratch, columns: this.#columns }
  }

  #answer(contentType: string, run: SearchRun, make: Making): Promise<SearchAnswer> {
    return smallOrLeased(this.#context.current, contentType, run, make)
  }
}

/** A response that is a file. */
interface RequestedFile {
  /** Values that, together with the release, identify the response. */
  readonly key: readonly unknown[]
  readonly projection: Projection
  /** Filter of the request, whose values are checked for warnings. */
  readonly filter?: Filter | undefined
  readonly rowsOf: (release: Release, signal: AbortSignal | undefined) => Promise<Uint32Array>
}
