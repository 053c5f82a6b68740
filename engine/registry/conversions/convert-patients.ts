import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { faultOf, type ItemDefinition } from '../naaccr-xml/dictionary.ts'
import { type PatientAnswerer, patientJob } from '../naaccr-xml/patient-job.ts'
import { named, type PatientLine } from '../naaccr-xml/patient-line.ts'
import type { WrittenPatient } from '../naaccr-xml/result-items.ts'
import type { ItemValues } from '../naaccr-xml/stage-tumor.ts'
import { LEFT_OUT, type Owned, withResults } from '../naaccr-xml/with-results.ts'
import type { Found } from '../ndjson-batch/counts.ts'
import { errorLine } from '../ndjson-batch/line-job.ts'
import { answeredRow } from '../rules/answered-rows.ts'
import { makeCondition, type ReadyCondition } from '../rules/evaluate.ts'
import { type ConversionRule, type NewValue, parseConversion } from './conversion-rules.ts'

/** Output formats of a conversion. `xml` is the file with the new values. */
export const CONVERSION_FORMATS = Object.freeze(['xml', 'ndjson', 'tsv'] as const)
export type ConversionFormat = (typeof CONVERSION_FORMATS)[number]

/** The rules that apply to a file. */
export interface ConvertedBy {
  /** The text of the rules, which a thread parses once. */
  readonly rules: string
  /** Numbers, such as `A0010`, of the rules that are applied to each tumor. */
  readonly ofTumors: readonly string[]
  /** Numbers of the rules that are applied to each patient. */
  readonly ofPatients: readonly string[]
  /** Definitions of the items that the rules change, keyed by item id. */
  readonly definitions: Readonly<Record<string, ItemDefinition>>
  /** Date such as `20240229`. */
  readonly today: string
}

/** Input of the job that converts the lines of a batch. */
export interface ConvertPatients {
  /** A `ConvertedBy` as JSON, by which a thread caches the prepared rules. */
  readonly by: string
  readonly format: ConversionFormat
}

/** A changed value. */
export interface ItemChange {
  /** Number of the rule. */
  readonly rule: string
  /** Name of the rule. */
  readonly name: string
  /** Id of the item. */
  readonly item: string
  readonly before: string
  /** Empty if the value was removed. */
  readonly after: string
}

/** A rule by which a person has to check a tumor or patient. */
export interface RequestedReview {
  /** Number of the rule. */
  readonly rule: string
  /** Name of the rule. */
  readonly name: string
  /** Instruction to the person. */
  readonly review: string
}

/** Changes of a tumor, or of a patient itself. */
export interface Converted {
  /** 1-based line in the file. */
  readonly line: number
  readonly changes: readonly ItemChange[]
  readonly reviews: readonly RequestedReview[]
}

/** Changes of a patient and its tumors. */
export interface ConvertedPatient extends Converted {
  readonly patientIdNumber?: string
  readonly tumors: readonly (Converted & { readonly tumorRecordNumber?: string })[]
}

/** Kinds of counts: changed values by rule and item, and requested reviews by rule. */
const CONVERTED = 'converted'
const REVIEW = 'review'

export const CONVERSION_COLUMNS = Object.freeze([
  'line',
  'patientIdNumber',
  'tumorRecordNumber',
  'rule',
  'name',
  'item',
  'before',
  'after',
  'review',
  'error',
])

/** Converts the patients of a block, and their tumors. */
export const convertPatientsJob = patientJob<ConvertPatients>(
  'naaccr.conversions',
  ({ by, format, file }, scratch, reader) => {
    const convert = converterFor(by, scratch)
    return {
      answer: (line, count, patient) => {
        const converted = convert(line, count)
        for (const found of foundIn(converted)) count(found)
        switch (format) {
          case 'tsv':
            return rowsOf(converted)
          case 'ndjson':
            return `${JSON.stringify(converted)}\n`
          case 'xml':
            return withResults(patient, writtenOf(converted), { reader, owned: NOTHING }, count)
        }
      },
      fail: (line, error, { source }) => {
        if (format === 'ndjson') return `${errorLine({ line, file }, error)}\n`
        if (format === 'xml') return source?.text ?? ''
        const cells = [...Array(8).fill(''), `${error.code}: ${error.message}`]
        return `${answeredRow([String(line), ...cells])}\n`
      },
    } satisfies PatientAnswerer
  },
)

/** There are no items that hold only results. */
const NOTHING: Owned = { always: new Set(), by: [] }

