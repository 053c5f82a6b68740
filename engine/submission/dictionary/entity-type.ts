import type { Property } from './property.ts'

/** How many children and parents a link allows, children first (submission.md 4). */
export const MULTIPLICITIES = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const
export type Multiplicity = (typeof MULTIPLICITIES)[number]

export interface Link {
  /** Name of the property that refers to the parents. */
  readonly name: string
  /** Name of the link as seen from the parent, for its children. */
  readonly backref: string
  readonly label: string
  readonly target: string
  readonly multiplicity: Multiplicity
  readonly required: boolean
}

/** A group of links. If it is exclusive, an entity may use at most one of them. If it is required, at least one. */
export interface LinkGroup {
  readonly exclusive: boolean
  readonly required: boolean
  readonly links: readonly Link[]
}

/** Entity type of a dictionary, in the form that documents are validated against. */
export interface EntityType {
  readonly name: string
  readonly category: string
  readonly submittable: boolean
  readonly properties: ReadonlyMap<string, Property>
  readonly required: readonly string[]
  /** All links by name, including those in groups. */
  readonly links: ReadonlyMap<string, Link>
  readonly groups: readonly LinkGroup[]
  /** Sets of properties that identify an entity. The first is `id`. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** Properties that only the service sets. */
  readonly systemProperties: ReadonlySet<string>
  /** JSON schema with references resolved. */
  readonly schema: Readonly<Record<string, unknown>>
}
