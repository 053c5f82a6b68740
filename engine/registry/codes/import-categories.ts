import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import type { SourceFile } from '../../shared/input/source-file.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { longTable } from '../../shared/input/text-table.ts'
import { inTable } from '../error-in.ts'
import { type CategoryHeader, type CategoryLayout, readHeader } from './category-columns.ts'
import type { CodeReads, StoredCode } from './repository.ts'
import type { CodeImport, ImportedCodes, RowFate, TableReport } from './tables/import-run.ts'
import { type CodeSources, importTables } from './tables/import-tables.ts'
import type { Outcome } from './tables/load-groups.ts'
import type { TableRun } from './tables/read-table.ts'
import { RowError } from './tables/row-error.ts'
import type { RowSpool } from './tables/row-spool.ts'

/** Members set by a row; null removes a member. */
type GivenMembers = Readonly<Record<string, unknown>>

/** The differences between the areas of codes. */
export interface CategoryArea extends CategoryLayout {
  /**
   * Finds the record for a code as written in the table.
   * @throws EngineError if the code is unknown or ambiguous
   */
  readonly find: (reads: CodeReads, code: string) => Promise<StoredCode>
  /** Returns the registry's own part of a record with the given members set, or the same part if nothing changes. */
  readonly ownWith: (known: StoredCode, given: GivenMembers, date: string) => string | null
  /** Converts a stored record to the form that is returned to clients. */
  readonly describe: (stored: StoredCode) => object
}

const MAX_BYTES = 64 << 20
/** Several times the number of package codes. */
const MAX_ROWS = 1_000_000

/**
 * Imports categories, classes and drugs for existing records. A member without a column is kept, and an empty
 * cell removes its member. All rows are checked first and then stored in one transaction. Members that are not
 * in the table keep edits made in the meantime.
 * @throws EngineError `bad_input` for unknown columns or an unreadable table; like readTextFile
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
      decide: (date) => (known, group) => {
        const given = group?.rows[0]
        // A record that was deleted after its row was read stays deleted.
        return known && given ? decide(known, area, given, date) : { change: 'same' }
      },
    },
    run,
  )
}

function decide(
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
  const { header: names, rowCount, rows } = inTable(name, () => longTable(text))
  if (names.length === 0)
    throw new EngineError('bad_input', `"${name}" has no line of column names`)
  const header = headerOf(name, names, area)
  if (rowCount > MAX_ROWS) {
    const message = `"${name}" has ${rowCount} rows; import it in parts of at most ${MAX_ROWS}`
    throw new EngineError('too_large', message, { at: name })
  }
  const counts = { load: 0, merge: 0, refuse: 0 }
  const taken = new Map<string, Taken>()
  for (const { line, cells } of rows()) {
    signal?.throwIfAborted()
    const fate = await fateOf(cells, { header, width: names.length, taken, line, area, reads })
    const { code, given, ...reported } = fate
    if (reported.fate === 'load' && code !== undefined && given) spool.add(code, given)
    counts[reported.fate]++
    onRow?.({ file: name, line, ...reported, ...(code !== undefined && { code }) })
  }
  return {
    file: name,
    layout: area.name,
    rows: rowCount,
    dropped: header.dropped,
    loaded: counts.load,
    merged: counts.merge,
    refused: counts.refuse,
    otherEncoding: 0,
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

/** The row that set a record. */
interface Taken {
  readonly line: number
  /** Members of the row as JSON, to compare further rows of the record. */
  readonly text: string
}

interface RowContext extends Pick<Reading, 'area' | 'reads'> {
  readonly header: CategoryHeader
  readonly width: number
  readonly line: number
  /** Keyed by record code; filled as rows are read. */
  readonly taken: Map<string, Taken>
}

type ReadRow = Pick<RowFate, 'fate' | 'code' | 'column' | 'reason'> & {
  readonly given?: GivenMembers
}

async function fateOf(cells: readonly string[], row: RowContext): Promise<ReadRow> {
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
    // Tables of packages repeat a product in several rows.
    if (before?.text === text) return { fate: 'merge', code }
    if (!before) return { fate: 'load', code, given }
    return { fate: 'refuse', code, reason: `line ${before.line} has other values for ${code}` }
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