function* foundIn(patient: ConvertedPatient): Generator<Found> {
  for (const { line, changes, reviews } of [patient, ...patient.tumors]) {
    for (const { rule, item } of changes) yield { kind: CONVERTED, code: rule, of: item, line }
    for (const { rule } of reviews) yield { kind: REVIEW, code: rule, line }
  }
}

/** Formats one row for each change and each item to review. */
function rowsOf(patient: ConvertedPatient): string {
  const rows = [patient, ...patient.tumors].flatMap((one) => {
    const record = 'tumorRecordNumber' in one ? one.tumorRecordNumber : undefined
    const first = [String(one.line), patient.patientIdNumber, record]
    return [
      ...one.changes.map(({ rule, name, item, before, after }) =>
        answeredRow([...first, rule, name, item, before, after, '', '']),
      ),
      ...one.reviews.map(({ rule, name, review }) =>
        answeredRow([...first, rule, name, '', '', '', review, '']),
      ),
    ]
  })
  return rows.map((row) => `${row}\n`).join('')
}

const writtenOf = ({ changes, tumors }: ConvertedPatient): WrittenPatient => ({
  items: lastValues(changes),
  tumors: tumors.map((tumor) => ({ items: lastValues(tumor.changes), by: [] })),
})

/** Returns the values after all rules. */
const lastValues = (changes: readonly ItemChange[]) => [
  ...new Map(changes.map(({ item, after }) => [item, after])),
]

type ConvertPatient = (patient: PatientLine, count: (found: Found) => void) => ConvertedPatient

const MAX_CACHED = 4

/** Returns the prepared rules, which a thread keeps from chunk to chunk. */
function converterFor(by: string, scratch: Scratch): ConvertPatient {
  const cache = scratch.cached('conversions', () => new LruCache<ConvertPatient>(MAX_CACHED))
  return cache.of(by, () => makeConverter(JSON.parse(by) as ConvertedBy))
}

interface ReadyRule extends Omit<ConversionRule, 'when'> {
  readonly when: ReadyCondition | undefined
}

function makeConverter(by: ConvertedBy): ConvertPatient {
  const rules = new Map(
    parseConversion(by.rules).map((rule) => {
      const when = rule.when && makeCondition(rule.when, by.today)
      return [rule.number, { ...rule, when } satisfies ReadyRule] as const
    }),
  )
  const chosen = (numbers: readonly string[]) => numbers.flatMap((one) => rules.get(one) ?? [])
  const [ofTumors, ofPatients] = [chosen(by.ofTumors), chosen(by.ofPatients)]
  return ({ line, items, tumors }, count) => {
    const own = convertItems(ofPatients, { items, line }, by, count)
    const patient = { ...items, ...own.values }
    return {
      line,
      ...named(items, 'patientIdNumber'),
      ...own.converted,
      tumors: tumors.map((tumor) => ({
        line: tumor.line,
        ...named(tumor.items, 'tumorRecordNumber'),
        ...convertItems(
          ofTumors,
          { items: { ...patient, ...tumor.items }, line: tumor.line },
          by,
          count,
        ).converted,
      })),
    }
  }
}

/** Applies rules one after another. Each rule sees the values that the rules before it have set. */
function convertItems(
  rules: readonly ReadyRule[],
  { items, line }: { readonly items: ItemValues; readonly line: number },
  { definitions }: ConvertedBy,
  count: (found: Found) => void,
) {
  const values: Record<string, string> = { ...items }
  const changes: ItemChange[] = []
  const reviews: RequestedReview[] = []
  for (const { number, name, when, set, recode, review } of rules) {
    if (when && when(values) !== true) continue
    if (review !== undefined) reviews.push({ rule: number, name, review })
    // A rule reads all of its values before it changes any, so that it can swap items.
    const given = [
      ...set.map(({ item, value }) => [item, newValue(value, values)] as const),
      ...recode.map(({ item, codes }) => [item, codes.get(values[item] ?? '')] as const),
    ]
    for (const [item, after] of given) {
      const before = values[item] ?? ''
      if (after === undefined || after === before) continue
      const definition = definitions[item]
      const fault = after === '' || !definition ? undefined : faultOf(after, definition)
      if (fault) {
        count({ kind: LEFT_OUT, code: fault.replaceAll(' ', '_'), of: item, line })
        continue
      }
      changes.push({ rule: number, name, item, before, after })
      if (after === '') delete values[item]
      else values[item] = after
    }
  }
  return { values, converted: { changes, reviews } }
}

function newValue(value: NewValue, values: ItemValues): string {
  switch (value.kind) {
    case 'code':
      return value.code
    case 'item':
      return values[value.item] ?? ''
    case 'empty':
      return ''
  }
}
