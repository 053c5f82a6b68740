import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import type { MultiplePrimaries } from '../multiple-primaries/service.ts'
import { type Counted, Counts } from '../ndjson-batch/counts.ts'
import { LONGEST_LINE } from '../ndjson-batch/limits.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import type { StagingVersion } from '../staging/store/staging-version.ts'
import { type AlgorithmRule, readAlgorithmTable } from './algorithm-table.ts'
import { bridgedValues, bridgesOf, namesInFile } from './bridged-items.ts'
import type { ChosenVersion } from './choose-algorithms.ts'
import {
  chooseRecodes,
  DEFAULT_RECODES,
  type RecodedBy,
  readEndYear,
  recodedItems,
} from './file-recodes.ts'
import type { FindDictionary } from './find-dictionaries.ts'
import type { FileHead, Items, Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import { openFile } from './read-file.ts'
import { recodedInto } from './result-items.ts'
import {
  type AnswerForm,
  CHOOSING_ITEMS,
  COMPARED_ITEMS,
  type PatientLine,
  stagePatientsJob,
} from './stage-patients.ts'
import { stagedItems } from './stage-tumor.ts'
import { namesOf, type TumorColumns, tumorColumns } from './tumor-table.ts'
import { WrittenFile } from './written-file.ts'

export interface RegistryFilesOptions {
  readonly batches: LineBatches
  readonly multiplePrimaries: MultiplePrimaries
  /** A table of algorithms, which is read for each run; the published one without it. */
  readonly algorithmTable?: string | undefined
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
  /** What is not in the future; left out, the system's clock. */
  readonly clock?: (() => Date) | undefined
}

/** How results are written; XML is the file itself, with them. */
export const RESULT_FORMATS = Object.freeze(['ndjson', 'tsv', 'xml'] as const)
export type ResultFormat = (typeof RESULT_FORMATS)[number]

export interface FileRun extends LinesRun {
  /**
   * By which tumors are staged: one version, or those of a table that fit each tumor. What one comes to is never
   * written into a tumor that its own rules do not fit.
   */
  readonly version: StagingVersion | ChosenVersion | readonly ChosenVersion[]
  readonly findDictionary: FindDictionary
  /** To what tumors and patients are recoded, `seer` or `seer:2023`; DEFAULT_RECODES where it is not there. */
  readonly recodes?: readonly string[] | undefined
  /** The last year of the study, at whose end survival ends and after which deaths do not count. */
  readonly endYear?: string | undefined
  readonly format?: ResultFormat | undefined
  /** Whether what the standard refuses of single items, or of the time of the file, ends the file. */
  readonly strict?: boolean | undefined
}

/**
 * A file on its way through. Its body is in the order of the file: a line of JSON for each patient, see
 * PatientAnswer; or a row for each tumor below the names of columns; or the file with what tumors came to.
 * A file that ends by an error is answered up to there: the body throws it behind the patients before it, with
 * the line to go on from.
 */
export interface StagedFile extends AnsweredLines {
  readonly head: FileHead
  /** What went by so far. */
  summary(): FileSummary
  /** The error that the body ends by where the file is answered up to there. */
  ended(): EngineError | undefined
}

export interface FileSummary {
  readonly patients: number
  readonly tumors: number
  /**
   * Of each kind the most frequent first: `fault` of items, `bridged` values of items of another version and such
   * that are `not_bridged`, `result` of tumors, `staging` errors of tumors,
   * patients `refused`; of XML, results `left_out`, and values `removed` for which there is no result.
   */
  readonly counts: readonly Counted[]
}

/** Of counts: items that are not as their dictionary says. */
const FAULT = 'fault'

/** Faults that are told of one patient. */
const MAX_TOLD = 100

/** Files of registries, in NAACCR XML or in fixed columns, patient by patient. */
export class RegistryFiles {
  readonly #batches: LineBatches
  readonly #primaries: MultiplePrimaries
  readonly #turns: LoopTurns
  readonly #algorithmTable: string | undefined
  readonly #clock: () => Date

  constructor({
    batches,
    multiplePrimaries,
    algorithmTable,
    turns = new LoopTurns(),
    clock = () => new Date(),
  }: RegistryFilesOptions) {
    this.#clock = clock
    this.#turns = turns
    this.#algorithmTable = algorithmTable
    this.#batches = batches
    this.#primaries = multiplePrimaries
  }

  /**
   * Which algorithm is for which tumors, as the operator has it now.
   * @throws EngineError as readAlgorithmTable
   */
  algorithmRules(): Promise<readonly AlgorithmRule[]> {
    return readAlgorithmTable(this.#algorithmTable)
  }

  /**
   * Stages and recodes all tumors of a file and compares those of each patient, in memory that does not grow
   * with the file.
   * @param chunks UTF-8
   * @throws EngineError bad_input naming line and path, also while answers are read; busy
   */
  async stage(
    chunks: AsyncIterable<Uint8Array>,
    {
      version: by,
      findDictionary,
      recodes: names = DEFAULT_RECODES,
      endYear: asked,
      format = 'ndjson',
      strict,
      ...run
    }: FileRun,
  ): Promise<StagedFile> {
    const endYear = readEndYear(asked)
    const recodes = chooseRecodes(names, endYear)
    const { versions, isChosen } = chosenOf(by)
    const contents = await Promise.all(versions.map(({ version }) => version.content()))
    const items = new Set(contents.flatMap((content) => [...stagedItems(content)]))
    const columns = contents.map((content) => tumorColumns([content], []).outputs)
    const results = new Set([...columns.flat(), ...recodedInto(recodes)])
    const isWritten = format === 'xml'
    const file = await openFile(chunks, findDictionary, {
      replaceable: isWritten ? results : undefined,
      strict,
      turns: this.#turns,
    })
    const ownedOf = (ids: readonly string[]) => new Set(ids.filter((id) => !items.has(id)))
    const owned = { always: ownedOf(recodedInto(recodes)), by: columns.map(ownedOf) }
    const written = isWritten ? new WrittenFile(file, owned) : undefined
    const used = new Set([
      ...[...items, ...COMPARED_ITEMS, ...CHOOSING_ITEMS],
      ...recodedItems(recodes),
    ])
    const itemNames = namesInFile(used, file.definitions)
    const passed = new Passed(written, { tumorsOnly: format === 'tsv', strict })
    const algorithms = isChosen ? versions.map(({ algorithm }) => algorithm) : undefined
    const form = formOf(format, tumorColumns(contents, recodes, algorithms))
    const today = this.#clock().toISOString().slice(0, 10).replaceAll('-', '')
    const recodedBy: RecodedBy = { endYear, today }
    const given = async () => ({
      stagings: await Promise.all(versions.map(stagingOf)),
      isChosen,
      primaries: await this.#primaries.comparedBy(),
      ...{ recodes, recodedBy, form, names: itemNames },
    })
    const lines = passed.linesOf(file, used)
    const work = { job: stagePatientsJob, given }
    const answers = await this.#batches.start(lines, work, run).catch((error: unknown) => {
      file.close()
      throw error
    })
    const header = form.kind === 'rows' ? `${namesOf(form.columns).join('\t')}\n` : ''
    return {
      ...answers,
      body: passed.endedAfter(written?.of(answers.body) ?? withHeader(header, answers.body)),
      ended: () => passed.ended,
      head: file.head,
      summary: () => ({
        ...{ patients: passed.patients, tumors: passed.tumors },
        counts: [...passed.counts.list(), ...answers.counts(), ...(written?.counts.list() ?? [])],
      }),
      [Symbol.asyncDispose]: async () => {
        // Nothing else does where none of the answers was asked for.
        file.close()
        await answers[Symbol.asyncDispose]()
      },
    }
  }
}

