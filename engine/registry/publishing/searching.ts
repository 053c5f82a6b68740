import type { Caller } from '../../shared/access/roles.ts'
import { touch } from '../../shared/concurrency/lru-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import { readCount } from '../../shared/input/read-count.ts'
import { FollowingIndex } from '../full-text/following-index.ts'
import type { RecordHit, RecordHits, RecordQuery } from '../full-text/record.ts'
import type { RecordIndex } from '../full-text/record-index.ts'
import type {
  FoundRecord,
  KeywordCount,
  KeywordRequest,
  PublishedRecord,
  SearchRequest,
  SearchResults,
} from './answers.ts'
import type { OutputType, RecordContent } from './definition.ts'
import { VersionRecords } from './record-source.ts'
import { contentOf, describeRecord } from './records.ts'
import { readSearch } from './search-request.ts'
import type { StoredRecord, StoredVersion } from './stored.ts'
import type { PublishingSources, Versions, View } from './versions.ts'

/** Maximum number of cached indexes. Each version has one. The least recently used is dropped first. */
const MAX_CACHED_INDEXES = 8
/** Number of attempts to catch up with edits by other processes before the latest edits are left out. */
const MAX_TRIES = 4
/** Maximum size in bytes of the records in one response, enough for a thousand of the largest published records. */
const MAX_BYTES = 24_000_000
const FEW = 5
const KEYWORD_COUNT = { byDefault: 25, least: 1, most: 1000 }

interface CachedIndex {
  readonly madeAt: number
  readonly following: FollowingIndex
}

interface Found {
  readonly view: View
  /** Matches in the index. */
  readonly found: RecordHits
  /** Loaded records of the matches, keyed by id. */
  readonly records: ReadonlyMap<string, StoredRecord>
}

/** Adds derived data to a result, such as glossary terms. */
type Completion<Content extends RecordContent> = (
  found: FoundRecord<Content>,
  content: Content,
) => Promise<FoundRecord<Content>>

/** Searches the records of a version. Includes everything that any process stored before the call. */
export class Searching<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>
  readonly #versions: Versions<Content>
  readonly #cached = new Map<string, CachedIndex>()

  constructor(sources: PublishingSources<Content>, versions: Versions<Content>) {
    this.#sources = sources
    this.#versions = versions
  }

  async search(
    caller: Caller,
    version: string,
    request: SearchRequest,
    complete: Completion<Content>,
  ): Promise<SearchResults<Content>> {
    const { definition, turns } = this.#sources
    const { asEditor } = await this.#versions.readable(caller, version)
    const { query, output } = readSearch(request, definition, asEditor)
    const { view, found, records } = await this.#find(caller, version, query)
    const results: FoundRecord<Content>[] = []
    for (const hit of found.hits) {
      const record = records.get(hit.id)
      if (!record) continue
      await turns.pause()
      const content = contentOf<Content>(record)
      const described = this.#describe(view, { record, content, output }, hit)
      results.push(request.glossary ? await complete(described, content) : described)
    }
    return {
      terms: found.terms,
      total: found.total,
      count: query.count,
      offset: query.offset,
      ...(found.maxScore !== undefined && { max_score: found.maxScore }),
      ...(request.order !== undefined && { order: request.order }),
      ...(results.length > 0 && { results }),
    }
  }

  /** Returns words in the records that the caller may see. Words in many records come first. */
  async keywords(
    caller: Caller,
    version: string,
    request: KeywordRequest,
  ): Promise<KeywordCount[]> {
    const view = await this.#versions.readable(caller, version)
    const count = readCount(request.count, 'count', KEYWORD_COUNT)
    const filters = view.asEditor ? {} : { hidden: ['false'] }
    return (await this.#indexOf(view.version)).keywords({ q: request.q, count, filters })
  }

  /** Returns whole records, ordered by id, that match at least one value of each filter. */
  async matching(
    caller: Caller,
    version: string,
    filters: Readonly<Record<string, readonly string[]>>,
  ): Promise<PublishedRecord<Content>[]> {
    const all = { mode: 'OR', offset: 0, count: Number.MAX_SAFE_INTEGER } as const
    const seen = this.#versions.isEditor(caller) ? {} : { hidden: ['false'] }
    const query = { ...all, filters: { ...filters, ...seen } }
    const { view, found, records } = await this.#find(caller, version, query)
    const matches: PublishedRecord<Content>[] = []
    for (const { id } of found.hits) {
      const record = records.get(id)
      if (!record) continue
      await this.#sources.turns.pause()
      matches.push(describeRecord(view, record, contentOf<Content>(record)))
    }
    return matches
  }

  /** Removes a version from the cache. */
  drop(version: string): void {
    this.#cached.delete(version)
  }

  /**
   * Searches the index and loads the matching records that the caller may see. Index and records have the same
   * revision, unless other processes edit without a pause.
   */
  async #find(caller: Caller, version: string, query: RecordQuery): Promise<Found> {
    for (let tries = 1; ; tries++) {
      const view = await this.#versions.readable(caller, version)
      const found = (await this.#indexOf(view.version)).search(query)
      const ids = found.hits.map(({ id }) => id)
      await this.#requireFew(version, ids)
      const { records, isOf } = await this.#sources.repository.records(version, ids)
      if (tries < MAX_TRIES && !isOf(view.version.revision)) continue
      const shown = [...records].filter(([, { hidden }]) => view.asEditor || !hidden)
      return { view, found, records: new Map(shown) }
    }
  }

  /** @throws EngineError `too_many` if records have too many bytes together */
  async #requireFew(version: string, ids: readonly string[]): Promise<void> {
    if (ids.length <= FEW) return
    const bytes = await this.#sources.repository.bytesOf(version, ids)
    if (bytes <= MAX_BYTES) return
    const message = `the ${ids.length} records have ${bytes} bytes, more than ${MAX_BYTES}; ask for a lower "count"`
    throw new EngineError('too_many', message, { at: 'count' })
  }

  #indexOf(version: StoredVersion): Promise<RecordIndex> {
    const cached = this.#cached.get(version.version)
    // A version that was deleted and created again under the same name must not use the old index.
    const isSame = cached?.madeAt === version.madeAt
    const following = isSame
      ? cached.following
      : new FollowingIndex(new VersionRecords(this.#sources, version))
    const newest = { madeAt: version.madeAt, following }
    touch(this.#cached, version.version, newest, MAX_CACHED_INDEXES)
    return following.current(version.revision)
  }

  #describe(
    view: View,
    {
      record,
      content,
      output,
    }: {
      readonly record: StoredRecord
      readonly content: Content
      readonly output: OutputType
    },
    hit: RecordHit,
  ): FoundRecord<Content> {
    const shown = this.#sources.definition.project(content, output)
    const found = describeRecord(view, record, shown)
    return hit.score === undefined ? found : { ...found, score: hit.score }
  }
}
