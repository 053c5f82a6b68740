import { escapeText } from '../../shared/formats/xml.ts'
import type { Found } from '../ndjson-batch/counts.ts'
import { type Definitions, faultOf } from './dictionary.ts'
import type { Patient, PatientSource, RecordType, TumorPlace } from './model.ts'
import type { ResultItems, WrittenTumor } from './result-items.ts'

/** What says which items a file may have, and how they are written. */
export interface ItemsOfFile {
  readonly definitions: Definitions
  readonly recordType: RecordType
  readonly prefix: string
  readonly owned: Owned
}

/** Ids of items that hold results and nothing else: of recodes, and of each version. */
export interface Owned {
  readonly always: ReadonlySet<string>
  readonly by: readonly ReadonlySet<string>[]
}

/** Of counts: results that are not of the form of their item, and values without a result. */
export const LEFT_OUT = 'left_out'
export const REMOVED = 'removed'

/**
 * The text of a patient with the results of its tumors in the place of what it had of the same items. Results
 * that the dictionaries have no item for are left out, and so are those that are not of its form. An item
 * that holds results alone is removed where there is none: what it had is of another run. Items of a version that
 * had no say stay.
 * @param results of each tumor
 */
export function withResults(
  { source, tumors }: Patient & { readonly source: PatientSource },
  results: readonly WrittenTumor[],
  file: ItemsOfFile,
  count: (found: Found) => void,
): string {
  const { text } = source
  const parts: string[] = []
  let at = 0
  for (const [i, place] of source.tumors.entries()) {
    const tumor = tumors[i]
    const line = tumor?.line ?? 0
    const { items: given, by } = results[i] ?? { items: [], by: [] }
    const items = given.filter((item) => isWritable(item, line, file, count))
    const ids = new Set(items.map(([id]) => id))
    const stale = place.items.filter(({ id }) => !ids.has(id) && isOwned(id, by, file))
    for (const { id } of stale) {
      ids.add(id)
      if (tumor?.items.has(id)) count({ kind: REMOVED, code: 'no_result', of: id, line })
    }
    if (ids.size === 0) continue
    const indent = /^\s*/.exec(text.slice(place.start, place.start + MAX_INDENT))?.[0] ?? ''
    const written = items.map(([id, value]) => itemText(id, value, indent, file.prefix)).join('')
    if (place.isSelfClosed) {
      const tag = text.slice(at, place.start).replace(/\s*\/>$/, '>')
      parts.push(tag, written, `</${file.prefix}Tumor>`)
      at = place.start
    } else {
      parts.push(text.slice(at, place.start), written)
      at = copyWithout(text, place, ids, parts)
    }
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Characters of white space in front of an item. */
const MAX_INDENT = 100

/** Copies from behind a tumor's first tag to the end of the last item that is left out; says where that is. */
function copyWithout(
  text: string,
  { start, items }: TumorPlace,
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

/** The item of tumors in files of the type, if there is one. */
function itemOfTumors(id: string, { definitions, recordType }: ItemsOfFile) {
  const item = definitions.get(id)
  return item?.element === 'Tumor' && item.recordTypes.includes(recordType) ? item : undefined
}

function isOwned(id: string, by: readonly number[], file: ItemsOfFile): boolean {
  const { owned } = file
  const isOfRun = owned.always.has(id) || by.some((place) => owned.by[place]?.has(id))
  return isOfRun && itemOfTumors(id, file) !== undefined
}

function isWritable(
  [id, value]: ResultItems[number],
  line: number,
  file: ItemsOfFile,
  count: (found: Found) => void,
): boolean {
  const item = itemOfTumors(id, file)
  if (!item) return false
  const fault = faultOf(value, item)
  if (fault) count({ kind: LEFT_OUT, code: fault.replaceAll(' ', '_'), of: id, line })
  return !fault
}

const itemText = (id: string, value: string, indent: string, prefix: string) =>
  `${indent}<${prefix}Item naaccrId="${id}">${escapeText(value)}</${prefix}Item>`
