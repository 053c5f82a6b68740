import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../../../../test/depth.ts'
import { ByteSink } from '../byte-sink.ts'
import { type CodedColumn, ColumnChunks, type ParquetType } from './column-chunk.ts'
import { PARQUET_MAGIC, ParquetFooter } from './footer.ts'

// Files are read by DuckDB and by hyparquet, which share no code. Both have to find the values, and DuckDB's own least
// and greatest value have to be those of the statistics.

let folder = ''
let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-parquet-'))
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterAll(async () => {
  connection.closeSync()
  instance.closeSync()
  await rm(folder, { recursive: true, force: true })
})

type Value = string | number | boolean | null

interface Column {
  readonly key: string
  readonly type: ParquetType
  readonly values: readonly Value[]
}

/** Writes columns as a file with row groups of so many rows. */
function fileOf(columns: readonly Column[], groupRows: number): Uint8Array {
  const writer = new ColumnChunks()
  const sink = new ByteSink(Buffer.alloc(16))
  sink.bytes(PARQUET_MAGIC)
  const footer = new ParquetFooter(columns, 'test')
  const rows = columns[0]?.values.length ?? 0
  for (let start = 0; start < rows; start += groupRows) {
    const offset = sink.length
    const end = Math.min(start + groupRows, rows)
    const chunks = columns.map(
      ({ type, values }) => writer.write(coded(type, values.slice(start, end)), sink)!,
    )
    footer.add(chunks, { rows: end - start, offset })
  }
  sink.bytes(footer.bytes())
  return sink.take()
}

function coded(type: ParquetType, values: readonly Value[]): CodedColumn {
  if (type === 'boolean') {
    const codes = Uint32Array.from(values, (value) => (value === null ? 0 : value ? 2 : 1))
    return { type, codes, values: undefined }
  }
  const distinct = [...new Set(values.filter((value) => value !== null))].reverse()
  const places = new Map(distinct.map((value, i) => [value, i + 1]))
  const codes = Uint32Array.from(values, (value) => (value === null ? 0 : (places.get(value) ?? 0)))
  return {
    type,
    codes,
    values: {
      most: distinct.length,
      write(wanted, sink, most) {
        for (const code of wanted) sink.bytes(plain(type, distinct[code - 1] ?? null))
        return sink.length <= most
      },
    },
  }
}

function plain(type: ParquetType, value: Value): Uint8Array {
  const number = Buffer.alloc(type === 'text' ? 4 : 8)
  if (type === 'double') number.writeDoubleLE(Number(value))
  else if (type === 'integer') number.writeBigInt64LE(BigInt(Number(value)))
  else number.writeUInt32LE(Buffer.byteLength(String(value)))
  return type === 'text' ? Buffer.concat([number, Buffer.from(String(value))]) : number
}

const scalars: Readonly<Record<ParquetType, fc.Arbitrary<Value>>> = {
  text: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('', 'a', 'B', 'Ä漢🧬', 'x'.repeat(300)),
    fc.uuid(),
  ),
  boolean: fc.boolean(),
  integer: fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -3, max: 3 })),
  double: fc.double({ noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
}

/** Values in runs, as columns have them, of few or many different ones. */
const column = (key: string): fc.Arbitrary<Column> =>
  fc.constantFrom<ParquetType[]>('text', 'boolean', 'integer', 'double').chain((type) =>
    fc
      .array(
        fc.tuple(fc.option(scalars[type], { freq: 4 }), fc.constantFrom(1, 1, 2, 7, 8, 25, 200)),
        { maxLength: 60 },
      )
      .map((runs) => ({
        key,
        type,
        values: runs.flatMap(([value, n]) => Array<Value>(n).fill(value)),
      })),
  )

const table = fc
  .array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 })
  .chain((names) => fc.tuple(...names.map((name, i) => column(`${i}.${name}`))))
  .map((columns): Column[] => {
    const rows = Math.min(...columns.map(({ values }) => values.length))
    return columns.map((one) => ({ ...one, values: one.values.slice(0, rows) }))
  })

const SQL_TYPES = { text: 'VARCHAR', boolean: 'BOOLEAN', integer: 'BIGINT', double: 'DOUBLE' }
const plainOf = (value: unknown) => (typeof value === 'bigint' ? Number(value) : (value ?? null))

