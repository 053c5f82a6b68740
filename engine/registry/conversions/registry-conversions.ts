import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import { nearestOf, quotedName } from '../../shared/input/near-name.ts'
import { type Definitions, faultOf, type ItemDefinition } from '../naaccr-xml/dictionary.ts'
import type { FindDictionary } from '../naaccr-xml/find-dictionaries.ts'
import type { FileHead } from '../naaccr-xml/model.ts'
import { PassedPatients } from '../naaccr-xml/passed-patients.ts'
import { formOf, openFile } from '../naaccr-xml/read-file.ts'
import type { Counted } from '../ndjson-batch/counts.ts'
import type { AnsweredLines, LineBatches, LinesRun } from '../ndjson-batch/line-batches.ts'
import { dayText } from '../recodes/partial-date.ts'
import { answeredRows } from '../rules/answered-rows.ts'
import {
  type Conversion,
  type ConversionRule,
  parseConversion,
  readConversion,
} from './conversion-rules.ts'
import {
  CONVERSION_COLUMNS,
  type ConversionFormat,
  type ConvertedBy,
  type ConvertPatients,
  convertPatientsJob,
} from './convert-patients.ts'

export interface RegistryConversionsOptions {
  readonly batches: LineBatches
  /** Folder of rule files, `NAME.txt` each. Without it, there are no rules. */
  readonly folder?: string | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns | undefined
  /** Clock that determines `today` in conditions. Defaults to the system clock. */
  readonly clock?: (() => Date) | undefined
}

export interface ConversionRun extends LinesRun {
  readonly findDictionary: FindDictionary
  readonly conversion: Conversion
  readonly format?: ConversionFormat | undefined
  /** Whether a fault of a single item or of the file's time ends the file. */
  readonly strict?: boolean | undefined
}

/**
 * A file that is being converted. The body has the order of the file. It is the file with its new values, one
 * JSON line per patient (see ConvertedPatient), or one row per change (see CONVERSION_COLUMNS).
 */
export interface ConvertedFile extends AnsweredLines {
  readonly head: FileHead
  /** Returns the summary of everything converted so far. */
  summary(): ConversionSummary
  /** Returns the error that ended the file after its last answered patient. */
  ended(): EngineError | undefined
}

export interface ConversionSummary {
  readonly patients: number
  readonly tumors: number
  /** Number of rules that were applied. */
  readonly rules: number
  /** Numbers of the rules that were not applied: they read or change an item that files of this type lack. */
  readonly notApplied: readonly string[]
  /**
   * Counts, most frequent first within each kind: values `converted` and tumors to `review`, by rule; values
   * `left_out` because they are invalid for their item; `fault` of items; patients `refused`.
   */
  readonly counts: readonly Counted[]
}

/** Maximum number of rule files whose parsed rules are cached. */
const MAX_PARSED = 8

/** Converts registry files from one version of an algorithm to another by a table of rules. */
export class RegistryConversions {
  readonly #batches: LineBatches
  readonly #folder: string | undefined
  readonly #turns: LoopTurns
  readonly #clock: () => Date
  /** Rules by their text. A large file takes a hundred milliseconds to parse, which each request would repeat. */
  readonly #parsed = new LruCache<readonly ConversionRule[]>(MAX_PARSED)

  constructor({
    batches,
    folder,
    turns = new LoopTurns(),
    clock = () => new Date(),
  }: RegistryConversionsOptions) {
    this.#batches = batches
    this.#folder = folder
    this.#turns = turns
    this.#clock = clock
  }

  /**
   * Reads the current rules from a file in the folder.
   * @throws EngineError not_found, naming the available files; like readConversion
   */
  async rules(name: string, signal?: AbortSignal): Promise<Conversion> {
    const folder = this.#folder
    const files = folder !== undefined && existsSync(folder) ? await readdir(folder) : []
    const names = files.flatMap((file) =>
      file.endsWith(ENDING) ? [file.slice(0, -ENDING.length)] : [],
    )
    // Only listed files are opened, so that no name can lead out of the folder.
    if (folder !== undefined && names.includes(name)) {
      const parse = (text: string) => this.#parsed.of(text, () => parseConversion(text))
      return readConversion(join(folder, `${name}${ENDING}`), { signal, parse })
    }
    const given = `there are no conversion rules ${quotedName(name)}`
    const message =
      names.length > 0
        ? `${given}${nearestOf(name, names)}`
        : `${given}; the operator puts them into ${CONVERSIONS_NAME}/ of the data folder`
    throw new EngineError('not_found', message, { at: 'rules' })
  }

