/** An object from outside, whose shape is not yet validated. */
export type Unknowns = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Unknowns =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns an object's own member. Inherited names such as `constructor` give undefined. */
export const member = (object: Unknowns, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
