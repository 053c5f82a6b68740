import { atOnce } from '../../shared/concurrency/at-once.ts'
import { EngineError } from '../../shared/errors.ts'
import { type Reader, readList, readMembers } from '../../shared/input/json-members.ts'
import { comparePair } from './compare-pair.ts'
import { doubtsOf } from './doubts.ts'
import { inOrderOfDate } from './order-of-date.ts'
import type { MphOutcome, MphResult } from './result.ts'
import type { Rules } from './rules.ts'
import { parseTumour, type Tumour } from './tumour.ts'

/** More than any patient has. The 4,950 comparisons take a tenth of a second. */
export const MAX_TUMOURS = 100

/** A tumor's index in order of diagnosis. */
export type Place = number

/** A tumor of the request, with its group. Lists of such tumors are in order of diagnosis. */
export interface PlacedTumour {
  /** 0-based index in the request. */
  readonly input: number
  /** 0-based index of its group in the list of groups. */
  readonly group: number
  /** Why the tumor cannot be compared. */
  readonly invalid?: string
}

/** A pair that needs to be reported, without the applied rules. */
export interface ReportedPair extends Omit<MphResult, 'applied_rules'> {
  readonly tumours: readonly [Place, Place]
}

/** The result of comparing all tumors of a patient. Tumors are identified by their index in `tumours`. */
export interface PatientResult {
  readonly tumours: readonly PlacedTumour[]
  /** Symmetric. The diagonal is SINGLE_PRIMARY, or INVALID_INPUT if the tumor makes its row invalid. */
  readonly matrix: readonly (readonly MphOutcome[])[]
  /** Groups of tumors that are one primary, directly or through others. Groups and members are ascending. */
  readonly groups: readonly (readonly Place[])[]
  /** Pairs within a group that are MULTIPLE_PRIMARIES by themselves. */
  readonly conflicts: readonly ReportedPair[]
  /** Pairs with insufficient data, within a group or across groups. */
  readonly questionable: readonly ReportedPair[]
}

/**
 * Compares all pairs of tumors, with the earlier tumor first (registry.md 7.8). Tumors are sorted by date, so
 * the order in the request matters only for equal dates.
 * @param yearNow the current year, as the rules have it
 * @throws EngineError `bad_input` for a list that is missing or too long; for a tumor as parsePair does,
 * naming the member
 */
export function comparePatient(rules: Rules, body: unknown, yearNow: number): PatientResult {
  return atOnce(patientSteps(rules, body, yearNow))
}

/**
 * Compares the tumors like `comparePatient`, one pair per step.
 * @param warn called for each questionable date
 */
export function* patientSteps(
  rules: Rules,
  body: unknown,
  yearNow: number,
  warn?: (sentence: string) => void,
): Generator<void, PatientResult> {
  const { tumours: given } = readPatient(body, '')
  if (warn) {
    for (const [input, tumour] of given.entries()) {
      for (const text of doubtsOf(tumour, `tumours[${input}]`, yearNow)) warn(text)
    }
  }
  const order = inOrderOfDate(given, yearNow)
  const tumours = order.map((input) => given[input] as Tumour)
  const pairs = yield* comparePairs(rules, tumours)
  const groups = componentsOf(tumours.length, pairs)
  const groupOf = new Map(groups.flatMap((group, i) => group.map((place) => [place, i] as const)))
  const alone = tumours.map((one) => comparePair(rules, { input1: one, input2: one }))
  const isWithin = ([one, other]: ReportedPair['tumours']) =>
    groupOf.get(one) === groupOf.get(other)
  return {
    tumours: order.map((input, place) => ({
      input,
      group: groupOf.get(place) ?? place,
      ...(alone[place]?.result === 'INVALID_INPUT' && { invalid: alone[place].reason }),
    })),
    matrix: matrixOf(alone, pairs),
    groups,
    conflicts: pairs.filter(
      ({ result, tumours }) => result === 'MULTIPLE_PRIMARIES' && isWithin(tumours),
    ),
    questionable: pairs.filter(({ result }) => result === 'QUESTIONABLE'),
  }
}

const readTumours: Reader<readonly Tumour[]> = (value, at) => {
  if (Array.isArray(value) && value.length > MAX_TUMOURS) {
    const message = `"${at}" has ${value.length} elements; give at most ${MAX_TUMOURS}`
    throw new EngineError('bad_input', message, { at })
  }
  return readList(parseTumour)(value, at)
}

const readPatient = readMembers<{ readonly tumours: readonly Tumour[] }>(
  { tumours: readTumours },
  {},
)

function* comparePairs(rules: Rules, tumours: readonly Tumour[]): Generator<void, ReportedPair[]> {
  const pairs: ReportedPair[] = []
  for (const [second, input2] of tumours.entries()) {
    for (const [first, input1] of tumours.slice(0, second).entries()) {
      const { applied_rules: _, ...reported } = comparePair(rules, { input1, input2 })
      pairs.push({ tumours: [first, second], ...reported })
      yield
    }
  }
  return pairs
}

/** Returns the connected components of the pairs that are one primary. */
function componentsOf(
  count: number,
  pairs: readonly ReportedPair[],
): readonly (readonly Place[])[] {
  // For each tumor, the lowest index in its component as far as known.
  const lowest = Array.from({ length: count }, (_, place) => place)
  for (const { tumours, result } of pairs) {
    if (result !== 'SINGLE_PRIMARY') continue
    const [one = 0, other = 0] = tumours.map((place) => lowest[place])
    const joined = Math.min(one, other)
    for (const [place, known] of lowest.entries()) {
      if (known === one || known === other) lowest[place] = joined
    }
  }
  return [...new Set(lowest)].map((first) =>
    [...lowest.keys()].filter((place) => lowest[place] === first),
  )
}

function matrixOf(alone: readonly MphResult[], pairs: readonly ReportedPair[]): MphOutcome[][] {
  const matrix = alone.map(({ result }) => {
    const own: MphOutcome = result === 'INVALID_INPUT' ? result : 'SINGLE_PRIMARY'
    return alone.map((): MphOutcome => own)
  })
  for (const { tumours, result } of pairs) {
    const [one, other] = tumours
    const [row, column] = [matrix[one], matrix[other]]
    if (row) row[other] = result
    if (column) column[one] = result
  }
  return matrix
}
