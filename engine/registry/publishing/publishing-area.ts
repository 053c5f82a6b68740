import { randomBytes } from 'node:crypto'
import type { Caller } from '../../shared/access/roles.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Issue } from '../../shared/issue.ts'
import type { AtRevision } from '../../shared/revision.ts'
import type { GlossaryMatch } from '../staging/algorithm/glossary.ts'
import type {
  ChangelogRequest,
  ChangelogResults,
  Contents,
  FoundRecord,
  KeywordCount,
  KeywordRequest,
  PublishedRecord,
  PublishedVersion,
  SearchRequest,
  SearchResults,
  StatusSummary,
} from './answers.ts'
import { changelogPage, historyOf } from './changelogs.ts'
import type { RecordContent, RecordDefinition } from './definition.ts'
import { Editing, type EditRequest } from './editing.ts'
import { recordFindings } from './findings.ts'
import { type Loaded, Loading, type LoadRequest } from './loading.ts'
import { contentOf, describeRecord } from './records.ts'
import { type PublishingReads, PublishingRepository } from './repository.ts'
import { Searching } from './searching.ts'
import type { StoredRecord } from './stored.ts'
import { NOUNS, type PublishingSources, Versions } from './versions.ts'

export type { EditRequest } from './editing.ts'

interface PublishingOptions<Content extends RecordContent> {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  readonly clock: () => Date
  readonly definition: RecordDefinition<Content>
  /** Finds terms of the published glossary in texts. If undefined, records get no terms. */
  readonly glossary?: ((texts: readonly string[]) => Promise<readonly GlossaryMatch[]>) | undefined
  /** Defaults to 24 random hexadecimal digits. */
  readonly newId?: (() => string) | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Records that are edited in a development copy and published to production (registry-service.md 3, 4.2;
 * registry.md 2.2, 2.5, 3.1, 7.5). Operations take the caller, the version name and the parsed JSON body, and
 * return plain JSON in the shapes of registry.md 3. Every edit is durable, together with its history and
 * changelog entries, before the call returns.
 *
 * All methods throw EngineError: `not_found` for a version or record that is missing or not visible to the
 * caller, `forbidden` for an edit without the role, `bad_input` naming the member, and `precondition_failed`.
 */
export class PublishingArea<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>
  readonly #versions: Versions<Content>
  readonly #editing: Editing<Content>
  readonly #loading: Loading<Content>
  readonly #searching: Searching<Content>
  readonly #glossary: PublishingOptions<Content>['glossary']

  constructor(options: PublishingOptions<Content>) {
    const { state, clock, definition, glossary, newId, turns = new LoopTurns() } = options
    const repository = new PublishingRepository(state, definition.area)
    this.#sources = { repository, clock, definition, turns }
    this.#versions = new Versions(this.#sources)
    this.#editing = new Editing(this.#sources, this.#versions, newId ?? randomId)
    this.#loading = new Loading(this.#sources)
    this.#searching = new Searching(this.#sources, this.#versions)
    this.#glossary = glossary
  }

  /** Returns the versions that the caller may see. Callers who are not editors see exactly one. */
  versions(caller: Caller): Promise<PublishedVersion[]> {
    return this.#versions.list(caller)
  }

