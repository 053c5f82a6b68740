/** What a row says of one input: ranges that list it, or that leave it out. */
export interface Condition {
  readonly isExclusion: boolean
  readonly ranges: readonly Range[]
}

/** Both ends belong to it. Without a high end it goes on for ever. */
export interface Range {
  readonly low: string
  readonly high: string | undefined
}

export interface TableRow {
  readonly code: string
  readonly extended: string | undefined
  readonly name: string
  /** Undefined where any value will do. */
  readonly site: Condition | undefined
  readonly hist: Condition | undefined
  readonly behavior: Condition | undefined
  readonly year: Condition | undefined
}

/**
 * Rows of a table, in the order in which they are tried. A line is `code/extended | name | sites |
 * histologies | behaviors | years`; one that is indented goes on with the line before. An empty list
 * is any value, `not` stands before values that are left out, and cells at the end may be missing.
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
    ...{ code, extended, name },
    ...{ site: readCondition(sites), hist: readCondition(hists) },
    ...{ behavior: readCondition(behaviors), year: readCondition(years) },
  }
}

function readCondition(cell = ''): Condition | undefined {
  if (cell === '') return undefined
  const [first = '', ...others] = cell.split(' ')
  const isExclusion = first === 'not'
  return { isExclusion, ranges: (isExclusion ? others : [first, ...others]).map(readRange) }
}

/** `C500`, `C500-C509`, or `2010-` */
function readRange(word: string): Range {
  const [low = '', high = low] = word.split('-')
  return { low, high: high === '' ? undefined : high }
}
