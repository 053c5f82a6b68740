/** Types of JSON Schema, draft 4. */
export const KINDS = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const
export type Kind = (typeof KINDS)[number]

/** Restrictions on the values of a property. An absent member is no restriction. */
export interface Property {
  readonly kinds?: ReadonlySet<Kind>
  readonly values?: ReadonlySet<unknown>
  /** Pattern as written, and as a regular expression that may match anywhere in a text. */
  readonly pattern?: { readonly text: string; readonly expression: RegExp }
  readonly isDateTime?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Property
  readonly members?: ReadonlyMap<string, Property>
  /** At least one alternative must match, or exactly one if `isExclusive`. */
  readonly alternatives?: readonly Property[]
  readonly isExclusive?: true
  /** Initial value of a system property. */
  readonly default?: unknown
  readonly isDeprecated?: true
  readonly deprecatedValues?: ReadonlySet<unknown>
}
