import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import {
  noParquet,
  type ParquetRun,
  quoted,
  writeParquet,
} from '../../shared/streams/parquet-file.ts'
import type { ChunkRenderer } from './chunks.ts'
import { type ColumnType, ColumnUnion, type TypedColumn } from './columns.ts'
import type { RenderContext } from './context.ts'
import type { Projection } from './projection.ts'
import { typedColumns } from './tables.ts'

/** Minimum line length for DuckDB in bytes. It allocates twice this size for any line. */
const MIN_LINE_BYTES = 1 << 20
/** Maximum number of bytes of compressed lines, which are on disk until the file is made. */
const MAX_LINES_BYTES = 512 << 20
/** Maximum number of columns: DuckDB needs 200 KiB per column of its 512 MiB, and fails at 3,500. */
export const MAX_PARQUET_COLUMNS = 2000

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
}

/**
 * Writes a Parquet file with the columns of the TSV. Records are first stored as compressed NDJSON. DuckDB
 * converts them on one thread, so that equal results give equal bytes.
 * @throws EngineError too_many for too many columns; too_large; unavailable if the temporary folder cannot be
 *   written; and the errors of the chunks
 */
export function renderParquet(
  chunks: Pick<ChunkRenderer, 'all'>,
  projection: Projection,
  context: RenderContext & Pick<ParquetRun, 'temporaryFolder' | 'space'>,
): Promise<FileHandle> {
  const { signal, temporaryFolder, space } = context
  const run = { temporaryFolder, threads: 1, signal, space }
  return writeParquet(run, async (folder) => {
    const lines = join(folder, 'lines.zst')
    const { union, longest } = await writeLines(lines, chunks)
    const columns = typedColumns(union, projection)
    if (columns.length > MAX_PARQUET_COLUMNS) throw tooWide(columns.length)
    // Parquet requires at least one column. A result without columns gets an empty `id` column.
    const some = columns.length > 0 ? columns : [{ key: 'id', type: 'text' } as const]
    return { select: selectFrom(lines, longest, some), columns: some.length }
  })
}

async function writeLines(path: string, chunks: Pick<ChunkRenderer, 'all'>) {
  const union = new ColumnUnion()
  let longest = 0
  let written = 0
  const file = await open(path, 'w').catch(noParquet)
  try {
    for await (const { bytes, columns = [], work } of chunks.all(() => ({ kind: 'flat' }))) {
      union.add(columns)
      // No line is longer than its chunk.
      longest = Math.max(longest, work)
      written += bytes.length
      if (written > MAX_LINES_BYTES) throw tooLong()
      await file.writeFile(bytes).catch(noParquet)
    }
  } finally {
    await file.close()
  }
  return { union, longest }
}

/** @param longest upper bound of a line's length in bytes */
function selectFrom(lines: string, longest: number, columns: readonly TypedColumn[]): string {
  const types = columns.map(({ key, type }) => `${quoted(key, "'")}: '${SQL_TYPES[type]}'`)
  const names = columns.map(({ key }) => quoted(key, '"'))
  return (
    `SELECT ${names.join(', ')} FROM read_json(${quoted(lines, "'")}, ` +
    `format = 'newline_delimited', compression = 'zstd', ` +
    `maximum_object_size = ${Math.max(longest, MIN_LINE_BYTES)}, ` +
    `records = true, columns = {${types.join(', ')}})`
  )
}

const NARROWER = 'ask for fewer groups and fields by expand and fields, or for another format'

function tooWide(columns: number): EngineError {
  const message = `the answer has ${columns} columns, and Parquet takes at most ${MAX_PARQUET_COLUMNS}; ${NARROWER}`
  return new EngineError('too_many', message, { at: 'format' })
}

function tooLong(): EngineError {
  const message = `the answer takes more than ${MAX_LINES_BYTES} bytes on the way to Parquet; ask for fewer records by size and from, or for another format`
  return new EngineError('too_large', message, { at: 'format' })
}
