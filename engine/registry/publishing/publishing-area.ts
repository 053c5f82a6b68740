import { randomBytes } from 'node:crypto'
import type { Caller } from '../../shared/access/roles.ts'
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
export type { Loaded, LoadRequest } from './loading.ts'

export interface PublishingOptions<Content extends RecordContent> {
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  readonly clock: () => Date
  readonly definition: RecordDefinition<Content>
  /** Finds terms of the published glossary in texts; left out, `glossary` finds nothing. */
  readonly glossary?: ((texts: readonly string[]) => Promise<readonly GlossaryMatch[]>) | undefined
  /** Left out, 24 random hexadecimal digits. */
  readonly newId?: (() => string) | undefined
}

/**
 * Records that are edited in a development copy and published to production (registry-service.md 3, 4.2;
 * registry.md 2.2, 2.5, 3.1, 7.5). Operations take the caller, the version's name and the body as it
 * was parsed from JSON, and answer plain JSON in the shapes of registry.md 3. Every edit is durable,
 * with its entries in history and changelog, before it is answered.
 *
 * All throw EngineError: not_found for a version or record that is not there or that the caller may
 * not see, forbidden for an edit without the role, bad_input naming the member, precondition_failed.
 */
export class PublishingArea<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>
  readonly #versions: Versions<Content>
  readonly #editing: Editing<Content>
  readonly #loading: Loading<Content>
  readonly #searching: Searching<Content>
  readonly #glossary: PublishingOptions<Content>['glossary']

  constructor({ state, clock, definition, glossary, newId }: PublishingOptions<Content>) {
    const repository = new PublishingRepository(state, definition.area)
    this.#sources = { repository, clock, definition }
    this.#versions = new Versions(this.#sources)
    this.#editing = new Editing(this.#sources, this.#versions, newId ?? randomId)
    this.#loading = new Loading(this.#sources)
    this.#searching = new Searching(this.#sources, this.#versions)
    this.#glossary = glossary
  }

  /** Those that the caller may see: of callers who are no editors exactly one. */
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

  /** A whole record, and for editors what was done to it. */
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
          return { ...read, history: await historyOf<Content>(at, read.view, id) }
        })
      : { ...(await this.#read(repository, asked)), history: undefined }
    const record = glossary ? await this.#withTerms(found.record, content) : found.record
    return { ...found, record: { ...record, ...(history && { history }) } }
  }

  /** What was done to a version, newest first; everybody sees what was done in their sight. */
  async changelog(
    caller: Caller,
    version: string,
    request: ChangelogRequest = {},
  ): Promise<ChangelogResults<Content>> {
    const view = await this.#versions.readable(caller, version)
    return changelogPage(this.#sources.repository, view, request)
  }

  /** Words of records that begin with a text, the ones of most records first. */
  keywords(caller: Caller, version: string, request: KeywordRequest = {}): Promise<KeywordCount[]> {
    return this.#searching.keywords(caller, version, request)
  }

  /** How many records there are of each type and, for editors, status. */
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

  /** Makes a record in development; a body without an id is given one. */
  async create(
    caller: Caller,
    version: string,
    body: unknown,
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const stored = await this.#editing.create({ caller, version }, body)
    return this.#described(caller, version, stored)
  }

  /** Replaces the content in development and what editors note; a status left out stays. */
  async update(
    caller: Caller,
    version: string,
    body: unknown,
    request: EditRequest = {},
  ): Promise<AtRevision<PublishedRecord<Content>>> {
    const stored = await this.#editing.update({ caller, version, ...request }, body)
    return this.#described(caller, version, stored)
  }

  /** Makes the copy in development what is published. Answers the revision, as the next two do. */
  reset(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.reset({ caller, version, ...request }, id)
  }

  /** Takes what is published from everybody's sight; one that is hidden already stays so. */
  hide(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.show({ caller, version, ...request }, id, true)
  }

  unhide(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<number> {
    return this.#editing.show({ caller, version, ...request }, id, false)
  }

  /** Publishes all records that a PublishInfo names, or none. What is hidden stays so. */
  publish(
    caller: Caller,
    version: string,
    body: unknown,
    request: EditRequest = {},
  ): Promise<void> {
    return this.#editing.publish({ caller, version, ...request }, body)
  }

  /** Deletes both copies; snapshots keep theirs. */
  delete(caller: Caller, version: string, id: string, request: EditRequest = {}): Promise<void> {
    return this.#editing.delete({ caller, version, ...request }, id)
  }

  /** Makes a version of type BETA that has what production has now, and stays as it is. */
  createVersion(caller: Caller, name: string): Promise<PublishedVersion> {
    return this.#versions.create(caller, name)
  }

  /** Deletes a version of type BETA. */
  async deleteVersion(caller: Caller, name: string): Promise<void> {
    await this.#versions.delete(caller, name)
    this.#searching.drop(name)
  }

  /** The contents that a caller may see, for operations of one area alone. */
  async contents(caller: Caller, version: string): Promise<Contents<Content>> {
    const { repository } = this.#sources
    const { version: stored, asEditor } = await this.#versions.readable(caller, version)
    return {
      key: `${stored.revision} ${asEditor ? 'all' : 'shown'}`,
      items: visibleContents(repository, version, asEditor),
    }
  }

  /** Whole records that have one of the values of each filter of the definition, by their ids. */
  matching(
    caller: Caller,
    version: string,
    filters: Readonly<Record<string, readonly string[]>>,
  ): Promise<PublishedRecord<Content>[]> {
    return this.#searching.matching(caller, version, filters)
  }

  /**
   * Puts many records at once and publishes them, under one number; what is there already in the
   * same state is left alone. Bodies are as for create, with ids: all are loaded or none.
   * @throws EngineError bad_input naming the body by its place
   */
  load(bodies: Iterable<unknown>, request: LoadRequest): Promise<Loaded> {
    return this.#loading.load(bodies, request)
  }

  /** What is wrong with what is stored. */
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
