import type { Property } from './property.ts'

/** How many children and parents a link may have, in the order child to parent (submission.md 4). */
export const MULTIPLICITIES = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const
export type Multiplicity = (typeof MULTIPLICITIES)[number]

/** From an entity to its parents. */
export interface Link {
  /** The property that names the parents. */
  readonly name: string
  /** What the children are called as seen from the parent. */
  readonly backref: string
  readonly label: string
  readonly target: string
  readonly multiplicity: Multiplicity
  readonly required: boolean
}

/** Links of which at most one may be used, or at least one must be. */
export interface LinkGroup {
  readonly exclusive: boolean
  readonly required: boolean
  readonly links: readonly Link[]
}

/** An entity type in the form that documents are judged by. */
export interface EntityType {
  readonly name: string
  readonly category: string
  readonly submittable: boolean
  readonly properties: ReadonlyMap<string, Property>
  readonly required: readonly string[]
  /** All links by name, those of groups among them. */
  readonly links: ReadonlyMap<string, Link>
  readonly groups: readonly LinkGroup[]
  /** Sets of properties that stand for one entity; the first is `id`. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** Set by the service alone. */
  readonly systemProperties: ReadonlySet<string>
  /** The JSON schema, references resolved. */
  readonly schema: Readonly<Record<string, unknown>>
}
