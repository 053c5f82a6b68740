import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { EngineError } from '../../shared/errors.ts'
import type { MultiplePrimaries } from '../multiple-primaries/service.ts'
import type { Counted } from '../ndjson-batch/counts.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import { dayText } from '../recodes/partial-date.ts'
import type { StagingVersion } from '../staging/store/staging-version.ts'
import { type AlgorithmRule, readAlgorithmTable } from './algorithm-table.ts'
import { namesInFile } from './bridged-items.ts'
import type { ChosenVersion } from './choose-algorithms.ts'
import type { FileForm } from './file-form.ts'
import { type FilePart, openPart } from './file-parts.ts'
import {
  chooseRecodes,
  DEFAULT_RECODES,
  type RecodedBy,
  readEndYear,
  recodedItems,
} from './file-recodes.ts'
import type { FindDictionary } from './find-dictionaries.ts'
import type { FileHead, ItemFault } from './model.ts'
import { type FileEnd, PassedPatients } from './passed-patients.ts'
import { formOf, openFile, type ReadFile } from './read-file.ts'
import { repeatedItems } from './repeated-items.ts'
import { recodedInto } from './result-items.ts'
import {
  type AnswerForm,
  CHOOSING_ITEMS,
  COMPARED_ITEMS,
  type StagePatients,
  stagePatientsJob,
} from './stage-patients.ts'
import { stagedItems } from './stage-tumor.ts'
import { namesOf, type TumorColumns, tumorColumns } from './tumor-table.ts'
import type { Owned } from './with-results.ts'

export interface RegistryFilesOptions {
  readonly batches: LineBatches
  readonly multiplePrimaries: MultiplePrimaries
  /** Path of the algorithm table, which is read for each run. Defaults to the published table. */
  readonly algorithmTable?: string | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns | undefined
  /** Clock that determines which dates are in the future. Defaults to the system clock. */
  readonly clock?: (() => Date) | undefined
}

/** Output formats. XML is the input file with the results written into it. */
export const RESULT_FORMATS = Object.freeze(['ndjson', 'tsv', 'xml'] as const)
export type ResultFormat = (typeof RESULT_FORMATS)[number]

export interface FileRun extends LinesRun {
  /**
   * A single version, or the versions of a table, which are selected per tumor. Results are never written
   * into a tumor that the version's own rules do not cover.
   */
  readonly version: StagingVersion | ChosenVersion | readonly ChosenVersion[]
  readonly findDictionary: FindDictionary
  /** Recodes of tumors and patients, such as `seer` or `seer:2023`. Defaults to DEFAULT_RECODES. */
  readonly recodes?: readonly string[] | undefined
  /** Ids of items whose values are repeated with each tumor. Results in XML have them anyway. */
  readonly items?: readonly string[] | undefined
  /** The last year of the study, until the end of which survival and deaths are counted. */
  readonly endYear?: string | undefined
  readonly format?: ResultFormat | undefined
  /** Whether a fault of a single item or of the file's time ends the file. */
  readonly strict?: boolean | undefined
}

/**
 * A file that is being processed. The body follows the order of the file: one JSON line per patient (see
 * PatientAnswer), one row per tumor after a header, or the file with the results written into it. If the file
 * ends with an error, everything before it is answered; the body then throws the error, naming the line from
 * which to continue.
 */
export interface StagedFile extends AnsweredLines {
  readonly head: FileHead
  /** Returns what has been processed so far. */
  summary(): FileSummary
  /** Returns the error that ended the file after its last answered patient. */
  ended(): EngineError | undefined
}

export interface FileSummary {
  readonly patients: number
  readonly tumors: number
  /**
   * Counts, most frequent first within each kind: `fault` of items, `bridged` and `not_bridged` values of
   * items of another version, `result` of tumors, `staging` errors of tumors, and patients `refused`; for XML
   * also results `left_out` and values `removed` because they have no result.
   */
  readonly counts: readonly Counted[]
}

