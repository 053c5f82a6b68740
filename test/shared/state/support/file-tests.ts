import { beforeEach, expect, test } from 'vitest'
import { FileCatalogue, type StoredFile } from '../../../../engine/shared/catalogue/files.ts'
import type { StateBed } from './state-bed.ts'

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

/** Tests of the catalogue of stored files, wherever it is stored. */
export function fileTests(bed: StateBed): void {
  let files: FileCatalogue
  beforeEach(() => {
    files = new FileCatalogue(bed.database)
  })

  async function listed(): Promise<StoredFile[]> {
    const all: StoredFile[] = []
    for await (const file of files.each()) all.push(file)
    return all
  }

  test('a file that was added is found and listed as it was given', async () => {
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
    await files.add(bare)
    await files.add(FILE)
    expect(await files.find(ID)).toEqual(FILE)
    expect(await listed()).toEqual([FILE, bare])
  })

  test.each(['', 'nothing', 'é\u0000\ud800', "' OR 1=1 --", 'x'.repeat(100_000)])(
    'asking for an id that is none finds nothing (%#)',
    async (id) => {
      await files.add(FILE)
      expect(await files.find(id)).toBeUndefined()
    },
  )

  test('adding the same bytes again replaces the description and keeps the first time', async () => {
    await files.add(FILE)
    await files.add({
      ...FILE,
      access: 'open',
      indexName: null,
      createdAt: '2027-01-01T00:00:00.000Z',
    })
    expect(await listed()).toEqual([{ ...FILE, access: 'open', indexName: null }])
  })

  test('a file that is forgotten can be added with other bytes', async () => {
    await files.remove(ID)
    await files.add(FILE)
    await files.remove(ID)
    expect(await files.find(ID)).toBeUndefined()
    const other = { ...FILE, md5: '0'.repeat(32) }
    await files.add(other)
    expect(await listed()).toEqual([other])
  })

  test('other bytes under a known id are refused and change nothing', async () => {
    await files.add(FILE)
    await expect(
      files.add({ ...FILE, md5: '0'.repeat(32), fileName: 'other.bam' }),
    ).rejects.toThrow(expect.objectContaining({ code: 'already_exists', at: 'md5' }))
    expect(await listed()).toEqual([FILE])
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
  ])('a file with an impossible %s is refused (%#)', async (at, change) => {
    await expect(files.add({ ...FILE, ...change })).rejects.toThrow(
      expect.objectContaining({ code: 'bad_input', at }),
    )
    expect(await listed()).toEqual([])
  })

  test.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'])(
    'UUIDs of any version are ids (%s)',
    async (id) => {
      await files.add({ ...FILE, id })
      expect((await files.find(id))?.id).toBe(id)
    },
  )

  test('files are given in the order of their ids, however many there are', async () => {
    const ids = Array.from({ length: 2500 }, (_, i) =>
      ID.replace('4e9a', (i * 7919).toString(16).padStart(8, '0').slice(-4)),
    )
    const distinct = [...new Set(ids)]
    await files.addAll(distinct.map((id) => ({ ...FILE, id })))
    expect((await listed()).map(({ id }) => id)).toEqual(distinct.toSorted())
    expect(await files.totals()).toEqual({
      files: distinct.length,
      bytes: distinct.length * FILE.size,
      alignments: distinct.length,
    })
  })

  test('several files are added all or not at all', async () => {
    await files.add(FILE)
    const other = { ...FILE, id: ID.replace('4', 'a') }
    for (const bad of [
      { ...FILE, md5: '0'.repeat(32) },
      { ...FILE, size: -1 },
    ]) {
      await expect(files.addAll([other, bad])).rejects.toThrow()
      expect(await listed()).toEqual([FILE])
    }
  })
}