  search(
    caller: Caller,
    version: string,
    request: SearchRequest = {},
  ): Promise<SearchResults<Content>> {
    return this.#searching.search(caller, version, request, (found, content) =>
      this.#withTerms<FoundRecord<Content>>(found, content),
    )
  }

  /** Returns a whole record, with its history for editors. */
  async record(
    caller: Caller,
    version: string,
    id: string,
    { glossary = false }: { readonly glossary?: boolean | undefined } = {},
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const { repository } = this.#sources
    const asked = { caller, version, id }
    const { found, content, history } = this.#versions.isEditor(caller)
      ? await repository.snapshot(async (at) => {
          const read = await this.#read(at, asked)
          return {
            ...read,
            history: await historyOf<Content>(at, read.view, { id, turns: this.#sources.turns }),
          }
        })
      : { ...(await this.#read(repository, asked)), history: undefined }
    const record = glossary ? await this.#withTerms(found.record, content) : found.record
    return { ...found, record: { ...record, ...(history && { history }) } }
  }

  /** Returns a page of a version's changelog, newest first. The public sees only public changes. */
  async changelog(
    caller: Caller,
    version: string,
    request: ChangelogRequest = {},
  ): Promise<ChangelogResults<Content>> {
    const view = await this.#versions.readable(caller, version)
    return changelogPage(this.#sources, view, request)
  }

  /** Returns the words that start with a prefix. Words in many records come first. */
  keywords(caller: Caller, version: string, request: KeywordRequest = {}): Promise<KeywordCount[]> {
    return this.#searching.keywords(caller, version, request)
  }

  /** Counts records by type and, for editors, by status. */
  async statusSummary(caller: Caller, version: string): Promise<StatusSummary> {
    const { repository } = this.#sources
    const { asEditor } = await this.#versions.readable(caller, version)
    const counts = await repository.countByStatus(version, { hidden: asEditor, byStatus: asEditor })
    return {
      version,
      count: counts.reduce((sum, { count }) => sum + count, 0),
      status_summary: counts.map(({ type, status, count }) => ({
        ...(type !== null && { type }),
        ...(status !== null && { status }),
        count,
      })),
    }
  }

  /** Creates a development record. Generates an id if the body has none. */
  async create(
    caller: Caller,
    version: string,
    body: unknown,
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const stored = await this.#editing.create({ caller, version }, body)
    return this.#described(caller, version, stored)
  }

  /** Replaces the development content and the editors' notes. Keeps the status if the body has none. */
  async update(
    caller: Caller,
    version: string,
    body: unknown,
    request: EditRequest = {},
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const stored = await this.#editing.update({ caller, version, ...request }, body)
    return this.#described(caller, version, stored)
  }

  /** Resets the development copy to the published one. Returns its new revision, as do the next two methods. */
  reset(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.reset({ caller, version, ...request }, id)
  }

  /** Hides a published record from the public. Hiding it again has no effect. */
  hide(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.show({ caller, version, ...request }, id, true)
  }

  unhide(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.show({ caller, version, ...request }, id, false)
  }

  /** Publishes all records named in a PublishInfo, or none. Hidden records stay hidden. */
  publish(
    caller: Caller,
    version: string,
    body: unknown,
    request: EditRequest = {},
  ): Promise<void> {
    return this.#editing.publish({ caller, version, ...request }, body)
  }

  /** Deletes both copies of a record. Snapshots keep their copy. */
  delete(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<void> {
    return this.#editing.delete({ caller, version, ...request }, id)
  }

  /** Creates a BETA version, an immutable snapshot of production. */
  createVersion(caller: Caller, name: string): Promise<PublishedVersion> {
    return this.#versions.create(caller, name)
  }

  /** Deletes a BETA version. */
  async deleteVersion(caller: Caller, name: string): Promise<void> {
    await this.#versions.delete(caller, name)
    this.#searching.drop(name)
  }

  /** Returns the contents that a caller may see, for operations that only one area has. */
  async contents(caller: Caller, version: string): Promise<Contents<Content>> {
    const { repository } = this.#sources
    const { version: stored, asEditor } = await this.#versions.readable(caller, version)
    return {
      key: `${stored.revision} ${asEditor ? 'all' : 'shown'}`,
      items: visibleContents(repository, version, asEditor),
    }
  }

  /** Returns whole records, ordered by id, that match at least one value of each filter. */
  matching(
    caller: Caller,
    version: string,
    filters: Readonly<Record<string, readonly string[]>>,
  ): Promise<PublishedRecord<Content>[]> {
    return this.#searching.matching(caller, version, filters)
  }

  /**
   * Stores and publishes many records as one edit, or none of them. Records that would not change are skipped.
   * Bodies have the form of those for create, with ids.
   * @throws EngineError `bad_input`, naming the body by its position
   */
  load(bodies: Iterable<unknown>, request: LoadRequest): Promise<Loaded> {
    return this.#loading.load(bodies, request)
  }

  /** Yields inconsistencies in the stored records. */
  check(): AsyncGenerator<Issue> {
    return recordFindings(this.#sources)
  }

  async #described(
    caller: Caller,
    version: string,
    stored: StoredRecord,
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const view = await this.#versions.readable(caller, version)
    const record = describeRecord<Content, Content>(view, stored, contentOf<Content>(stored))
    return { record, revision: stored.revision }
  }

  async #read(
    reads: PublishingReads,
    {
      caller,
      version,
      id,
    }: { readonly caller: Caller; readonly version: string; readonly id: string },
  ) {
    const { definition } = this.#sources
    const view = await this.#versions.readable(caller, version, reads)
    const stored = await reads.record(version, id)
    if (!stored || (stored.hidden && !view.asEditor)) {
      throw new EngineError('not_found', `${NOUNS[definition.area]} '${id}' does not exist.`)
    }
    const content = contentOf<Content>(stored)
    const record = describeRecord<Content, Content>(view, stored, content)
    return { view, content, found: { record, revision: stored.revision } }
  }

  async #withTerms<Found>(found: Found, content: Content): Promise<Found> {
    const texts = this.#sources.definition.glossaryTexts(content)
    return { ...found, glossary: (await this.#glossary?.(texts)) ?? [] }
  }
}

async function* visibleContents<Content extends RecordContent>(
  repository: PublishingRepository,
  version: string,
  asEditor: boolean,
): AsyncGenerator<{ readonly id: string; readonly content: Content }> {
  for await (const [id, stored] of repository.eachRecord(version, await repository.ids(version))) {
    if (stored && (asEditor || !stored.hidden)) yield { id, content: contentOf<Content>(stored) }
  }
}

function randomId(): string {
  return randomBytes(12).toString('hex')
}
