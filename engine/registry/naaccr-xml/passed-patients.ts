import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import { Counts } from '../ndjson-batch/counts.ts'
import { LONGEST_LINE } from '../ndjson-batch/limits.ts'
import type {
  AnsweredLines,
  LineBatches,
  LinesRun,
  LineWork,
} from '../ndjson-batch/line-batches.ts'
import { bridgedValues, bridgesOf } from './bridged-items.ts'
import type { Items, Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import type { PatientLine } from './patient-line.ts'
import type { ReadFile } from './read-file.ts'
import type { WrittenFile } from './written-file.ts'

/** Counts items that violate their dictionary. */
const FAULT = 'fault'

/** Maximum number of faults reported per patient. */
const MAX_TOLD = 100

interface PassedOptions {
  /** Whether to skip patients without a tumor. */
  readonly tumorsOnly: boolean
  readonly strict: boolean | undefined
}

/** Errors caused by the file itself. */
const ENDS: ReadonlySet<ErrorCode> = new Set(['bad_input', 'corrupt_source', 'too_large'])

function endedBy(error: EngineError, patients: number, nextLine: number): EngineError {
  const count = patients === 1 ? 'the 1 patient' : `the ${patients} patients`
  const message = `${error.message}; ${count} before it ${patients === 1 ? 'is' : 'are'} answered, go on from line ${nextLine}`
  const { at, cause } = error
  return new EngineError(error.code, message, { ...(at !== undefined && { at }), cause })
}

/** Sends the patients of a file to threads as lines, and tracks the progress. */
export class PassedPatients {
  readonly counts = new Counts()
  patients = 0
  tumors = 0
  readonly #written: WrittenFile | undefined
  readonly #options: PassedOptions
  /** The error that ended the file after its first patients. */
  ended: EngineError | undefined

  constructor(written: WrittenFile | undefined, options: PassedOptions) {
    this.#written = written
    this.#options = options
  }

  /**
   * Starts a batch of the patients of a file. The file is closed if the batch cannot start, or when its answers are
   * disposed of.
   * @param used ids of the items that the job reads
   * @throws EngineError as LineBatches.start
   */
  async start<Given extends object>(
    { file, used }: { readonly file: ReadFile; readonly used: ReadonlySet<string> },
    batches: LineBatches,
    work: LineWork<Given>,
    run: LinesRun,
  ): Promise<AnsweredLines> {
    try {
      const answers = await batches.start(this.#linesOf(file, used), work, run)
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

  async *#linesOf(file: OpenedFile, used: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
    const bridges = bridgesOf(used, file.definitions)
    const line = (patient: Patient) =>
      lineOf(patient, used, (items, at) =>
        bridgedValues(items, bridges, (found) => this.counts.add({ ...found, line: at })),
      )
    for await (const patients of this.#patientsOf(file)) {
      for (const patient of patients) this.#count(patient)
      const some = this.#options.tumorsOnly
        ? patients.filter(({ tumors }) => tumors.length > 0)
        : patients
      const lines = some.map((patient) => `${line(patient)}\n`)
      this.#written?.add(some)
      if (lines.length > 0) yield Buffer.from(lines.join(''))
    }
    this.#countFaults(file.rootFaults())
  }

  /** Yields the answers, then throws the error that ended the file, if there is one. */
  async *endedAfter(answers: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* answers
    if (this.ended) throw this.ended
  }

  /** Yields the complete patients. An error is held back, because it would overtake pending answers. */
  async *#patientsOf(file: OpenedFile): AsyncGenerator<readonly Patient[]> {
    try {
      yield* file.patients()
    } catch (error) {
      const isOfFile = error instanceof EngineError && ENDS.has(error.code)
      if (this.#options.strict || this.patients === 0 || !isOfFile) throw error
      this.ended = endedBy(error, this.patients, file.nextLine())
      this.#written?.cut()
    }
  }

  #count({ tumors, faults }: Patient): void {
    this.patients++
    this.tumors += tumors.length
    this.#countFaults(faults)
  }

  #countFaults(faults: Patient['faults']): void {
    for (const { code, item, line } of faults) {
      this.counts.add({ kind: FAULT, code, of: item, line })
    }
  }
}

/**
 * Formats a patient as a line with only the items by which it is judged. If these exceed the maximum line
 * length, the line is padded beyond it without them, so that the patient is answered with that error.
 */
function lineOf(
  { line, items, tumors, faults }: Patient,
  used: ReadonlySet<string>,
  bridged: (items: Items, line: number) => Iterable<readonly [string, string]>,
): string {
  let characters = 0
  const only = (all: Items, at: number) => {
    const some = [...[...all].filter(([item]) => used.has(item)), ...bridged(all, at)]
    for (const [item, value] of some) characters += item.length + value.length
    return characters > LONGEST_LINE ? {} : Object.fromEntries(some)
  }
  const judged: PatientLine = {
    line,
    items: only(items, line),
    tumors: tumors.map((tumor) => ({ line: tumor.line, items: only(tumor.items, tumor.line) })),
    // All faults are counted, but only the first ones are reported.
    faults: faults.slice(0, MAX_TOLD),
  }
  const text = JSON.stringify(judged)
  return characters > LONGEST_LINE ? text.padEnd(LONGEST_LINE + 1) : text
}
