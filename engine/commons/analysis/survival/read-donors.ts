import { countUp } from '../../../shared/arrays/rank-sort.ts'
import type { Job } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { DONOR_FIELDS, eachValue, PROGRESSION_DAYS, PROGRESSION_SAID } from './case-values.ts'
import { type CaseTimes, type DonorTimes, orderDonors } from './donor-table.ts'
import type { SurvivalEndpoint } from './endpoint.ts'

interface ReadDonorsInput {
  readonly loaded: LoadedArrays
  readonly endpoint: SurvivalEndpoint
}

/** Finds the cases with a survival time, sorted by time. */
export const readDonorsJob: Job<ReadDonorsInput, DonorTimes> = {
  name: 'survival.donors',
  run({ loaded, endpoint }) {
    const arrays = arraysOf(loaded)
    const overall = caseTimes(arrays)
    return orderDonors(endpoint === 'overall' ? overall : eventTimes(overall, endpoint, arrays))
  },
}

/**
 * Derives the times of another endpoint than death. The event is the first day of a progression or recurrence. Cases
 * without one are free of it until their last contact or death. Those that had one on an unknown day have no time.
 */
function eventTimes(
  { death, seen }: CaseTimes,
  endpoint: Exclude<SurvivalEndpoint, 'overall'>,
  arrays: ReleaseArrays,
): CaseTimes {
  const rows = countUp(0, death.length)
  const event = new Float64Array(death.length).fill(Number.NaN)
  for (const name of PROGRESSION_DAYS) {
    eachValue(name, rows, arrays, (row, code, { dictionary }) => {
      const days = code > 0 ? dictionary.number(code) : Number.NaN
      if (!(event[row]! <= days)) event[row] = Number.isNaN(days) ? event[row]! : days
    })
  }
  const said = new Uint8Array(death.length)
  for (const name of PROGRESSION_SAID) {
    eachValue(name, rows, arrays, (row, code, { dictionary }) => {
      if (code > 0 && code === dictionary.find('yes')) said[row] = 1
    })
  }
  const isUnknown = (row: number) => said[row] === 1 && Number.isNaN(event[row])
  if (endpoint === 'time-to-progression') {
    const free = death.map((days, row) => {
      if (isUnknown(row)) return Number.NaN
      return Number.isNaN(days) ? seen[row]! : days
    })
    return { death: event, seen: free }
  }
  return {
    death: death.map((days, row) => {
      if (isUnknown(row)) return Number.NaN
      return event[row]! > days || Number.isNaN(event[row]) ? days : event[row]!
    }),
    seen: seen.map((days, row) => (isUnknown(row) ? Number.NaN : days)),
  }
}

/**
 * Derives survival times (data-commons.md 6.8). For the dead, days to death. For those alive, the latest day of
 * a diagnosis or follow-up. All others have none.
 */
function caseTimes(arrays: ReleaseArrays): CaseTimes {
  const rows = countUp(0, arrays.rows('cases'))
  const death = new Float64Array(rows.length).fill(Number.NaN)
  const seen = death.slice()
  const status = arrays.column('cases', DONOR_FIELDS.vitalStatus)?.dictionary
  const [dead, alive] = [status?.find('dead'), status?.find('alive')]
  const fates = new Uint32Array(rows.length)
  eachValue(DONOR_FIELDS.vitalStatus, rows, arrays, (row, code) => {
    fates[row] = code
  })
  eachValue(DONOR_FIELDS.death, rows, arrays, (row, code, { dictionary }) => {
    if (fates[row] === dead) death[row] = dictionary.number(code)
  })
  for (const name of [DONOR_FIELDS.diagnosis, DONOR_FIELDS.followUp]) {
    eachValue(name, rows, arrays, (row, code, { dictionary }) => {
      if (fates[row] !== alive) return
      const before = seen[row]!
      const days = dictionary.number(code)
      if (!(before >= days)) seen[row] = days
    })
  }
  return { death, seen }
}

interface DonorTextsInput {
  readonly loaded: LoadedArrays
  /** Rows of the donors' cases, in the order of the table. */
  readonly rows: Uint32Array
}

export interface DonorTexts {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** End offset of each donor's text. */
  readonly ends: Uint32Array<ArrayBuffer>
}

/** Expected number of bytes per donor: ids and names of its case and project. */
const TEXT_BYTES = 128

/** Writes the end of the JSON objects of some donors, which identifies their cases. */
export const donorTextsJob: Job<DonorTextsInput, DonorTexts> = {
  name: 'survival.texts',
  run({ loaded, rows }, scratch) {
    const arrays = arraysOf(loaded)
    const submitters = textsOf(DONOR_FIELDS.submitterId, rows, arrays)
    const projects = textsOf(DONOR_FIELDS.projectId, rows, arrays)
    const ids = arrays.column('cases', 'case_id')?.dictionary
    const sink = new ByteSink(scratch.bytes('survival.texts', rows.length * TEXT_BYTES))
    const ends = new Uint32Array(rows.length)
    for (const [i, row] of rows.entries()) {
      const id = JSON.stringify(ids?.text(row + 1))
      sink.text(`,"id":${id},"submitter_id":${submitters[i]},"project_id":${projects[i]}`)
      ends[i] = sink.length
    }
    return { bytes: sink.take(), ends }
  },
  transfer: ({ bytes, ends }) => [bytes.buffer, ends.buffer],
}

/** Returns for each row the value of a field as JSON, or `null` if the row has none. */
function textsOf(name: string, rows: Uint32Array, arrays: ReleaseArrays): readonly string[] {
  const texts = new Array<string>(rows.length).fill('null')
  eachValue(name, rows, arrays, (place, code, { dictionary }) => {
    texts[place] = JSON.stringify(dictionary.text(code))
  })
  return texts
}
