import { EngineError } from '../../shared/errors.ts'
import type { Dictionary, ItemDefinition } from '../naaccr-xml/dictionary.ts'
import type { NaaccrItem, NaaccrVersion } from './model.ts'

/** The version and items documented by a base dictionary, in the form of the API. */
export interface DocumentedVersion {
  readonly version: NaaccrVersion
  /** Items keyed by id. */
  readonly items: ReadonlyMap<string, NaaccrItem>
}

/**
 * Extracts the documentation from a base dictionary (registry-lookups.md 3.2).
 * @throws EngineError `bad_input` unless it is the dictionary of a version
 */
export function documentedVersion({ version, modified, items }: Dictionary): DocumentedVersion {
  const [, name] = /^([1-9]\d)0$/.exec(version ?? '') ?? []
  if (name === undefined) {
    throw refused('its naaccrVersion is not like 250; give the base dictionary of a version')
  }
  return {
    version: versionOf(name, modified),
    items: new Map(items.map((item) => [item.id, itemOf(item)])),
  }
}

function versionOf(version: string, modified: string | undefined): NaaccrVersion {
  const year = { version, year_implemented: 2000 + Number(version) }
  if (modified === undefined) return year
  return { ...year, date_of_publication: readTime(modified, 'dateLastModified') }
}

/**
 * Converts a day or timestamp to the form of the API.
 * @throws EngineError `bad_input`, naming the member
 */
export function readTime(text: string, at: string): string {
  const time = /^\d{4}-\d\d-\d\d(?:T|$)/.test(text) ? new Date(text) : undefined
  if (time && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new EngineError('bad_input', `"${at}" is no day or time such as 2025-03-13`, { at })
}

/** At most five digits. */
const NUMBER = /^[1-9]\d{0,4}$/

export const isNumber = (text: string): boolean => NUMBER.test(text)

function itemOf({ id, number, name, length, element, recordTypes, dataType }: ItemDefinition) {
  if (number === undefined || !isNumber(String(number))) {
    throw refused(`"${id}" has no naaccrNum such as 80`)
  }
  return {
    item_number: String(number),
    ...(name !== undefined && { item_name: name }),
    item_data_type: dataType,
    item_length: String(length),
    xml_naaccr_id: id,
    xml_parent_id: element,
    record_types: recordTypes.split(',').toSorted(),
  } satisfies NaaccrItem
}

const refused = (message: string) => new EngineError('bad_input', message)
