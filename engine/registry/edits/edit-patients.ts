import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import type { ItemFault } from '../naaccr-xml/model.ts'
import { type PatientAnswerer, patientJob } from '../naaccr-xml/patient-job.ts'
import { named, type PatientLine } from '../naaccr-xml/patient-line.ts'
import type { ItemValues } from '../naaccr-xml/stage-tumor.ts'
import { errorLine } from '../ndjson-batch/line-job.ts'
import { answeredRow } from '../rules/answered-rows.ts'
import { makeCondition, type ReadyCondition } from '../rules/evaluate.ts'
import {
  CODE_EDIT,
  type CodeList,
  DATE_EDIT,
  type EditDescription,
  FAULT_EDITS,
  isNoDay,
  makeCodeTest,
} from './item-edits.ts'
import { parseRules } from './rule-file.ts'

/** Rules, codes and dates for editing the patients of one file. */
export interface EditedBy {
  /** The text of the rules, which a thread reads once. */
  readonly rules: string
  /** Numbers of the rules that are applied once for each tumor. */
  readonly ofTumors: readonly string[]
  /** Numbers of the rules that are applied once for each patient. */
  readonly ofPatients: readonly string[]
  /** Allowed codes, keyed by item id. */
  readonly codes: Readonly<Record<string, CodeList>>
  /** Ids of the items whose values must be days of the calendar. */
  readonly dates: readonly string[]
  /** Date such as `20240229`. */
  readonly today: string
}

/** Input of the job that edits the lines of a batch. */
export interface EditPatients {
  /** An `EditedBy` as JSON. A thread caches the compiled rules under this text. */
  readonly by: string
  readonly form: 'ndjson' | 'tsv'
}

/** An edit that a patient or tumor fails. It never contains values. */
export interface FailedEdit extends EditDescription {
  /** Line in the file of the item, the tumor or the patient. */
  readonly line: number
  /** Ids of the items that the edit reads. */
  readonly items: readonly string[]
}

/** The edits that a patient and its tumors do not pass. */
export interface EditedPatient {
  readonly line: number
  readonly patientIdNumber?: string
  /** Edits of the patient itself. */
  readonly edits: readonly FailedEdit[]
  readonly tumors: readonly {
    readonly line: number
    readonly tumorRecordNumber?: string
    readonly edits: readonly FailedEdit[]
  }[]
}

/** Kind of count for edits that fail. */
const EDIT = 'edit'

export const EDIT_COLUMNS = Object.freeze([
  'line',
  'patientIdNumber',
  'tumorRecordNumber',
  'edit',
  'name',
  'message',
  'items',
  'error',
])

/** Edits the patients of a block, and their tumors. */
export const editPatientsJob = patientJob<EditPatients>(
  'naaccr.edits',
  ({ by, form, file }, scratch) => {
    const edit = editorFor(by, scratch)
    return {
      answer: (line, count) => {
        const patient = edit(line)
        for (const { number, line: at } of failedIn(patient)) {
          count({ kind: EDIT, code: number, line: at })
        }
        return form === 'tsv' ? rowsOf(patient) : `${JSON.stringify(patient)}\n`
      },
      fail: (line, error) => {
        if (form === 'ndjson') return `${errorLine({ line, file }, error)}\n`
        const cells = ['', '', '', '', '', '', `${error.code}: ${error.message}`]
        return `${answeredRow([String(line), ...cells])}\n`
      },
    } satisfies PatientAnswerer
  },
)

const failedIn = ({ edits, tumors }: EditedPatient): readonly FailedEdit[] => [
  ...edits,
  ...tumors.flatMap((tumor) => tumor.edits),
]

/** Returns a row for each edit that failed. */
function rowsOf({ line, patientIdNumber, edits, tumors }: EditedPatient): string {
  const rows = [{ edits, tumorRecordNumber: undefined, line }, ...tumors].flatMap((one) =>
    one.edits.map((failed) =>
      answeredRow([
        String(failed.line),
        patientIdNumber,
        one.tumorRecordNumber,
        failed.number,
        failed.name,
        failed.message,
        failed.items.join(';'),
        '',
      ]),
    ),
  )
  return rows.map((row) => `${row}\n`).join('')
}

