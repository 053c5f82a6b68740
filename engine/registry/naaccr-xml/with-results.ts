import { escapeText } from '../../shared/formats/xml.ts'
import type { Found } from '../ndjson-batch/counts.ts'
import { type Definitions, faultOf } from './dictionary.ts'
import type { ElementPlace, Patient, RecordType } from './model.ts'
import type { BlockReader } from './read-blocks.ts'
import type { ResultItems, WrittenPatient, WrittenTumor } from './result-items.ts'

/** The items that a file may contain, and how they are written. */
interface ItemsOfFile {
  readonly definitions: Definitions
  readonly recordType: RecordType
  /** Namespace prefix with its colon, or empty. */
  readonly prefix: string
  readonly owned: Owned
}

interface WrittenBy {
  /** The reader of the file. */
  readonly reader: BlockReader
  readonly owned: Owned
}

/** Ids of items that hold only results. */
export interface Owned {
  /** Items of recodes. */
  readonly always: ReadonlySet<string>
  /** Items of each version. */
  readonly by: readonly ReadonlySet<string>[]
}

/** Count results that do not match the form of their item, and removed values without a result. */
export const LEFT_OUT = 'left_out'
const REMOVED = 'removed'

/**
 * Writes results into the text of a patient and its tumors, replacing the values of the same items. A result is
 * left out if the dictionaries have no item for it, or if it does not have the item's form. An empty result
 * removes the value. An item that holds only results is removed if there is no result for it, because its value
 * comes from an earlier run. Items of versions that do not apply are kept.
 */
export function withResults(
  { line, items, source, tumors }: Patient,
  results: WrittenPatient,
  { reader, owned }: WrittenBy,
  count: (found: Found) => void,
): string {
  if (!source) throw new Error('the text of a patient was not kept')
  const { prefix, head } = reader.form
  const file: ItemsOfFile = {
    definitions: reader.definitions,
    recordType: head.recordType,
    owned,
    prefix: prefix === '' ? '' : `${prefix}:`,
  }
  const { text, patient } = source
  const places: readonly Written[] = [
    {
      element: 'Patient',
      line,
      before: items,
      place: patient,
      items: results.items,
      by: [],
    },
    ...source.tumors.map((place, i): Written => {
      const { items: given, by } = results.tumors[i] ?? { items: [], by: [] }
      const { line: at, items: before = NO_ITEMS } = tumors[i] ?? { line: 0 }
      return { element: 'Tumor', line: at, before, place, items: given, by }
    }),
  ]
  const parts: string[] = []
  let at = 0
  for (const written of places) at = writeInto(written, { text, at, parts, file, count })
  parts.push(text.slice(at))
  return parts.join('')
}

const NO_ITEMS: Patient['items'] = new Map()

/** The values to write into a patient or a tumor, and where. */
interface Written extends WrittenTumor {
  readonly element: 'Patient' | 'Tumor'
  readonly line: number
  /** Items of the element before results were written. */
  readonly before: Patient['items']
  readonly place: ElementPlace
}

interface Writing {
  readonly text: string
  /** Position up to which the text has been written. */
  readonly at: number
  readonly parts: string[]
  readonly file: ItemsOfFile
  readonly count: (found: Found) => void
}

/** Writes up to the last replaced item and returns its end. */
function writeInto(
  { element, line, before, place, items: given, by }: Written,
  { text, at, parts, file, count }: Writing,
): number {
  const items = given.filter(
    (item) => item[1] === '' || isWritable(item, { element, line }, file, count),
  )
  const ids = new Set(items.map(([id]) => id))
  const stale = place.items.filter(({ id }) => !ids.has(id) && isOwned(id, element, by, file))
  for (const { id } of stale) {
    ids.add(id)
    if (before.has(id)) count({ kind: REMOVED, code: 'no_result', of: id, line })
  }
  if (ids.size === 0) return at
  const indent = /^\s*/.exec(text.slice(place.start, place.start + MAX_INDENT))?.[0] ?? ''
  const written = items
    .map(([id, value]) => (value === '' ? '' : itemText(id, value, indent, file.prefix)))
    .join('')
  if (place.isSelfClosed) {
    const tag = text.slice(at, place.start).replace(/\s*\/>$/, '>')
    parts.push(tag, written, `</${file.prefix}${element}>`)
    return place.start
  }
  parts.push(text.slice(at, place.start), written)
  return copyWithout(text, place, ids, parts)
}

/** Maximum characters of white space before an item. */
const MAX_INDENT = 100

/** Copies the text from the start tag to the end of the last omitted item, and returns that position. */
function copyWithout(
  text: string,
  { start, items }: ElementPlace,
  ids: ReadonlySet<string>,
  parts: string[],
): number {
  let at = start
  for (const item of items) {
    if (!ids.has(item.id)) continue
    parts.push(text.slice(at, item.start).trimEnd())
    at = item.end
  }
  return at
}

type Element = Written['element']

/** Returns the item if it is allowed in this element and record type. */
function itemOf(id: string, element: Element, { definitions, recordType }: ItemsOfFile) {
  const item = definitions.get(id)
  return item?.element === element && item.recordTypes.includes(recordType) ? item : undefined
}

function isOwned(id: string, element: Element, by: readonly number[], file: ItemsOfFile): boolean {
  const { owned } = file
  const isOfRun = owned.always.has(id) || by.some((place) => owned.by[place]?.has(id))
  return isOfRun && itemOf(id, element, file) !== undefined
}

function isWritable(
  [id, value]: ResultItems[number],
  { element, line }: Pick<Written, 'element' | 'line'>,
  file: ItemsOfFile,
  count: (found: Found) => void,
): boolean {
  const item = itemOf(id, element, file)
  if (!item) return false
  const fault = faultOf(value, item)
  if (fault) count({ kind: LEFT_OUT, code: fault.replaceAll(' ', '_'), of: id, line })
  return !fault
}

const itemText = (id: string, value: string, indent: string, prefix: string) =>
  `${indent}<${prefix}Item naaccrId="${id}">${escapeText(value)}</${prefix}Item>`
