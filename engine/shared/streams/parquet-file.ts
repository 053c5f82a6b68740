import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { descriptorShortage } from '../descriptors.ts'
import { type DiskSpace, diskFull, isDiskFull } from '../disk-space.ts'
import { EngineError } from '../errors.ts'
import { ownedFolder } from './owned-folder.ts'

const MEMORY = '512MiB'
/** What it may write besides when that is not enough. */
const SPILLED = '1GiB'
/** Cells of a row group, which is put together in memory. */
const GROUP_CELLS = 4 << 20
const GROUP_ROWS = 122_880
const READ_BYTES = 1 << 20
/** What DuckDB takes at once for the different texts of all columns, a MiB for each unless it is said. */
const DICTIONARY_BYTES = 64 << 20
const MIN_DICTIONARY_BYTES = 8 << 10
const MAX_DICTIONARY_BYTES = 1 << 20

export interface ParquetRun {
  readonly temporaryFolder: string
  readonly threads: number
  readonly signal: AbortSignal | undefined
  /** Stops what is written before it takes of the reserve of the disk. */
  readonly space?: Pick<DiskSpace, 'guard'> | undefined
}

/** Puts what a query reads into a folder; the signal is that of the run, which a full disk aborts too. */
export type PrepareParquet = (
  folder: string,
  signal: AbortSignal | undefined,
) => Promise<ParquetSource>

/** What goes into a Parquet file: a query of DuckDB, and how many columns it gives. */
export interface ParquetSource {
  readonly select: string
  readonly columns: number
}

/**
 * A Parquet file in chunks.
 * @throws EngineError as writeParquet
 */
export async function* parquetFile(
  run: ParquetRun,
  prepare: PrepareParquet,
): AsyncGenerator<Uint8Array, undefined> {
  yield* chunksOf(await writeParquet(run, prepare), run.signal)
}

/** The bytes of a file, which is closed at their end. */
export async function* chunksOf(
  file: FileHandle,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  await using _ = file
  yield* file.createReadStream({ highWaterMark: READ_BYTES, autoClose: false, signal })
}

/**
 * A Parquet file without a name: its bytes are gone when it is closed. Its end says where its parts are,
 * so it is made in a temporary folder first, in which `prepare` puts what its query reads.
 * @throws EngineError unavailable when the temporary folder cannot be written, and as DiskSpace.guard; as `prepare`
 */
export function writeParquet(run: ParquetRun, prepare: PrepareParquet): Promise<FileHandle> {
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

/** What DuckDB may take for the different texts of one of so many columns: a power of two. */
export function dictionaryBytes(columns: number): number {
  const share = 2 ** Math.floor(Math.log2(DICTIONARY_BYTES / Math.max(columns, 1)))
  return Math.min(Math.max(share, MIN_DICTIONARY_BYTES), MAX_DICTIONARY_BYTES)
}

export const quoted = (text: string, mark: string) =>
  mark + text.replaceAll(mark, mark + mark) + mark

/** What cannot be written for reasons of the machine. */
export function noParquet(cause: unknown): never {
  const shortage = descriptorShortage(cause)
  if (shortage) throw shortage
  if (isDiskFull(cause)) throw diskFull('the Parquet file', cause)
  const message = 'Parquet cannot be written now; ask for another format'
  throw new EngineError('unavailable', message, { cause })
}
