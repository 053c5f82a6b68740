import type { Status, VersionType } from './answers.ts'

// What the database keeps of an area.

export const DEVELOPMENT = 'development'
/** Production's name. */
export const LATEST = 'latest'

export interface StoredVersion {
  readonly version: string
  readonly type: VersionType
  readonly firstPublished: string | null
  readonly lastModified: string | null
  /** The number of the edit that made it. */
  readonly madeAt: number
  /** Another one after every edit of what it holds. */
  readonly revision: number
}

/** What editors note on a copy of a record. */
export interface Notes {
  readonly status: Status
  readonly assignedTo: string | null
  readonly note: string | null
  readonly fieldNotes: Readonly<Record<string, string>> | null
}

/** One copy of a record, without its content. */
export interface StoredItem extends Notes {
  readonly id: string
  readonly name: string
  readonly type: string | null
  /** Of its content. */
  readonly fingerprint: string
  /** Of production; the copy in development has it too. */
  readonly hidden: boolean
  readonly firstPublished: string | null
  readonly lastModified: string
  /** Of the copy in development also raised by what is done to production. */
  readonly revision: number
}

/** The copies that there are of a record. */
export interface StoredCopies {
  readonly development?: StoredItem
  readonly production?: StoredItem
}

/** A copy of a record with the JSON of its content. */
export interface StoredRecord extends StoredItem {
  readonly document: string
}

export type ChangeType = 'ADD' | 'MOD' | 'DEL'

/** What an edit does to one record of a version. */
export interface NewChange {
  readonly id: string
  readonly name: string
  readonly type: ChangeType
  /** Whether it is to be seen for everybody. */
  readonly isPublic: boolean
  readonly old: StoredItem | undefined
  readonly new: StoredItem | undefined
}

export interface NewChangelog {
  readonly version: string
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

/** What a record was once: its content, and what editors had noted. */
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

/** Which entries of a changelog are meant. */
export interface ChangelogSpan {
  readonly version: string
  /** The last number that counts. */
  readonly upTo: number
  /** Only those that everybody may see something of. */
  readonly onlyPublic: boolean
  readonly id: string | undefined
  /** Inclusive and exclusive. */
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
