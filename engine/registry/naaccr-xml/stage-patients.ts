import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { type CompareLines, comparerFor } from '../multiple-primaries/compare-lines.ts'
import { comparePatient, MAX_TUMOURS } from '../multiple-primaries/patient.ts'
import type { Tumour } from '../multiple-primaries/tumour.ts'
import type { Found } from '../ndjson-batch/counts.ts'
import { errorLine } from '../ndjson-batch/line-job.ts'
import { compiledFor, type StageLines } from '../staging/store/stage-lines.ts'
import { type AlgorithmRule, fits } from './algorithm-table.ts'
import type { AppliedStaging, PatientAnswer, StagedByVersion, TumorAnswer } from './answers.ts'
import {
  type ChosenRecode,
  type GivenTumor,
  makeRecodeTumors,
  type RecodedBy,
  type RecodeTumors,
} from './file-recodes.ts'
import { type PatientAnswerer, patientJob } from './patient-job.ts'
import { named, type PatientLine } from './patient-line.ts'
import { repeatedValues } from './repeated-items.ts'
import { patientItems, tumorItems, type WrittenPatient } from './result-items.ts'
import {
  type ItemValues,
  type NamesInFile,
  NO_ALGORITHM,
  type StagedTumor,
  stageTumor,
} from './stage-tumor.ts'
import { errorRow, rowsOf, type TumorColumns } from './tumor-table.ts'
import { LEFT_OUT, type Owned, withResults } from './with-results.ts'

/** The input for processing patients. */
export interface StagePatients {
  readonly stagings: readonly ChosenStaging[]
  /** Whether versions are selected per tumor. */
  readonly isChosen: boolean
  /** Input for comparing the tumors of a patient. */
  readonly primaries: CompareLines
  readonly recodes: readonly ChosenRecode[]
  readonly recodedBy: RecodedBy
  readonly form: AnswerForm
  readonly names: NamesInFile
  /** Ids of the items that are repeated with each tumor. */
  readonly items?: readonly string[]
}

/** A version with the rules that select its tumors. Without rules, it applies to all tumors. */
interface ChosenStaging {
  readonly algorithm: string
  readonly version: string
  readonly rules: readonly AlgorithmRule[]
  readonly staging: StageLines
}

/** Output form of patients: JSON, rows of a table, or the text of the file with items written into it. */
export type AnswerForm =
  | { readonly kind: 'json' }
  | { readonly kind: 'rows'; readonly columns: TumorColumns }
  | { readonly kind: 'items'; readonly owned: Owned }

/** Counts left-out results of versions that do not apply to the tumor. */
const NOT_FOR_TUMOR = 'not_for_the_tumor'
/** Count results of tumors, and staging errors by type and table or key. */
const RESULT = 'result'
const STAGING = 'staging'

/** Stages, recodes and compares the tumors of the patients of a block. */
export const stagePatientsJob = patientJob<StagePatients>(
  'naaccr.patients',
  (by, scratch, reader) => {
    const { form, file } = by
    const answerOf = patientAnswers(by, scratch)
    return {
      tumorsOnly: form.kind === 'rows',
      answer: (line, count, patient) => {
        const { answer, written } = answerOf(line)
        for (const tumor of answer.tumors) for (const found of foundIn(tumor)) count(found)
        switch (form.kind) {
          case 'json':
            return `${JSON.stringify(answer)}\n`
          case 'rows':
            return `${rowsOf(answer, form.columns)}\n`
          case 'items':
            for (const found of notWrittenIn(answer, written, by)) count(found)
            return withResults(patient, written, { reader, owned: form.owned }, count)
        }
      },
      fail: (line, error, { source }) => {
        switch (form.kind) {
          case 'json':
            return `${errorLine({ line, file }, error)}\n`
          case 'rows':
            return `${errorRow(line, `${error.code}: ${error.message}`, form.columns)}\n`
          case 'items':
            return source?.text ?? ''
        }
      },
    } satisfies PatientAnswerer
  },
)

function* foundIn({ line, further = [], ...first }: TumorAnswer): Generator<Found> {
  for (const { algorithm, result, errors } of [first, ...further]) {
    yield { kind: RESULT, code: result, ...(algorithm !== undefined && { of: algorithm }), line }
    for (const { type, table, key } of errors) {
      const of = table ?? key
      yield { kind: STAGING, code: type, ...(of !== undefined && { of }), line }
    }
  }
}

/** Yields the results of a single version for tumors that it does not cover, which are only reported. */
function* notWrittenIn(
  { tumors }: PatientAnswer,
  { tumors: written }: WrittenPatient,
  { isChosen }: StagePatients,
): Generator<Found> {
  if (isChosen) return
  for (const [i, { by }] of written.entries()) {
    const line = tumors[i]?.line ?? 0
    if (by.length === 0) yield { kind: LEFT_OUT, code: NOT_FOR_TUMOR, line }
  }
}

