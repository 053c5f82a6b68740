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

/** Fills in what the sources of a case left out, and counts its files. */
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
  // What a source says of files that the release does not have stays.
  record.summary = summary ?? record.summary ?? { file_count: 0, file_size: 0 }
}

/**
 * Leaves out samples without id and name that say nothing but what one with an id says. Search answers about
 * mutations have the samples of a case like that.
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
 * Leaves out samples that are only known by what was taken from them. Its files and the lists of ids go on
 * naming the aliquots, so that a source that says where they belong finds them.
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

/** The order of vectors 42 to 44, whichever source came first. */
const VARIATION_DATA = ['segment_cnv', 'cnv', 'ssm']

const placeOf = (data: string) =>
  VARIATION_DATA.includes(data) ? VARIATION_DATA.indexOf(data) : VARIATION_DATA.length
