import { createHash } from 'node:crypto'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import { Counts } from '../ndjson-batch/counts.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import type { FileForm } from './file-form.ts'
import type { AnsweredPatients, FormText, GivenForm, PatientJob } from './patient-job.ts'
import type { ReadFile } from './read-file.ts'
import type { PatientBlock } from './split-file.ts'

interface PassedFile {
  /** A file, or a part of it. */
  readonly file: Pick<ReadFile, 'faults' | 'blocks' | 'close'>
  readonly form: FileForm
}

/** The error that ended a file, or a part of it. */
export interface FileEnd {
  readonly error: Pick<EngineError, 'code' | 'message'> & { readonly at?: string | undefined }
  /** Line from which to go on. */
  readonly nextLine: number
}

/** The job of `patientJob` that processes blocks, and its input besides each block. */
interface PatientWork<Given extends object> {
  readonly job: PatientJob<Given>
  /** Called once, when the batch starts. Returns the input besides each block. */
  readonly given: () => Given | Promise<Given>
}

/** Errors caused by the file itself. */
const ENDS: ReadonlySet<ErrorCode> = new Set(['bad_input', 'corrupt_source', 'too_large'])

/**
 * Describes the error that ended a file.
 * @returns the error, and whether the patients before it keep their answers
 */
export function describeEnd(
  { error, nextLine }: FileEnd,
  { patients, strict }: { readonly patients: number; readonly strict: boolean },
): { readonly error: EngineError; readonly isAnswered: boolean } {
  const whole = error instanceof EngineError ? error : errorOf(error)
  if (strict || patients === 0 || !ENDS.has(error.code)) return { error: whole, isAnswered: false }
  return { error: endedBy(whole, patients, nextLine), isAnswered: true }
}

/** Returns the end tag that completes the XML of a file that ended early. Empty if results are not written as XML. */
export function closingOf({ replaceable, prefix }: FileForm): string {
  return replaceable ? `\n</${prefix}${prefix === '' ? '' : ':'}NaaccrData>\n` : ''
}

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
      const fileForm = formText(this.#passed.form)
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
    const end = this.end()
    if (!end) return
    const { form } = this.#passed
    const { error, isAnswered } = describeEnd(end, { patients: this.patients, strict: form.strict })
    if (!isAnswered) throw error
    this.ended = error
    const closing = closingOf(form)
    if (closing !== '') yield Buffer.from(closing)
    throw error
  }

  /** Returns the error that has ended the file, with the line from which to go on. Undefined if there is none. */
  end(): FileEnd | undefined {
    return this.#error && { error: this.#error, nextLine: this.#nextLine }
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

function errorOf({ code, message, at }: FileEnd['error']): EngineError {
  return new EngineError(code, message, at === undefined ? {} : { at })
}

function formText(form: FileForm): FormText {
  const text = Buffer.from(JSON.stringify(form))
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length))
  bytes.set(text)
  return { key: createHash('sha256').update(text).digest('hex'), bytes }
}
