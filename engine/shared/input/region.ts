import { EngineError } from '../errors.ts'
import { IntervalList } from './interval-list.ts'
import { suggestReference } from './near-reference.ts'

/** An interval on a named reference, 0-based and half-open. Infinity means an open end. */
export interface NamedInterval {
  readonly reference: string
  readonly start: number
  readonly end: number
}

/** An interval on a reference by its number in the file's header, 0-based and half-open. */
export interface Interval {
  readonly reference: number
  readonly start: number
  readonly end: number
}

// Pattern from data-commons-service.md 4.5 rule 1. It deliberately excludes names such as HLA-A*01:01.
const REGION = /^([a-zA-Z0-9]+)(?::([0-9]+)?(?:-([0-9]+))?)?$/

/** Maximum position. Greater numbers are reduced to it, so that they do not lose precision. */
const MAX_POSITION = Number.MAX_SAFE_INTEGER

const FORMS = 'use name, name:start, name:start-end, name:-end'
const SYNTAX = `${FORMS} or unmapped`

/**
 * Parses a region, which is 1-based and inclusive in text, to a 0-based half-open interval. The text
 * `unmapped` means the reads without a position.
 * @throws EngineError bad_region with the place of the text
 */
export function parseRegion(text: string, at: string): NamedInterval | 'unmapped' {
  return text === 'unmapped' ? 'unmapped' : parseInterval(text, at, SYNTAX)
}

/**
 * Parses a region on a reference, like `parseRegion`.
 * @param syntax accepted forms, for the error message
 * @throws EngineError bad_region with the place of the text
 */
export function parseInterval(text: string, at: string, syntax = FORMS): NamedInterval {
  const match = REGION.exec(text)
  if (!match?.[1]) {
    throw new EngineError('bad_region', `region "${shorten(text)}" is malformed; ${syntax}`, { at })
  }
  return interval(match[1], match[2], match[3], text, at)
}

/**
 * Parses a region on the command line. The reference may have any name that the file contains: the whole text if
 * it is such a name, otherwise the part before the last colon.
 * @throws EngineError bad_region if neither is a reference of the file
 */
export function parseNamedRegion(
  text: string,
  names: ReadonlySet<string>,
  at: string,
): NamedInterval | 'unmapped' {
  if (names.has(text)) return { reference: text, start: 0, end: Infinity }
  if (text === 'unmapped' || text === '*') return 'unmapped'
  const colon = text.lastIndexOf(':')
  const range = /^([0-9]+)?(?:-([0-9]+))?$/.exec(text.slice(colon + 1).replaceAll(',', ''))
  const reference = colon < 1 || !range ? text : text.slice(0, colon)
  if (!range || !names.has(reference)) {
    const meant = suggestReference(reference, names)
    throw new EngineError(
      'bad_region',
      `region "${shorten(text)}" names no reference of the file; ${SYNTAX}${meant}`,
      { at },
    )
  }
  return interval(reference, range[1], range[2], text, at)
}

function interval(
  reference: string,
  startText: string | undefined,
  endText: string | undefined,
  text: string,
  at: string,
): NamedInterval {
  // Position 0 counts as 1, as in htslib.
  const first = Math.max(Number(startText ?? 1), 1)
  const last = endText === undefined ? Infinity : Number(endText)
  if (last < first) {
    throw new EngineError(
      'bad_region',
      `region "${shorten(text)}": end ${last} is before start ${first}; ${SYNTAX}`,
      { at },
    )
  }
  const start = Math.min(first, MAX_POSITION) - 1
  const end = endText === undefined ? Infinity : Math.min(last, MAX_POSITION)
  return { reference, start, end }
}

/** Shortens a region for messages. Clients may send megabytes. */
function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`
}

/** The starts and ends of the intervals on one reference. */
interface Bounds {
  readonly starts: number[]
  readonly ends: number[]
}

/** Intervals that are looked at in one step. */
const STEP_INTERVALS = 1024

/**
 * Replaces names by numbers and merges overlapping and adjacent intervals, in file order, in steps. Unknown names are
 * skipped (data-commons.md 4.5 rule 5).
 * @param isLoose whether a record may have length 0 (mayBeEmpty): one between two adjacent intervals belongs
 * to neither, so these are not merged
 */
export function* mergeIntervals(
  intervals: Iterable<NamedInterval>,
  numberOf: ReadonlyMap<string, number>,
  isLoose = false,
): Generator<void, IntervalList<number>> {
  const byReference = new Map<number, Bounds>()
  let looked = 0
  for (const interval of intervals) {
    if (++looked % STEP_INTERVALS === 0) yield
    const number = numberOf.get(interval.reference)
    if (number === undefined) continue
    const bounds = byReference.get(number) ?? { starts: [], ends: [] }
    byReference.set(number, bounds)
    bounds.starts.push(interval.start)
    bounds.ends.push(interval.end)
  }
  const merged = new IntervalList<number>()
  for (const [reference, bounds] of [...byReference].sort(([a], [b]) => a - b)) {
    yield* mergeOf(reference, bounds, isLoose, merged)
  }
  return merged
}

/**
 * Merges the intervals of one reference. Sorts starts and ends separately, as numbers, which takes a tenth of
 * the time of sorting objects. If as many ends as starts come before the next start, all intervals so far have
 * ended.
 */
function* mergeOf(
  reference: number,
  bounds: Bounds,
  isLoose: boolean,
  into: IntervalList<number>,
): Generator<void, void> {
  const starts = Float64Array.from(bounds.starts)
  const ends = Float64Array.from(bounds.ends)
  yield
  starts.sort()
  yield
  ends.sort()
  yield
  let first = 0
  for (let next = 1; next <= starts.length; next++) {
    if (next % STEP_INTERVALS === 0) yield
    const end = ends[next - 1]!
    const start = starts[next]
    if (start !== undefined && (isLoose ? start < end : start <= end)) continue
    into.push({ reference, start: starts[first]!, end })
    first = next
  }
}

/**
 * Returns the file's name for a chromosome of the gene model: unchanged, with or without `chr`, and with M
 * and MT as synonyms (data-commons.md 11.3). Undefined if the file has none of them.
 */
export function referenceOfChromosome(
  chromosome: string,
  numberOf: ReadonlyMap<string, number>,
): string | undefined {
  return chromosomeSpellings(chromosome).find((name) => numberOf.has(name))
}

/** Returns the spellings to try for a chromosome, in order. */
export function chromosomeSpellings(chromosome: string): string[] {
  const bare = chromosome.replace(/^chr/, '')
  const mitochondrial = bare === 'M' || bare === 'MT' ? ['chrM', 'MT', 'M'] : []
  return [...new Set([chromosome, `chr${bare}`, bare, ...mitochondrial])]
}
