import type { StagingTable } from '../../../engine/registry/staging/algorithm/model.ts'

// A table as the rules of registry.md 4.2 to 4.4 read: rows in order, cells as lists of ranges. It is
// written apart from the engine, and shares nothing with it but the shape of the JSON.

export type Context = Map<string, string | null>

interface Range {
  readonly low: string
  readonly high: string
  readonly refers: boolean
  /** Both bounds are numbers that differ; of no use where one refers to a key. */
  readonly isNumeric: boolean
}

type Endpoint = {
  readonly key: string
  readonly type: string
  readonly value: string | null
}

interface Row {
  /** One per INPUT column; null accepts everything. */
  readonly cells: readonly (readonly Range[] | null)[]
  readonly endpoints: readonly Endpoint[]
}

export interface NaiveTable {
  readonly id: string
  readonly inputKeys: readonly string[]
  readonly endpointKeys: readonly string[]
  readonly rows: readonly Row[]
}

const NUMBER = /^-?(\d+\.?\d*|\.\d+)$/
const isNumber = (text: string) => NUMBER.test(text) && !text.endsWith('.')
const trim = (text: string) => text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '')
export const trimText = (text: string) =>
  /^[^\0-\x20].*[^\0-\x20]$/s.test(text) ? text : trim(text)

/** The key of `{{key}}`. */
function keyOf(text: string): string | undefined {
  return /^\{\{([^{}]+)\}\}$/.exec(text)?.[1]
}

export function translate(text: string, context: Context): string {
  const key = text.startsWith('{{') ? keyOf(text) : undefined
  return key === undefined ? text : (context.get(key) ?? '')
}

export function readTable({ id, definition, rows }: StagingTable): NaiveTable {
  const placesOf = (wanted: string) =>
    definition.flatMap(({ type, key = '' }, place) => (type === wanted ? [{ key, place }] : []))
  const inputs = placesOf('INPUT')
  const ends = placesOf('ENDPOINT')
  return {
    id,
    inputKeys: inputs.map(({ key }) => key),
    endpointKeys: ends.map(({ key }) => key),
    rows: rows.map((cells) => ({
      cells: inputs.map(({ place }) => readCell(cells[place] ?? null)),
      endpoints: ends.map(({ key, place }) => readEndpoint(key, cells[place] ?? '')),
    })),
  }
}

function readCell(cell: string | null): Range[] | null {
  return cell === null || cell === '*' ? null : cell.split(',').map(readRange)
}

function readRange(part: string): Range {
  const pieces = part.split('-')
  while (pieces.at(-1) === '') pieces.pop()
  const [low = '', high = ''] = pieces.map(trim)
  const isRange =
    pieces.length === 2 &&
    (low.length === high.length ||
      (isNumber(low) && isNumber(high)) ||
      keyOf(low) !== undefined ||
      keyOf(high) !== undefined)
  return isRange ? rangeOf(low, high) : rangeOf(trim(part), trim(part))
}

function rangeOf(low: string, high: string): Range {
  const refers = keyOf(low) !== undefined || keyOf(high) !== undefined
  return { low, high, refers, isNumeric: low !== high && isNumber(low) && isNumber(high) }
}

function readEndpoint(key: string, cell: string): Endpoint {
  const [, type = '', value] = /^([^:]*)(?::(.*))?$/s.exec(cell) ?? []
  return { key, type: trim(type), value: value === undefined ? null : trim(value) }
}

function contains(range: Range, value: string, context: Context): boolean {
  if (range.refers) {
    const low = translate(range.low, context)
    const high = translate(range.high, context)
    return contains({ ...rangeOf(low, high), refers: false }, value, context)
  }
  const { low, high, isNumeric } = range
  if (!isNumeric) {
    return (
      low.length === value.length && high.length === value.length && low <= value && value <= high
    )
  }
  if (!isNumber(value)) return false
  if (value.includes('.') && !low.includes('.') && !high.includes('.')) return false
  const number = Math.fround(Number(value))
  return Math.fround(Number(low)) <= number && number <= Math.fround(Number(high))
}

/** The first row that accepts the context, -1 for none. Keys that are not in `asked` are passed over. */
export function scanRows(
  { rows, inputKeys }: NaiveTable,
  context: Context,
  asked?: ReadonlySet<string>,
): number {
  return rows.findIndex(({ cells }) =>
    cells.every((ranges, column) => {
      const key = inputKeys[column]!
      if (ranges === null || (asked && !asked.has(key))) return true
      const value = context.get(key) ?? ''
      return ranges.some((range) => contains(range, value, context))
    }),
  )
}
