import type { JsonObject } from '../../shared/input/json-value.ts'

/** Returns a copy of an object without undefined members. */
export function defined(record: JsonObject): JsonObject {
  const said: JsonObject = {}
  for (const name in record) if (record[name] !== undefined) said[name] = record[name]
  return said
}

/** Returns a copy of an object without undefined members. Returns undefined if no member is left. */
export function partOf(part: JsonObject): JsonObject | undefined {
  const said = defined(part)
  return Object.keys(said).length > 0 ? said : undefined
}

/** Returns a list with the object, or undefined if there is no object. */
export const listOf = (part: JsonObject | undefined) => (part === undefined ? undefined : [part])
