import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import {
  type AnsweredLines,
  LineBatches,
  type LineSource,
  type LinesRun,
} from '../ndjson-batch/line-batches.ts'
import { type AnswerRecode, findRecode, findVersion, makeAnswer } from './answer.ts'
import type { Texts } from './recode.ts'
import { recodeLinesJob } from './recode-lines.ts'
import { RECODES } from './recodes.ts'

export interface RecodesOptions {
  /** Left out, batches are recoded on the calling thread. */
  readonly batches?: LineBatches | undefined
}

/** Which recode is asked, and by which version; the first of the recode without one. */
export interface RecodeRequest {
  readonly recode: string
  readonly version?: string | undefined
}

/**
 * Recodes: codes of a case as the group, behavior or size that statistics are made of
 * (registry-lookups.md 1 and 4). What has no group is answered by the code for unknown; a recode or
 * version that does not exist is EngineError bad_input.
 */
export class Recodes {
  readonly #batches: LineBatches
  /** Tables that were taken apart. */
  readonly #answers = new LruCache<AnswerRecode>(MAX_ANSWERS)

  constructor({ batches = new LineBatches(inlineExecutor) }: RecodesOptions = {}) {
    this.#batches = batches
  }

  /**
   * Recodes one case: `{"site": "C509", "hist": "8500"}`. The answer repeats what was given.
   * @throws EngineError bad_input naming the member that is missing or no text
   */
  recode(input: unknown, request: RecodeRequest): Texts {
    const recode = findRecode(RECODES, request.recode)
    const version = findVersion(recode, request.version)
    const key = `${recode.id} ${version.id}`
    return this.#answers.of(key, () => makeAnswer(recode, version))(input)
  }

  /**
   * Recodes cases, one per line of JSON, and answers a line for each, in order.
   * @throws EngineError bad_input, busy
   */
  async recodeLines(
    lines: LineSource,
    request: RecodeRequest,
    run: LinesRun = {},
  ): Promise<AnsweredLines> {
    const recode = findRecode(RECODES, request.recode)
    const version = findVersion(recode, request.version)
    const given = () => ({ recode: recode.id, version: version.id })
    return this.#batches.start(lines, { job: recodeLinesJob, given }, run)
  }
}

/** More than there are versions of all recodes. */
const MAX_ANSWERS = 64
