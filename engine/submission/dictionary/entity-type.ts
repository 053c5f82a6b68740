import type { Property } from './property.ts'

/** Number of children and parents that a link allows, child first (submission.md 4). */
export const MULTIPLICITIES = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const
export type Multiplicity = (typeof MULTIPLICITIES)[number]

/** A link from an entity to its parents. */
export interface Link {
  /** Name of the property that refers to the parents. */
  readonly name: string
  /** Name of the children as seen from the parent. */
  readonly backref: string
  readonly label: string
  readonly target: string
  readonly multiplicity: Multiplicity
  readonly required: boolean
}

/** Alternative links: an entity may use at most one if exclusive, and must use at least one if required. */
export interface LinkGroup {
  readonly exclusive: boolean
  readonly required: boolean
  readonly links: readonly Link[]
}

/** An entity type in the form that documents are validated against. */
export interface EntityType {
  readonly name: string
  readonly category: string
  readonly submittable: boolean
  readonly properties: ReadonlyMap<string, Property>
  readonly required: readonly string[]
  /** All links keyed by name, including those in groups. */
  readonly links: ReadonlyMap<string, Link>
  readonly groups: readonly LinkGroup[]
  /** Sets of properties that identify an entity. The first is `id`. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** Properties that only the service sets. */
  readonly systemProperties: ReadonlySet<string>
  /** JSON schema with references resolved. */
  readonly schema: Readonly<Record<string, unknown>>
}
