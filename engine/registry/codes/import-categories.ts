import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import type { SourceFile } from '../../shared/input/source-file.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { headedTable } from '../../shared/input/text-table.ts'
import { inTable } from '../error-in.ts'
import { type CategoryHeader, type CategoryLayout, readHeader } from './category-columns.ts'
import type { CodeReads, StoredCode } from './repository.ts'
import type { CodeImport, ImportedCodes, RowFate, TableReport } from './tables/import-run.ts'
import { type CodeSources, importTables } from './tables/import-tables.ts'
import type { Outcome } from './tables/load-groups.ts'
import type { TableRun } from './tables/read-table.ts'
import { RowError } from './tables/row-error.ts'
import type { RowSpool } from './tables/row-spool.ts'

/** What a row says of members; null takes one away. */
export type GivenMembers = Readonly<Record<string, unknown>>

/** What differs between areas. */
export interface CategoryArea extends CategoryLayout {
  /**
   * The record of a code as it was given.
   * @throws EngineError for one that is not there or may be several
   */
  readonly find: (reads: CodeReads, code: string) => Promise<StoredCode>
  /** What the registry says of a record with these members; as it was where nothing changes. */
  readonly ownWith: (known: StoredCode, given: GivenMembers, date: string) => string | null
  /** A record as it is answered. */
  readonly describe: (stored: StoredCode) => object
}

/** A million rows of codes and classes. */
const MAX_BYTES = 64 << 20

/**
 * Takes over what a table says of records that are there: categories, classes, drugs. Columns that it does not have
 * leave their members as they are, an empty cell takes its member away. All rows are judged before anything is
 * stored, in one transaction: an edit that came in between keeps what the table does not name.
 * @throws EngineError bad_input for columns that are not known or a table that cannot be read; as readTextFile
 */
export function importCategories(
  sources: CodeSources,
  path: string,
  area: CategoryArea,
  run: CodeImport,
): Promise<ImportedCodes> {
  return importTables<GivenMembers>(
    sources,
    {
      paths: [path],
      async read([file], spool, reading) {
        if (!file) return []
        return [await readRows(file, { area, spool, reads: sources.repository }, reading)]
      },
      judge: (date) => (known, group) => {
        const given = group?.rows[0]
        // A record that was deleted since its row was read stays so.
        return known && given ? judge(known, area, given, date) : { change: 'same' }
      },
    },
    run,
  )
}

function judge(
  known: StoredCode,
  { ownWith, describe }: CategoryArea,
  given: GivenMembers,
  date: string,
): Outcome {
  const own = ownWith(known, given, date)
  if (own === known.own) return { change: 'same' }
  const { revision: _revision, ...record } = { ...known, own, dateModified: date }
  return { change: 'changed', record, old: JSON.stringify(describe(known)) }
}

interface Reading {
  readonly area: CategoryArea
  readonly spool: RowSpool<GivenMembers>
  readonly reads: CodeReads
}

async function readRows(
  file: SourceFile,
  { area, spool, reads }: Reading,
  { signal, onRow, onRead }: TableRun,
): Promise<TableReport> {
  const name = basename(file.path)
  const text = await readTextFile(file.path, { maxBytes: MAX_BYTES, signal })
  onRead?.(file.size)
  const { header: names, rows } = inTable(name, () => headedTable(text))
  if (names.length === 0)
    throw new EngineError('bad_input', `"${name}" has no line of column names`)
  const header = headerOf(name, names, area)
  const counts = { load: 0, merge: 0, refuse: 0 }
  const taken = new Map<string, Taken>()
  for (const { line, cells } of rows) {
    signal?.throwIfAborted()
    const fate = await fateOf(cells, { header, width: names.length, taken, line, area, reads })
    const { code, given, ...told } = fate
    if (told.fate === 'load' && code !== undefined && given) spool.add(code, given)
    counts[told.fate]++
    onRow?.({ file: name, line, ...told, ...(code !== undefined && { code }) })
  }
  return {
    ...{ file: name, layout: area.name, rows: rows.length, dropped: header.dropped },
    ...{ loaded: counts.load, merged: counts.merge, refused: counts.refuse, otherEncoding: 0 },
  }
}

function headerOf(name: string, names: readonly string[], area: CategoryLayout): CategoryHeader {
  try {
    return readHeader(names, area)
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause
    throw new EngineError(cause.code, `in "${name}", ${cause.message}`, { at: name, cause })
  }
}

/** The row that says something of a record. */
interface Taken {
  readonly line: number
  readonly text: string
}

interface RowContext extends Pick<Reading, 'area' | 'reads'> {
  readonly header: CategoryHeader
  readonly width: number
  readonly line: number
  /** By codes of records; added to. */
  readonly taken: Map<string, Taken>
}

type JudgedRow = Pick<RowFate, 'fate' | 'code' | 'column' | 'reason'> & {
  readonly given?: GivenMembers
}

async function fateOf(cells: readonly string[], row: RowContext): Promise<JudgedRow> {
  const { header, taken, line, area, reads } = row
  try {
    if (cells.length !== row.width) {
      throw new RowError(`the row has ${cells.length} columns, the header ${row.width}`)
    }
    const given = membersIn(cells, header)
    const code = await codeOf(cells, { header, area, reads })
    const text = JSON.stringify(given)
    const before = taken.get(code)
    taken.set(code, before ?? { line, text })
    // Tables of packages have several rows of a product.
    if (before?.text === text) return { fate: 'merge', code }
    if (!before) return { fate: 'load', code, given }
    return { fate: 'refuse', code, reason: `line ${before.line} says something else of ${code}` }
  } catch (error) {
    if (!(error instanceof RowError)) throw error
    return {
      fate: 'refuse',
      ...(error.column !== undefined && { column: error.column }),
      reason: error.message,
    }
  }
}

const membersIn = (cells: readonly string[], { members }: CategoryHeader): GivenMembers =>
  Object.fromEntries(
    members.map(({ member, column, place, read }) => [
      member,
      read(cells[place] ?? '', column) ?? null,
    ]),
  )

async function codeOf(
  cells: readonly string[],
  { header, area, reads }: Pick<RowContext, 'header' | 'area' | 'reads'>,
): Promise<string> {
  const { column, place } = header.code
  try {
    return (await area.find(reads, (cells[place] ?? '').trim())).code
  } catch (cause) {
    if (cause instanceof EngineError) throw new RowError(cause.message, column)
    throw cause
  }
}
