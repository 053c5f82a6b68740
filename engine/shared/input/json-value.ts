import { isObject as isAnyObject } from './unknowns.ts'

/** A value that JSON.parse returns. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A record or a part of one. It is mutable, because imports change records after parsing them. */
export interface JsonObject {
  [name: string]: Json | undefined
}

/** Narrows a JSON value to an object, like `isObject` of unknowns.ts. */
export function isObject(value: unknown): value is JsonObject {
  return isAnyObject(value)
}

/** Returns the objects in a member that may be an object, an array or missing. Other values are ignored. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject)
  return isObject(value) ? [value] : []
}

/** Returns a non-empty text, or a number as text. Returns `undefined` for any other value. */
export function textIn(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Sets a member if the record lacks it. A null in the record stays. */
export function fillAbsent(record: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined && !Object.hasOwn(record, name)) record[name] = value
}
