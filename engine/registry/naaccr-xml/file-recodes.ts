import { EngineError } from '../../shared/errors.ts'
import { findVersion } from '../recodes/answer.ts'
import { PATIENT_RECODES } from '../recodes/patient-recodes.ts'
import type { Texts } from '../recodes/recode.ts'
import { RECODES } from '../recodes/recodes.ts'
import type { ItemValues } from './stage-tumor.ts'

/** Maps the inputs of recodes to items. */
const ITEMS: Readonly<Record<string, string>> = {
  site: 'primarySite',
  hist: 'histologicTypeIcdO3',
  behavior: 'behaviorCodeIcdO3',
  year: 'dateOfDiagnosis',
  schema_id: 'schemaId',
  grade_clinical: 'gradeClinical',
  grade_pathological: 'gradePathological',
  eod_tumor_size: 'eodTumorSize',
  cs_tumor_size: 'csTumorSize',
  tumor_size_summary: 'tumorSizeSummary',
  date_of_diagnosis: 'dateOfDiagnosis',
  date_of_treatment: 'dateInitialRxSeer',
  sequence: 'sequenceNumberCentral',
  reporting_source: 'typeOfReportingSource',
  icd_revision: 'icdRevisionNumber',
  cause_of_death: 'causeOfDeath',
  year_last_contact: 'dateOfLastContact',
  date_of_last_contact: 'dateOfLastContact',
  vital_status: 'vitalStatus',
  date_of_birth: 'dateOfBirth',
  race1: 'race1',
  race2: 'race2',
  ihs_link: 'ihsLink',
  state: 'addrAtDxState',
  cs_factor_1: 'csSiteSpecificFactor1',
  cs_factor_2: 'csSiteSpecificFactor2',
  cs_factor_9: 'csSiteSpecificFactor9',
  cs_factor_11: 'csSiteSpecificFactor11',
  cs_factor_13: 'csSiteSpecificFactor13',
  cs_factor_14: 'csSiteSpecificFactor14',
  cs_factor_15: 'csSiteSpecificFactor15',
  er_summary: 'estrogenReceptorSummary',
  pr_summary: 'progesteroneRecepSummary',
  her2_summary: 'her2OverallSummary',
}

/** Inputs that take only the year from the date in their item. */
const YEARS: ReadonlySet<string> = new Set(['year', 'year_last_contact'])

/** Inputs that are the same for a whole file. */
const END_YEARS: ReadonlySet<string> = new Set(['end_year', 'cut_off_year'])

const isGiven = (name: string) => ITEMS[name] !== undefined || END_YEARS.has(name)

/** Recodes whose inputs are all available in a file. */
const OF_TUMORS = RECODES.filter(({ inputs }) => Object.keys(inputs).every(isGiven))
const OF_PATIENTS = PATIENT_RECODES.filter(({ inputs, tumorInputs }) =>
  Object.keys({ ...inputs, ...tumorInputs }).every(isGiven),
)

/** Recodes that are available for the tumors and patients of a file. */
export const FILE_RECODES: readonly string[] = Object.freeze(
  [...OF_TUMORS, ...OF_PATIENTS].map(({ id }) => id),
)

/** Recodes that are applied by default. */
export const DEFAULT_RECODES: readonly string[] = Object.freeze(['seer', 'iccc', 'aya', 'behavior'])

/** Selects every available recode. */
export const ALL_FILE_RECODES = 'all'

/** A recode and its version, by id. */
export interface ChosenRecode {
  readonly recode: string
  readonly version: string
}

/** Data that recodes need besides the items of a file. */
export interface RecodedBy {
  /** The last year of the study, until the end of which survival and deaths are counted. */
  readonly endYear?: string | undefined
  /** A date such as `20240229`, to detect dates in the future. */
  readonly today: string
}

/**
 * Resolves recode names, such as `seer` or `seer:2023`, without duplicates, or all recodes.
 * @param endYear of the study, which some recodes need
 * @throws EngineError `bad_input`, listing the available names
 */
export function chooseRecodes(names: readonly string[], endYear?: string): readonly ChosenRecode[] {
  const chosen = new Map<string, ChosenRecode>()
  const isAll = names.length === 1 && names[0] === ALL_FILE_RECODES
  for (const name of isAll ? FILE_RECODES : names) {
    const [id = '', version] = name.split(':')
    const recode = recodeOf(id)
    if (chosen.has(id)) {
      const message = `the recode ${id} is given twice; give one version of it`
      throw new EngineError('bad_input', message, { at: 'recode' })
    }
    if (endYear === undefined && recode.required.some((input) => END_YEARS.has(input))) {
      const message = `the recode ${id} needs the last year of the study; give the end year, such as 2023`
      throw new EngineError('bad_input', message, { at: 'end_year' })
    }
    const found = findVersion<{ readonly id: string }>(recode, version)
    chosen.set(id, { recode: id, version: found.id })
  }
  return [...chosen.values()]
}

