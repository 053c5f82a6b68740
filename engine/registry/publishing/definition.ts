import type { Role } from '../../shared/access/roles.ts'

export const AREAS = Object.freeze(['rx', 'glossary', 'disease'] as const)
export type Area = (typeof AREAS)[number]

/** How much of each record a search returns (registry.md 2.2). */
export const OUTPUT_TYPES = Object.freeze(['MIN', 'PARTIAL', 'FULL'] as const)
export type OutputType = (typeof OUTPUT_TYPES)[number]

/** Members common to the content of all records. Ids, dates and editors' notes are not content. */
export interface RecordContent {
  readonly name: string
  readonly type?: string
}

/** The searchable part of a record. */
export interface IndexedContent {
  /** Texts that `q` searches. Matches in texts with more weight rank higher. */
  readonly texts: readonly { readonly text: string; readonly weight: number }[]
  /** Keyed by filter of the definition. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** Keyed by sort order of the definition. */
  readonly orders: Readonly<Record<string, string | number | undefined>>
}

/** The differences between areas of publishable records (registry.md 3). */
export interface RecordDefinition<Content extends RecordContent> {
  readonly area: Area
  /** The role that may edit and may see unpublished records. */
  readonly editor: Role
  /**
   * Reads the content members of a body in a fixed order, so that equal contents have equal JSON. Drops all
   * other members: those that the server sets, editors' notes, and unknown members.
   * @throws EngineError `bad_input`, naming the member
   */
  readonly parse: (body: unknown) => Content
  /** Filters in addition to those that every area has, with their accepted values. Undefined accepts any value. */
  readonly filters: Readonly<Record<string, readonly string[] | undefined>>
  /** Sort orders besides name, status, assigned_to and last_modified. */
  readonly orders: readonly string[]
  readonly indexed: (content: Content) => IndexedContent
  readonly project: (content: Content, output: OutputType) => Partial<Content>
  /** Returns the texts in which glossary terms are looked up. */
  readonly glossaryTexts: (content: Content) => readonly string[]
}
