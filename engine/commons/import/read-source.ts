import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { isGzipError } from '../../shared/formats/byte-source.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { type OpenSource, openSource, type SourceFile } from '../../shared/input/source-file.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import type { Intake } from './intake.ts'
import { readJson } from './read-json.ts'
import { readTable, type TableSource, type TableTarget } from './read-table.ts'
import { recognise, type SourceKind } from './recognise.ts'
import { TableError } from './row-error.ts'
import type { Staging } from './staging.ts'
import type { Table } from './table-kind.ts'

export interface ReadOptions {
  /** Dataset of all JSON records, and of tables in the form of search results. */
  readonly as: DatasetName | undefined
  /** Name of the only kind of table to import. */
  readonly only?: string | undefined
  /** Cases for tables that do not name their cases. If undefined, such tables are read later. */
  readonly cases?: TableCases | undefined
  /** Executor for reading pieces of large tables. */
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
}

/**
 * Reads all records of a file. The kind of the file is recognised by its content. A file of an unknown kind is
 * reported as not imported. A table that needs cases is read only if cases are given.
 * @returns 'needs cases' if the table must be read later with cases
 * @throws EngineError bad_input for a file that turns out to be damaged, too many bad rows, or new cases that
 *   are rejected
 */
export async function readSource(
  file: SourceFile,
  into: { readonly intake: Intake; readonly staging: Staging },
  { as, only, cases, executor, signal, onRead }: ReadOptions,
): Promise<'needs cases' | undefined> {
  const { intake } = into
  let source: OpenSource
  try {
    source = await openSource(file, { signal, onRead })
  } catch (error) {
    if (!isGzipError(error)) throw error
    intake.notTaken(file.name, `it does not inflate: ${error.message}`)
    return undefined
  }
  try {
    const kind = await recognise(source.head, file.path, { as, only })
    if (kind.form === 'none') {
      intake.notTaken(file.name, kind.reason)
      return undefined
    }
    if (only !== undefined && (kind.form !== 'table' || kind.kind.name !== only)) {
      intake.notTaken(file.name, `it is no ${only}`)
      return undefined
    }
    if (kind.form === 'table' && kind.kind.needsCases && !cases) return 'needs cases'
    intake.begin(file.name)
    const again = () => contentOf(file, signal)
    const target = { ...into, executor, signal }
    await readKind({ ...source, again }, kind, { fileName: basename(file.path), as, cases }, target)
    intake.end(kind.form === 'json' ? 'JSON' : kind.kind.name, cases?.hasCases ?? false)
    return undefined
  } catch (cause) {
    if (cause instanceof TableError) {
      intake.notTaken(file.name, cause.message)
      return undefined
    }
    if (!(cause instanceof FormatError) && !isGzipError(cause)) throw cause
    const problem =
      cause instanceof FormatError ? cause.message : `does not inflate: ${cause.message}`
    throw new EngineError('bad_input', `"${file.name}" ${problem}`, { cause, at: file.name })
  } finally {
    await source.close()
  }
}

async function* contentOf(
  file: SourceFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = await openSource(file, { signal })
  try {
    yield* source.chunks
  } finally {
    await source.close()
  }
}

async function readKind(
  { chunks, again }: OpenSource & Pick<TableSource, 'again'>,
  kind: Exclude<SourceKind, { readonly form: 'none' }>,
  context: Pick<Table, 'fileName' | 'as' | 'cases'>,
  target: TableTarget,
): Promise<void> {
  if (kind.form === 'json') await readJson(chunks, target.intake, context.as)
  else await readTable({ chunks, again, ...kind, ...context }, target)
}
