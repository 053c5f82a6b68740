import type { Is } from './answer.ts'
import { expandCodes, placesOf } from './codes.ts'
import { type Diagnosis, PLACES } from './diagnosis.ts'
import { type CodeNames, parseTable } from './table-text.ts'

/** Number of the row, or of the subtype, of a tumour; 0 where the table has none. */
export type RowOf = (tumour: Diagnosis) => number

/** Names of a table by tumour: of its rows or of its subtypes. */
export interface Names {
  readonly of: RowOf
  readonly name: (number: number) => string
  /** Whether the one name is within the other: some stand for several, with commas between. */
  readonly overlap: (one: number, other: number) => boolean
}

export interface Table {
  readonly rows: Names
  readonly subtypes: Names
  /** Which table is looked into for a site, 0 for none. */
  readonly tableOf: RowOf
}

/** A table that all sites share. */
export function compileTable(text: string): Table {
  return compile([parseTable(text)], () => 1)
}

/** Tables of which each has sites of its own. */
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

/** Whether the table has a row, or a subtype, for a tumour. */
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

/** Equal names of several tables get equal numbers. */
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

/** A histology counts before a histology with behavior. */
function numbersByPlace(codes: CodeNames, numbers: ReadonlyMap<string, number>): Uint8Array {
  const byPlace = new Uint8Array(PLACES)
  const exactFirst = [...codes].sort(([a], [b]) => b.length - a.length)
  for (const [code, name] of exactFirst) {
    for (const place of placesOf(code)) byPlace[place] = numbers.get(name) ?? 0
  }
  return byPlace
}
