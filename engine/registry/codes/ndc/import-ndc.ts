import { EngineError } from '../../../shared/errors.ts'
import type { SourceFile } from '../../../shared/input/source-file.ts'
import type { StoredCode } from '../repository.ts'
import type { CodeImport, ImportedCodes, TableReport } from '../tables/import-run.ts'
import { type CodeSources, importTables } from '../tables/import-tables.ts'
import type { Outcome } from '../tables/load-groups.ts'
import { readTable, type TableRun, type TableSource } from '../tables/read-table.ts'
import { RowError } from '../tables/row-error.ts'
import type { RowSpool } from '../tables/row-spool.ts'
import { joinRows } from './join-rows.ts'
import { type ListingKind, type NdcLayout, PACKAGE_LAYOUTS, PRODUCT_LAYOUTS } from './layouts.ts'
import { type NdcRow, rowReader } from './read-row.ts'
import { contentOf, isListed, listingsOf, productOf } from './record.ts'

export interface NdcTables {
  /** Path of a table of products, or of a table of packages that includes their products. */
  readonly products: string
  /** Path of the table of packages that belongs to the products. If missing, known packages are kept. */
  readonly packages?: string | undefined
}

/** The scope of an import, as far as the tables read so far show. */
interface Given {
  kind: ListingKind
  hasPackages: boolean
}

type Row = Omit<NdcRow, 'code'>

/**
 * Imports published tables in one transaction. Afterwards, the products of this kind are those of the tables. A
 * product that is no longer listed gets a removal date, which is cleared if a later table lists it again. The
 * registry's own part is kept.
 * @throws EngineError like readTable; `bad_input` if the tables do not belong together
 */
export async function importNdc(
  sources: CodeSources,
  { products, packages }: NdcTables,
  run: CodeImport,
): Promise<ImportedCodes> {
  const given: Given = { kind: 'finished', hasPackages: packages !== undefined }
  const differing = new Map<string, number>()
  return importTables<Row>(
    sources,
    {
      paths: packages === undefined ? [products] : [products, packages],
      read: (files, spool, reading) => readTables(files, spool, { ...reading, given }),
      decide: (date) => (known, group) => {
        const rows = group && joinRows(group.rows, differing)
        return decide(known, group && rows && { code: group.code, ...rows }, {
          ...given,
          date,
          run,
        })
      },
      differing,
    },
    run,
  )
}

type Opener = TableSource<NdcLayout>['open']

async function readTables(
  [products, packages]: readonly SourceFile[],
  spool: RowSpool<Row>,
  { given, ...run }: TableRun & { readonly given: Given },
): Promise<readonly TableReport[]> {
  const keep = ({ code, ...row }: NdcRow) => {
    const fate = spool.has(code) ? 'merge' : 'load'
    spool.add(code, row)
    return { fate, code } as const
  }
  const ofProducts: Opener = (recognised) => {
    const { kind = 'finished', columns } = recognised.layout
    given.kind = kind
    const isOfPackages = Object.hasOwn(columns, 'PACKAGEDESCRIPTION')
    if (isOfPackages && packages) refuseSecond()
    given.hasPackages ||= isOfPackages
    const read = rowReader(recognised)
    return (cells) => keep(read(cells))
  }
  const ofPackages: Opener = (recognised) => {
    const read = rowReader(recognised)
    return (cells) => {
      const row = read(cells)
      if (spool.has(row.code)) return keep(row)
      const message = `no row of the products that was taken has the code ${row.code}`
      throw new RowError(message, 'PRODUCTNDC')
    }
  }
  const reports: TableReport[] = []
  if (products) {
    const table = { file: products, layouts: PRODUCT_LAYOUTS, open: ofProducts }
    reports.push(await readTable(table, run))
  }
  if (packages) {
    const table = { file: packages, layouts: PACKAGE_LAYOUTS, open: ofPackages }
    reports.push(await readTable(table, run))
  }
  return reports
}

function refuseSecond(): never {
  throw new EngineError('bad_input', 'there are packages already; no second table belongs to it')
}

interface DecideOptions extends Given {
  readonly date: string
  readonly run: CodeImport
}

type JoinedRows = ReturnType<typeof joinRows> & { readonly code: string }

function decide(
  known: StoredCode | undefined,
  given: JoinedRows | undefined,
  { kind, hasPackages, date, run }: DecideOptions,
): Outcome {
  const before = known ? listingsOf(known) : {}
  const listing = before[kind]
  if (!given && (run.partial || !listing?.listed)) return { change: 'same' }
  const packages = hasPackages ? undefined : listing?.content.packages
  const content = given ? given.content(packages) : (listing?.content ?? {})
  const after = { ...before, [kind]: { listed: given !== undefined, content } }
  const listings = JSON.stringify(after)
  if (known?.listings === listings) return { change: 'same' }
  const code = known?.code ?? given?.code ?? ''
  const dateRemoved = isListed(after) ? null : (known?.dateRemoved ?? date)
  const record = { code, listings, own: known?.own ?? null, dateAdded: known?.dateAdded ?? date }
  if (!known) return { change: 'added', record: { ...record, dateModified: date, dateRemoved } }
  const change = changeOf(known, dateRemoved, contentOf(before), contentOf(after))
  const isModified = change === 'changed' || change === 'reappeared'
  const dateModified = isModified ? date : known.dateModified
  const old = JSON.stringify(productOf(known))
  return { change, record: { ...record, dateModified, dateRemoved }, old }
}

function changeOf(
  { dateRemoved: removedBefore }: StoredCode,
  dateRemoved: string | null,
  before: object,
  after: object,
): Outcome['change'] {
  if (removedBefore === null && dateRemoved !== null) return 'removed'
  if (removedBefore !== null && dateRemoved === null) return 'reappeared'
  return JSON.stringify(before) === JSON.stringify(after) ? 'same' : 'changed'
}
