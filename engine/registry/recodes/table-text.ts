/** A condition on one input, which includes or excludes ranges. */
export interface Condition {
  readonly isExclusion: boolean
  readonly ranges: readonly Range[]
}

/** An inclusive range. It is unlimited if it has no upper bound. */
interface Range {
  readonly low: string
  readonly high: string | undefined
}

export interface TableRow {
  readonly code: string
  readonly extended: string | undefined
  readonly name: string
  /** Undefined if any value matches. */
  readonly site: Condition | undefined
  readonly hist: Condition | undefined
  readonly behavior: Condition | undefined
  readonly year: Condition | undefined
}

/**
 * Parses the rows of a table in the order in which they are tried. A line is `code/extended | name | sites |
 * histologies | behaviors | years`. An indented line continues the line before it. An empty list matches any
 * value, `not` precedes excluded values, and trailing cells may be missing.
 */
export function readTable(text: string): readonly TableRow[] {
  return text.trim().replaceAll(/\n +/g, ' ').split('\n').map(readRow)
}

function readRow(line: string): TableRow {
  const [codes = '', name = '', sites, hists, behaviors, years] = line
    .split('|')
    .map((cell) => cell.trim())
  const [code = '', extended] = codes.split('/')
  return {
    code,
    extended,
    name,
    site: readCondition(sites),
    hist: readCondition(hists),
    behavior: readCondition(behaviors),
    year: readCondition(years),
  }
}

function readCondition(cell = ''): Condition | undefined {
  if (cell === '') return undefined
  const [first = '', ...others] = cell.split(' ')
  const isExclusion = first === 'not'
  return { isExclusion, ranges: (isExclusion ? others : [first, ...others]).map(readRange) }
}

/** Parses `C500`, `C500-C509`, or `2010-`. */
function readRange(word: string): Range {
  const [low = '', high = low] = word.split('-')
  return { low, high: high === '' ? undefined : high }
}
