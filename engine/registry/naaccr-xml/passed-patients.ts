import { createHash } from 'node:crypto'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import { Counts } from '../ndjson-batch/counts.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import type { FileForm } from './file-form.ts'
import type { AnsweredPatients, FormText, GivenForm, PatientJob } from './patient-job.ts'
import { formOf, type NeededItems, type ReadFile } from './read-file.ts'
import type { PatientBlock } from './split-file.ts'

interface PassedFile extends NeededItems {
  readonly file: ReadFile
}

/** The job of `patientJob` that processes blocks, and its input besides each block. */
interface PatientWork<Given extends object> {
  readonly job: PatientJob<Given>
  readonly given: () => Given | Promise<Given>
}

/** Errors caused by the file itself. */
const ENDS: ReadonlySet<ErrorCode> = new Set(['bad_input', 'corrupt_source', 'too_large'])

function endedBy(error: EngineError, patients: number, nextLine: number): EngineError {
  const count = patients === 1 ? 'the 1 patient' : `the ${patients} patients`
  const message = `${error.message}; ${count} before it ${patients === 1 ? 'is' : 'are'} answered, go on from line ${nextLine}`
  const { at, cause } = error
  return new EngineError(error.code, message, { ...(at !== undefined && { at }), cause })
}

/** Sends the blocks of a file to threads, and tracks the progress. */
export class PassedPatients {
  /** Counts faults and bridged items. */
  readonly counts = new Counts()
  patients = 0
  tumors = 0
  /** The error that ended the file after its first patients. */
  ended: EngineError | undefined
  readonly #passed: PassedFile
  #nextLine = 1
  #error: EngineError | undefined

  constructor(passed: PassedFile) {
    this.#passed = passed
    this.#addFaults()
  }

  /**
   * Starts a batch of the patients. The file is closed if the batch cannot start, or when its answers are disposed
   * of.
   * @throws EngineError as LineBatches.startChunks
   */
  async start<Given extends object>(
    batches: LineBatches,
    { job, given }: PatientWork<Given>,
    run: LinesRun,
  ): Promise<AnsweredLines> {
    const { file } = this.#passed
    try {
      const fileForm = formText(formOf(file, this.#passed))
      const answers = await batches.startChunks<PatientBlock, Given & GivenForm, AnsweredPatients>(
        (memoryFor) => this.#heldBack(file.blocks(memoryFor)),
        { job, given: async () => ({ ...((await given()) as Given), fileForm }) },
        {
          ...run,
          taken: ({ patients, tumors, readCounts, nextLine, ended }) => {
            this.patients += patients
            this.tumors += tumors
            this.counts.addAll(readCounts)
            this.#nextLine = nextLine
            if (ended) this.#error = errorOf(ended)
            return !ended
          },
        },
      )
      return {
        ...answers,
        [Symbol.asyncDispose]: async () => {
          // Nothing else closes the file if no answer was requested.
          file.close()
          await answers[Symbol.asyncDispose]()
        },
      }
    } catch (error) {
      file.close()
      throw error
    }
  }

  /** Yields the answers, then throws the error that ended the file, if there is one. */
  async *endedAfter(answers: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* answers
    const error = this.#error
    if (!error) return
    const { strict, replaceable, file } = this.#passed
    if (strict || this.patients === 0 || !ENDS.has(error.code)) throw error
    this.ended = endedBy(error, this.patients, this.#nextLine)
    const colon = file.prefix === '' ? '' : ':'
    if (replaceable) yield Buffer.from(`\n</${file.prefix}${colon}NaaccrData>\n`)
    throw this.ended
  }

  /** Holds back an error of the source, because it would overtake pending answers. */
  async *#heldBack(blocks: AsyncIterable<PatientBlock>): AsyncGenerator<PatientBlock> {
    try {
      yield* blocks
    } catch (error) {
      if (!(error instanceof EngineError) || !ENDS.has(error.code)) throw error
      this.#error ??= error
    }
  }

  #addFaults(): void {
    for (const { code, item, line } of this.#passed.file.faults) {
      this.counts.add({ kind: 'fault', code, of: item, line })
    }
  }
}

function errorOf({ code, message, at }: Pick<EngineError, 'code' | 'message' | 'at'>): EngineError {
  return new EngineError(code, message, at === undefined ? {} : { at })
}

function formText(form: FileForm): FormText {
  const text = Buffer.from(JSON.stringify(form))
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length))
  bytes.set(text)
  return { key: createHash('sha256').update(text).digest('hex'), bytes }
}
