/** Types of JSON Schema, draft 4. */
export const KINDS = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const
export type Kind = (typeof KINDS)[number]

/** What a value of a property may be; what is absent is not restricted. */
export interface Property {
  readonly kinds?: ReadonlySet<Kind>
  readonly values?: ReadonlySet<unknown>
  /** As written, and as it is matched, anywhere in a text. */
  readonly pattern?: { readonly text: string; readonly expression: RegExp }
  readonly isDateTime?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Property
  readonly members?: ReadonlyMap<string, Property>
  /** One of these must hold: exactly one where `isExclusive`. */
  readonly alternatives?: readonly Property[]
  readonly isExclusive?: true
  /** What a system property is at first. */
  readonly default?: unknown
  readonly isDeprecated?: true
  readonly deprecatedValues?: ReadonlySet<unknown>
}
