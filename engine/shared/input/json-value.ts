import { isObject as isAnyObject } from './unknowns.ts'

/** What JSON.parse gives. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** A record or a part of one. Import owns what it parsed and changes it in place. */
export interface JsonObject {
  [name: string]: Json | undefined
}

/** As `isObject` of unknowns.ts, for what JSON.parse gave. */
export function isObject(value: unknown): value is JsonObject {
  return isAnyObject(value)
}

/** The elements of a member that may be one object, several or none; all else counts as none. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject)
  return isObject(value) ? [value] : []
}

/** A text that says something; `undefined` for all other values. Numbers count as their digits. */
export function textIn(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Sets a member that is not there at all; a null that a source gave stays. */
export function fillAbsent(record: JsonObject, name: string, value: Json | undefined): void {
  if (value !== undefined && !Object.hasOwn(record, name)) record[name] = value
}