const YEAR = /^(?:19|20)\d\d$/

/**
 * Reads the end year.
 * @throws EngineError `bad_input` if it is not a four-digit year
 */
export function readEndYear(text: string | undefined): string | undefined {
  if (text === undefined || YEAR.test(text)) return text
  const message = 'the end year is no year; give four digits, such as 2023'
  throw new EngineError('bad_input', message, { at: 'end_year' })
}

function recodeOf(id: string) {
  const recode = [...OF_TUMORS, ...OF_PATIENTS].find((one) => one.id === id)
  if (recode) return recode
  const message = `there is no such recode; give one of ${FILE_RECODES.join(', ')}`
  throw new EngineError('bad_input', message, { at: 'recode' })
}

/** Returns the ids of the items that recodes read. */
export function recodedItems(chosen: readonly ChosenRecode[]): ReadonlySet<string> {
  const inputs = chosen.flatMap(({ recode }) => {
    const found = recodeOf(recode)
    const ofTumors = 'tumorInputs' in found ? found.tumorInputs : {}
    return Object.keys({ ...found.inputs, ...ofTumors })
  })
  return new Set(inputs.flatMap((name) => ITEMS[name] ?? []))
}

/** Returns the outputs of recodes, such as `seer.site_group`. */
export const recodeOutputs = (chosen: readonly ChosenRecode[]): readonly string[] =>
  chosen.flatMap(({ recode }) => {
    const found = recodeOf(recode)
    const ofTumors = 'tumorOutputs' in found ? found.tumorOutputs : {}
    return Object.keys({ ...found.outputs, ...ofTumors }).map((output) => `${recode}.${output}`)
  })

/** Results keyed by recode id. A recode that lacks an input is left out. */
export type RecodeAnswers = Readonly<Record<string, Texts>>

/** Results of a patient and of its tumors, in order. */
interface RecodedTumors {
  readonly patient: RecodeAnswers
  readonly tumors: readonly RecodeAnswers[]
}

/** The items of a tumor. */
export interface GivenTumor {
  readonly own: ItemValues
  /** Items of the tumor and of its patient. */
  readonly all: ItemValues
}

/**
 * Recodes a patient with its tumors.
 * @param items of the patient
 */
export type RecodeTumors = (items: ItemValues, tumors: readonly GivenTumor[]) => RecodedTumors

/** Maximum number of tumors of one patient that are recoded together, as in the service. */
const MAX_TOGETHER = 100

/** Creates the function that recodes patients with their tumors. Tables are compiled once. */
export function makeRecodeTumors(
  chosen: readonly ChosenRecode[],
  { endYear, today }: RecodedBy,
): RecodeTumors {
  const read = (names: readonly string[], items: ItemValues): Texts => {
    const texts: Record<string, string | undefined> = {}
    for (const name of names) texts[name] = END_YEARS.has(name) ? endYear : inputOf(name, items)
    return texts
  }
  const versionIn = <T extends { readonly id: string }>(one: {
    readonly id: string
    readonly versions: readonly [T, ...T[]]
  }) => findVersion(one, chosen.find(({ recode }) => recode === one.id)?.version)
  const isChosen = ({ id }: { readonly id: string }) => chosen.some(({ recode }) => recode === id)
  const ofTumors = OF_TUMORS.filter(isChosen).map((one) => ({
    id: one.id,
    names: Object.keys(one.inputs),
    required: one.required,
    answer: versionIn(one).make(),
  }))
  const ofPatients = OF_PATIENTS.filter(isChosen).map((one) => ({
    id: one.id,
    names: Object.keys(one.inputs),
    ofEach: Object.keys(one.tumorInputs),
    hasAnswer: Object.keys(one.outputs).length > 0,
    answer: versionIn(one).answer,
  }))
  return (items, tumors) => {
    const patient: Record<string, Texts> = {}
    const answers = tumors.map(({ all }) => {
      const recoded: Record<string, Texts> = {}
      for (const { id, names, required, answer } of ofTumors) {
        const input = read(names, all)
        if (required.every((name) => input[name])) recoded[id] = answer(input)
      }
      return recoded
    })
    if (tumors.length === 0 || tumors.length > MAX_TOGETHER) return { patient, tumors: answers }
    for (const { id, names, ofEach, hasAnswer, answer } of ofPatients) {
      const given = tumors.map(({ own }) => read(ofEach, own))
      const answered = answer(read(names, items), given, today)
      if (hasAnswer) patient[id] = answered.patient
      for (const [i, texts] of answered.tumors.entries()) {
        const recoded = answers[i]
        if (recoded && Object.keys(texts).length > 0) recoded[id] = texts
      }
    }
    return { patient, tumors: answers }
  }
}

function inputOf(name: string, items: ItemValues): string | undefined {
  const value = items[ITEMS[name] as string]
  return YEARS.has(name) ? value?.slice(0, 4) : value
}
