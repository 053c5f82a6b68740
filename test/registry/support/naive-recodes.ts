import { readFileSync } from 'node:fs'
import { publicData } from '../../../fixtures/public-data.ts'
import { readCsv } from './read-csv.ts'

// A second implementation of the table recodes, independent of the engine: it tries the published files row by
// row and value by value, as in registry-lookups.md 1.3.

export interface NaiveInput {
  readonly site?: string
  readonly hist?: string
  readonly behavior?: string
  readonly year?: string
}

interface NaiveRow {
  readonly code: string
  readonly extended?: string
  readonly name: string
  /** The cell of sites as in the file. */
  readonly sitesIn?: string
  readonly sitesOut?: string
  readonly histsIn?: string
  readonly histsOut?: string
  readonly behaviors?: string
  readonly minYear?: string
  readonly maxYear?: string
}

interface NaiveTable {
  readonly rows: readonly NaiveRow[]
  readonly unknown: string
  /** The values in the file, for drawing inputs near to them. */
  readonly written: readonly string[]
  recode(input: NaiveInput): {
    readonly code: string
    readonly extended?: string | undefined
    readonly name?: string | undefined
  }
}

type Columns = Readonly<Record<keyof NaiveRow, number | undefined>>

/** The columns of a line, from 0. */
const columns = (places: Partial<Columns>): Partial<Columns> => places
const SEER = columns({ name: 1, sitesIn: 3, sitesOut: 4, histsIn: 5, histsOut: 6, code: 7 })
const SEER_2023 = columns({
  name: 1,
  sitesIn: 3,
  histsIn: 4,
  histsOut: 5,
  behaviors: 6,
  minYear: 7,
  maxYear: 8,
  code: 9,
})
const ICCC = columns({ ...SEER, extended: 9, behaviors: 10 })
const AYA_2008 = columns({ name: 0, behaviors: 1, sitesIn: 2, histsIn: 3, code: 4 })
const AYA_2020 = columns({ name: 0, histsIn: 1, sitesIn: 2, behaviors: 3, code: 4 })
const BRAIN = columns({ name: 0, sitesIn: 1, behaviors: 2, histsIn: 3, histsOut: 4, code: 5 })
const LYMPHOID = columns({ name: 0, sitesIn: 1, histsIn: 2, code: 3 })

interface Source {
  readonly file: string
  readonly columns: Partial<Columns>
  readonly unknown: string
  readonly asks: readonly (keyof NaiveInput)[]
  readonly numbers: boolean
  readonly heads?: number
  readonly digits?: number
}

const SITE_HIST = ['site', 'hist'] as const
const THREE = ['site', 'hist', 'behavior'] as const
const FOUR = ['site', 'hist', 'behavior', 'year'] as const
const seer = { columns: SEER, unknown: '99999', asks: SITE_HIST, numbers: true }
const seer2023 = { columns: SEER_2023, unknown: '99', asks: FOUR, numbers: true }
const iccc = { columns: ICCC, unknown: '999', asks: THREE, numbers: true }

/** The source by recode and version. */
const SOURCES: Readonly<Record<string, Source>> = {
  'seer 2008': { file: 'site-recode-data-2008.csv', ...seer },
  'seer 2003': { file: 'site-recode-data-2003.csv', ...seer },
  'seer 2003-without-kms': { file: 'site-recode-data-2003-without-kms.csv', ...seer },
  'seer 2023': { file: 'site-recode-data-2023.csv', ...seer2023 },
  'seer 2023-expanded': { file: 'site-recode-data-2023-expanded.csv', ...seer2023 },
  'iccc 2017': { file: 'iccc-data-third-edition-iarc-2017.csv', ...iccc },
  'iccc 2008': { file: 'iccc-data-who-2008.csv', ...iccc },
  'iccc 3': { file: 'iccc-data-third-edition.csv', ...iccc, columns: SEER, asks: SITE_HIST },
  'aya 2008': {
    file: 'ayarecodewho2008.txt',
    columns: AYA_2008,
    unknown: '99',
    asks: THREE,
    numbers: false,
    heads: 2,
    digits: 2,
  },
  'aya 2020': {
    file: 'ayarecode-2020revision.csv',
    columns: AYA_2020,
    unknown: '999',
    asks: THREE,
    numbers: false,
    digits: 3,
  },
  'brain-cns 2020': {
    file: 'brain-cnsrecode-2020revision.csv',
    columns: BRAIN,
    unknown: '99',
    asks: THREE,
    numbers: false,
    digits: 2,
  },
  'lymphoid 2021': {
    file: 'lymphoma-2021revision.csv',
    columns: LYMPHOID,
    unknown: '99',
    asks: SITE_HIST,
    numbers: false,
  },
}

