import { EngineError } from '../../shared/errors.ts'
import { wholeDigits } from '../../shared/input/decimal.ts'
import { nearestOf } from '../../shared/input/near-name.ts'
import { CATEGORIES, type Category } from './categories.ts'
import { listIn, textIn } from './tables/cells.ts'
import { RowError } from './tables/row-error.ts'

/**
 * Reads the value of a member from a cell. Returns undefined for an empty cell.
 * @throws RowError if the cell is invalid
 */
export type CellReader = (cell: string, column: string) => unknown

const isCategory = (name: string): name is Category => CATEGORIES.some((one) => one === name)

/** Reads categories separated by semicolons or commas, in any case: `Hormonal Therapy; Chemotherapy`. */
export const categoriesIn: CellReader = (cell, column) => {
  const names = (textIn(cell, column)?.split(/[;,]/) ?? []).map((part) => part.trim())
  const given = names.filter((name) => name !== '')
  const found = given.map((name) => {
    const category = name.toUpperCase().replace(/[ _-]+/g, '_')
    if (isCategory(category)) return category
    const near = nearestOf(category, CATEGORIES)
    throw new RowError(`"${name.slice(0, 60)}" is none of ${CATEGORIES.join(', ')}${near}`, column)
  })
  return found.length === 0 ? undefined : [...new Set(found)]
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  '1': true,
  false: false,
  no: false,
  n: false,
  '0': false,
}

export const flagIn: CellReader = (cell, column) => {
  const given = textIn(cell, column)?.toLowerCase()
  if (given === undefined) return undefined
  const text = wholeDigits(given) ?? given
  if (Object.hasOwn(FLAGS, text)) return FLAGS[text]
  throw new RowError('the cell is neither yes nor no; give true or false', column)
}

export const yearIn: CellReader = (cell, column) => {
  const text = textIn(cell, column)
  if (text === undefined) return undefined
  const year = wholeDigits(text) ?? ''
  if (/^\d{4}$/.test(year)) return year
  throw new RowError('the cell is no year; give YYYY', column)
}

export { listIn, textIn }

/** A column that sets a member, with its 0-based position. */
interface MemberColumn {
  /** Column name in the spelling of the table. */
  readonly column: string
  readonly place: number
  readonly member: string
  readonly read: CellReader
}

export interface CategoryHeader {
  readonly code: { readonly column: string; readonly place: number }
  readonly members: readonly MemberColumn[]
  /** Columns that set no member. */
  readonly dropped: readonly string[]
}

export interface CategoryLayout {
  /** The layout's name in reports. */
  readonly name: string
  /** Accepted names of the code column. */
  readonly codes: readonly string[]
  readonly members: Readonly<Record<string, CellReader>>
  /** Maps alternative column names to members. */
  readonly aliases: Readonly<Record<string, string>>
}

/** Normalizes a column name: `Major Drug Class` becomes `major_drug_class`. */
const foldedName = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')

/**
 * Finds the meaning of each column of a table by its name.
 * @throws EngineError `bad_input` if the code column or every member column is missing, or one of them occurs
 * twice
 */
export function readHeader(
  names: readonly string[],
  { codes, members, aliases }: CategoryLayout,
): CategoryHeader {
  const seen = new Set<string>()
  const columns = names.flatMap((column, place) => {
    // Columns with the same name contain the same cells, so only the first is read.
    if (seen.has(column)) return []
    seen.add(column)
    const folded = foldedName(column)
    return [{ column, place, folded, member: aliases[folded] ?? folded }]
  })
  const [code, ...more] = columns.filter(({ folded }) => codes.includes(folded))
  const found = columns.flatMap(({ column, place, member }) => {
    const read = Object.hasOwn(members, member) ? members[member] : undefined
    return read ? [{ column, place, member, read }] : []
  })
  const known = Object.keys(members).join(', ')
  if (!code || more.length > 0) {
    return refuse(
      `the table has ${code ? 'several columns' : 'no column'} of codes (${codes.join(', ')})`,
    )
  }
  if (found.length === 0) return refuse(`the table has none of the columns ${known}`)
  const twice = found.find(({ member }, i) => found.findIndex((one) => one.member === member) < i)
  if (twice) return refuse(`the column "${twice.column}" is ${twice.member}, as another one is`)
  const used = new Set([code.place, ...found.map(({ place }) => place)])
  const dropped = columns.filter(({ place }) => !used.has(place)).map(({ column }) => column)
  return { code, members: found, dropped }
}

function refuse(message: string): never {
  throw new EngineError('bad_input', message, { at: 'line 1' })
}
