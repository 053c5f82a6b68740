import type { Role } from '../../shared/access/roles.ts'

export const AREAS = Object.freeze(['rx', 'glossary', 'disease'] as const)
export type Area = (typeof AREAS)[number]

/** How much of a record a search answers (registry.md 2.2). */
export const OUTPUT_TYPES = Object.freeze(['MIN', 'PARTIAL', 'FULL'] as const)
export type OutputType = (typeof OUTPUT_TYPES)[number]

/** What every record has in its content; neither id nor dates nor what editors note are in it. */
export interface RecordContent {
  readonly name: string
  readonly type?: string
}

/** What a search reads of a content. */
export interface IndexedContent {
  /** What `q` looks into; a match in a text of more weight ranks higher. */
  readonly texts: readonly { readonly text: string; readonly weight: number }[]
  /** Values by the name of a filter of the definition. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** Values by the name of an order of the definition. */
  readonly orders: Readonly<Record<string, string | number | undefined>>
}

/** What makes an area of publishable records different from the others (registry.md 3). */
export interface RecordDefinition<Content extends RecordContent> {
  readonly area: Area
  /** Who edits, and who sees what is not published. */
  readonly editor: Role
  /**
   * Reads the content members of a body, in the order of the definition, so that equal content is
   * equal JSON. Drops all others: what the server sets, what editors note, what nobody knows.
   * @throws EngineError bad_input naming the member
   */
  readonly parse: (body: unknown) => Content
  /** Filters beyond those of every area: the accepted values, or undefined where any will do. */
  readonly filters: Readonly<Record<string, readonly string[] | undefined>>
  /** Orders beyond name, status, assigned_to and last_modified. */
  readonly orders: readonly string[]
  readonly indexed: (content: Content) => IndexedContent
  readonly project: (content: Content, output: OutputType) => Partial<Content>
  /** The texts that terms of the glossary are looked for in. */
  readonly glossaryTexts: (content: Content) => readonly string[]
}