test('DuckDB and hyparquet read the columns that were written', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(1, 7, 64, 5000), async (columns, groupRows) => {
      const bytes = fileOf(columns, groupRows)
      const path = join(folder, `${number++}.parquet`)
      await writeFile(path, bytes)
      const rows = await connection.runAndReadAll(`FROM read_parquet('${path}')`)
      expect(rows.columnNames()).toEqual(columns.map(({ key }) => key))
      expect(rows.columnTypes().map(String)).toEqual(columns.map(({ type }) => SQL_TYPES[type]))
      const given = columns[0]!.values.map((_, row) => columns.map(({ values }) => values[row]))
      expect(rows.getRowsJS().map((row) => row.map(plainOf))).toEqual(given)
      const { buffer } = Uint8Array.from(bytes)
      const objects = await parquetReadObjects({ file: buffer, compressors })
      const keys = columns.map(({ key }) => key)
      expect(objects.map((row) => keys.map((key) => plainOf(row[key])))).toEqual(given)
      const metadata = parquetMetadata(buffer)
      expect(Number(metadata.num_rows)).toBe(given.length)
      await rm(path)
    }),
    { numRuns: depth(60, 400, 3000) },
  )
}, 600_000)

test('statistics are what DuckDB finds in the values', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(table, async (columns) => {
      // DuckDB keeps parts of files that it read.
      const path = join(folder, `statistics-${number++}.parquet`)
      await writeFile(path, fileOf(columns, 1 << 16))
      const told = await connection.runAndReadAll(
        `SELECT stats_min_value, stats_max_value, stats_null_count FROM parquet_metadata('${path}') ORDER BY column_id`,
      )
      const facts = told.getRowsJS()
      for (const [i, { key, values, type }] of columns.entries()) {
        if (values.length === 0) continue
        const name = `"${key.replaceAll('"', '""')}"`
        const found = await connection.runAndReadAll(
          `SELECT min(${name})::VARCHAR, max(${name})::VARCHAR, count(*) FILTER (${name} IS NULL) FROM read_parquet('${path}')`,
        )
        const [least, greatest, nulls] = found.getRowsJS()[0]!
        expect(facts[i]![2]).toEqual(nulls)
        // Long texts are in no statistics, and a text can have bytes that this table function shows in another way.
        if (type === 'text') continue
        expect(facts[i]!.slice(0, 2)).toEqual([least, greatest])
      }
    }),
    { numRuns: depth(20, 100, 1000) },
  )
}, 600_000)

test('a range of texts is by their bytes, and skips row groups', async () => {
  const values = ['b', 'a', 'Z', 'ä', null, 'abc', 'ab', 'zz', 'c', 'd']
  const path = join(folder, 'texts.parquet')
  await writeFile(path, fileOf([{ key: 'text', type: 'text', values }], 5))
  const told = await connection.runAndReadAll(
    `SELECT stats_min_value, stats_max_value FROM parquet_metadata('${path}') ORDER BY row_group_id`,
  )
  expect(told.getRowsJS()).toEqual([
    ['Z', 'ä'],
    ['ab', 'zz'],
  ])
  const found = await connection.runAndReadAll(`SELECT text FROM '${path}' WHERE text = 'ab'`)
  expect(found.getRowsJS()).toEqual([['ab']])
})

test('many different values, and few in many rows', async () => {
  const rows = 70_000
  const columns: Column[] = [
    { key: 'all', type: 'text', values: Array.from({ length: rows }, (_, i) => `v${i}`) },
    { key: 'half', type: 'integer', values: Array.from({ length: rows }, (_, i) => i >> 1) },
    { key: 'few', type: 'text', values: Array.from({ length: rows }, (_, i) => `f${i % 9}`) },
    { key: 'one', type: 'double', values: Array.from({ length: rows }, () => 0.5) },
    { key: 'none', type: 'text', values: Array.from({ length: rows }, () => null) },
  ]
  const path = join(folder, 'many.parquet')
  await writeFile(path, fileOf(columns, 65_536))
  const read = await connection.runAndReadAll(`FROM '${path}'`)
  const found = read.getColumnsJS()
  for (const [i, { values }] of columns.entries()) {
    expect(found[i]?.map(plainOf).every((value, row) => value === values[row])).toBe(true)
  }
})
