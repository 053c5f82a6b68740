import type { GlossaryMatch } from '../staging/algorithm/glossary.ts'
import type { RecordContent } from './definition.ts'

// What the areas answer and are asked (registry.md 2.2, 3), as plain JSON.

export const VERSION_TYPES = Object.freeze(['PRODUCTION', 'DEVELOPMENT', 'BETA'] as const)
export type VersionType = (typeof VERSION_TYPES)[number]

export const STATUSES = Object.freeze(['DRAFT', 'REVIEW', 'READY'] as const)
export type Status = (typeof STATUSES)[number]

export interface PublishedVersion {
  readonly version: string
  /** Only for editors. */
  readonly type?: VersionType
  readonly first_published?: string
  readonly last_modified?: string
  readonly count: number
}

/** What editors say about a record that is no content of it. */
export interface Editorial {
  readonly status: Status
  readonly assigned_to?: string
  readonly note?: string
  readonly field_notes?: Readonly<Record<string, string>>
}

/** What the server says about a record. */
export interface Published {
  readonly id: string
  readonly version: string
  readonly first_published?: string
  readonly last_modified: string
  readonly fingerprint: string
}

/** What some may read of a record. */
export interface Additions {
  readonly hidden?: boolean
  /** Only in results of a search with words. */
  readonly score?: number
  /** Only when it was asked for. */
  readonly glossary?: readonly GlossaryMatch[]
}

/** A record; what is optional beside the content is for editors, or where its note says so. */
export type PublishedRecord<Content extends RecordContent> = Content &
  Published &
  Partial<Editorial> &
  Additions & { readonly history?: readonly HistoryEvent<Content>[] }

/** A record as a search answers it: some of its content. */
export type FoundRecord<Content extends RecordContent> = Partial<Content> &
  Published &
  Partial<Editorial> &
  Additions

/** A record as it was once; for editors with what they had noted. */
export type FormerRecord<Content extends RecordContent> = Content & {
  readonly id: string
  readonly fingerprint: string
} & Partial<Editorial>

export interface HistoryEvent<Content extends RecordContent> {
  readonly user: string
  readonly date: string
  readonly old?: FormerRecord<Content>
  readonly new?: FormerRecord<Content>
}

export interface SearchResults<Content extends RecordContent> {
  readonly terms: readonly string[]
  readonly total: number
  readonly count: number
  readonly offset: number
  readonly max_score?: number
  readonly order?: string
  /** Left out when there are none. */
  readonly results?: readonly FoundRecord<Content>[]
}

export interface ChangelogEntry<Content extends RecordContent> {
  readonly id: string
  readonly name: string
  /** Only of what was changed. */
  readonly old?: FormerRecord<Content>
  readonly new?: FormerRecord<Content>
}

/** What one edit did; empty lists are left out. */
export interface Changelog<Content extends RecordContent> {
  readonly user: string
  readonly date: string
  readonly version: string
  readonly description?: string
  readonly adds?: readonly ChangelogEntry<Content>[]
  readonly mods?: readonly ChangelogEntry<Content>[]
  readonly deletes?: readonly ChangelogEntry<Content>[]
}

export interface ChangelogResults<Content extends RecordContent> {
  readonly total: number
  readonly count: number
  readonly offset: number
  readonly changelogs: readonly Changelog<Content>[]
}

export interface StatusSummary {
  readonly version: string
  readonly count: number
  /** For callers who are no editors without status. */
  readonly status_summary: readonly {
    readonly type?: string
    readonly status?: Status
    readonly count: number
  }[]
}

export interface KeywordCount {
  readonly keyword: string
  /** Of records that have it. */
  readonly count: number
}

/** A search; values as the query has them, lists taken apart already. */
export interface SearchRequest {
  readonly q?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly assigned_to?: string | undefined
  /** Days, YYYY-MM-DD, both included. */
  readonly modified_from?: string | undefined
  readonly modified_to?: string | undefined
  readonly published_from?: string | undefined
  readonly published_to?: string | undefined
  readonly been_published?: boolean | undefined
  readonly hidden?: boolean | undefined
  /** OR or AND; left out, OR. */
  readonly mode?: string | undefined
  readonly count?: string | number | undefined
  readonly offset?: string | number | undefined
  /** `-` before it turns it round. */
  readonly order?: string | undefined
  readonly output_type?: string | undefined
  readonly glossary?: boolean | undefined
  /** Of the definition; names that it does not have are refused. */
  readonly filters?: Readonly<Record<string, readonly string[] | undefined>> | undefined
}

export interface ChangelogRequest {
  /** Days, YYYY-MM-DD, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** 1 to 10; left out, 10. */
  readonly count?: string | number | undefined
  readonly offset?: string | number | undefined
  /** Only what was done to this record. */
  readonly id?: string | undefined
  /** ASC or DESC; left out, DESC: newest first. */
  readonly order?: string | undefined
}

export interface KeywordRequest {
  /** What they begin with. */
  readonly q?: string | undefined
  readonly count?: string | number | undefined
}

/** The contents that a caller may see of a version. */
export interface Contents<Content extends RecordContent> {
  /** Another one when the contents are others: what is made of them can be cached by it. */
  readonly key: string
  readonly items: AsyncIterable<{ readonly id: string; readonly content: Content }>
}