  /**
   * Converts all patients of a file, in bounded memory. Everything that no rule changes is copied.
   * @param chunks UTF-8: NAACCR XML, or fixed columns, which are written as XML
   * @throws EngineError bad_input, naming line and path, also while the body is read, or for a rule that
   * gives an item a value of another form; busy
   */
  async convert(
    chunks: AsyncIterable<Uint8Array>,
    { findDictionary, conversion, format = 'xml', strict, ...run }: ConversionRun,
  ): Promise<ConvertedFile> {
    const changed = new Set(conversion.rules.flatMap(({ writes }) => writes))
    const file = await openFile(chunks, findDictionary, {
      strict,
      turns: this.#turns,
    })
    const { definitions, head } = file
    try {
      const applied = appliedRules(conversion.rules, definitions, head)
      const by: ConvertedBy = {
        rules: conversion.text,
        ofTumors: applied.ofTumors,
        ofPatients: applied.ofPatients,
        definitions: definitionsOf(changed, definitions),
        today: dayText(this.#clock()),
      }
      const used = new Set([
        'patientIdNumber',
        'tumorRecordNumber',
        ...changed,
        ...conversion.rules.flatMap(({ reads }) => reads),
      ])
      const replaceable = format === 'xml' ? changed : undefined
      const passed = new PassedPatients({
        file,
        form: formOf(file, { used, replaceable, strict }),
      })
      const given: ConvertPatients = { by: JSON.stringify(by), format }
      const work = { job: convertPatientsJob, given: () => given }
      const answers = await passed.start(this.#batches, work, run)
      const table = format === 'tsv' ? answeredRows(CONVERSION_COLUMNS, answers.body) : undefined
      return {
        ...answers,
        body: passed.endedAfter(table ?? answers.body),
        ended: () => passed.ended,
        head,
        summary: () => ({
          patients: passed.patients,
          tumors: passed.tumors,
          rules: by.ofTumors.length + by.ofPatients.length,
          notApplied: applied.notApplied,
          counts: [...passed.counts.list(), ...answers.counts()],
        }),
      }
    } catch (error) {
      file.close()
      throw error
    }
  }
}

/** Folder, in the data folder, with the conversion rules that a service offers. */
export const CONVERSIONS_NAME = 'conversions'
const ENDING = '.txt'

const definitionsOf = (ids: Iterable<string>, definitions: Definitions) =>
  Object.fromEntries(
    [...ids].flatMap((id) => {
      const definition = definitions.get(id)
      return definition ? [[id, definition] as const] : []
    }),
  )

/**
 * Divides the rules into those for tumors, those for patients, and those that do not apply to the file.
 * @throws EngineError bad_input for a rule that changes items of both tumors and patients, that changes items
 *   of patients depending on items of a tumor, or that assigns an item a code of another form
 */
function appliedRules(
  rules: readonly ConversionRule[],
  definitions: Definitions,
  { recordType }: FileHead,
) {
  const ofTumors: string[] = []
  const ofPatients: string[] = []
  const notApplied: string[] = []
  for (const rule of rules) {
    const { number, reads, writes } = rule
    const inFile = (id: string) => {
      const item = definitions.get(id)
      return item?.recordTypes.includes(recordType) ? item : undefined
    }
    if (reads.some((id) => !definitions.get(id)) || writes.some((id) => !inFile(id))) {
      notApplied.push(number)
      continue
    }
    requireApplicable(rule, definitions)
    const levelOf = (id: string) => definitions.get(id)?.element
    const levels = new Set((writes.length > 0 ? writes : reads).map(levelOf))
    const isOfTumors = levels.has('Tumor') || (writes.length === 0 && levels.size === 0)
    if (levels.has('NaaccrData')) throw wrongRule(number, 'it changes an item of the whole file')
    if (isOfTumors && writes.length > 0 && levels.has('Patient')) {
      throw wrongRule(number, 'it changes items of tumors and of patients; make it two rules')
    }
    const ofTumor = isOfTumors ? undefined : reads.find((id) => levelOf(id) === 'Tumor')
    if (ofTumor !== undefined) {
      const message = `it changes items of patients by ${ofTumor}, which each tumor has; test items of patients`
      throw wrongRule(number, message)
    }
    const list = isOfTumors ? ofTumors : ofPatients
    list.push(number)
  }
  return { ofTumors, ofPatients, notApplied }
}

/** @throws EngineError bad_input if a code does not have the form of its item */
function requireApplicable(
  { number, set, recode }: ConversionRule,
  definitions: Definitions,
): void {
  const codes = [
    ...set.map(({ item, value }) => [item, value.kind === 'code' ? value.code : ''] as const),
    ...recode.flatMap(({ item, codes: pairs }) =>
      [...pairs.values()].map((to) => [item, to] as const),
    ),
  ]
  for (const [id, code] of codes) {
    const item = definitions.get(id) as ItemDefinition
    const fault = code === '' ? undefined : faultOf(code, item)
    if (!fault) continue
    const message = `it gives ${id} the code ${JSON.stringify(code)}, which is ${fault}; ${id} has ${item.length} characters of type ${item.dataType}`
    throw wrongRule(number, message)
  }
}

const wrongRule = (number: string, message: string) =>
  new EngineError('bad_input', `rule ${number}: ${message}`)