function chosenOf(by: FileRun['version']) {
  if (Array.isArray(by)) return { versions: by as readonly ChosenVersion[], isChosen: true }
  const one = by as StagingVersion | ChosenVersion
  const versions = ['rules' in one ? one : { algorithm: '', version: one, rules: [] }]
  return { versions, isChosen: false }
}

const stagingOf = async ({ algorithm, version, rules }: ChosenVersion) => ({
  ...{ algorithm, rules, version: (await version.describe()).version },
  staging: await version.stagedBy(),
})

function formOf(format: ResultFormat, columns: TumorColumns): AnswerForm {
  if (format === 'tsv') return { kind: 'rows', columns }
  return { kind: format === 'xml' ? 'items' : 'json' }
}

async function* withHeader(
  header: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (header !== '') yield Buffer.from(header)
  yield* body
}

interface PassedOptions {
  readonly tumorsOnly: boolean
  readonly strict: boolean | undefined
}

/** Errors of a file itself. */
const ENDS: ReadonlySet<ErrorCode> = new Set(['bad_input', 'corrupt_source', 'too_large'])

function endedBy(error: EngineError, patients: number, nextLine: number): EngineError {
  const count = patients === 1 ? 'the 1 patient' : `the ${patients} patients`
  const message = `${error.message}; ${count} before it ${patients === 1 ? 'is' : 'are'} answered, go on from line ${nextLine}`
  const { at, cause } = error
  return new EngineError(error.code, message, { ...(at !== undefined && { at }), cause })
}

/** What was read of a file so far. */
class Passed {
  readonly counts = new Counts()
  patients = 0
  tumors = 0
  readonly #written: WrittenFile | undefined
  readonly #options: PassedOptions
  /** What ended the file behind its first patients. */
  ended: EngineError | undefined

  constructor(written: WrittenFile | undefined, options: PassedOptions) {
    this.#written = written
    this.#options = options
  }

  async *linesOf(file: OpenedFile, used: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
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

  /** Answers to what was read; then what ended the file, if anything did. */
  async *endedAfter(answers: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* answers
    if (this.ended) throw this.ended
  }

  /** All that are whole. An error would be told before answers that are under way. */
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
 * Only what a patient is judged by: a text of any length stays here. Of what is longer than any line may be
 * there is none of it: its answer is that.
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
    // All are counted.
    faults: faults.slice(0, MAX_TOLD),
  }
  const text = JSON.stringify(judged)
  return characters > LONGEST_LINE ? text.padEnd(LONGEST_LINE + 1) : text
}
