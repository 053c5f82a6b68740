import type { GlossaryMatch } from '../staging/algorithm/glossary.ts'
import type { RecordContent } from './definition.ts'

// Requests and responses of the publishing areas (registry.md 2.2, 3), as plain JSON.

export const VERSION_TYPES = Object.freeze(['PRODUCTION', 'DEVELOPMENT', 'BETA'] as const)
export type VersionType = (typeof VERSION_TYPES)[number]

export const STATUSES = Object.freeze(['DRAFT', 'REVIEW', 'READY'] as const)
export type Status = (typeof STATUSES)[number]

export interface PublishedVersion {
  readonly version: string
  /** Type of the version. Only editors receive it. */
  readonly type?: VersionType
  readonly first_published?: string
  readonly last_modified?: string
  /** Number of records. */
  readonly count: number
}

/** Editors' notes on a record, which are not part of its content. */
export interface Editorial {
  readonly status: Status
  readonly assigned_to?: string
  readonly note?: string
  readonly field_notes?: Readonly<Record<string, string>>
}

/** Members of a record that the server sets. */
export interface Published {
  readonly id: string
  readonly version: string
  readonly first_published?: string
  readonly last_modified: string
  readonly fingerprint: string
}

/** Members that are returned only to some callers or on request. */
export interface Additions {
  readonly hidden?: boolean
  /** Present only in the results of a search with words. */
  readonly score?: number
  /** Glossary terms in the record. Present only on request. */
  readonly glossary?: readonly GlossaryMatch[]
}

/** A record. Optional members besides the content are for editors, unless noted otherwise. */
export type PublishedRecord<Content extends RecordContent> = Content &
  Published &
  Partial<Editorial> &
  Additions & { readonly history?: readonly HistoryEvent<Content>[] }

/** A record in search results, with part of its content. */
export type FoundRecord<Content extends RecordContent> = Partial<Content> &
  Published &
  Partial<Editorial> &
  Additions

/** An earlier state of a record. Editors also get the notes of that time. */
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
  /** The distinct words of the query, folded. */
  readonly terms: readonly string[]
  /** Number of matches on all pages. */
  readonly total: number
  /** Maximum number of results per page. */
  readonly count: number
  readonly offset: number
  readonly max_score?: number
  readonly order?: string
  /** Absent if nothing was found. */
  readonly results?: readonly FoundRecord<Content>[]
}

export interface ChangelogEntry<Content extends RecordContent> {
  readonly id: string
  readonly name: string
  /** Present only for changed records. */
  readonly old?: FormerRecord<Content>
  readonly new?: FormerRecord<Content>
}

/** The changes that one edit made. Empty lists are left out. */
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
  /** Has no status for callers who are not editors. */
  readonly status_summary: readonly {
    readonly type?: string
    readonly status?: Status
    readonly count: number
  }[]
}

export interface KeywordCount {
  readonly keyword: string
  /** Number of records that contain the word. */
  readonly count: number
}

/** A search request with the values of the query; lists are already split. */
export interface SearchRequest {
  readonly q?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly assigned_to?: string | undefined
  /** First and last day of the modification, as YYYY-MM-DD, both inclusive. */
  readonly modified_from?: string | undefined
  readonly modified_to?: string | undefined
  readonly published_from?: string | undefined
  readonly published_to?: string | undefined
  readonly been_published?: boolean | undefined
  readonly hidden?: boolean | undefined
  /** OR or AND. Defaults to OR. */
  readonly mode?: string | undefined
  readonly count?: string | number | undefined
  readonly offset?: string | number | undefined
  /** A leading `-` reverses the order. */
  readonly order?: string | undefined
  readonly output_type?: string | undefined
  readonly glossary?: boolean | undefined
  /** Filters of the definition; unknown names are refused. */
  readonly filters?: Readonly<Record<string, readonly string[] | undefined>> | undefined
}

export interface ChangelogRequest {
  /** First and last day, as YYYY-MM-DD, both inclusive. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** 1 to 10. Defaults to 10. */
  readonly count?: string | number | undefined
  readonly offset?: string | number | undefined
  /** Id of a record. The changelog is then restricted to this record. */
  readonly id?: string | undefined
  /** ASC or DESC. Defaults to DESC, newest first. */
  readonly order?: string | undefined
}

export interface KeywordRequest {
  /** Prefix of the words. */
  readonly q?: string | undefined
  readonly count?: string | number | undefined
}

/** The contents of a version that a caller may see. */
export interface Contents<Content extends RecordContent> {
  /** Cache key, which changes whenever the contents do. */
  readonly key: string
  readonly items: AsyncIterable<{ readonly id: string; readonly content: Content }>
}
