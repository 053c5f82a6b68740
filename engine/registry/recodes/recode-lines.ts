import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { type AnswerLine, lineJob } from '../ndjson-batch/line-job.ts'
import { findRecode, findVersion, makeAnswer, makePatientTexts } from './answer.ts'
import { PATIENT_RECODES } from './patient-recodes.ts'
import { RECODES } from './recodes.ts'

/** The input for recoding the lines of a batch. */
export interface RecodeLines {
  readonly recode: string
  readonly version: string
  /** Current date such as `20240229`, to detect dates in the future. */
  readonly today: string
}

/** Recodes each line. */
export const recodeLinesJob = lineJob<RecodeLines>('recodes.lines', (given, scratch) => {
  const cache = scratch.cached('recodes', () => new LruCache<AnswerLine>(MAX_CACHED))
  const { recode, version, today } = given
  return cache.of(`${recode} ${version} ${today}`, () => {
    const answer = makeAnyAnswer(given)
    return (line) => JSON.stringify(answer(line))
  })
})

function makeAnyAnswer({ recode, version, today }: RecodeLines): (input: unknown) => unknown {
  const ofPatients = PATIENT_RECODES.find(({ id }) => id === recode)
  if (ofPatients) return makePatientTexts(ofPatients, findVersion(ofPatients, version), today)
  const found = findRecode(RECODES, recode)
  return makeAnswer(found, findVersion(found, version))
}

/** Exceeds the number of versions of all recodes. */
const MAX_CACHED = 64
