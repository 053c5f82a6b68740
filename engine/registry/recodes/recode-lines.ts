import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { type AnswerLine, lineJob } from '../ndjson-batch/line-job.ts'
import { findRecode, findVersion, makeAnswer } from './answer.ts'
import { RECODES } from './recodes.ts'

/** By what the lines of a batch are recoded. */
export interface RecodeLines {
  readonly recode: string
  readonly version: string
}

/** Recodes each line. */
export const recodeLinesJob = lineJob<RecodeLines>(
  'recodes.lines',
  ({ recode, version }, scratch) => {
    const cache = scratch.cached('recodes', () => new LruCache<AnswerLine>(MAX_CACHED))
    return cache.of(`${recode} ${version}`, () => {
      const found = findRecode(RECODES, recode)
      const answer = makeAnswer(found, findVersion(found, version))
      return (line) => JSON.stringify(answer(line))
    })
  },
)

/** More than there are versions of all recodes. */
const MAX_CACHED = 64
