import { expect, test } from 'vitest'
import { type FileCase, readCases } from './case-file.ts'

const PART_BYTES = 9973

async function casesIn(text: string | Uint8Array<ArrayBuffer>): Promise<readonly FileCase[]> {
  const cases: FileCase[] = []
  // A blob made of parts is read part by part.
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const parts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) =>
    bytes.slice(i * PART_BYTES, (i + 1) * PART_BYTES),
  )
  for await (const part of readCases(new Blob(parts))) cases.push(...part.cases)
  return cases
}

test('tables with tabs, commas and semicolons, with quotes, blanks and a byte order mark', async () => {
  const expected = [
    { line: 2, inputs: { site: 'C182', hist: '8140', depth: 'B, 2' } },
    { line: 4, inputs: { site: 'C180', hist: '8140' } },
  ]
  for (const mark of ['\t', ',', ';']) {
    const rows = [['site', 'hist', 'depth'], ['C182', ' 8140 ', '"B, 2"'], [], ['C180', '8140', '']]
    const text = `\uFEFF${rows.map((row) => row.join(mark)).join('\r\n')}`
    expect([mark, await casesIn(text)]).toEqual([mark, expected])
  }
})

test('a quoted cell may go over lines, and later rows keep their lines', async () => {
  const text = 'site,hist,note\nC182,8140,"one\ntwo"\nC180,8140,x\n'
  expect(await casesIn(text)).toEqual([
    { line: 2, inputs: { site: 'C182', hist: '8140', note: 'one\ntwo' } },
    { line: 4, inputs: { site: 'C180', hist: '8140', note: 'x' } },
  ])
})

test('lines are the same, however the bytes are cut', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `C18${i % 10},8140,"é ${i}\n"`)
  const cases = await casesIn(`site,hist,note\n${rows.join('\n')}\n`)
  expect(cases.map(({ line }) => line)).toEqual(rows.map((_, i) => 2 + 2 * i))
  expect(cases.at(-1)?.inputs).toEqual({ site: 'C189', hist: '8140', note: 'é 19999\n' })
})

test('JSON lines, and what is none', async () => {
  expect(await casesIn('{"site":"C182","size":35,"x":null}\n\n[1]\n{"site"\n')).toEqual([
    { line: 1, inputs: { site: 'C182', size: '35', x: '' } },
    { line: 3, inputs: {}, fault: 'The line is not a JSON object.' },
    { line: 4, inputs: {}, fault: 'The line is not a JSON object.' },
  ])
})

test('rows that start like JSON are rows of the table that the file began as', async () => {
  const rows = Array.from({ length: 2000 }, (_, i) => `{${i},C182,8140,"one\n, two"`)
  const cases = await casesIn(`note,site,hist,more\n${rows.join('\n')}\n`)
  expect(cases.map(({ line }) => line)).toEqual(rows.map((_, i) => 2 + 2 * i))
  expect(cases.every(({ fault }) => fault === undefined)).toBe(true)
})

test('a row of another length is no case', async () => {
  expect(await casesIn('site,hist\nC182\n')).toEqual([
    { line: 2, inputs: { site: 'C182' }, fault: 'The row has 1 cell, and the header 2.' },
  ])
})

test.each([
  ['', 'The file is empty.'],
  ['a,b\n1,2\n', 'no column site and no column hist'],
  ['site,hist,site\n', 'names the column site twice'],
])('refuses %j', async (text, message) => {
  await expect(casesIn(text)).rejects.toThrow(message)
})

test('refuses what is no text, and a quote without an end', async () => {
  await expect(casesIn(new Uint8Array([0xff, 0xfe, 0x41]))).rejects.toThrow('not UTF-8')
  await expect(casesIn(`site,hist\n"${'x\n'.repeat(1 << 20)}`)).rejects.toThrow(
    'a quote has no end',
  )
})
