import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readManifestRows } from './manifest-rows.ts'

const ID = '4e9a2c1d-7b53-5a0e-8f46-0123456789ab'
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'
const ROW = { id: ID, fileName: 'a.txt', md5: MD5, size: 12 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-manifest-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function read(content: string | Buffer) {
  const path = join(folder, 'manifest.txt')
  await writeFile(path, content)
  const all = []
  for await (const rows of readManifestRows(path)) all.push(...rows)
  return all
}

const table = (...rows: (readonly unknown[])[]) => rows.map((row) => row.join('\t')).join('\n')
const HEADER = ['id', 'filename', 'md5', 'size', 'state']

test.each([
  ['of the interface', HEADER, [ID, 'a.txt', MD5, 12, 'released']],
  ['in another order', ['size', 'md5', 'x', 'filename', 'id'], [12, MD5, '', 'a.txt', ID]],
  ['of the R package', ['file_id', 'file_name', 'md5sum', 'file_size'], [ID, 'a.txt', MD5, 12]],
  ['that are quoted', ['"id"', '"filename"', '"md5"', '"size"'], [`"${ID}"`, '"a.txt"', MD5, 12]],
  [
    'in capitals',
    ['ID', 'Filename', 'MD5', 'Size'],
    [ID.toUpperCase(), 'a.txt', `D${MD5.slice(1)}`, 12],
  ],
])('columns %s are found by their names', async (_, header, row) => {
  expect(await read(table(header, row))).toEqual([ROW])
})

test('gzip, line ends of any kind, a byte order mark and comments make no difference', async () => {
  const text = `\ufeff# made today\r\n${table(HEADER, [ID, 'a.txt', MD5, 12, 'x']).replaceAll('\n', '\r\n')}\r\n`
  expect(await read(text.replace('# made today\r\n', ''))).toEqual([ROW])
  expect(await read(gzipSync(text.slice(1)))).toEqual([ROW])
})

test('what R makes of a manifest is read as it was: escaped quotes, exponents', async () => {
  const row = [`"${ID}"`, '"5\\" a.txt"', `"${MD5}"`, '1.2e+01', '"x"']
  const quoted = HEADER.map((name) => `"${name}"`)
  expect(await read(table(quoted, row))).toEqual([{ ...ROW, fileName: '5" a.txt' }])
})

test('bad rows are told with their line and reason, and the others are read', async () => {
  const other = ID.replace('4', 'a')
  const rows = await read(
    table(
      HEADER,
      ['no-uuid', 'a.txt', MD5, 12, ''],
      [ID, 'a.txt', MD5, 12, ''],
      [other, '../a.txt', MD5, 12, ''],
      [other, 'a\u0000.txt', MD5, 12, ''],
      [other, 'x'.repeat(300), MD5, 12, ''],
      [other, 'a.txt', 'abc', 12, ''],
      [other, 'a.txt', MD5, '12.5', ''],
      [other, 'a.txt', MD5, '-1', ''],
      [other, 'a.txt', MD5, '9'.repeat(30), ''],
      [other],
    ),
  )
  expect(rows).toEqual([
    { subject: 'line 2', problem: expect.stringContaining('line 2: file id "no-uuid"') },
    ROW,
    { subject: other, problem: expect.stringContaining('line 4: name "../a.txt"') },
    { subject: other, problem: expect.stringContaining('name "a\\u0000.txt"') },
    { subject: other, problem: expect.stringContaining('255 bytes') },
    { subject: other, problem: expect.stringContaining('md5 "abc"') },
    { subject: other, problem: expect.stringContaining('size "12.5"') },
    { subject: other, problem: expect.stringContaining('size "-1"') },
    { subject: other, problem: expect.stringContaining('size "999') },
    { subject: other, problem: expect.stringContaining('line 11: name ""') },
  ])
  for (const row of rows) if ('problem' in row) expect(row.problem).not.toMatch(/[\n\t\0]/)
})

test.each([
  ['', 'no columns'],
  [Buffer.from('\ufeffid', 'utf16le'), 'manifest: it is text in UTF-16; save it as UTF-8'],
  [
    `${table(HEADER, [ID, 'a', MD5, 1, ''])}`.replace('state', 'size'),
    'size occurs twice in line 1',
  ],
  ['id\tfilename\tmd5\n', 'no columns'],
  ['not a table\n', 'no columns'],
  [Buffer.concat([Buffer.from(HEADER.join('\t')), Buffer.from([0x0a, 0xff, 0xfe, 0x0a])]), 'UTF-8'],
  [gzipSync('x'.repeat(1e5)).subarray(0, 40), 'manifest'],
])('what is no manifest is refused (%#)', async (content, text) => {
  await expect(read(content)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(text),
  })
})

test('a manifest that is not there is said to be missing', async () => {
  await expect(readManifestRows(join(folder, 'none')).next()).rejects.toMatchObject({
    code: 'not_found',
  })
})
