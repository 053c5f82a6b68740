import { readFile, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  loadGeneDirectory,
  saveGeneDirectory,
} from '../../../engine/commons/analysis/single-cell/gene-file.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { looms } from '../contract/support/cell-files.ts'
import { idOf, numbersOf, openStored, type StoredWorld } from './support/stored.ts'

// Single-cell files in object storage are answered from their numbers by gene alone.

const numberOf = (gene: number, cell: number) => Math.sin(gene + cell)
const genes = ['ENSG00000000001', 'ENSG00000000002']
const bytes = (await looms({ genes, cells: 70, numberOf })).whole
const file = { id: idOf(1), name: 'a.loom', bytes }
const EXPECTED = [Array.from({ length: 70 }, (_, cell) => numberOf(1, cell))]

let s3: S3Server
let world: StoredWorld
beforeAll(async () => {
  s3 = await startS3()
  world = await openStored({ objects: s3.options })
  expect(await world.import([file])).toEqual([])
})
afterAll(async () => {
  await world.close()
  await s3.stop()
})

const ask = () => world.ask(file.id, ['ENSG00000000002'])

test('what was imported is answered, and not a byte of the file is fetched', async () => {
  expect((await world.engine.shared.files.find(file.id))?.storage).toBe('s3')
  const before = s3.bytesSent()
  expect(numbersOf(await ask())).toEqual(EXPECTED)
  s3.requests.length = 0
  expect(numbersOf(await ask())).toEqual(EXPECTED)
  expect([s3.bytesSent() - before, s3.requests]).toEqual([0, []])
  expect(await world.issues()).toEqual([])
})

test('without its numbers by gene a file is refused until it is imported again', async () => {
  const other = await openStored({ objects: s3.options })
  const given = { ...file, id: idOf(2), name: 'b.loom' }
  try {
    await other.import([given])
    for (const path of Object.values(other.paths(given.id))) await rm(path)
    const asked = () => other.ask(given.id, ['ENSG00000000002'])
    await expect(asked()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(
        'numbers by gene are not in the data folder; import it again',
      ),
    })
    s3.requests.length = 0
    await other.import([given])
    expect(s3.requests.filter(({ method }) => method === 'PUT' || method === 'POST')).toEqual([])
    expect(numbersOf(await asked())).toEqual(EXPECTED)
  } finally {
    await other.close()
  }
})

test('without its annotations, as former versions stored it, it is refused until it is imported again', async () => {
  const given = { ...file, id: idOf(4), name: 'd.loom' }
  await world.import([given])
  const { directory: path } = world.paths(given.id)
  const loaded = await loadGeneDirectory(path)
  const before = { ...loaded!.directory, annotations: undefined }
  await saveGeneDirectory(path, before, loaded!.identity)
  const asked = () =>
    world.engine.commons.singleCell.annotations({
      caseId: undefined,
      fileId: given.id,
      annotation: undefined,
      token: undefined,
    })
  await expect(asked()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('annotations of its cells are not in the data folder'),
  })
  expect(numbersOf(await world.ask(given.id, ['ENSG00000000002']))).toEqual(EXPECTED)
  s3.requests.length = 0
  await world.import([given])
  expect(s3.requests.filter(({ method }) => method === 'PUT' || method === 'POST')).toEqual([])
  expect(await asked()).toMatchObject({ cells: 70, annotations: [] })
})

test('numbers that are damaged are an error where there is nothing else', async () => {
  const given = { ...file, id: idOf(3), name: 'c.loom' }
  await world.import([given])
  const { directory } = world.paths(given.id)
  await writeFile(directory, (await readFile(directory)).subarray(0, -1))
  const asked = world.ask(given.id, ['ENSG00000000002'])
  await expect(asked).rejects.toMatchObject({ code: 'corrupt_source' })
  // An import creates the numbers again.
  await world.import([given])
  expect(numbersOf(await world.ask(given.id, ['ENSG00000000002']))).toEqual(EXPECTED)
})
