import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { IndexedRecord } from '../../../engine/registry/full-text/record.ts'
import { publicData } from '../../../fixtures/public-data.ts'

export type InputName = 'full' | 'quick' | 'test'

/** How many drug products. */
export const COUNTS: Readonly<Record<InputName, number>> = {
  full: 100_000,
  quick: 10_000,
  test: 2_000,
}

const FOLDER = publicData('data/drugs')
const TABLES = ['fda_ndc_2015.products.tsv.gz', 'fda_unfinished_product_2018.txt.gz']

/** Whether the published products are beside the checkout. */
export const hasProducts = TABLES.every((name) => existsSync(join(FOLDER, name)))

/** A drug product; what is searched is in four texts, here in order of their weights. */
export interface Product {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly substance: string
  readonly rest: string
  readonly type: string
  /** YYYYMMDD, or '' */
  readonly started: string
  readonly removed: 'yes' | 'no'
}

export const WEIGHTS = { code: 8, name: 4, substance: 2, rest: 1 } as const

/**
 * Published products: each once, from the second time on with another number of its maker and with
 * maker and classes of another product. Neighbours have nothing in common.
 */
export function productsOf(name: InputName): Product[] {
  const rows = TABLES.flatMap(readRows)
  return Array.from({ length: COUNTS[name] }, (_, i) => {
    const place = (i * 7_919) % rows.length
    const times = Math.floor(i / rows.length)
    const row = rows[place]!
    const other = rows[(place + times * 4_999) % rows.length]!
    return {
      id: `p${String(i).padStart(6, '0')}`,
      code: times === 0 ? codeOf(row) : codeOf(row).replace(/^\d+/, (maker) => `${maker}${times}`),
      name: row.PROPRIETARYNAME ?? row.NONPROPRIETARYNAME ?? '',
      substance: `${row.NONPROPRIETARYNAME} ${row.SUBSTANCENAME}`,
      rest: [
        ...[row.PRODUCTTYPENAME, row.DOSAGEFORMNAME, row.ROUTENAME, row.PACKAGEDESCRIPTION],
        ...[row.ACTIVE_NUMERATOR_STRENGTH, row.ACTIVE_INGRED_UNIT],
        ...[other.LABELERNAME, other.PHARM_CLASSES],
      ].join(' '),
      type: row.PRODUCTTYPENAME ?? '',
      started: row.STARTMARKETINGDATE ?? '',
      removed: i % 20 === 0 ? 'yes' : 'no',
    }
  })
}

export function recordOf({ id, type, started, removed, ...texts }: Product): IndexedRecord {
  return {
    id,
    texts: (['code', 'name', 'substance', 'rest'] as const).map((one) => ({
      text: texts[one],
      weight: WEIGHTS[one],
    })),
    filters: { type: [type], removed: [removed] },
    orders: { name: texts.name, started: started === '' ? undefined : started },
  }
}

type Row = Readonly<Record<string, string>>

function readRows(name: string): Row[] {
  const text = gunzipSync(readFileSync(join(FOLDER, name))).toString()
  const [head = '', ...lines] = text.trimEnd().split(/\r?\n/)
  const columns = head.split('\t')
  return lines.map((line) => {
    const cells = line.split('\t')
    return Object.fromEntries(
      columns.flatMap((column, i) => (cells[i] ? [[column, cells[i]]] : [])),
    )
  })
}

/** Labeler and product with a hyphen, as the registry writes them. */
function codeOf({ PRODUCTNDC, NDC = '', FORMAT = '' }: Row): string {
  if (PRODUCTNDC) return PRODUCTNDC
  const [labeler = 0, product = 0] = FORMAT.split('-').map(Number)
  return `${NDC.slice(0, labeler)}-${NDC.slice(labeler, labeler + product)}`
}
