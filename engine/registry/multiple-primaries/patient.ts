import { EngineError } from '../../shared/errors.ts'
import { type Reader, readList, readMembers } from '../../shared/input/json-members.ts'
import { comparePair } from './compare-pair.ts'
import { doubtsOf } from './doubts.ts'
import { inOrderOfDate } from './order-of-date.ts'
import type { MphOutcome, MphResult } from './result.ts'
import type { Rules } from './rules.ts'
import { parseTumour, type Tumour } from './tumour.ts'

/**
 * More than any patient has; the 4,950 comparisons and the answer take some ten milliseconds, for
 * which other requests wait.
 */
export const MAX_TUMOURS = 100

/** A tumour's place in the order of date. */
export type Place = number

/** Where a tumour stands; the list of these is in order of date. */
export interface PlacedTumour {
  /** Its place in the request, from 0. */
  readonly input: number
  /** The place of its group in the list of groups, from 0. */
  readonly group: number
  /** Why nothing can be said about it. */
  readonly invalid?: string
}

/** A pair that does not simply belong together or apart; without the rules that led to it. */
export interface ReportedPair extends Omit<MphResult, 'applied_rules'> {
  readonly tumours: readonly [Place, Place]
}

/** What comes of comparing all tumours of a patient; tumours are named by their place in `tumours`. */
export interface PatientResult {
  readonly tumours: readonly PlacedTumour[]
  /**
   * Symmetric. The diagonal has SINGLE_PRIMARY, or INVALID_INPUT where the tumour by itself is the
   * cause of its whole row.
   */
  readonly matrix: readonly (readonly MphOutcome[])[]
  /** Tumours that are one primary, perhaps through others, each and all in ascending order. */
  readonly groups: readonly (readonly Place[])[]
  /** Pairs of one group that by themselves are MULTIPLE_PRIMARIES. */
  readonly conflicts: readonly ReportedPair[]
  /** Pairs for which the data do not suffice, within a group or across. */
  readonly questionable: readonly ReportedPair[]
}

/**
 * Compares each tumour with each other one, the earlier as the first of the pair (registry.md 7.8).
 * The order of date decides, so the order of the request counts only between equal dates.
 * @param yearNow - the current year, as the rules have it
 * @param warn - told of dates that are taken otherwise than they may be meant
 * @throws EngineError bad_input for a list that is missing or too long, naming the member for a
 *   tumour as parsePair does
 */
export function comparePatient(
  rules: Rules,
  body: unknown,
  yearNow: number,
  warn?: (sentence: string) => void,
): PatientResult {
  const { tumours: given } = readPatient(body, '')
  if (warn) {
    for (const [input, tumour] of given.entries()) {
      for (const text of doubtsOf(tumour, `tumours[${input}]`, yearNow)) warn(text)
    }
  }
  const order = inOrderOfDate(given, yearNow)
  const tumours = order.map((input) => given[input] as Tumour)
  const pairs = comparePairs(rules, tumours)
  const groups = componentsOf(tumours.length, pairs)
  const groupOf = new Map(groups.flatMap((group, i) => group.map((place) => [place, i] as const)))
  const alone = tumours.map((one) => comparePair(rules, { input1: one, input2: one }))
  const isWithin = ([one, other]: ReportedPair['tumours']) =>
    groupOf.get(one) === groupOf.get(other)
  return {
    tumours: order.map((input, place) => ({
      ...{ input, group: groupOf.get(place) ?? place },
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

function comparePairs(rules: Rules, tumours: readonly Tumour[]): ReportedPair[] {
  return tumours.flatMap((input2, second) =>
    tumours.slice(0, second).map((input1, first): ReportedPair => {
      const { applied_rules: _, ...reported } = comparePair(rules, { input1, input2 })
      return { tumours: [first, second], ...reported }
    }),
  )
}

/** Connected components over pairs that are one primary. */
function componentsOf(
  count: number,
  pairs: readonly ReportedPair[],
): readonly (readonly Place[])[] {
  // The lowest place of what each place is known to belong to.
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
