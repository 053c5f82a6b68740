import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import {
  type AnsweredLines,
  LineBatches,
  type LineSource,
  type LinesRun,
} from '../ndjson-batch/line-batches.ts'
import {
  type AnswerRecode,
  findRecode,
  findVersion,
  makeAnswer,
  makePatientTexts,
  type RecodedPatient,
} from './answer.ts'
import { PATIENT_RECODES } from './patient-recodes.ts'
import type { PatientRecode, Recode, Texts } from './recode.ts'
import { type RecodeLines, recodeLinesJob } from './recode-lines.ts'
import { RECODES } from './recodes.ts'

/** Those of cases, then those of patients. */
export const ALL_RECODES: readonly (Recode | PatientRecode)[] = Object.freeze([
  ...RECODES,
  ...PATIENT_RECODES,
])

export interface RecodesOptions {
  /** Left out, batches are recoded on the calling thread. */
  readonly batches?: LineBatches | undefined
  /** What is not in the future; left out, the system's clock. */
  readonly clock?: (() => Date) | undefined
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
  readonly #clock: () => Date
  /** Tables that were taken apart. */
  readonly #answers = new LruCache<AnswerRecode>(MAX_ANSWERS)

  constructor({
    batches = new LineBatches(inlineExecutor),
    clock = () => new Date(),
  }: RecodesOptions = {}) {
    this.#batches = batches
    this.#clock = clock
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
   * Recodes all tumours of a patient together: `{"end_year": "2020", "tumors": [{...}, {...}]}`. The answer
   * repeats what was given.
   * @throws EngineError bad_input naming the member that is missing or no text, and for more than 100 tumours
   */
  recodePatient(input: unknown, request: RecodeRequest): RecodedPatient {
    const recode = findRecode(PATIENT_RECODES, request.recode)
    const version = findVersion(recode, request.version)
    return makePatientTexts(recode, version, this.#today())(input)
  }

  /**
   * Recodes cases or patients, one per line of JSON, and answers a line for each, in order.
   * @throws EngineError bad_input, busy
   */
  async recodeLines(
    lines: LineSource,
    request: RecodeRequest,
    run: LinesRun = {},
  ): Promise<AnsweredLines> {
    const given = this.recodedBy(request)
    return this.#batches.start(lines, { job: recodeLinesJob, given: () => given }, run)
  }

  /**
   * All that recodeLines recodes by, of now, for lines that other processes recode.
   * @throws EngineError bad_input
   * @internal
   */
  recodedBy(request: RecodeRequest): RecodeLines {
    const recode = findRecode(ALL_RECODES, request.recode)
    const version = findVersion<{ readonly id: string }>(recode, request.version)
    return { recode: recode.id, version: version.id, today: this.#today() }
  }

  #today(): string {
    return this.#clock().toISOString().slice(0, 10).replaceAll('-', '')
  }
}

/** More than there are versions of all recodes. */
const MAX_ANSWERS = 64
