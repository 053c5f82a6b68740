import { fillAbsent, type JsonObject } from '../../shared/input/json-value.ts'
import { settleClinical } from './clinical-entities.ts'
import { listIds } from './listed-ids.ts'
import { giveIds } from './made-ids.ts'

/** Fills in what the sources of a case left out, and counts its files. */
export function finishCase(record: JsonObject, id: string, summary: JsonObject | undefined): void {
  settleClinical(record)
  giveIds(record, id)
  listIds(record)
  const data = record.available_variation_data
  if (Array.isArray(data)) {
    record.available_variation_data = data.map(String).sort((a, b) => placeOf(a) - placeOf(b))
  }
  fillAbsent(record, 'state', 'released')
  // What a source says of files that the release does not have stays.
  record.summary = summary ?? record.summary ?? { file_count: 0, file_size: 0 }
}

/** The order of vectors 42 to 44, whichever source came first. */
const VARIATION_DATA = ['segment_cnv', 'cnv', 'ssm']

const placeOf = (data: string) =>
  VARIATION_DATA.includes(data) ? VARIATION_DATA.indexOf(data) : VARIATION_DATA.length
