import { fieldName } from '../../cohort/words.ts'

/** An event of a case, possibly without a day. */
export interface CaseEvent {
  /** Days since the index date. */
  readonly day: number | undefined
  readonly what: string
  readonly facts: string
}

type Document = Readonly<Record<string, unknown>>

/** Groups of a case, with their date fields by preference. */
const GROUPS: readonly {
  readonly path: string
  readonly what: string
  readonly days: readonly string[]
}[] = [
  { path: 'demographic', what: 'Person', days: ['days_to_birth'] },
  { path: 'diagnoses', what: 'Diagnosis', days: ['days_to_diagnosis'] },
  { path: 'diagnoses.treatments', what: 'Treatment', days: ['days_to_treatment_start'] },
  { path: 'follow_ups', what: 'Follow-up', days: ['days_to_follow_up'] },
  { path: 'samples', what: 'Sample', days: ['days_to_collection'] },
]

/** Matches technical fields that are of no interest to people. */
const IS_TECHNICAL = /(_id|_ids|_datetime|^state|^submitter_id)$/

/** Returns the events of a case, sorted by day. Events without a day come last. */
export function eventsOf(document: Document): readonly CaseEvent[] {
  const events = GROUPS.flatMap(({ path, what, days }) =>
    elementsAt(document, path.split('.')).map((element) => ({
      day: days.map((name) => element[name]).find((day) => typeof day === 'number'),
      what,
      facts: factsOf(element, days),
    })),
  )
  const demographic = elementsAt(document, ['demographic'])[0]
  const death = demographic?.days_to_death
  if (typeof death === 'number') {
    events.push({ day: death, what: 'Death', facts: textOf(demographic?.cause_of_death) })
  }
  return events.toSorted((one, other) => (one.day ?? Infinity) - (other.day ?? Infinity))
}

function elementsAt(document: Document, [name, ...rest]: readonly string[]): readonly Document[] {
  if (name === undefined) return [document]
  const inner = document[name]
  const elements: readonly unknown[] = Array.isArray(inner) ? inner : [inner]
  return elements.filter(isDocument).flatMap((element) => elementsAt(element, rest))
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function factsOf(element: Document, days: readonly string[]): string {
  return Object.entries(element)
    .filter(([name]) => !IS_TECHNICAL.test(name) && !days.includes(name))
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${fieldName(name)}: ${textOf(value)}`)
    .join('; ')
}

const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value))
