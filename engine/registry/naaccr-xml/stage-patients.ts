import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { type CompareLines, comparerFor } from '../multiple-primaries/compare-lines.ts'
import { comparePatient, MAX_TUMOURS } from '../multiple-primaries/patient.ts'
import type { Tumour } from '../multiple-primaries/tumour.ts'
import type { Found } from '../ndjson-batch/counts.ts'
import { type LineAnswerer, lineJob } from '../ndjson-batch/line-job.ts'
import { compiledFor, type StageLines } from '../staging/store/stage-lines.ts'
import type { PatientAnswer, TumorAnswer } from './answers.ts'
import type { ItemFault } from './model.ts'
import { resultItems } from './result-items.ts'
import { type ItemValues, type NamesInFile, stageTumor } from './stage-tumor.ts'
import {
  type ChosenRecode,
  makeRecodeTumor,
  RECODED_ITEMS,
  type RecodeTumor,
} from './tumor-recodes.ts'
import { errorRow, rowsOf, type TumorColumns } from './tumor-table.ts'

/** By what patients are judged. */
export interface StagePatients {
  readonly staging: StageLines
  readonly primaries: CompareLines
  readonly recodes: readonly ChosenRecode[]
  readonly form: AnswerForm
  readonly names: NamesInFile
}

/** How patients are answered: by JSON, by rows of a table, or by items for each tumor. */
export type AnswerForm =
  | { readonly kind: 'json' }
  | { readonly kind: 'rows'; readonly columns: TumorColumns }
  | { readonly kind: 'items' }

/** A patient as a line of JSON on the way to a thread. */
export interface PatientLine {
  readonly line: number
  readonly items: ItemValues
  readonly tumors: readonly { readonly line: number; readonly items: ItemValues }[]
  readonly faults: readonly ItemFault[]
}

/** Of counts: results of tumors, and errors of their staging by type, and table or key. */
export const RESULT = 'result'
export const STAGING = 'staging'

/** Stages the tumors of a patient on each line, recodes them and compares them with each other. */
export const stagePatientsJob = lineJob<StagePatients>('naaccr.patients', (by, scratch) => {
  const { form } = by
  const answerOf = patientAnswers(by, scratch)
  return {
    numberOf: lineIn,
    answer: (line, count) => {
      const answer = answerOf(line as PatientLine)
      for (const tumor of answer.tumors) for (const found of foundIn(tumor)) count(found)
      switch (form.kind) {
        case 'json':
          return JSON.stringify(answer)
        case 'rows':
          return rowsOf(answer, form.columns)
        case 'items':
          return JSON.stringify(answer.tumors.map(resultItems))
      }
    },
    fail:
      form.kind === 'rows'
        ? ({ line }, { code, message }) => errorRow(line, `${code}: ${message}`, form.columns)
        : undefined,
  } satisfies LineAnswerer
})

/** The line of the file, which comes first in a PatientLine. */
function lineIn(start: string): number | undefined {
  const [, line] = /^\{"line":(\d+)/.exec(start) ?? []
  return line === undefined ? undefined : Number(line)
}

function* foundIn({ line, result, errors }: TumorAnswer): Generator<Found> {
  yield { kind: RESULT, code: result, line }
  for (const { type, table, key } of errors) {
    const of = table ?? key
    yield { kind: STAGING, code: type, ...(of !== undefined && { of }), line }
  }
}

function patientAnswers(by: StagePatients, scratch: Scratch) {
  const version = compiledFor(by.staging, scratch)
  const { rules } = comparerFor(by.primaries, scratch)
  const recode = recoderFor(by.recodes, scratch)
  const compared = (tumours: readonly Tumour[]) => {
    const { matrix: _, ...result } = comparePatient(rules, { tumours }, by.primaries.year)
    return result
  }
  return ({ line, items, tumors, faults }: PatientLine): PatientAnswer => ({
    line,
    ...named(items, 'patientIdNumber'),
    tumors: tumors.map((tumor) => ({
      line: tumor.line,
      ...named(tumor.items, 'tumorRecordNumber'),
      ...stageTumor(version, { ...items, ...tumor.items }, by.names),
      ...(by.recodes.length > 0 && { recodes: recode(tumor.items) }),
    })),
    ...(tumors.length > 1 &&
      tumors.length <= MAX_TUMOURS && {
        primaries: compared(tumors.map((tumor) => tumorOf(tumor.items))),
      }),
    ...(faults.length > 0 && { faults }),
  })
}

/** What a thread recodes by, kept from chunk to chunk. */
function recoderFor(recodes: readonly ChosenRecode[], scratch: Scratch): RecodeTumor {
  const cache = scratch.cached(
    'recodes of tumors',
    () => new LruCache<RecodeTumor>(MAX_CACHED_RECODERS),
  )
  return cache.of(JSON.stringify(recodes), () => makeRecodeTumor(recodes))
}

const MAX_CACHED_RECODERS = 8

const named = <Name extends string>(items: ItemValues, name: Name) =>
  (items[name] === undefined ? {} : { [name]: items[name] }) as { readonly [K in Name]?: string }

const ITEMS: Readonly<Record<string, keyof Tumour>> = {
  primarySite: 'primary_site',
  histologicTypeIcdO3: 'histology_icd_o3',
  histologyIcdO2: 'histology_icd_o2',
  behaviorCodeIcdO3: 'behavior_icd_o3',
  behaviorIcdO2: 'behavior_icd_o2',
  laterality: 'laterality',
}

/** Items beside those of staging that a patient is judged, recoded and named by. */
export const COMPARED_ITEMS: ReadonlySet<string> = new Set([
  ...['patientIdNumber', 'tumorRecordNumber', 'dateOfDiagnosis'],
  ...Object.keys(ITEMS),
  ...RECODED_ITEMS,
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
