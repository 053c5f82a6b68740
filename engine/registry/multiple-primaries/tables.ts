import type { Is } from './answer.ts'
import { expandCodes, placesOf } from './codes.ts'
import { type Diagnosis, PLACES } from './diagnosis.ts'
import { type CodeNames, parseTable } from './table-text.ts'

/** Returns the number of a tumor's row or subtype. 0 if the table does not list it. */
export type RowOf = (tumour: Diagnosis) => number

/** Row names or subtype names of a table, looked up by tumor. */
export interface Names {
  /** Returns the number of the name for a tumor. */
  readonly of: RowOf
  /** Returns the name with a number. */
  readonly name: (number: number) => string
  /** Whether one name includes the other. A name may be several, separated by commas. */
  readonly overlap: (one: number, other: number) => boolean
}

export interface Table {
  readonly rows: Names
  readonly subtypes: Names
  /** Returns the number of the table for a tumor's site. 0 if the site has no table. */
  readonly tableOf: RowOf
}

/** Compiles a table that all sites share. */
export function compileTable(text: string): Table {
  return compile([parseTable(text)], () => 1)
}

/** Compiles tables that each cover different sites. */
export function compileTablesBySite(
  tables: Readonly<Record<string, { readonly sites: string; readonly table: string }>>,
): Table {
  const listed = Object.values(tables)
  const numbers = new Uint8Array(1000)
  listed.forEach(({ sites }, i) => {
    for (const code of expandCodes(sites)) numbers[Number(code.slice(1))] = i + 1
  })
  return compile(
    listed.map(({ table }) => parseTable(table)),
    ({ site }) => numbers[site] ?? 0,
  )
}

/** Tests whether the table has a row or subtype for a tumor. */
export function isIn({ of }: Names): Is {
  return (tumour) => of(tumour) !== 0
}

function compile(
  tables: readonly { readonly rows: CodeNames; readonly subtypes: CodeNames }[],
  tableOf: RowOf,
): Table {
  const rows = tables.map((table) => table.rows)
  const subtypes = tables.map((table) => table.subtypes)
  return { rows: compileNames(rows, tableOf), subtypes: compileNames(subtypes, tableOf), tableOf }
}

/** Numbers the names in all tables from 1. A name that occurs in several tables gets one number. */
function compileNames(tables: readonly CodeNames[], tableOf: RowOf): Names {
  const names = ['', ...new Set(tables.flatMap((codes) => [...codes.values()]))]
  const numbers = new Map(names.map((name, number) => [name, number]))
  const byTable = tables.map((codes) => numbersByPlace(codes, numbers))
  const overlaps = names.map((one) =>
    Uint8Array.from(names, (other) => (one.includes(other) || other.includes(one) ? 1 : 0)),
  )
  return {
    of: (tumour) => byTable[tableOf(tumour) - 1]?.[tumour.morphology] ?? 0,
    name: (number) => names[number] ?? '',
    overlap: (one, other) => overlaps[one]?.[other] === 1,
  }
}

/** Returns row numbers by morphology index. An entry without behavior overrides an entry with behavior. */
function numbersByPlace(codes: CodeNames, numbers: ReadonlyMap<string, number>): Uint8Array {
  const byPlace = new Uint8Array(PLACES)
  const exactFirst = [...codes].sort(([a], [b]) => b.length - a.length)
  for (const [code, name] of exactFirst) {
    for (const place of placesOf(code)) byPlace[place] = numbers.get(name) ?? 0
  }
  return byPlace
}
