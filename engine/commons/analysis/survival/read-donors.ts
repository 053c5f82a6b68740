import { countUp } from '../../../shared/arrays/rank-sort.ts'
import type { Job } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { DONOR_FIELDS, eachValue } from './case-values.ts'
import { type CaseTimes, type DonorTimes, orderDonors } from './donor-table.ts'

/** Finds who has a survival time, in order. */
export const readDonorsJob: Job<{ readonly loaded: LoadedArrays }, DonorTimes> = {
  name: 'survival.donors',
  run: ({ loaded }) => orderDonors(caseTimes(arraysOf(loaded))),
}

/**
 * The derivation of data-commons.md 6.8: who is dead has the days to death; who is alive has the latest day
 * on which a diagnosis or a follow-up says so; nobody else has a time.
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

export interface DonorTextsInput {
  readonly loaded: LoadedArrays
  /** Cases, in the order of the donors. */
  readonly rows: Uint32Array
}

export interface DonorTexts {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where the text of each donor ends. */
  readonly ends: Uint32Array<ArrayBuffer>
}

/** Space for one: the ids of a case and its project, and their names. */
const TEXT_BYTES = 128

/** Writes who some donors are, as the end of their JSON objects. */
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

/** JSON of a field's value for each of the rows; `null` where there is none. */
function textsOf(name: string, rows: Uint32Array, arrays: ReleaseArrays): readonly string[] {
  const texts = new Array<string>(rows.length).fill('null')
  eachValue(name, rows, arrays, (place, code, { dictionary }) => {
    texts[place] = JSON.stringify(dictionary.text(code))
  })
  return texts
}