function patientAnswers(by: StagePatients, scratch: Scratch) {
  const { stagings, isChosen, items: repeated = [], form } = by
  const writesItems = form.kind === 'items'
  const { rules } = comparerFor(by.primaries, scratch)
  const recode = recoderFor(by, scratch)
  const compared = (tumours: readonly Tumour[]) => {
    const { matrix: _, ...result } = comparePatient(rules, { tumours }, by.primaries.year)
    return result
  }
  const stageBy = (place: number, items: ItemValues): AppliedStaging => {
    const { staging } = stagings[place] as ChosenStaging
    return { place, staged: stageTumor(compiledFor(staging, scratch), items, by.names) }
  }
  return ({ line, items, tumors, faults }: PatientLine) => {
    const given = tumors.map(({ items: own }) => ({ own, all: { ...items, ...own } }))
    const recoded = recode(items, given)
    const results = tumors.map((tumor, i) => {
      const { all } = given[i] as GivenTumor
      const places = placesFor(stagings, all)
      const staged = (isChosen ? places : [0]).map((place) => stageBy(place, all))
      const own = staged.filter(
        ({ place, staged: of }) =>
          places.includes(place) &&
          (!isChosen || hasSay(stagings[place] as ChosenStaging, all, of)),
      )
      const shown = isChosen ? own.map((one) => withName(stagings, one)) : staged.map(stagedOf)
      const [first = NOT_STAGED, ...further] = shown
      const ofTumor = recoded.tumors[i] ?? {}
      const answer: TumorAnswer = {
        line: tumor.line,
        ...named(tumor.items, 'tumorRecordNumber'),
        ...first,
        ...(further.length > 0 && { further }),
        ...(by.recodes.length > 0 && { recodes: ofTumor }),
        ...(repeated.length > 0 && {
          items: repeatedValues(repeated, (given[i] as GivenTumor).all),
        }),
      }
      if (!writesItems) return { answer, written: NOTHING }
      const written = tumorItems([ofTumor, recoded.patient], own)
      return { answer, written: { items: written, by: own.map(placeOf) } }
    })
    const answer: PatientAnswer = {
      line,
      ...named(items, 'patientIdNumber'),
      tumors: results.map((one) => one.answer),
      ...(tumors.length > 1 &&
        tumors.length <= MAX_TUMOURS && {
          primaries: compared(tumors.map((tumor) => tumorOf(tumor.items))),
        }),
      ...(Object.keys(recoded.patient).length > 0 && { recodes: recoded.patient }),
      ...(faults.length > 0 && { faults }),
    }
    const written: WrittenPatient = {
      items: writesItems ? patientItems(recoded.patient) : [],
      tumors: results.map((one) => one.written),
    }
    return { answer, written }
  }
}

const placeOf = ({ place }: AppliedStaging) => place
const stagedOf = ({ staged }: AppliedStaging): StagedByVersion => staged

/** For forms that are not written into the file. */
const NOTHING = Object.freeze({ items: [], by: [] })

const NOT_STAGED: StagedByVersion = { result: NO_ALGORITHM, errors: [], output: {} }

/** Returns the indexes of the versions that apply to a tumor by year, age and site. */
const placesFor = (stagings: readonly ChosenStaging[], items: ItemValues): readonly number[] =>
  stagings.flatMap(({ rules }, place) =>
    rules.length === 0 || rules.some((rule) => fits(rule, items)) ? [place] : [],
  )

/**
 * Returns whether the result of a version counts. If the version's rules except some schemas, its result counts
 * only if it has another schema.
 */
const hasSay = ({ rules }: ChosenStaging, items: ItemValues, { schema_id, schemas }: StagedTumor) =>
  rules.length === 0 ||
  rules
    .filter((rule) => fits(rule, items))
    .some(({ exceptSchemas }) => {
      if (exceptSchemas.length === 0 || schemas !== undefined) return true
      return schema_id !== undefined && !exceptSchemas.includes(schema_id)
    })

function withName(stagings: readonly ChosenStaging[], { place, staged }: AppliedStaging) {
  const { algorithm, version } = stagings[place] as ChosenStaging
  return { algorithm, version, ...staged }
}

/** Returns the thread's recoder, which is cached across chunks. */
function recoderFor(
  { recodes, recodedBy }: Pick<StagePatients, 'recodes' | 'recodedBy'>,
  scratch: Scratch,
): RecodeTumors {
  const cache = scratch.cached(
    'recodes of tumors',
    () => new LruCache<RecodeTumors>(MAX_CACHED_RECODERS),
  )
  const key = JSON.stringify([recodes, recodedBy])
  return cache.of(key, () => makeRecodeTumors(recodes, recodedBy))
}

const MAX_CACHED_RECODERS = 8

const ITEMS: Readonly<Record<string, keyof Tumour>> = {
  primarySite: 'primary_site',
  histologicTypeIcdO3: 'histology_icd_o3',
  histologyIcdO2: 'histology_icd_o2',
  behaviorCodeIcdO3: 'behavior_icd_o3',
  behaviorIcdO2: 'behavior_icd_o2',
  laterality: 'laterality',
}

/** Items by which versions are selected. */
export const CHOOSING_ITEMS = ['dateOfDiagnosis', 'ageAtDiagnosis', 'primarySite'] as const

/** Items that identify and compare tumors, in addition to those for staging and recodes. */
export const COMPARED_ITEMS: ReadonlySet<string> = new Set([
  'patientIdNumber',
  'tumorRecordNumber',
  'dateOfDiagnosis',
  ...Object.keys(ITEMS),
])

function tumorOf(items: ItemValues): Tumour {
  const tumour: { -readonly [K in keyof Tumour]: Tumour[K] } = {}
  for (const [item, member] of Object.entries(ITEMS)) {
    if (items[item] !== undefined) tumour[member] = items[item]
  }
  const date = items.dateOfDiagnosis ?? ''
  if (date.length >= 4) tumour.date_of_diagnosis_year = date.slice(0, 4)
  if (date.length >= 6) tumour.date_of_diagnosis_month = date.slice(4, 6)
  if (date.length >= 8) tumour.date_of_diagnosis_day = date.slice(6, 8)
  return tumour
}
