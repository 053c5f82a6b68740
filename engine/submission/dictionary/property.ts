/** Types of JSON Schema, draft 4. */
export const KINDS = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const
export type Kind = (typeof KINDS)[number]

/** Constraints on the values of a property. An undefined member means no constraint. */
export interface Property {
  readonly kinds?: ReadonlySet<Kind>
  readonly values?: ReadonlySet<unknown>
  /** Regular expression as text and compiled. It may match anywhere in a value. */
  readonly pattern?: { readonly text: string; readonly expression: RegExp }
  readonly isDateTime?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Property
  readonly members?: ReadonlyMap<string, Property>
  /** Alternatives, of which at least one must match, or exactly one if `isExclusive`. */
  readonly alternatives?: readonly Property[]
  readonly isExclusive?: true
  /** Initial value of a system property. */
  readonly default?: unknown
  readonly isDeprecated?: true
  readonly deprecatedValues?: ReadonlySet<unknown>
}
