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
import { dayText } from './partial-date.ts'
import { PATIENT_RECODES } from './patient-recodes.ts'
import type { PatientRecode, Recode, Texts } from './recode.ts'
import { type RecodeLines, recodeLinesJob } from './recode-lines.ts'
import { RECODES } from './recodes.ts'

/** Recodes of cases, followed by those of patients. */
export const ALL_RECODES: readonly (Recode | PatientRecode)[] = Object.freeze([
  ...RECODES,
  ...PATIENT_RECODES,
])

export interface RecodesOptions {
  /** Defaults to recoding batches on the calling thread. */
  readonly batches?: LineBatches | undefined
  /** Clock that determines which dates are in the future. Defaults to the system clock. */
  readonly clock?: (() => Date) | undefined
}

/** Selects a recode and its version. Without a version, the recode's first one is used. */
export interface RecodeRequest {
  readonly recode: string
  readonly version?: string | undefined
}

/**
 * Recodes the codes of a case to the groups, behaviors or sizes used in statistics (registry-lookups.md 1 and
 * 4). A case without a group gets the code for unknown.
 * @throws EngineError `bad_input` for an unknown recode or version
 */
export class Recodes {
  readonly #batches: LineBatches
  readonly #clock: () => Date
  /** Compiled recodes of cases, by recode and version. */
  readonly #answers = new LruCache<AnswerRecode>(MAX_ANSWERS)

  constructor({
    batches = new LineBatches(inlineExecutor),
    clock = () => new Date(),
  }: RecodesOptions = {}) {
    this.#batches = batches
    this.#clock = clock
  }

  /**
   * Recodes one case: `{"site": "C509", "hist": "8500"}`. The result repeats the inputs.
   * @throws EngineError `bad_input`, naming the member that is missing or is not a text
   */
  recode(input: unknown, request: RecodeRequest): Texts {
    const recode = findRecode(RECODES, request.recode)
    const version = findVersion(recode, request.version)
    const key = `${recode.id} ${version.id}`
    return this.#answers.of(key, () => makeAnswer(recode, version))(input)
  }

  /**
   * Recodes all tumors of a patient together: `{"end_year": "2020", "tumors": [{...}, {...}]}`. The result
   * repeats the inputs.
   * @throws EngineError `bad_input`, naming the member that is missing or not a text, and for more than 100
   * tumors
   */
  recodePatient(input: unknown, request: RecodeRequest): RecodedPatient {
    const recode = findRecode(PATIENT_RECODES, request.recode)
    const version = findVersion(recode, request.version)
    return makePatientTexts(recode, version, this.#today())(input)
  }

  /**
   * Recodes cases or patients given as one JSON object per line, and answers each line in order.
   * @throws EngineError `bad_input` for an unknown recode or version; `busy` if too many batches are running
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
   * Returns the input of the job that recodes lines, so that another process can run that job with it. The
   * input has the current date.
   * @throws EngineError `bad_input` for an unknown recode or version
   * @internal
   */
  recodedBy(request: RecodeRequest): RecodeLines {
    const recode = findRecode(ALL_RECODES, request.recode)
    const version = findVersion<{ readonly id: string }>(recode, request.version)
    return { recode: recode.id, version: version.id, today: this.#today() }
  }

  #today(): string {
    return dayText(this.#clock())
  }
}

/** Exceeds the number of versions of all recodes. */
const MAX_ANSWERS = 64
