import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { EngineError } from '../errors.ts'
import { type ColumnType, ColumnUnion, type TypedColumn } from './columns.ts'
import type { RenderContext } from './context.ts'
import type { PieceRenderer } from './pieces.ts'
import type { Projection } from './projection.ts'
import { typedColumns } from './tables.ts'

const MEMORY = '512MiB'
/** Cells of a row group, which is put together in memory. */
const GROUP_CELLS = 4 << 20
const GROUP_ROWS = 122_880
/** Room for a line; DuckDB takes some of it per thread. */
const LEAST_LINE_BYTES = 16 << 20
const READ_BYTES = 1 << 20

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
}

/**
 * A Parquet file with the columns that the TSV has. Its end tells where its parts are, so it is made
 * in a temporary folder first: compressed lines, which DuckDB turns into the file.
 * @throws EngineError unavailable when the temporary folder cannot be written; as the pieces
 */
export async function* renderParquet(
  pieces: PieceRenderer,
  projection: Projection,
  context: RenderContext & { readonly temporaryFolder: string },
): AsyncGenerator<Uint8Array, undefined> {
  const { executor, signal, temporaryFolder } = context
  const folder = await mkdtemp(join(temporaryFolder, 'parquet-')).catch(fail)
  try {
    const lines = join(folder, 'lines.zst')
    const { union, longest } = await writeLines(lines, pieces)
    const columns = typedColumns(union, projection)
    const result = join(folder, 'result.parquet')
    const threads = executor.parallelism
    await convert({ folder, lines, longest, result, columns, threads, signal })
    yield* createReadStream(result, { highWaterMark: READ_BYTES, signal })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeLines(path: string, pieces: PieceRenderer) {
  const union = new ColumnUnion()
  let longest = 0
  const file = await open(path, 'w').catch(fail)
  try {
    for await (const { bytes, columns = [], work } of pieces.all(() => ({ kind: 'flat' }))) {
      union.add(columns)
      // No line is longer than all the lines of its piece.
      longest = Math.max(longest, work)
      await file.writeFile(bytes).catch(fail)
    }
  } finally {
    await file.close()
  }
  return { union, longest }
}

interface Conversion {
  readonly folder: string
  readonly lines: string
  /** Bytes that no line exceeds. */
  readonly longest: number
  readonly result: string
  readonly columns: readonly TypedColumn[]
  readonly threads: number
  readonly signal: AbortSignal | undefined
}

async function convert(conversion: Conversion): Promise<void> {
  const { folder, threads, signal } = conversion
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
      await connection.run(copyStatement(conversion))
    } finally {
      signal?.removeEventListener('abort', interrupt)
      connection.closeSync()
    }
  } catch (cause) {
    signal?.throwIfAborted()
    fail(cause)
  } finally {
    instance.closeSync()
  }
}

/** A file of no columns cannot be written: an answer without any has its `id` column empty. */
function copyStatement({ lines, longest, result, columns }: Conversion): string {
  const some = columns.length > 0 ? columns : [{ key: 'id', type: 'text' } as const]
  const types = some.map(({ key, type }) => `${quoted(key, "'")}: '${SQL_TYPES[type]}'`)
  const names = some.map(({ key }) => quoted(key, '"'))
  const groupRows = Math.min(GROUP_ROWS, Math.ceil(GROUP_CELLS / some.length))
  return (
    `COPY (SELECT ${names.join(', ')} FROM read_json(${quoted(lines, "'")}, ` +
    `format = 'newline_delimited', compression = 'zstd', ` +
    `maximum_object_size = ${Math.max(longest, LEAST_LINE_BYTES)}, ` +
    `records = true, columns = {${types.join(', ')}})) ` +
    `TO ${quoted(result, "'")} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`
  )
}

const quoted = (text: string, mark: string) => mark + text.replaceAll(mark, mark + mark) + mark

function fail(cause: unknown): never {
  const message = 'Parquet cannot be written now; ask for another format'
  throw new EngineError('unavailable', message, { cause })
}
