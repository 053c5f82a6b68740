import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { descriptorShortage } from '../descriptors.ts'
import { type DiskSpace, diskFull, isDiskFull } from '../disk-space.ts'
import { EngineError } from '../errors.ts'
import { ownedFolder } from './owned-folder.ts'

const MEMORY = '512MiB'
/** Maximum amount of data that DuckDB may additionally write to disk when memory is short. */
const SPILLED = '1GiB'
/** Cells per row group, which is assembled in memory. */
const GROUP_CELLS = 4 << 20
const GROUP_ROWS = 122_880
const READ_BYTES = 1 << 20
/** Memory for the dictionaries of all columns. DuckDB's default is 1 MiB per column. */
const DICTIONARY_BYTES = 64 << 20
const MIN_DICTIONARY_BYTES = 8 << 10
const MAX_DICTIONARY_BYTES = 1 << 20

export interface ParquetRun {
  readonly temporaryFolder: string
  readonly threads: number
  readonly signal: AbortSignal | undefined
  /** Stops writing before the disk's reserve is used. */
  readonly space?: Pick<DiskSpace, 'guard'> | undefined
}

/** Writes the input of a query into a folder. The run's signal also aborts when the disk is full. */
type PrepareParquet = (folder: string, signal: AbortSignal | undefined) => Promise<ParquetSource>

/** Content of a Parquet file: a DuckDB query, and the number of its columns. */
export interface ParquetSource {
  readonly select: string
  readonly columns: number
}

/**
 * Yields a Parquet file in chunks.
 * @throws EngineError as writeParquet
 */
export async function* parquetFile(
  run: ParquetRun,
  prepare: PrepareParquet,
): AsyncGenerator<Uint8Array, undefined> {
  await using file = await writeParquet(run, prepare)
  const { signal } = run
  yield* file.createReadStream({ highWaterMark: READ_BYTES, autoClose: false, signal })
}

/**
 * Writes a Parquet file to a temporary folder, because the index of such a file is at its end. Returns it as an
 * open file without a name, so that closing it frees its bytes.
 * @throws EngineError `unavailable` if the temporary folder is not writable; errors of DiskSpace.guard and of
 *   `prepare`
 */
function writeParquet(run: ParquetRun, prepare: PrepareParquet): Promise<FileHandle> {
  const { space, signal } = run
  const write = (stop: AbortSignal | undefined) => writeInto({ ...run, signal: stop }, prepare)
  return space ? space.guard(signal, write) : write(signal)
}

async function writeInto(
  { temporaryFolder, threads, signal }: ParquetRun,
  prepare: PrepareParquet,
): Promise<FileHandle> {
  const folder = await ownedFolder(temporaryFolder, 'parquet-').catch(noParquet)
  try {
    const source = await prepare(folder, signal)
    const result = join(folder, 'result.parquet')
    await convert(source, { folder, result, threads, signal })
    return await open(result).catch(noParquet)
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
    `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows}, ` +
    `STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionaryBytes(columns)})`
  // The module is loaded here, so that a program that writes no Parquet does not load its native code.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: MEMORY,
    temp_directory: folder,
    max_temp_directory_size: SPILLED,
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

/** Returns the maximum dictionary size in bytes for each of this number of columns. It is a power of two. */
export function dictionaryBytes(columns: number): number {
  const share = 2 ** Math.floor(Math.log2(DICTIONARY_BYTES / Math.max(columns, 1)))
  return Math.min(Math.max(share, MIN_DICTIONARY_BYTES), MAX_DICTIONARY_BYTES)
}

export const quoted = (text: string, mark: string) =>
  mark + text.replaceAll(mark, mark + mark) + mark

/**
 * Converts an error of writing a Parquet file.
 * @throws EngineError always: `busy` if there are too many open files, otherwise `unavailable`
 */
export function noParquet(cause: unknown): never {
  const shortage = descriptorShortage(cause)
  if (shortage) throw shortage
  if (isDiskFull(cause)) throw diskFull('the Parquet file', cause)
  const message = 'Parquet cannot be written now; request another format'
  throw new EngineError('unavailable', message, { cause })
}
