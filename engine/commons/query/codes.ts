import type { Column } from '../release/loaded.ts'
import type { FilterValue, Leaf } from './filter-tree.ts'
import { afterPrefix, compilePattern, isPattern, type Pattern } from './pattern.ts'

type Dictionary = Column['dictionary']

/** Codes as ascending ranges that do not touch: start, exclusive end, next start, and so on. */
export type CodeSet = readonly number[]

/** Returns whether a condition is met by records or elements with none of its values. */
export const isNegative = ({ op }: Pick<Leaf, 'op'>): boolean =>
  op === 'exclude' || op === 'excludeifany' || op === 'missing'

/** Returns the codes of the values that a condition selects. Without a column, no record has a value in the field. */
export const wantedCodes = (leaf: Leaf, column: Column | undefined): CodeSet =>
  column ? codesOf(leaf, column.dictionary) : []

function codesOf({ op, values, ranges }: Leaf, dictionary: Dictionary): CodeSet {
  const all = dictionary.size + 1
  // The parser guarantees that a comparison has one value.
  const bound = values[0] as FilterValue
  switch (op) {
    case 'in':
    case 'exclude':
    case 'excludeifany':
      return listed(values, dictionary)
    case 'starts':
      return started(String(bound), dictionary)
    case 'missing':
      return rangesOf([1, all])
    case 'present': {
      // The empty string has a code, but a field with it counts as missing (data-commons.md 11.10).
      const empty = dictionary.kind === 'text' ? dictionary.find('') : 0
      return rangesOf([empty + 1, all])
    }
    case '<':
      return rangesOf([1, dictionary.lowerBound(bound)])
    case '<=':
      return rangesOf([1, above(bound, dictionary)])
    case '>':
      return rangesOf([above(bound, dictionary), all])
    case '>=':
      return rangesOf([dictionary.lowerBound(bound), all])
    case 'range':
      return union(
        ranges.map(({ from, to }) => [
          from === undefined ? 1 : dictionary.lowerBound(from),
          to === undefined ? all : dictionary.lowerBound(to),
        ]),
      )
  }
}

/** Returns the first code whose value is greater than the given one. */
function above(value: FilterValue, dictionary: Dictionary): number {
  const code = dictionary.lowerBound(value)
  return dictionary.find(value) === code ? code + 1 : code
}

function listed(values: readonly FilterValue[], dictionary: Dictionary): CodeSet {
  const found: [number, number][] = []
  const patterns: Pattern[] = []
  // A list of ids may have tens of thousands of entries, so codes are collected in a typed array, not in pairs.
  const plain = new Uint32Array(values.length)
  let count = 0
  for (const value of values) {
    if (typeof value === 'string' && isPattern(value)) {
      const pattern = compilePattern(value)
      if (pattern.isPrefix) found.push(prefixed(pattern.prefix, dictionary))
      else patterns.push(pattern)
    } else {
      const code = dictionary.find(value)
      if (code > 0) plain[count++] = code
    }
  }
  const runs = runsOf(plain.subarray(0, count).sort())
  if (found.length + patterns.length === 0) return runs
  if (patterns.length > 0) {
    const matching = dictionary.matching((text) => patterns.some(({ matches }) => matches(text)))
    for (const code of matching) found.push([code, code + 1])
  }
  for (let i = 0; i < runs.length; i += 2) found.push([runs[i]!, runs[i + 1]!])
  return union(found)
}

/** Converts ascending codes to ranges. Duplicates are allowed. */
function runsOf(codes: Uint32Array): number[] {
  const runs: number[] = []
  for (const code of codes) {
    if (runs.length > 0 && code <= runs.at(-1)!) runs[runs.length - 1] = code + 1
    else runs.push(code, code + 1)
  }
  return runs
}

/** Returns the set extended by further codes, which are given in ascending order. */
export function withCodes(codes: CodeSet, more: Uint32Array): CodeSet {
  const runs = [codes, runsOf(more)].flatMap((one) =>
    Array.from({ length: one.length / 2 }, (_, i) => [one[2 * i]!, one[2 * i + 1]!] as const),
  )
  return union(runs)
}

function prefixed(prefix: string, dictionary: Dictionary): [number, number] {
  const after = afterPrefix(prefix)
  return [
    prefix === '' ? 1 : dictionary.lowerBound(prefix),
    after === undefined ? dictionary.size + 1 : dictionary.lowerBound(after),
  ]
}

/** Number of leading characters for which both cases are looked up. Later characters are compared one by one. */
const MAX_VARIED = 6

/** Returns the codes of values that start with a text, ignoring case. */
function started(start: string, dictionary: Dictionary): CodeSet {
  const head = Array.from(start).slice(0, MAX_VARIED)
  const variants = head.reduce(
    (texts, char) => {
      const cases = [...new Set([char.toLowerCase(), char.toUpperCase()])]
      return texts.flatMap((text) => cases.map((one) => text + one))
    },
    [''],
  )
  const found = union(variants.map((variant) => prefixed(variant, dictionary)))
  if (head.join('') === start) return found
  const codes: [number, number][] = []
  for (let i = 0; i < found.length; i += 2) {
    for (let code = found[i]!; code < found[i + 1]!; code++) {
      if (dictionary.text(code).toLowerCase().startsWith(start)) codes.push([code, code + 1])
    }
  }
  return union(codes)
}

const rangesOf = ([from, to]: readonly [number, number]): CodeSet => (from < to ? [from, to] : [])

/** Sorts and merges ranges. */
function union(ranges: readonly (readonly [number, number])[]): CodeSet {
  const sorted = ranges.filter(([from, to]) => from < to).sort(([a], [b]) => a - b)
  const joined: number[] = []
  for (const [from, to] of sorted) {
    const end = joined.at(-1)
    if (end === undefined || from > end) joined.push(from, to)
    else joined[joined.length - 1] = Math.max(end, to)
  }
  return joined
}

/** Returns the number of codes in a set, which is a list of ranges: start, end (exclusive), start, end, …. */
export function sizeOf(codes: CodeSet): number {
  let size = 0
  for (let i = 0; i < codes.length; i += 2) size += codes[i + 1]! - codes[i]!
  return size
}

/** Returns a table indexed by code, from 0 to `distinct`, with 1 for codes of the set. */
export function tableOf(codes: CodeSet, distinct: number): Uint8Array {
  const table = new Uint8Array(distinct + 1)
  for (let i = 0; i < codes.length; i += 2) table.fill(1, codes[i], codes[i + 1])
  return table
}
