import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type ColumnType, ColumnUnion, type TypedColumn } from './columns.ts'
import type { RenderContext } from './context.ts'
import { noParquet, parquetFile, quoted } from './parquet-file.ts'
import type { PieceRenderer } from './pieces.ts'
import type { Projection } from './projection.ts'
import { typedColumns } from './tables.ts'

/** Room for a line; DuckDB takes some of it per thread. */
const MIN_LINE_BYTES = 16 << 20

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
}

/**
 * A Parquet file with the columns that the TSV has: compressed lines, which DuckDB turns into it.
 * @throws EngineError unavailable when the temporary folder cannot be written; as the pieces
 */
export function renderParquet(
  pieces: PieceRenderer,
  projection: Projection,
  context: RenderContext & { readonly temporaryFolder: string },
): AsyncGenerator<Uint8Array, undefined> {
  const { executor, signal, temporaryFolder } = context
  const run = { temporaryFolder, threads: executor.parallelism, signal }
  return parquetFile(run, async (folder) => {
    const lines = join(folder, 'lines.zst')
    const { union, longest } = await writeLines(lines, pieces)
    const columns = typedColumns(union, projection)
    // A file of no columns cannot be written: an answer without any has its `id` column empty.
    const some = columns.length > 0 ? columns : [{ key: 'id', type: 'text' } as const]
    return { select: selectFrom(lines, longest, some), columns: some.length }
  })
}

async function writeLines(path: string, pieces: PieceRenderer) {
  const union = new ColumnUnion()
  let longest = 0
  const file = await open(path, 'w').catch(noParquet)
  try {
    for await (const { bytes, columns = [], work } of pieces.all(() => ({ kind: 'flat' }))) {
      union.add(columns)
      // No line is longer than all the lines of its piece.
      longest = Math.max(longest, work)
      await file.writeFile(bytes).catch(noParquet)
    }
  } finally {
    await file.close()
  }
  return { union, longest }
}

/** @param longest bytes that no line exceeds */
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