type EditPatient = (patient: PatientLine) => EditedPatient

const MAX_CACHED = 4

/** Returns the function that edits a patient. A thread reuses it for all chunks. */
function editorFor(by: string, scratch: Scratch): EditPatient {
  const cache = scratch.cached('edits', () => new LruCache<EditPatient>(MAX_CACHED))
  return cache.of(by, () => makeEditPatient(JSON.parse(by) as EditedBy))
}

interface ReadyRule {
  readonly edit: EditDescription
  readonly items: readonly string[]
  readonly when: ReadyCondition | undefined
  readonly require: ReadyCondition
}

interface Placed {
  readonly line: number
  readonly items: ItemValues
}

function makeEditPatient(by: EditedBy): EditPatient {
  const rules = new Map(
    parseRules(by.rules).map(({ number, name, message, items, when, require }) => {
      const ready: ReadyRule = {
        edit: { number, name, message },
        items,
        when: when && makeCondition(when, by.today),
        require: makeCondition(require, by.today),
      }
      return [number, ready] as const
    }),
  )
  const chosen = (numbers: readonly string[]) =>
    numbers.flatMap((number) => rules.get(number) ?? [])
  const ofTumors = chosen(by.ofTumors)
  const ofPatients = chosen(by.ofPatients)
  const single = makeItemEdits(by)
  // A value that is not of the form of its item has no code and no day.
  const withSingle = (found: readonly FailedEdit[], of: Placed): readonly FailedEdit[] => {
    const faulty = new Set(found.flatMap((one) => one.items))
    const others = single(of.items, of.line)
    return [...found, ...others.filter(({ items: [id = ''] }) => !faulty.has(id))]
  }
  return ({ line, items, tumors, faults }) => {
    const ofItems = faultsOf(faults, tumors)
    const edited = tumors.map((tumor, i) => ({
      line: tumor.line,
      ...named(tumor.items, 'tumorRecordNumber'),
      edits: [
        ...withSingle(ofItems.tumors[i] ?? [], tumor),
        ...failedBy(ofTumors, { ...items, ...tumor.items }, tumor.line),
      ],
    }))
    return {
      line,
      ...named(items, 'patientIdNumber'),
      edits: [
        ...withSingle(ofItems.patient, { line, items }),
        ...failedBy(ofPatients, items, line),
      ],
      tumors: edited,
    }
  }
}

const failedBy = (
  rules: readonly ReadyRule[],
  items: ItemValues,
  line: number,
): readonly FailedEdit[] =>
  rules
    .filter(({ when, require }) => (!when || when(items) === true) && require(items) === false)
    .map(({ edit, items: read }) => ({ ...edit, line, items: read }))

function makeItemEdits({ codes, dates }: EditedBy) {
  const tests = Object.entries(codes).map(([id, list]) => [id, makeCodeTest(list)] as const)
  return (items: ItemValues, line: number): readonly FailedEdit[] => [
    ...tests.flatMap(([id, isCode]) => {
      const value = items[id]
      return value === undefined || isCode(value) ? [] : [{ ...CODE_EDIT, line, items: [id] }]
    }),
    ...dates.flatMap((id) => {
      const value = items[id]
      return value === undefined || !isNoDay(value) ? [] : [{ ...DATE_EDIT, line, items: [id] }]
    }),
  ]
}

/** Matches the tumor in an XML path such as `/NaaccrData/Patient[3]/Tumor[1]/Item[12]`. Fixed columns have none. */
const IN_TUMOR = /\/Tumor\[(\d+)\]\//

/** Groups the faults that the reader found by patient and by tumor. */
function faultsOf(faults: readonly ItemFault[], tumors: PatientLine['tumors']) {
  const ofTumors: FailedEdit[][] = tumors.map(() => [])
  const patient: FailedEdit[] = []
  for (const { code, item, line, path } of faults) {
    const [, number] = IN_TUMOR.exec(path) ?? []
    const ofLine = path.startsWith('line ') ? tumors.findIndex((tumor) => tumor.line === line) : -1
    const own = ofTumors[number === undefined ? ofLine : Number(number) - 1] ?? patient
    own.push({ ...FAULT_EDITS[code], line, items: [item] })
  }
  return { patient, tumors: ofTumors }
}
