import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedStream } from '../../shared/streams/byte-stream.ts'
import type { ParquetRun, ParquetSource } from '../../shared/streams/parquet-file.ts'
import type { StagedFile } from './registry-files.ts'

/** Columns that are not text. */
const TYPES: Readonly<Record<string, string>> = { line: 'BIGINT', primary: 'INTEGER' }
const FLAG = `coalesce("questionable" = 'True', false) AS "questionable"`

/**
 * Converts the table of a file's tumors to Parquet. Rows are buffered in the temporary folder, and the bytes
 * follow after the last row. Empty cells are null.
 * @param table staged as `tsv`
 * @throws EngineError from the body: as that of the table; `unavailable` if the temporary folder is not
 * writable
 */
export function tumorsParquet(table: StagedFile, run: ParquetRun): StagedFile {
  const giveBack = () => table[Symbol.asyncDispose]()
  return { ...table, ...generatedStream({ rest: parquetOf(table, run) }, { giveBack }) }
}

async function* parquetOf(table: StagedFile, run: ParquetRun): AsyncGenerator<Uint8Array> {
  // The module is loaded on demand, because loading takes a tenth of a second.
  const { parquetFile } = await import('../../shared/streams/parquet-file.ts')
  yield* parquetFile(run, (folder) => written(table, join(folder, 'tumors.tsv')))
}

async function written({ body }: StagedFile, path: string): Promise<ParquetSource> {
  const { noParquet, quoted } = await import('../../shared/streams/parquet-file.ts')
  let names: readonly string[] = []
  const file = await open(path, 'w').catch(noParquet)
  try {
    for await (const chunk of body) {
      // The first chunk is the header.
      if (names.length === 0) names = Buffer.from(chunk).toString().trimEnd().split('\t')
      await file.writeFile(chunk).catch(noParquet)
    }
  } finally {
    await file.close()
  }
  const columns = names.map((name) => `${quoted(name, "'")}: '${TYPES[name] ?? 'VARCHAR'}'`)
  const form = `auto_detect = false, delim = '\t', header = true, quote = '', escape = '', nullstr = ''`
  return {
    columns: names.length,
    select: `SELECT * REPLACE (${FLAG}) FROM read_csv(${quoted(path, "'")}, ${form}, columns = {${columns.join(', ')}})`,
  }
}