export const NAIVE_NAMES = Object.keys(SOURCES)

export function naiveTable(name: string): NaiveTable {
  const source = SOURCES[name]
  if (!source) throw new Error(`no source of ${name}`)
  const rows = readRows(name, source)
  const cells = rows.flatMap(({ code: _, extended: __, name: ___, ...rest }) => Object.values(rest))
  const written = [...new Set(cells.flatMap((cell) => cell.split(/[,\- ]+/)).filter(Boolean))]
  return { rows, unknown: source.unknown, written, recode: recodeBy(rows, source) }
}

function readRows(table: string, source: Source): NaiveRow[] {
  const text = readFileSync(publicData('data/recode', source.file), 'utf8')
  const lines = readCsv(text, table === 'aya 2008' ? ';' : ',').slice(source.heads ?? 1)
  let label = ''
  return lines.flatMap((line) => {
    const cell = (column: keyof NaiveRow) => (line[source.columns[column] ?? -1] ?? '').trim()
    const own = cell('name').replaceAll(/\s+/g, ' ')
    if (own !== '' && !own.includes('(continued)')) label = own
    const code = cell('code')
    // The code of a heading is a range.
    if (code === '' || code.includes('-') || own === 'Unclassified') return []
    const sites = (given: string) => {
      if (table === 'lymphoid 2021') return given.replaceAll(/\d+/g, 'C$&')
      return given.replaceAll('.', '')
    }
    return [
      {
        code: code.padStart(source.digits ?? 0, '0'),
        extended: cell('extended'),
        name: label,
        sitesIn: sites(cell('sitesIn')),
        sitesOut: sites(cell('sitesOut')),
        histsIn: cell('histsIn'),
        histsOut: cell('histsOut'),
        behaviors: cell('behaviors'),
        minYear: cell('minYear'),
        maxYear: cell('maxYear'),
      },
    ]
  })
}

type Bound = number | string
type Ranges = readonly (readonly [low: Bound, high: Bound])[]

function recodeBy(rows: readonly NaiveRow[], { asks, numbers, unknown }: Source) {
  const order = (text: string) => (numbers ? Number(text.replace('C', '')) : text)
  const ranges = (cell = ''): Ranges =>
    cell
      .split(',')
      .map((part) => part.trim().split('-'))
      .filter(([low]) => low !== '')
      .map(([low = '', high = low]) => [order(low), order(high)])
  const read = rows.map((row) => ({
    row,
    sitesIn: ranges(row.sitesIn),
    sitesOut: ranges(row.sitesOut),
    histsIn: ranges(row.histsIn),
    histsOut: ranges(row.histsOut),
    behaviors: asks.includes('behavior') ? ranges(row.behaviors) : [],
  }))
  return (input: NaiveInput) => {
    for (const name of asks) {
      const value = input[name]
      const isCode = name === 'site' ? /^C[0-9]+$/ : /^[0-9]+$/
      if (value === undefined || value.trim() === '') return { code: unknown }
      if (numbers && !isCode.test(value)) return { code: unknown }
    }
    const { site = '', hist = '', behavior = '', year = '' } = input
    const [s, h, b] = [order(site), order(hist), order(behavior)]
    for (const { row, sitesIn, sitesOut, histsIn, histsOut, behaviors } of read) {
      if (!passes(sitesIn, sitesOut, s) || !passes(histsIn, histsOut, h)) continue
      if (!passes(behaviors, [], b) || !isInYears(row, year)) continue
      return { code: row.code, extended: row.extended, name: row.name }
    }
    return { code: unknown }
  }
}

function isInYears({ minYear, maxYear }: NaiveRow, year: string): boolean {
  if (minYear) return Number(year) >= Number(minYear)
  if (maxYear) return Number(year) <= Number(maxYear)
  return true
}

function passes(inside: Ranges, outside: Ranges, value: Bound): boolean {
  if (inside.length > 0) return lists(inside, value)
  return !lists(outside, value)
}

function lists(ranges: Ranges, value: Bound): boolean {
  for (const [low, high] of ranges) if (low <= value && value <= high) return true
  return false
}
