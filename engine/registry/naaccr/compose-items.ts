import { EngineError } from '../../shared/errors.ts'
import { type DocumentedVersion, isNumber } from './documented-version.ts'
import type { AllowedCode, ItemTexts, NaaccrItem } from './model.ts'

/** The contents of an import's files by item id; pages and members also by number. */
export interface ItemSources {
  readonly dictionary: DocumentedVersion
  readonly pages: ReadonlyMap<string, Partial<NaaccrItem>>
  readonly sections: ReadonlyMap<string, string>
  readonly codes: ReadonlyMap<string, readonly AllowedCode[]>
  readonly members: ReadonlyMap<string, ItemTexts>
}

/**
 * Composes the items of a version, ordered by number: those of the dictionary, and retired items that only have
 * a page. Of several sources for a member, the table of members comes first, then the dictionary, then the page.
 * Codes come from the page. If it has none, they come from the lookups.
 * @throws EngineError `bad_input` for members of an unknown item
 */
export function composeItems(sources: ItemSources): NaaccrItem[] {
  const { dictionary, pages, sections, codes, members } = sources
  const known = new Set<string>()
  const composed = (item: NaaccrItem, page: Partial<NaaccrItem> = {}): NaaccrItem => {
    const { item_number: number, xml_naaccr_id: id = '' } = item
    known.add(number).add(id)
    const section = sections.get(id)
    const allowed = codes.get(id)
    return {
      ...(allowed && { allowed_codes: allowed }),
      ...page,
      ...item,
      ...(section !== undefined && { section }),
      ...members.get(id),
      ...members.get(number),
    }
  }
  const items = [...dictionary.items].map(([id, item]) => composed(item, pages.get(id)))
  for (const [number, page] of pages) {
    if (isNumber(number) && !known.has(number)) items.push(composed({ item_number: number }, page))
  }
  const unknown = [...members.keys()].find((key) => !known.has(key))
  if (unknown !== undefined) {
    const message = `the table of members names "${unknown.slice(0, 100)}", which version ${dictionary.version.version} has no item of`
    throw new EngineError('bad_input', message)
  }
  return items.toSorted((a, b) => Number(a.item_number) - Number(b.item_number))
}
