import {
  fillAbsent,
  isObject,
  type JsonObject,
  objectsIn,
  textIn,
} from '../../shared/input/json-value.ts'
import { settleClinical } from './clinical-entities.ts'
import { listIds } from './listed-ids.ts'
import { giveIds } from './made-ids.ts'

/** Fills in members of a case that its sources left out, and sets its file summary. */
export function finishCase(record: JsonObject, id: string, summary: JsonObject | undefined): void {
  settleClinical(record)
  leaveOutRepeated(record)
  giveIds(record, id)
  listIds(record)
  leaveOutUnplaced(record)
  const data = record.available_variation_data
  if (Array.isArray(data)) {
    record.available_variation_data = data.map(String).sort((a, b) => placeOf(a) - placeOf(b))
  }
  fillAbsent(record, 'state', 'released')
  // A summary from a source is kept if the release has no files of the case.
  record.summary = summary ?? record.summary ?? { file_count: 0, file_size: 0 }
}

/**
 * Removes samples without id and name whose values all occur in one sample that has an id or name. Search
 * results for mutations contain such samples.
 */
function leaveOutRepeated(record: JsonObject): void {
  const samples = objectsIn(record.samples)
  const isNamed = (sample: JsonObject) =>
    textIn(sample.sample_id) !== undefined || textIn(sample.submitter_id) !== undefined
  const named = samples.filter(isNamed)
  if (named.length === 0 || named.length === samples.length) return
  const isRepeated = (sample: JsonObject) =>
    named.some((other) =>
      Object.entries(sample).every(
        ([name, value]) => value === null || (!isObject(value) && other[name] === value),
      ),
    )
  record.samples = samples.filter((sample) => isNamed(sample) || !isRepeated(sample))
}

/**
 * Removes samples that are known only as ancestors of other specimens. The files and id lists of the case still
 * name the aliquots, so that a later source can place them.
 */
function leaveOutUnplaced(record: JsonObject): void {
  const samples = objectsIn(record.samples)
  const placed = samples.filter((sample) =>
    Object.entries(sample).some(([name, value]) => name !== 'portions' && value !== null),
  )
  if (placed.length === samples.length) return
  if (placed.length > 0) record.samples = placed
  else delete record.samples
}

/**
 * Canonical order of available_variation_data (test vectors 42 to 44), independent of the order of sources.
 */
const VARIATION_DATA = ['segment_cnv', 'cnv', 'ssm']

const placeOf = (data: string) =>
  VARIATION_DATA.includes(data) ? VARIATION_DATA.indexOf(data) : VARIATION_DATA.length
