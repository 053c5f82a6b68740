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
  acl: ['DEMO-A', 'phs000001'],
  partOf: null,
  indexName: 'demo.bam.bai',
  storage: 'folder',
  linkedModified: null,
  createdAt: '2026-01-02T03:04:05.000Z',
}

let files: FileCatalogue
beforeEach(() => {
  files = new FileCatalogue(openState(':memory:'))
})

test('a file that was added is found and listed as it was given', () => {
  const bare: StoredFile = {
    ...FILE,
    id: ID.replace('4', 'a'),
    dataFormat: null,
    acl: [],
    partOf: ID,
    indexName: null,
    storage: 's3',
    linkedModified: '1767323045123456789',
    createdAt: '2026-01-03T00:00:00.000Z',
  }
  files.add(bare)
  files.add(FILE)
  expect(files.find(ID)).toEqual(FILE)
  expect([...files.each()]).toEqual([FILE, bare])
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
  expect([...files.each()]).toEqual([{ ...FILE, access: 'open', indexName: null }])
})

test('a file that is forgotten can be added with other bytes', () => {
  files.remove(ID)
  files.add(FILE)
  files.remove(ID)
  expect(files.find(ID)).toBeUndefined()
  const other = { ...FILE, md5: '0'.repeat(32) }
  files.add(other)
  expect([...files.each()]).toEqual([other])
})

test('other bytes under a known id are refused and change nothing', () => {
  files.add(FILE)
  expect(() => files.add({ ...FILE, md5: '0'.repeat(32), fileName: 'other.bam' })).toThrow(
    expect.objectContaining({ code: 'already_exists', at: 'md5' }),
  )
  expect([...files.each()]).toEqual([FILE])
})

test.each([
  ['size', { size: -1 }],
  ['size', { size: 1.5 }],
  ['md5', { md5: 'D41D8CD98F00B204E9800998ECF8427E' }],
  ['md5', { md5: '' }],
  ['id', { id: '../../etc' }],
  ['fileName', { fileName: '../demo.bam' }],
  ['indexName', { indexName: '..' }],
  ['id', { partOf: '../../etc' }],
])('a file with an impossible %s is refused (%#)', (at, change) => {
  expect(() => files.add({ ...FILE, ...change })).toThrow(
    expect.objectContaining({ code: 'bad_input', at }),
  )
  expect([...files.each()]).toEqual([])
})

test.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])(
  'UUIDs of any version are ids (%s)',
  (id) => {
    files.add({ ...FILE, id })
    expect(files.find(id)?.id).toBe(id)
  },
)

test('files are given in the order of their ids, however many there are', () => {
  const ids = Array.from({ length: 2500 }, (_, i) =>
    ID.replace('4e9a', (i * 7919).toString(16).padStart(8, '0').slice(-4)),
  )
  const distinct = [...new Set(ids)]
  files.addAll(distinct.map((id) => ({ ...FILE, id })))
  expect([...files.each()].map(({ id }) => id)).toEqual(distinct.toSorted())
  expect(files.totals()).toEqual({
    files: distinct.length,
    bytes: distinct.length * FILE.size,
    alignments: distinct.length,
  })
})

test('several files are added all or not at all', () => {
  files.add(FILE)
  const other = { ...FILE, id: ID.replace('4', 'a') }
  for (const bad of [
    { ...FILE, md5: '0'.repeat(32) },
    { ...FILE, size: -1 },
  ]) {
    expect(() => files.addAll([other, bad])).toThrow()
    expect([...files.each()]).toEqual([FILE])
  }
})
