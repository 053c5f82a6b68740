import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MadeEntry, madeZip } from '../../../../fixtures/made-zip.ts'
import { readAlgorithmZip, ZIP_LIMITS } from './read-zip.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-staging-zip-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

const OF = { algorithm: 'made', version: '1.0' }
const INPUTS = [{ key: 'site' }, { key: 'hist' }]
const SCHEMA = { ...OF, id: 's', schema_selection_table: 't', inputs: INPUTS }
const TABLE = { ...OF, id: 't', definition: [{ key: 'r', type: 'ENDPOINT' }], rows: [['MATCH']] }
const json = (name: string, value: object): MadeEntry => ({ name, content: JSON.stringify(value) })
const ENTRIES = [json('schemas/s.json', SCHEMA), json('tables/t.json', TABLE)]

async function read(bytes: Buffer, limits = ZIP_LIMITS) {
  const path = join(folder, `${randomBytes(8).toString('hex')}.zip`)
  await writeFile(path, bytes)
  return readAlgorithmZip(path, limits)
}

test('schemas, tables and terms are taken, all else is passed over', async () => {
  const content = await read(
    madeZip([
      { name: 'schemas/', content: '' },
      { name: 'schemas/ids.txt', content: 's\n' },
      ...ENTRIES,
      json('glossary/f00.json', { name: 'Node' }),
      { name: 'README.md', content: 'read me' },
      { name: 'other/x.json', content: 'no JSON' },
    ]),
  )
  expect(content).toEqual({
    ...OF,
    schemas: new Map([['s', SCHEMA]]),
    tables: new Map([['t', TABLE]]),
    glossary: new Map([['f00', { id: 'f00', name: 'Node' }]]),
  })
})

const noise = randomBytes(2000).toString('base64')

test.each([
  ['too many entries', { entries: 1 }, ENTRIES],
  ['an entry too large', { entryBytes: 1000 }, [{ name: 'x', content: noise }]],
  [
    'too much in all',
    { totalBytes: 4000 },
    [
      { name: 'x', content: noise },
      { name: 'y', content: noise },
    ],
  ],
  ['one that is packed too well', {}, [{ name: 'x', content: ' '.repeat(100_000) }]],
])('an archive with %s is refused before it is unpacked', async (_what, limits, entries) => {
  await expect(read(madeZip(entries), { ...ZIP_LIMITS, ...limits })).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('limits: '),
  })
})

test('an entry that unpacks to more than it says is cut off', async () => {
  const content = JSON.stringify({ ...TABLE, notes: noise.repeat(10) })
  const bytes = madeZip([{ name: 'tables/t.json', content, size: 100 }])
  await expect(read(bytes)).rejects.toMatchObject({ code: 'corrupt_source' })
})

test.each([
  ['no archive', Buffer.from('no archive at all'), 'the file is no zip archive; give an archive'],
  ['a web page', Buffer.from('\n<!DOCTYPE html>'), 'the file is a web page and no zip archive'],
  ['an empty file', Buffer.alloc(0), 'the file is empty; download it again'],
  ['a path that leads out', madeZip([json('../tables/t.json', TABLE)]), 'the list of the files'],
  ['an absolute path', madeZip([json('/tables/t.json', TABLE)]), 'the list of the files'],
  [
    'a wrong checksum',
    madeZip([{ ...json('tables/t.json', TABLE), checksum: 1 }]),
    '"tables/t.json" is cut off or damaged; download the archive again',
  ],
  [
    'an encrypted entry',
    madeZip([{ ...json('tables/t.json', TABLE), flags: 1 }]),
    '"tables/t.json" is encrypted; give an archive without a password',
  ],
  [
    'text that is not UTF-8',
    madeZip([{ name: 'tables/t.json', content: Buffer.from([0xff]) }]),
    '"tables/t.json": it is not UTF-8; save it as UTF-8',
  ],
  [
    'an end that is cut off',
    madeZip(ENTRIES).subarray(0, -30),
    'the end of the archive is missing or damaged; download it again',
  ],
])('%s is not sound, and told', async (_what, bytes, message) => {
  await expect(read(bytes)).rejects.toMatchObject({
    code: 'corrupt_source',
    message: expect.stringMatching(new RegExp(`^${message}`)),
  })
})

test.each([
  ['"tables/t.json" is no JSON', [{ name: 'tables/t.json', content: '{' }]],
  ['in "tables/t.json", "rows" is missing', [json('tables/t.json', { ...TABLE, rows: null })]],
  [
    'in "tables/t.json", "rows[0][0]" is no endpoint',
    [json('tables/t.json', { ...TABLE, rows: [['GO']] })],
  ],
  ['in "schemas/s.json", "inputs" lacks', [json('schemas/s.json', { ...SCHEMA, inputs: [] })]],
  ['"version" is no name', [json('tables/t.json', { ...TABLE, version: '1/0' })]],
  ['in "tables/u.json", "id" differs', [json('tables/u.json', TABLE)]],
  ['the archive has "tables/t.json" twice', [...ENTRIES, json('tables/t.json', TABLE)]],
  [
    '"u" is not of made 1.0, as "s" is',
    [...ENTRIES, json('tables/u.json', { ...TABLE, id: 'u', version: '2' })],
  ],
  ['"t" names no algorithm', [json('tables/t.json', { ...TABLE, algorithm: undefined })]],
  ['neither schemas nor tables', [json('glossary/x.json', { name: 'x' })]],
])('an archive where %s is refused', async (message, entries) => {
  await expect(read(madeZip(entries))).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(message),
  })
})

test('a file that is not there is reported with its path', async () => {
  const path = join(folder, 'none.zip')
  await expect(readAlgorithmZip(path)).rejects.toMatchObject({
    code: 'not_found',
    message: `there is no file or folder "${path}"; give the path of one that is there`,
  })
})

test('a folder is neither absent nor unsound', async () => {
  await expect(readAlgorithmZip(folder)).rejects.toMatchObject({
    code: 'bad_input',
    message: `the file or folder "${folder}" is a folder; give the path of a file`,
  })
})
