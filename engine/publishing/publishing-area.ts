import type { DatabaseSync } from 'node:sqlite'
import type { Caller } from '../access/roles.ts'
import type { HeldRevisions } from '../revision.ts'
import type { GlossaryMatch } from '../staging/glossary.ts'
import type {
  AtRevision,
  ChangelogResults,
  ChangelogWish,
  Contents,
  KeywordCount,
  KeywordWish,
  PublishedRecord,
  PublishedVersion,
  SearchResults,
  SearchWish,
  StatusSummary,
} from './answers.ts'
import type { RecordContent, RecordDefinition } from './definition.ts'

/** An edit of a record: what its caller takes for current and says about it. */
export interface EditWish {
  readonly held?: HeldRevisions | undefined
  readonly description?: string | undefined
}

/** How contents are loaded. */
export interface LoadWish {
  readonly user: string
  readonly description?: string | undefined
  /** Left out, READY. */
  readonly status?: string | undefined
  /** Left out, true. */
  readonly publish?: boolean | undefined
  /** Finds out what would be done, and does nothing. */
  readonly dryRun?: boolean | undefined
}

/** Ids by what became of them. */
export interface Loaded {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly same: readonly string[]
}

/**
 * Records that are edited in a development copy and published to production (seed 3, 4.2;
 * registry.md 2.2, 2.5, 3.1, 7.5). Operations take the caller, the version's name and the body as it
 * was parsed from JSON, and answer plain JSON in the shapes of registry.md 3.
 *
 * All throw EngineError: not_found for a version or record that is not there or that the caller may
 * not see, forbidden for an edit without the role, bad_input naming the member, precondition_failed.
 */
export interface PublishingArea<Content extends RecordContent> {
  versions(caller: Caller): PublishedVersion[]
  search(caller: Caller, version: string, wish?: SearchWish): Promise<SearchResults<Content>>
  record(
    caller: Caller,
    version: string,
    id: string,
    wish?: { readonly glossary?: boolean | undefined },
  ): Promise<AtRevision<Content>>
  changelog(caller: Caller, version: string, wish?: ChangelogWish): ChangelogResults<Content>
  keywords(caller: Caller, version: string, wish?: KeywordWish): Promise<KeywordCount[]>
  statusSummary(caller: Caller, version: string): StatusSummary

  create(caller: Caller, version: string, body: unknown): AtRevision<Content>
  update(caller: Caller, version: string, body: unknown, wish?: EditWish): AtRevision<Content>
  /** These three answer the record's revision in development. */
  reset(caller: Caller, version: string, id: string, wish?: EditWish): number
  hide(caller: Caller, version: string, id: string, wish?: EditWish): number
  unhide(caller: Caller, version: string, id: string, wish?: EditWish): number
  /** The body is a PublishInfo; all records are published or none. */
  publish(caller: Caller, version: string, body: unknown, wish?: EditWish): void
  delete(caller: Caller, version: string, id: string, wish?: EditWish): void

  createVersion(caller: Caller, name: string): PublishedVersion
  deleteVersion(caller: Caller, name: string): void

  /** For operations of one area alone, such as the terms that a glossary matches. */
  contents(caller: Caller, version: string): Contents<Content>
  /** Whole records that have one of the values of each filter of the definition, by their ids. */
  matching(
    caller: Caller,
    version: string,
    filters: Readonly<Record<string, readonly string[]>>,
  ): Promise<PublishedRecord<Content>[]>
  /**
   * Puts many records at once, one entry in the changelog; the same content again does nothing.
   * Bodies are as for create, with ids.
   */
  load(bodies: Iterable<unknown>, wish: LoadWish): Loaded
}

export interface PublishingOptions<Content extends RecordContent> {
  readonly state: DatabaseSync
  readonly clock: () => Date
  readonly definition: RecordDefinition<Content>
  /** Finds terms of the published glossary in texts; left out, `glossary` finds nothing. */
  readonly glossary?: ((texts: readonly string[]) => Promise<readonly GlossaryMatch[]>) | undefined
  /** Left out, 24 random hexadecimal digits. */
  readonly newId?: (() => string) | undefined
}
