import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FormatError } from './format-error.ts'
import { MAX_LINE_BYTES, readTsv, type TsvRow } from './tsv.ts'

async function collect(rows: AsyncIterable<TsvRow>): Promise<TsvRow[]> {
  const collected: TsvRow[] = []
  for await (const row of rows) collected.push(row)
  return collected
}

/** Reads bytes that come in pieces of the given size. */
async function read(input: string | Uint8Array, pieceBytes = 7): Promise<TsvRow[]> {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    pieces.push(bytes.subarray(at, at + pieceBytes))
  }
  return collect(readTsv(pieces))
}
const cellsOf = async (text: string) => (await read(text)).map(({ cells }) => cells)

test('rows carry their line and their cells, empty ones too', async () => {
  expect(await read('a\tb\n\t\n1\t\n')).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['', ''] },
    { line: 3, cells: ['1', ''] },
  ])
})

test('CRLF, no last newline and a byte order mark make no difference', async () => {
  const plain = [
    ['a', 'b'],
    ['1', 'é'],
  ]
  expect(await cellsOf('a\tb\n1\té\n')).toEqual(plain)
  expect(await cellsOf('a\tb\r\n1\té\r\n')).toEqual(plain)
  expect(await cellsOf('a\tb\r\n1\té')).toEqual(plain)
  expect(await cellsOf('\ufeffa\tb\n1\té')).toEqual(plain)
})

test('quotes and inner carriage returns are text', async () => {
  expect(await cellsOf('"a\tb"\n"\rc\td\n')).toEqual([
    ['"a', 'b"'],
    ['"\rc', 'd'],
  ])
})

test('no bytes are no rows', async () => {
  expect(await read('')).toEqual([])
})

test.each([
  ['a\tb\n1\n', 'line 2 has 1 columns, the first line 2'],
  ['a\tb\n1\t2\n1\t2\t3', 'line 3 has 3 columns, the first line 2'],
  ['a\tb\n\n1\t2', 'line 2 has 1 columns, the first line 2'],
])('a row of another width is refused (%j)', async (text, message) => {
  await expect(read(text)).rejects.toThrow(new FormatError(message))
})

test('bytes that are not UTF-8 are refused, also when cut off at the end', async () => {
  const notUtf8 = 'line 2 is not UTF-8'
  await expect(read(Uint8Array.of(0x61, 0x0a, 0xff, 0x0a))).rejects.toThrow(notUtf8)
  await expect(read(Uint8Array.of(0x61, 0x0a, 0xc3), 2)).rejects.toThrow(notUtf8)
})

test('a line that never ends is refused before it fills the memory', async () => {
  let taken = 0
  function* endless() {
    for (;;) {
      taken += 1
      yield new Uint8Array(65536).fill(0x61)
    }
  }
  await expect(collect(readTsv(endless()))).rejects.toThrow('line 1 is longer than')
  expect(taken * 65536).toBeLessThan(2 * MAX_LINE_BYTES)
})

test('any table survives being written and read in any pieces', async () => {
  const cell = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\t\r\n\ufeff]/g, ''))
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })))
  const property = fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
    const text = rows.map((cells) => `${cells.join('\t')}\n`).join('')
    expect((await read(text, size)).map(({ cells }) => cells)).toEqual(rows)
  })
  await fc.assert(property, { seed: 2, numRuns: 300 })
})
