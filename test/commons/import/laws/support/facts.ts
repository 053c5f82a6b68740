import type { Json, JsonObject } from '../../../../../engine/shared/input/json-value.ts'
import { changedIn, differences, isDerived, valuesOf } from './differences.ts'
import type { Imported } from './imported.ts'

type Records = Imported['records']

/**
 * Values that repeat others: a gene's name is its description; files repeat the samples of their cases and have
 * a type by that of their data; cases repeat their annotations.
 */
const REPEATED = /^genes .*\.name$|^files .*(\.samples\[|\.type$)|^cases [^.]*\.annotations\[/

/**
 * Lists values by place, one for each cell read. Repeated values are omitted, and copy numbers are placed by
 * case and gene or segment, since their ids depend on the category.
 */
function factsOf(records: Records): ReadonlyMap<string, Json> {
  const { cnvs, cnv_occurrences, segment_cnvs, segment_cnv_occurrences, ...others } = records
  const facts = valuesOf(others)
  for (const place of facts.keys())
    if (isDerived(place) || REPEATED.test(place)) facts.delete(place)
  for (const [place, category] of [
    ...categoriesIn(cnv_occurrences, 'cnv', cnvs),
    ...categoriesIn(segment_cnv_occurrences, 'segment_cnv', segment_cnvs),
  ]) {
    facts.set(place, category)
  }
  return facts
}

/** Facts that are others in one of two imports. */
export function changedFacts(given: Records, expected: Records): ReturnType<typeof differences> {
  const [own, others] = changedIn(given, expected)
  // An occurrence has the category of its change, which may be the same.
  const withChanges = (records: Records, { cnvs = [], segment_cnvs = [] }: Records) =>
    factsOf({ ...records, cnvs, segment_cnvs })
  return differences(withChanges(own, given), withChanges(others, expected))
}

function categoriesIn(
  occurrences: Records[string] = [],
  name: 'cnv' | 'segment_cnv',
  changes: Records[string] = [],
): readonly (readonly [place: string, category: Json])[] {
  const idOf = (change: Json | undefined) => String((change as JsonObject)[`${name}_id`])
  const byId = new Map(changes.map((change) => [idOf(change), change]))
  return occurrences.map((occurrence) => {
    const change = byId.get(idOf(occurrence[name])) ?? {}
    const { chromosome, start_position, consequence, cnv_change_5_category: category } = change
    const genes = JSON.stringify((consequence as JsonObject[] | undefined)?.map(({ gene }) => gene))
    const { case_id } = occurrence.case as JsonObject
    const place = genes ?? `${chromosome} ${start_position}`
    return [`${case_id} ${place}`, category ?? null] as const
  })
}
