import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { FileCatalogue, type StoredFile } from './files.ts'
import { openState } from './state.ts'

const ID = '4e9a2c1d-7b53-5a0e-8f46-0123456789ab'
const FILE: StoredFile = {
  id: ID,
  fileName: 'demo.bam',
  size: 1234,
  md5: 'd41d8cd98f00b204e9800998ecf8427e',
  dataFormat: 'BAM',
  access: 'controlled',
  project: 'DEMO-A',
  indexName: 'demo.bam.bai',
  createdAt: '2026-01-02T03:04:05.000Z',
}

let files: FileCatalogue
beforeEach(() => {
  files = new FileCatalogue(openState(':memory:'), 'data/files')
})

test('a file that was added is found and listed as it was given', () => {
  const bare: StoredFile = {
    ...FILE,
    id: ID.replace('4', 'a'),
    project: null,
    indexName: null,
    createdAt: '2026-01-03T00:00:00.000Z',
  }
  files.add(bare)
  files.add(FILE)
  expect(files.find(ID)).toEqual(FILE)
  expect(files.list()).toEqual([FILE, bare])
})

test.each(['', 'nothing', 'é\u0000\ud800', "' OR 1=1 --", 'x'.repeat(100_000)])(
  'asking for an id that is none finds nothing (%#)',
  (id) => {
    files.add(FILE)
    expect(files.find(id)).toBeUndefined()
  },
)

test('adding the same bytes again replaces the description and keeps the first time', () => {
  files.add(FILE)
  files.add({ ...FILE, access: 'open', indexName: null, createdAt: '2027-01-01T00:00:00.000Z' })
  expect(files.list()).toEqual([{ ...FILE, access: 'open', indexName: null }])
})

test('other bytes under a known id are refused and change nothing', () => {
  files.add(FILE)
  expect(() => files.add({ ...FILE, md5: '0'.repeat(32), fileName: 'other.bam' })).toThrow(
    expect.objectContaining({ code: 'already_exists', at: 'md5' }),
  )
  expect(files.list()).toEqual([FILE])
})

test.each([
  ['size', { size: -1 }],
  ['size', { size: 1.5 }],
  ['md5', { md5: 'D41D8CD98F00B204E9800998ECF8427E' }],
  ['md5', { md5: '' }],
  ['id', { id: '../../etc' }],
  ['fileName', { fileName: '../demo.bam' }],
  ['indexName', { indexName: '..' }],
])('a file with an impossible %s is refused (%#)', (at, change) => {
  expect(() => files.add({ ...FILE, ...change })).toThrow(
    expect.objectContaining({ code: 'bad_input', at }),
  )
  expect(files.list()).toEqual([])
})

test('the path is absolute, in the folder of the id, and of the file itself unless named', () => {
  const root = resolve('data/files')
  expect(files.path(FILE)).toBe(join(root, ID, 'demo.bam'))
  expect(files.path(FILE, 'demo.bam.bai')).toBe(join(root, ID, 'demo.bam.bai'))
  expect(files.path(FILE, '..bai')).toBe(join(root, ID, '..bai'))
})

test.each([
  ...['', '.', '..', '../x', '..\\x', '/etc/passwd', 'a/b', 'a\\b', 'a/../../b', 'x\u0000.bam'],
  ...['line\nbreak', '\u007f', 'x'.repeat(256), 'é'.repeat(128)],
])('a name that is no plain file name has no path (%j)', (name) => {
  expect(() => files.path(FILE, name)).toThrow(
    expect.objectContaining({ code: 'bad_input', at: 'name' }),
  )
})

test.each([
  ...['', '.', '..', '../x', ID.slice(1), `${ID}/..`, `${ID}\n`, `/${ID}`, ID.replace('-', '/')],
  ...[ID.replace('4', '٤'), `${ID}\u0000`],
])('an id that is no UUID has no path (%j)', (id) => {
  expect(() => files.path({ ...FILE, id })).toThrow(
    expect.objectContaining({ code: 'bad_input', at: 'id' }),
  )
})

test.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])(
  'UUIDs of any version are ids (%s)',
  (id) => {
    files.add({ ...FILE, id })
    expect(files.find(id)?.id).toBe(id)
  },
)

test('whatever the name, a path is directly inside the folder of the id or refused', () => {
  const folder = join(resolve('data/files'), ID)
  const pieces = fc.constantFrom('..', '.', '/', '\\', 'a', '\u0000', '%2e%2e', '~', ' ', ':')
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
      const name = parts.join('')
      let path: string
      try {
        path = files.path(FILE, name)
      } catch {
        return
      }
      expect(path).toBe(`${folder}/${name}`)
      expect(resolve(path, '..')).toBe(folder)
    }),
    { seed: 1, numRuns: 2000 },
  )
})
