import type { SourceFile } from '../../../shared/input/source-file.ts'
import type { StoredCode } from '../repository.ts'
import type { CodeImport, ImportedCodes } from '../tables/import-run.ts'
import { type CodeSources, importTables } from '../tables/import-tables.ts'
import type { Outcome } from '../tables/load-groups.ts'
import { readTable, type TableRun } from '../tables/read-table.ts'
import { RowError } from '../tables/row-error.ts'
import type { CodeGroup, RowSpool } from '../tables/row-spool.ts'
import { HCPCS_LAYOUTS } from './layouts.ts'
import {
  contentOf,
  type ListedContent,
  orderedProcedure,
  type ProcedureContent,
  procedureOf,
} from './procedure.ts'
import { type HcpcsRow, rowReader } from './read-row.ts'

/** Content of the published tables for a procedure, and whether the newest table still lists it. */
interface Listing {
  readonly listed: boolean
  readonly content: ListedContent
}

type Row = Omit<HcpcsRow, 'code'>

/**
 * Imports a published table of procedures in one transaction. Members that the table does not have belong to the
 * registry and are kept. A procedure that is no longer in the table gets a removal date, which is cleared if a
 * later table lists it again.
 * @throws EngineError like readTable
 */
export function importHcpcs(
  sources: CodeSources,
  path: string,
  run: CodeImport,
): Promise<ImportedCodes> {
  return importTables<Row>(
    sources,
    {
      paths: [path],
      read: ([file], spool, reading) => readRows(file, spool, reading),
      decide: (date) => (known, group) => decide(known, group, date, run),
    },
    run,
  )
}

async function readRows(file: SourceFile | undefined, spool: RowSpool<Row>, run: TableRun) {
  if (!file) return []
  const open = (recognised: Parameters<typeof rowReader>[0]) => {
    const read = rowReader(recognised)
    return (cells: readonly string[]) => {
      const { code, ...row } = read(cells)
      const isFirst = !spool.has(code)
      if (!spool.add(code, row, row.sequence)) {
        const message = `code ${code} has a row with the number ${row.sequence} already`
        throw new RowError(message, 'HCPCS_SQNC_NUM')
      }
      return { fate: isFirst ? 'load' : 'merge', code } as const
    }
  }
  return [await readTable({ file, layouts: HCPCS_LAYOUTS, open }, run)]
}

function decide(
  known: StoredCode | undefined,
  group: CodeGroup<Row> | undefined,
  date: string,
  { partial }: CodeImport,
): Outcome {
  const before = known && (JSON.parse(known.listings) as { readonly table?: Listing }).table
  if (!group && (partial || !before?.listed)) return { change: 'same' }
  const content = group ? listedContent(group.rows) : (before?.content ?? {})
  const listings = JSON.stringify({ table: { listed: group !== undefined, content } })
  if (known?.listings === listings) return { change: 'same' }
  const code = known?.code ?? group?.code ?? ''
  const own = JSON.stringify(takeOver(known ? contentOf(known) : {}, before?.content, content))
  const added = { code, listings, own, dateAdded: date, dateModified: date, dateRemoved: null }
  if (!known) return { change: 'added', record: added }
  const isSame = own === known.own
  const change = !group
    ? 'removed'
    : before && !before.listed
      ? 'reappeared'
      : isSame
        ? 'same'
        : 'changed'
  const { dateAdded, dateModified } = known
  const dateRemoved = group ? null : (known.dateRemoved ?? date)
  const record = { ...added, dateAdded, dateModified: isSame ? dateModified : date, dateRemoved }
  return { change, record, old: JSON.stringify(procedureOf(known)) }
}

/** Joins the parts of the description in order. The dates are those of the first row. */
function listedContent(rows: readonly Row[]): ListedContent {
  const description = rows.flatMap(({ part }) => part ?? []).join(' ')
  const { cms_approval_date, cms_discontinuation_date } = rows[0]?.content ?? {}
  return {
    ...(description !== '' && { description }),
    ...(cms_approval_date && { cms_approval_date }),
    ...(cms_discontinuation_date && { cms_discontinuation_date }),
  }
}

const LISTED = ['description', 'cms_approval_date', 'cms_discontinuation_date'] as const

/** Keeps an editor's value until the published value itself changes. */
function takeOver(
  content: ProcedureContent,
  before: ListedContent = {},
  after: ListedContent,
): ProcedureContent {
  const news = LISTED.filter((name) => before[name] !== after[name])
  return orderedProcedure({
    ...content,
    ...Object.fromEntries(news.map((name) => [name, after[name]])),
  })
}
