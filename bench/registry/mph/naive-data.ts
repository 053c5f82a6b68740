import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicData } from '../../../fixtures/public-data.ts'

// The published tables, read as they are.

const SHARED = publicData()
const TABLES = join(SHARED, 'contract/mph-tables.json')

/** Whether the tables are beside the checkout. */
export const hasTables = existsSync(TABLES)

export interface NaiveGroup {
  readonly id: string
  readonly site_in: string | null
  readonly hist_in: string | null
  readonly hist_ex: string | null
  readonly behavior_in: string
  readonly year_in: string
  readonly steps: readonly string[]
}

export type RowTable = Readonly<Record<string, string>>

interface SiteTables {
  readonly tables: Readonly<Record<string, RowTable>>
  readonly site_to_table: Readonly<Record<string, string>>
}

interface Tables {
  readonly groups: readonly NaiveGroup[]
  readonly scalars: Readonly<Record<string, string>>
  readonly code_sets: Readonly<Record<string, readonly string[]>>
  readonly row_tables: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >
  readonly by_site: Readonly<Record<string, SiteTables>>
}

/** A line of a CSV file: its fields, of which none that is read here has a comma. */
type Fields = readonly string[]

export class NaiveData {
  readonly #tables = JSON.parse(readFileSync(TABLES, 'utf8')) as Tables
  readonly groups = this.#tables.groups
  readonly ranges1998 = readCsv('Hematopoietic1998HistologyPairs')
  readonly groups2001 = readCsv('Hematopoietic2001HistologyGroups')
  readonly pairs2001 = new Set(readCsv('Hematopoietic2001HistologyGroupPairs').map(String))
  readonly samePrimary = new YearPairs('Hematopoietic2010SamePrimaryPairs')
  readonly transformFrom = new YearPairs('Hematopoietic2010TransformFromPairs')
  readonly transformTo = new YearPairs('Hematopoietic2010TransformToPairs')

  /** Codes of sets by their names. */
  set(...names: readonly string[]): ReadonlySet<string> {
    return new Set(names.flatMap((name) => this.#tables.code_sets[name]!))
  }

  list(name: string): readonly string[] {
    return this.#tables.code_sets[name]!
  }

  scalar(name: string): string {
    return this.#tables.scalars[name]!
  }

  rows(name: string): RowTable {
    return this.#tables.row_tables[name] as RowTable
  }

  lists(name: string): Readonly<Record<string, readonly string[]>> {
    return this.#tables.row_tables[name] as Readonly<Record<string, readonly string[]>>
  }

  bySite(name: string): SiteTables {
    return this.#tables.by_site[name]!
  }
}

/** Morphologies with others, and the years in which that holds. */
class YearPairs {
  readonly #rows = new Map<string, { other: string; start: number; end: number }[]>()

  constructor(file: string) {
    for (const [morphology = '', validStart, validEnd, start, end, other = ''] of readCsv(file)) {
      const rows = this.#rows.get(morphology) ?? []
      const years = {
        start: Number(start || validStart || 0),
        end: Number(end || validEnd || 9999),
      }
      rows.push({ other, ...years })
      this.#rows.set(morphology, rows)
    }
  }

  matches(morphology: string, other: string, year: number): boolean {
    const rows = this.#rows.get(morphology) ?? []
    return rows.some((row) => row.other === other && year >= row.start && year <= row.end)
  }
}

function readCsv(name: string): Fields[] {
  const text = readFileSync(join(SHARED, `data/mph/${name}.csv`), 'utf8')
  const lines = text.split(/\r?\n/).slice(1)
  return lines.filter((line) => line !== '').map((line) => line.split(','))
}
