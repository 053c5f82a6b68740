import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parquetFile, quoted } from '../streams/parquet-file.ts'
import type { RecordedEvent } from './read-record.ts'

/** Types of the columns of the Parquet file, in order. */
const COLUMNS: Readonly<Record<keyof RecordedEvent, string>> = {
  node: 'VARCHAR',
  segment: 'VARCHAR',
  number: 'BIGINT',
  time: 'TIMESTAMP',
  kind: 'VARCHAR',
  outcome: 'VARCHAR',
  action: 'VARCHAR',
  subject: 'VARCHAR',
  request: 'VARCHAR',
  run: 'VARCHAR',
  credential_kind: 'VARCHAR',
  credential_id: 'VARCHAR',
  address: 'VARCHAR',
  release: 'VARCHAR',
  status: 'INTEGER',
  bytes: 'BIGINT',
  files: 'VARCHAR[]',
  cases: 'VARCHAR[]',
  projects: 'VARCHAR[]',
  entities: 'VARCHAR[]',
  transaction: 'BIGINT',
  parameters: 'VARCHAR',
}

/** Maximum size of a line in bytes: some ten thousand ids. */
const MAX_LINE_BYTES = 16 << 20

/** Yields events as lines of JSON. */
export async function* recordAsNdjson(
  events: AsyncIterable<RecordedEvent>,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const event of events) yield Buffer.from(`${JSON.stringify(event)}\n`)
}

/**
 * Yields events as a Parquet file, ordered by time.
 * @param temporaryFolder folder for the lines and the file while they are written
 * @throws EngineError as writeParquet
 */
export function recordAsParquet(
  events: AsyncIterable<RecordedEvent>,
  temporaryFolder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  const names = Object.keys(COLUMNS)
  const types = Object.entries(COLUMNS).map(([name, type]) => `${name}: '${type}'`)
  return parquetFile({ temporaryFolder, threads: 1, signal }, async (folder) => {
    const path = join(folder, 'lines.ndjson')
    await pipeline(Readable.from(recordAsNdjson(events)), createWriteStream(path))
    const select =
      `SELECT ${names.join(', ')} FROM read_json(${quoted(path, "'")}, ` +
      `format = 'newline_delimited', maximum_object_size = ${MAX_LINE_BYTES}, ` +
      `columns = {${types.join(', ')}}) ORDER BY time, node, segment, number`
    return { select, columns: names.length }
  })
}
