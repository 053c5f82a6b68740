import type { Column } from '../release/loaded.ts'
import type { FilterValue, Leaf } from './filter-tree.ts'
import { afterPrefix, compilePattern, isPattern, type Pattern } from './pattern.ts'

type Dictionary = Column['dictionary']

/** Codes of a column as ascending ranges that do not touch: first code, code after the last, … */
export type CodeSet = readonly number[]

/** A leaf on a column: the records (or elements) that have a value in `codes`, or that have none. */
export interface Wanted {
  readonly codes: CodeSet
  readonly negative: boolean
}

/** Finds a leaf's values in the column's dictionary. `undefined`: no record has the field. */
export function wantedCodes(leaf: Leaf, column: Column | undefined): Wanted {
  const negative = leaf.op === 'exclude' || leaf.op === 'excludeifany' || leaf.op === 'missing'
  const codes = column ? codesOf(leaf, column.dictionary) : []
  return { codes, negative }
}

function codesOf({ op, values, ranges }: Leaf, dictionary: Dictionary): CodeSet {
  const all = dictionary.size + 1
  // Parsing gives every comparison its value.
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
      // Empty text is a value, but its field does not count as filled (data-commons.md 11.10).
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

/** First code whose value is above the given one. */
function above(value: FilterValue, dictionary: Dictionary): number {
  const code = dictionary.lowerBound(value)
  return dictionary.find(value) === code ? code + 1 : code
}

function listed(values: readonly FilterValue[], dictionary: Dictionary): CodeSet {
  const found: [number, number][] = []
  const patterns: Pattern[] = []
  for (const value of values) {
    if (typeof value === 'string' && isPattern(value)) {
      const pattern = compilePattern(value)
      if (pattern.isPrefix) found.push(prefixed(pattern.prefix, dictionary))
      else patterns.push(pattern)
    } else {
      const code = dictionary.find(value)
      if (code > 0) found.push([code, code + 1])
    }
  }
  if (patterns.length > 0) {
    const matching = dictionary.matching((text) => patterns.some(({ matches }) => matches(text)))
    for (const code of matching) found.push([code, code + 1])
  }
  return union(found)
}

function prefixed(prefix: string, dictionary: Dictionary): [number, number] {
  const after = afterPrefix(prefix)
  return [
    prefix === '' ? 1 : dictionary.lowerBound(prefix),
    after === undefined ? dictionary.size + 1 : dictionary.lowerBound(after),
  ]
}

/** Characters of a start whose upper and lower case are both looked up; the rest is compared. */
const MAX_VARIED = 6

/** Values that start with a text, in any case: folded columns and exact ones alike. */
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

/** Sorts and joins ranges. */
export function union(ranges: readonly (readonly [number, number])[]): CodeSet {
  const sorted = ranges.filter(([from, to]) => from < to).sort(([a], [b]) => a - b)
  const joined: number[] = []
  for (const [from, to] of sorted) {
    const end = joined.at(-1)
    if (end === undefined || from > end) joined.push(from, to)
    else joined[joined.length - 1] = Math.max(end, to)
  }
  return joined
}

export function sizeOf(codes: CodeSet): number {
  let size = 0
  for (let i = 0; i < codes.length; i += 2) size += codes[i + 1]! - codes[i]!
  return size
}
