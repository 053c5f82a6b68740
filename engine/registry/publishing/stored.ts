import type { Status, VersionType } from './answers.ts'

// The stored form of an area.

/** Name of the version that can be edited. */
export const DEVELOPMENT = 'development'
/** Name of the production version. */
export const LATEST = 'latest'

export interface StoredVersion {
  readonly version: string
  readonly type: VersionType
  readonly firstPublished: string | null
  readonly lastModified: string | null
  /** Number of the edit that created the version. */
  readonly madeAt: number
  /** Changes with every edit of its records. */
  readonly revision: number
}

/** Editors' notes on a copy of a record. */
export interface Notes {
  readonly status: Status
  readonly assignedTo: string | null
  readonly note: string | null
  readonly fieldNotes: Readonly<Record<string, string>> | null
}

/** A copy of a record, without its content. */
export interface StoredItem extends Notes {
  readonly id: string
  readonly name: string
  readonly type: string | null
  /** Fingerprint of the content. */
  readonly fingerprint: string
  /** Whether production is hidden; the development copy has the same value. */
  readonly hidden: boolean
  readonly firstPublished: string | null
  readonly lastModified: string
  /** Revision of this copy. That of the development copy also rises when production changes. */
  readonly revision: number
}

/** The existing copies of a record. */
export interface StoredCopies {
  readonly development?: StoredItem
  readonly production?: StoredItem
}

/** A copy of a record with its content as JSON. */
export interface StoredRecord extends StoredItem {
  readonly document: string
}

export type ChangeType = 'ADD' | 'MOD' | 'DEL'

/** The change that an edit makes to one record of a version. */
export interface NewChange {
  readonly id: string
  readonly name: string
  readonly type: ChangeType
  /** Whether the public may see the change. */
  readonly isPublic: boolean
  readonly old: StoredItem | undefined
  readonly new: StoredItem | undefined
}

export interface NewChangelog {
  readonly version: string
  /** Last revision that the edit assigned. */
  readonly number: number
  readonly date: string
  readonly user: string
  readonly description: string | null
  readonly changes: readonly NewChange[]
}

export interface StoredChangelog {
  readonly number: number
  readonly date: string
  readonly user: string
  readonly description: string | null
}

/** An earlier state of a record: its content and the editors' notes. */
export interface FormerItem extends Notes {
  readonly fingerprint: string
  readonly document: string
}

export interface StoredChange {
  readonly id: string
  readonly name: string
  readonly type: ChangeType
  readonly old: FormerItem | undefined
  readonly new: FormerItem | undefined
}

/** Which changelog entries to return. */
export interface ChangelogSpan {
  readonly version: string
  /** The last number to include. */
  readonly upTo: number
  /** Whether to return only entries that contain something public. */
  readonly onlyPublic: boolean
  /** Id of the only record whose entries to return. Undefined means all records. */
  readonly id: string | undefined
  /** Times: inclusive start and exclusive end. */
  readonly from: string
  readonly to: string
}

export interface Page {
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
  readonly offset: number
}

export interface StatusCount {
  readonly type: string | null
  readonly status: Status | null
  readonly count: number
}
