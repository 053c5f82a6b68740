/** What came from outside, looked at without trusting its shape. */
export type Unknowns = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Unknowns =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own member; names such as `constructor` find nothing. */
export const member = (object: Unknowns, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
