import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'

const MEMORY = '512MiB'
/** Cells of a row group, which is put together in memory. */
const GROUP_CELLS = 4 << 20
const GROUP_ROWS = 122_880
const READ_BYTES = 1 << 20

export interface ParquetRun {
  readonly temporaryFolder: string
  readonly threads: number
  readonly signal: AbortSignal | undefined
}

/** What goes into a Parquet file: a query of DuckDB, and how many columns it gives. */
export interface ParquetSource {
  readonly select: string
  readonly columns: number
}

/**
 * A Parquet file in chunks. Its end tells where its parts are, so it is made in a temporary folder
 * first, in which `prepare` puts what its query reads.
 * @throws EngineError unavailable when the temporary folder cannot be written; as `prepare`
 */
export async function* parquetFile(
  { temporaryFolder, threads, signal }: ParquetRun,
  prepare: (folder: string) => Promise<ParquetSource>,
): AsyncGenerator<Uint8Array, undefined> {
  const folder = await mkdtemp(join(temporaryFolder, 'parquet-')).catch(noParquet)
  try {
    const source = await prepare(folder)
    const result = join(folder, 'result.parquet')
    await convert(source, { folder, result, threads, signal })
    yield* createReadStream(result, { highWaterMark: READ_BYTES, signal })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Conversion extends Pick<ParquetRun, 'threads' | 'signal'> {
  readonly folder: string
  readonly result: string
}

async function convert(
  { select, columns }: ParquetSource,
  { folder, result, threads, signal }: Conversion,
): Promise<void> {
  const groupRows = Math.min(GROUP_ROWS, Math.ceil(GROUP_CELLS / columns))
  const statement =
    `COPY (${select}) TO ${quoted(result, "'")} ` +
    `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: MEMORY,
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    const interrupt = () => connection.interrupt()
    try {
      signal?.throwIfAborted()
      signal?.addEventListener('abort', interrupt)
      await connection.run(statement)
    } finally {
      signal?.removeEventListener('abort', interrupt)
      connection.closeSync()
    }
  } catch (cause) {
    signal?.throwIfAborted()
    noParquet(cause)
  } finally {
    instance.closeSync()
  }
}

export const quoted = (text: string, mark: string) =>
  mark + text.replaceAll(mark, mark + mark) + mark

/** What cannot be written for reasons of the machine. */
export function noParquet(cause: unknown): never {
  const shortage = descriptorShortage(cause)
  if (shortage) throw shortage
  const message = 'Parquet cannot be written now; ask for another format'
  throw new EngineError('unavailable', message, { cause })
}
