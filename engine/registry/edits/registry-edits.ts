import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { EngineError } from '../../shared/errors.ts'
import type { AllowedCode } from '../naaccr/model.ts'
import { bridgesOf } from '../naaccr-xml/bridged-items.ts'
import { type Definitions, versionOf } from '../naaccr-xml/dictionary.ts'
import type { FindDictionary } from '../naaccr-xml/find-dictionaries.ts'
import type { FileHead } from '../naaccr-xml/model.ts'
import { PassedPatients } from '../naaccr-xml/passed-patients.ts'
import { formOf, openFile } from '../naaccr-xml/read-file.ts'
import type { Counted } from '../ndjson-batch/counts.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import { dayText } from '../recodes/partial-date.ts'
import { answeredRows } from '../rules/answered-rows.ts'
import { EDIT_COLUMNS, type EditedBy, type EditPatients, editPatientsJob } from './edit-patients.ts'
import { type CodeList, codeListOf } from './item-edits.ts'
import { type EditRule, parseRules, readRuleFile } from './rule-file.ts'
import { SHIPPED_RULES } from './shipped-rules.ts'

export interface RegistryEditsOptions {
  readonly batches: LineBatches
  /** File of edit rules, read for each run. Defaults to the rules in the package. */
  readonly ruleFile?: string | undefined
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
  /** Clock for dates in the future. Defaults to the system's clock. */
  readonly clock?: (() => Date) | undefined
}

/** Format of the results: a patient on each line, or a row for each failed edit. */
export const EDIT_FORMATS = Object.freeze(['ndjson', 'tsv'] as const)
export type EditFormat = (typeof EDIT_FORMATS)[number]

/** Rules of edits, and the text from which they were read. */
export interface RuleSet {
  readonly text: string
  readonly rules: readonly EditRule[]
}

export interface EditRun extends LinesRun {
  readonly findDictionary: FindDictionary
  /** Returns the allowed codes of items by item id. Empty for a version (such as `25`) without documentation. */
  readonly findCodes: (version: string) => Promise<ReadonlyMap<string, readonly AllowedCode[]>>
  readonly rules: RuleSet
  readonly format?: EditFormat | undefined
}

/** Results of edits while a file is read, in the order of the file: see EditedPatient and EDIT_COLUMNS. */
export interface EditedFile extends AnsweredLines {
  readonly head: FileHead
  /** Returns the counts of the patients that were edited so far. */
  summary(): EditSummary
  /** Returns the error that ended the body early, or undefined. */
  ended(): EngineError | undefined
}

export interface EditSummary {
  readonly patients: number
  readonly tumors: number
  /** Number of rules that were applied. */
  readonly rules: number
  /** Numbers of rules that read an item which the dictionaries of the file do not have. */
  readonly notApplied: readonly string[]
  /** Items whose codes were checked. */
  readonly codedItems: number
  /** Counts of failed edits (kind `edit`, by number) and of patients `refused`, most frequent first. */
  readonly counts: readonly Counted[]
}

/** Applies edits to registry files: checks of single items, and rules over several items. */
export class RegistryEdits {
  readonly #batches: LineBatches
  readonly #ruleFile: string | undefined
  readonly #turns: LoopTurns
  readonly #clock: () => Date

  constructor({
    batches,
    ruleFile,
    turns = new LoopTurns(),
    clock = () => new Date(),
  }: RegistryEditsOptions) {
    this.#batches = batches
    this.#ruleFile = ruleFile
    this.#turns = turns
    this.#clock = clock
  }

  /**
   * Reads the current rules.
   * @throws EngineError like readRules
   */
  rules(): Promise<RuleSet> {
    return readRules(this.#ruleFile)
  }

  /**
   * Edits all patients of a file with their tumors, in memory that does not grow with the file.
   * @param chunks UTF-8: NAACCR XML, or fixed columns
   * @throws EngineError bad_input naming line and path, also while answers are read; busy
   */
  async check(
    chunks: AsyncIterable<Uint8Array>,
    { findDictionary, findCodes, rules, format = 'ndjson', ...run }: EditRun,
  ): Promise<EditedFile> {
    const file = await openFile(chunks, findDictionary, { turns: this.#turns })
    const { definitions, head } = file
    const today = dayText(this.#clock())
    const applied = appliedRules(rules.rules, definitions)
    const codes = await codesIn(head, definitions, findCodes).catch((error: unknown) => {
      file.close()
      throw error
    })
    const dates = definitions.all().flatMap(({ id, dataType }) => (dataType === 'date' ? [id] : []))
    const { ofTumors, ofPatients } = applied
    const by: EditedBy = { rules: rules.text, ofTumors, ofPatients, codes, dates, today }
    const used = new Set([
      'patientIdNumber',
      'tumorRecordNumber',
      ...Object.keys(codes),
      ...dates,
      ...rules.rules.flatMap(({ items }) => items),
    ])
    const passed = new PassedPatients({ file, form: formOf(file, { used }) })
    const given: EditPatients = { by: JSON.stringify(by), form: format }
    const work = { job: editPatientsJob, given: () => given }
    const answers = await passed.start(this.#batches, work, run)
    const body = format === 'tsv' ? answeredRows(EDIT_COLUMNS, answers.body) : answers.body
    return {
      ...answers,
      body: passed.endedAfter(body),
      ended: () => passed.ended,
      head,
      summary: () => ({
        patients: passed.patients,
        tumors: passed.tumors,
        rules: ofTumors.length + ofPatients.length,
        notApplied: applied.notApplied,
        codedItems: Object.keys(codes).length,
        counts: answers.counts(),
      }),
    }
  }
}

/**
 * Reads the rules from a file. Without a path, returns the rules in the package.
 * @throws EngineError like readRuleFile
 */
export async function readRules(path: string | undefined, signal?: AbortSignal): Promise<RuleSet> {
  if (path !== undefined) return readRuleFile(path, signal)
  return { text: SHIPPED_RULES, rules: parseRules(SHIPPED_RULES) }
}

/** Returns the rules that apply to a file: first those for each tumor, then those for each patient. */
function appliedRules(rules: readonly EditRule[], definitions: Definitions) {
  const read = new Set(rules.flatMap(({ items }) => items))
  const bridges = bridgesOf(read, definitions).filter(({ equalCodes }) => equalCodes.size > 0)
  const elements = new Map(
    bridges.map(({ asked, given }) => [asked, definitions.get(given)?.element]),
  )
  const elementOf = (id: string) => definitions.get(id)?.element ?? elements.get(id)
  const ofTumors: string[] = []
  const ofPatients: string[] = []
  const notApplied: string[] = []
  for (const { number, items, asksForValue } of rules) {
    const places = items.map(elementOf)
    if (asksForValue.some((item) => elementOf(item) === undefined)) notApplied.push(number)
    else if (places.includes('Tumor')) ofTumors.push(number)
    else ofPatients.push(number)
  }
  return { ofTumors, ofPatients, notApplied }
}

async function codesIn(
  { baseDictionaryUri }: FileHead,
  definitions: Definitions,
  findCodes: EditRun['findCodes'],
): Promise<Readonly<Record<string, CodeList>>> {
  const version = versionOf(baseDictionaryUri)?.slice(0, 2)
  const documented = version === undefined ? [] : await findCodes(version)
  const lists = [...documented].flatMap(([id, codes]) => {
    const item = definitions.get(id)
    const list = item && codeListOf(item, codes)
    return list === undefined ? [] : [[id, list] as const]
  })
  return Object.fromEntries(lists)
}
