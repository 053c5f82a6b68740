import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textIn } from './cells.ts'
import type { RowFate } from './import-run.ts'
import { DROPPED } from './layout.ts'
import { findTable, readTable } from './read-table.ts'

const LAYOUTS = [
  { name: 'names', columns: { CODE: 'code', NAME: 'name', NOTE: DROPPED } },
  { name: 'sizes', columns: { CODE: 'code', SIZE: 'size' } },
]

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-read-table-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Reads bytes as a table whose rows are taken by their first used column. */
async function read(content: string | Uint8Array, name = 'table.txt') {
  const path = join(folder, name)
  await writeFile(path, content)
  const cells: (string | undefined)[][] = []
  const rows: RowFate[] = []
  const report = await readTable(
    {
      file: await findTable(path),
      layouts: LAYOUTS,
      open:
        ({ used }) =>
        (row) => {
          const taken = used.map(([column, place]) => textIn(row[place] ?? '', column))
          cells.push(taken)
          return { fate: cells.length === 1 ? 'load' : 'merge', code: taken[0] }
        },
    },
    { onRow: (row) => void rows.push(row) },
  )
  return { report, cells, rows }
}

test('a table is recognised by its columns, whatever their order, and the rest of them is named', async () => {
  const { report, cells } = await read('MORE\tNAME\tCODE\nx\tb\ta\n')
  expect(cells).toEqual([['a', 'b']])
  expect(report).toEqual({
    file: 'table.txt',
    layout: 'names',
    dropped: ['MORE'],
    otherEncoding: 0,
    rows: 1,
    loaded: 1,
    merged: 0,
    refused: 0,
  })
})

test('columns of several kinds and missing ones are refused, naming what is known', async () => {
  for (const header of ['CODE\tNAME\tSIZE', 'CODE', 'x']) {
    await expect(read(`${header}\n`)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(
        /^in "table.txt", .* names \(CODE, NAME\); sizes \(CODE, SIZE\)$/,
      ),
    })
  }
})

test('a column may occur twice with the same cells, and no others', async () => {
  const { cells, report } = await read('CODE\tNAME\tNOTE\tNOTE\tNAME\na\tb\tx\tx\tb\n')
  expect(cells).toEqual([['a', 'b']])
  expect(report.dropped).toEqual(['NOTE'])
  await expect(read('CODE\tNAME\tNAME\na\tb\tb\nc\td\te\n')).rejects.toMatchObject({
    code: 'bad_input',
    message:
      'in "table.txt", column NAME occurs twice in line 1, as columns 2 and 3, which differ in line 3; keep one',
  })
})

test.each([
  // Rscript -e 'write.table(data.frame(CODE="a", NAME="5\" and\tmore"), sep="\t", row.names=FALSE)'
  ['R', '"CODE"\t"NAME"\n"a"\t"5\\" and\tmore"\n', '5" and\tmore'],
  // csv.writer(f, delimiter="\t").writerows([["CODE", "NAME"], ["a", "5\" and\nmore"]])
  ['Python', 'CODE\tNAME\r\na\t"5"" and\nmore"\r\n', '5" and\nmore'],
  ['nobody', 'CODE\tNAME\na\t"5" and 6"\n', '"5" and 6"'],
])('quotes of %s are read as they were meant', async (_, table, name) => {
  const path = join(folder, 'quoted.txt')
  await writeFile(path, table)
  const found: (readonly string[])[] = []
  await readTable(
    {
      file: await findTable(path),
      layouts: LAYOUTS,
      open: () => (cells) => {
        found.push(cells)
        return { fate: 'load', code: 'a' }
      },
    },
    {},
  )
  expect(found).toEqual([['a', name]])
})

test('text in UTF-16 and an archive are named', async () => {
  const utf16 = Buffer.from('\ufeffCODE\tNAME\n', 'utf16le')
  await expect(read(utf16)).rejects.toMatchObject({
    code: 'bad_input',
    message: 'in "table.txt", it is text in UTF-16; save it as UTF-8',
  })
  await expect(read('PK\x03\x04')).rejects.toThrow('it is a ZIP archive')
})

test('an empty file and a folder are refused', async () => {
  await expect(read('')).rejects.toMatchObject({ code: 'bad_input' })
  await expect(findTable(folder)).rejects.toMatchObject({ code: 'bad_input' })
  await expect(findTable(join(folder, 'none'))).rejects.toMatchObject({ code: 'not_found' })
})

test('gzip is known by its bytes, and one that is cut off is damaged', async () => {
  const bytes = gzipSync(`CODE\tNAME\n${'a\tb\n'.repeat(1000)}`)
  expect((await read(bytes)).report).toMatchObject({ rows: 1000, loaded: 1, merged: 999 })
  await expect(read(bytes.subarray(0, bytes.length - 20))).rejects.toMatchObject({
    code: 'corrupt_source',
    at: 'table.txt',
  })
})

test('every row has a fate, and a refused one a line, a column and a reason', async () => {
  const { report, rows } = await read('CODE\tNAME\r\na\tb\r\n\r\nc\r\nd\te\tf\r\ng\t\u0007\r\nh\ti')
  const of = { file: 'table.txt' }
  expect(rows).toEqual([
    { ...of, line: 2, fate: 'load', code: 'a' },
    { ...of, line: 4, fate: 'refuse', reason: 'the row has 1 columns, the header 2' },
    { ...of, line: 5, fate: 'refuse', reason: 'the row has 3 columns, the header 2' },
    {
      ...of,
      line: 6,
      fate: 'refuse',
      column: 'NAME',
      reason: 'the cell contains a control character',
    },
    { ...of, line: 7, fate: 'merge', code: 'h' },
  ])
  expect(report).toMatchObject({ rows: 5, loaded: 1, merged: 1, refused: 3 })
})

test('a line that is not UTF-8 is windows-1252, as is UTF-8 that was made of it in error', async () => {
  const header = Buffer.from('CODE\tNAME\n')
  // printf 'é’' | iconv -t WINDOWS-1252 | xxd -p
  const windows = Buffer.concat([Buffer.from('a\t'), Buffer.from('e992', 'hex'), Buffer.from('\n')])
  // The same bytes through iconv -f ISO-8859-1 -t UTF-8.
  const twice = Buffer.concat([Buffer.from('b\t'), Buffer.from('c3a9c292', 'hex')])
  const { cells, report } = await read(
    Buffer.concat([header, windows, twice, Buffer.from('\nc\té\n')]),
  )
  expect(cells).toEqual([
    ['a', 'é’'],
    ['b', 'é’'],
    ['c', 'é'],
  ])
  expect(report.otherEncoding).toBe(2)
})

test('bytes that windows-1252 has nothing for are refused', async () => {
  const { rows } = await read(Buffer.from('CODE\tNAME\na\t\x81\n', 'latin1'))
  expect(rows).toMatchObject([{ line: 2, fate: 'refuse', column: 'NAME' }])
})

test('a row is taken whether or not anybody listens', async () => {
  const path = join(folder, 'silent.txt')
  await writeFile(path, 'CODE\tNAME\na\tb\n')
  const open = () => () => ({ fate: 'load', code: 'a' }) as const
  const report = await readTable({ file: await findTable(path), layouts: LAYOUTS, open }, {})
  expect(report).toMatchObject({ rows: 1, loaded: 1 })
})