/** Processes registry files, in NAACCR XML or fixed columns, one patient at a time. */
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
   * Reads the operator's current rules that assign algorithms to tumors.
   * @throws EngineError as readAlgorithmTable does
   */
  algorithmRules(): Promise<readonly AlgorithmRule[]> {
    return readAlgorithmTable(this.#algorithmTable)
  }

  /**
   * Stages and recodes all tumors of a file and compares those of each patient, in bounded memory.
   * @param chunks UTF-8
   * @throws EngineError `bad_input`, naming line and path, also while the body is read; `busy`
   */
  async stage(
    chunks: AsyncIterable<Uint8Array>,
    { signal, file: name, ...run }: FileRun,
  ): Promise<StagedFile> {
    const { file, ...planned } = await this.#prepare(chunks, run)
    const passed = new PassedPatients({ file, form: planned.form })
    const answers = await startStaging(this.#batches, passed, planned.given, { signal, file: name })
    return {
      ...answers,
      body: passed.endedAfter(withHeader(planned.header, answers.body)),
      ended: () => passed.ended,
      head: file.head,
      summary: () => summaryOf(passed, answers),
    }
  }

  /**
   * Collects everything by which the parts of a file are staged, as of now. Only the head of the file is read.
   * @param chunks UTF-8
   * @throws EngineError `bad_input`, naming line and path
   * @internal
   */
  async plan(
    chunks: AsyncIterable<Uint8Array>,
    run: Omit<FileRun, keyof LinesRun>,
  ): Promise<PlannedFile> {
    const { file, form, given, header } = await this.#prepare(chunks, run)
    file.close()
    return { form, given: await given(), header, faults: file.faults }
  }

  async #prepare(
    chunks: AsyncIterable<Uint8Array>,
    {
      version: by,
      findDictionary,
      recodes: names = DEFAULT_RECODES,
      items: repeated = [],
      endYear: asked,
      format = 'ndjson',
      strict,
    }: Omit<FileRun, keyof LinesRun>,
  ) {
    const endYear = readEndYear(asked)
    const recodes = chooseRecodes(names, endYear)
    const { versions, isChosen } = chosenOf(by)
    const contents = await Promise.all(versions.map(({ version }) => version.content()))
    const items = new Set(contents.flatMap((content) => [...stagedItems(content)]))
    const outputs = contents.map((content) => tumorColumns([content], []).outputs)
    const results = new Set([...outputs.flat(), ...recodedInto(recodes)])
    const file = await openFile(chunks, findDictionary, { strict, turns: this.#turns })
    const ownedOf = (ids: readonly string[]) => new Set(ids.filter((id) => !items.has(id)))
    const owned = { always: ownedOf(recodedInto(recodes)), by: outputs.map(ownedOf) }
    const kept = repeatedOf(repeated, file)
    const used = new Set([
      ...items,
      ...kept,
      ...COMPARED_ITEMS,
      ...CHOOSING_ITEMS,
      ...recodedItems(recodes),
    ])
    const itemNames = namesInFile(used, file.definitions)
    const replaceable = format === 'xml' ? results : undefined
    const algorithms = isChosen ? versions.map(({ algorithm }) => algorithm) : undefined
    const columns = { ...tumorColumns(contents, recodes, algorithms), items: kept }
    const form = answerFormOf(format, columns, owned)
    const today = dayText(this.#clock())
    const recodedBy: RecodedBy = { endYear, today }
    const given = async (): Promise<StagePatients> => ({
      stagings: await Promise.all(versions.map(stagingOf)),
      isChosen,
      primaries: await this.#primaries.comparedBy(),
      recodes,
      recodedBy,
      form,
      names: itemNames,
      items: kept,
    })
    const header = form.kind === 'rows' ? `${namesOf(form.columns).join('\t')}\n` : ''
    return { file, form: formOf(file, { used, replaceable, strict }), given, header }
  }
}

/** A file that is divided into parts: all that a machine needs to stage one of them. */
export interface PlannedFile {
  readonly form: FileForm
  /** Input by which patients are staged. */
  readonly given: StagePatients
  /** The line before the answers, or empty. */
  readonly header: string
  /** Faults of the root of the file. */
  readonly faults: readonly ItemFault[]
}

/** A part of a file that is being processed. Its body has no header, and ends without an error. */
interface StagedPart extends AnsweredLines {
  /** Returns what has been processed so far. */
  summary(): FileSummary
  /** Returns the error that has ended the file within the part. Undefined if there is none. */
  end(): FileEnd | undefined
}

/**
 * Stages a part of a planned file as RegistryFiles.stage does the whole.
 * @param chunks the bytes of the part
 * @throws EngineError `busy`, also an error of the source, while the body is read
 */
export async function stagePart(
  batches: LineBatches,
  { form, given, faults }: PlannedFile,
  { chunks, ...part }: PartSource,
  run: LinesRun,
): Promise<StagedPart> {
  const file = { ...openPart(chunks, form, part), faults: part.place.isFirst ? faults : [] }
  const passed = new PassedPatients({ file, form })
  const answers = await startStaging(batches, passed, () => given, run)
  return { ...answers, summary: () => summaryOf(passed, answers), end: () => passed.end() }
}

interface PartSource extends Pick<FilePart, 'place' | 'isLast'> {
  readonly chunks: AsyncIterable<Uint8Array>
}

const startStaging = (
  batches: LineBatches,
  passed: PassedPatients,
  given: () => StagePatients | Promise<StagePatients>,
  run: LinesRun,
) => passed.start(batches, { job: stagePatientsJob, given }, run)

const summaryOf = (passed: PassedPatients, answers: AnsweredLines): FileSummary => ({
  patients: passed.patients,
  tumors: passed.tumors,
  counts: [...passed.counts.list(), ...answers.counts()],
})

function chosenOf(by: FileRun['version']) {
  if (Array.isArray(by)) return { versions: by as readonly ChosenVersion[], isChosen: true }
  const one = by as StagingVersion | ChosenVersion
  const versions = ['rules' in one ? one : { algorithm: '', version: one, rules: [] }]
  return { versions, isChosen: false }
}

const stagingOf = async ({ algorithm, version, rules }: ChosenVersion) => ({
  algorithm,
  rules,
  version: (await version.describe()).version,
  staging: await version.stagedBy(),
})

function answerFormOf(format: ResultFormat, columns: TumorColumns, owned: Owned): AnswerForm {
  if (format === 'tsv') return { kind: 'rows', columns }
  return format === 'xml' ? { kind: 'items', owned } : { kind: 'json' }
}

/** @throws EngineError as repeatedItems, after it has closed the file */
function repeatedOf(ids: readonly string[], file: ReadFile): readonly string[] {
  try {
    return repeatedItems(ids, file.definitions)
  } catch (error) {
    file.close()
    throw error
  }
}

async function* withHeader(
  header: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (header !== '') yield Buffer.from(header)
  yield* body
}
