import { EngineError } from '../../../shared/errors.ts'
import type { SourceFile } from '../../../shared/input/source-file.ts'
import type { CodeRepository } from '../repository.ts'
import type { CodeImport, ImportedCodes, TableReport } from './import-run.ts'
import { type GroupLoad, loadGroups, type RecordCounts } from './load-groups.ts'
import { findTable, type TableRun } from './read-table.ts'
import { RowSpool } from './row-spool.ts'

/** The code repository and the clock. */
export interface CodeSources {
  readonly repository: CodeRepository
  readonly clock: () => Date
}

/** Parts of an import that differ between kinds of tables: drug products and procedures. */
interface TableImport<Row> {
  readonly paths: readonly string[]
  /** Reads all rows of the files into the spool. */
  readonly read: (
    files: readonly SourceFile[],
    spool: RowSpool<Row>,
    run: TableRun,
  ) => Promise<readonly TableReport[]>
  /** Creates the function that decides whether a record is created, updated or skipped, after all rows were read. */
  readonly decide: (date: string) => GroupLoad<Row>['decide']
  /** For each field, the number of records whose rows have conflicting values. Complete after the last record. */
  readonly differing?: ReadonlyMap<string, number>
}

/**
 * Reads all tables and then loads all of them. If rows are rejected, loads nothing.
 * @throws EngineError `bad_input` with `strict` for rows that are not in UTF-8
 */
export async function importTables<Row>(
  { repository, clock }: CodeSources,
  { paths, read, decide, differing = new Map() }: TableImport<Row>,
  run: CodeImport,
): Promise<ImportedCodes> {
  const { dryRun = false, skipBad = false, strict = false, signal, onRow, onProgress } = run
  const files: SourceFile[] = []
  for (const path of paths) files.push(await findTable(path))
  const spool = new RowSpool<Row>()
  try {
    const total = files.reduce((sum, { size }) => sum + size, 0)
    let done = 0
    const onRead = (bytes: number) => {
      done += bytes
      onProgress?.({ phase: 'reading', done, total })
    }
    const tables = await read(files, spool, { signal, onRow, onRead })
    signal?.throwIfAborted()
    if (strict) refuseOtherEncodings(tables)
    const loaded = skipBad || tables.every(({ refused }) => refused === 0)
    let records: RecordCounts | undefined
    if (loaded) {
      const date = clock().toISOString()
      const comment = `imported from ${tables.map(({ file }) => file).join(' and ')}`
      const load = { repository, spool, decide: decide(date), date, comment }
      records = await loadGroups(load, run)
    }
    const sorted = [...differing].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      dryRun,
      loaded,
      tables,
      ...(records && { records }),
      differing: Object.fromEntries(sorted),
    }
  } finally {
    spool.close()
  }
}

function refuseOtherEncodings(tables: readonly TableReport[]): void {
  const other = tables.find(({ otherEncoding }) => otherEncoding > 0)
  if (!other) return
  const { file, otherEncoding: count } = other
  const rows = count === 1 ? '1 row' : `${count} rows`
  const message = `not in UTF-8: ${rows} of "${file}"; convert the file, or import without strict to read it as windows-1252`
  throw new EngineError('bad_input', message, { at: file })
}
