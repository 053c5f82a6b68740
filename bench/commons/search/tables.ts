import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { DuckDBInstance } from '@duckdb/node-api'
import { RecordBatchReader } from 'apache-arrow'
import type { TableContent } from './answers.ts'
import { EXPORT_FORMATS, type ExportFormat, type Kind } from './questions.ts'
import { quoted } from './sql/columns.ts'

// What tables hold, whatever their format and whoever wrote them. Cells are named by their place in the
// record, `cases.0.samples.1.sample_id`, whether the record is nested or flat. What is null here and
// absent there counts as equal, as does a number however it is printed.

export type Row = Readonly<Record<string, unknown>>

/** Undefined where the kind asks for no export. */
export function exportFormatOf(kind: Kind): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => kind === `export-${format}`)
}

/** What a file holds. */
export function tableIn(format: ExportFormat, path: string): Promise<TableContent> {
  switch (format) {
    case 'tsv':
      return tableOf(tsvRows(path))
    case 'ndjson':
      return tableOf(jsonRows(path))
    case 'arrow':
      return tableOf(arrowRows(path))
    case 'parquet':
      return tableOf(parquetRows(path))
  }
}

export async function tableOf(rows: AsyncIterable<Row> | Iterable<Row>): Promise<TableContent> {
  const hash = createHash('sha256')
  let records = 0
  let samples = 0
  let megabytes = 0
  for await (const row of rows) {
    const cells = [...cellsOf(row, '')].sort(([a], [b]) => (a < b ? -1 : 1))
    hash.update(`${JSON.stringify(cells)}\n`)
    records++
    for (const [name, text] of cells) {
      if (name.endsWith('.sample_id')) samples++
      else if (name === 'file_size') megabytes += Math.floor(Number(text) / 1e6)
    }
  }
  return { records, samples, megabytes, sha256: hash.digest('hex') }
}

function* cellsOf(value: unknown, name: string): Generator<readonly [name: string, text: string]> {
  if (value === null || value === undefined || value === '') return
  if (typeof value !== 'object') {
    yield [name, plainText(String(value))]
    return
  }
  for (const [member, inner] of Object.entries(value)) {
    yield* cellsOf(inner, name === '' ? member : `${name}.${member}`)
  }
}

function plainText(text: string): string {
  const number = Number(text)
  return Number.isFinite(number) ? String(number) : text
}

const linesOf = (path: string) =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })

async function* tsvRows(path: string): AsyncGenerator<Row> {
  let header: readonly string[] | undefined
  for await (const line of linesOf(path)) {
    const cells = line.split('\t')
    if (header) yield Object.fromEntries(header.map((name, i) => [name, cells[i]]))
    else header = cells
  }
}

async function* jsonRows(path: string): AsyncGenerator<Row> {
  for await (const line of linesOf(path)) yield JSON.parse(line) as Row
}

async function* arrowRows(path: string): AsyncGenerator<Row> {
  for await (const batch of await RecordBatchReader.from(createReadStream(path))) {
    for (const row of batch) if (row) yield row.toJSON() as Row
  }
}

/** By way of lines of JSON, which DuckDB makes of any Parquet. */
async function* parquetRows(path: string): AsyncGenerator<Row> {
  const lines = `${path}.ndjson`
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    await connection.run(
      `COPY (FROM read_parquet(${quoted(path)})) TO ${quoted(lines)} (FORMAT json)`,
    )
    connection.closeSync()
    yield* jsonRows(lines)
  } finally {
    instance.closeSync()
    await rm(lines, { force: true })
  }
}
