import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { inlineExecutor, type Job } from '../executor.ts'
import type { BlobStore, WithSource } from './blob.ts'
import type { BlobKey } from './blob-key.ts'
import { BlobStores } from './blob-stores.ts'
import { FolderStore } from './folder-store.ts'
import type { Making } from './made-store.ts'
import { readFully } from './source.ts'
import { madeBytes } from './support/made-bytes.ts'

const KNOWN = { id: '4e9a2c1d-7b53-5a0e-8f46-0123456789ab', name: 'made.tsv' }
const EMPTY = { id: '4e9a2c1d-7b53-5a0e-8f46-0123456789ac', name: 'empty' }
const OTHER = { id: '4e9a2c1d-7b53-5a0e-8f46-0123456789ad', name: 'x' }

let folder = ''
let asked: BlobKey[] = []
const bytes = madeBytes(5, 10_000)
const make = async (key: BlobKey) => {
  asked.push(key)
  if (key.id === KNOWN.id && key.name === KNOWN.name) return bytes
  return key.id === EMPTY.id ? new Uint8Array(0) : undefined
}
const space = { require: async () => {} }
const storesIn = (name: string, making: Partial<Making> = {}) =>
  new BlobStores(new FolderStore(join(folder, name)), undefined, { make, space, ...making })

beforeEach(async () => {
  asked = []
  folder = await mkdtemp(join(tmpdir(), 'casemill-made-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function sizeOf(store: BlobStore, key: BlobKey): Promise<number> {
  const blob = await store.open(key)
  await blob.close()
  return blob.identity.size
}

async function given(text: string): Promise<string> {
  const path = join(folder, 'given')
  await writeFile(path, text)
  return path
}

test('what can be made is read from any place, and takes no disk', async () => {
  const blob = await storesIn('files').of('folder').open(KNOWN)
  expect(blob.identity.size).toBe(bytes.length)
  for (const [from, length] of [
    [0, 10_000],
    [9_990, 100],
    [10_000, 10],
    [20_000, 10],
    [7, 0],
  ] as const) {
    const into = Buffer.alloc(length, 0xee)
    const expected = bytes.subarray(from, from + length)
    expect(await blob.read(into, from)).toBe(expected.length)
    expect(into.subarray(0, expected.length).equals(expected)).toBe(true)
    expect(into.subarray(expected.length).every((byte) => byte === 0xee)).toBe(true)
  }
  await blob.close()
  await blob.close()
  expect(await readdir(folder)).toEqual([])
})

test('jobs read it', async () => {
  const sum: Job<WithSource & { readonly from: number }, number> = {
    name: 'test.sum',
    run({ source, from }) {
      const into = new Uint8Array(source.size + 10)
      return into
        .subarray(0, readFully(source, into, from))
        .reduce((total, byte) => total + byte, 0)
    },
  }
  const store = storesIn('files').of('folder')
  const blob = await store.open(KNOWN)
  for (const from of [0, 1, 9_999, 10_000]) {
    const expected = bytes.subarray(from).reduce((total, byte) => total + byte, 0)
    expect(await blob.run(inlineExecutor, sum, { from })).toBe(expected)
  }
  expect(await (await store.open(EMPTY)).run(inlineExecutor, sum, { from: 0 })).toBe(0)
})

test('its identity is that of its bytes, whenever they are made', async () => {
  const store = storesIn('files').of('folder')
  const identity = await store.identity(KNOWN)
  expect(identity).toMatchObject({ size: bytes.length })
  expect((await store.open(KNOWN)).identity).toEqual(identity)
  expect(await storesIn('others').of('folder').identity(KNOWN)).toEqual(identity)
  expect(await store.identity(EMPTY)).not.toEqual(identity)
})

test('what lies in the folder comes first, and nothing is made then', async () => {
  const stores = storesIn('files')
  const store = stores.of('folder')
  await store.take(KNOWN, await given('mine'))
  expect(await store.identity(KNOWN)).toMatchObject({ size: 4 })
  expect(await sizeOf(store, KNOWN)).toBe(4)
  expect(await readFile(await stores.path(KNOWN), 'utf8')).toBe('mine')
  expect(asked).toEqual([])
  await store.remove(KNOWN)
  expect(await sizeOf(store, KNOWN)).toBe(bytes.length)
})

test('who needs a path has the bytes written there, once', async () => {
  const stores = storesIn('files')
  const paths = await Promise.all([stores.path(KNOWN), stores.path(KNOWN)])
  expect(new Set(paths)).toEqual(new Set([stores.folder.path(KNOWN)]))
  expect((await readFile(paths[0]!)).equals(bytes)).toBe(true)
  expect(await readdir(join(folder, 'files', KNOWN.id))).toEqual([KNOWN.name])
  const before = asked.length
  expect(await stores.path(KNOWN)).toBe(paths[0])
  expect(await sizeOf(stores.of('folder'), KNOWN)).toBe(bytes.length)
  expect(asked).toHaveLength(before)
})

test('what cannot be made is as absent as in a folder', async () => {
  const stores = storesIn('files')
  const store = stores.of('folder')
  expect(store.kind).toBe('folder')
  expect(await store.identity(OTHER)).toBeUndefined()
  await expect(store.open(OTHER)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await stores.path(OTHER)).toBe(stores.folder.path(OTHER))
  expect(await readdir(folder)).toEqual([])
  await store.take(OTHER, await given('x'))
  const keys: BlobKey[] = []
  for await (const key of store.keys()) keys.push(key)
  expect(keys).toEqual([OTHER])
})

test('an impossible key is refused before anything is made', async () => {
  const stores = storesIn('files')
  const wrong = { id: KNOWN.id, name: '../x' }
  const badInput = { code: 'bad_input' }
  await expect(async () => stores.of('folder').open(wrong)).rejects.toMatchObject(badInput)
  await expect(async () => stores.of('folder').identity(wrong)).rejects.toMatchObject(badInput)
  await expect(async () => stores.path(wrong)).rejects.toMatchObject(badInput)
  expect(asked).toEqual([])
})

test('nothing is written that would take of the reserve of the disk', async () => {
  const full = new EngineError('unavailable', 'the disk is full')
  const required: number[] = []
  const stores = storesIn('files', {
    space: {
      require: async (size) => {
        required.push(size)
        throw full
      },
    },
  })
  await expect(stores.path(KNOWN)).rejects.toBe(full)
  expect(required).toEqual([bytes.length])
  expect(await readdir(folder)).toEqual([])
  expect(await sizeOf(stores.of('folder'), KNOWN)).toBe(bytes.length)
})

test('what hinders the making is an error, not an absence', async () => {
  const cause = new EngineError('busy', 'too many files are open')
  const failing = storesIn('files', { make: () => Promise.reject(cause) })
  await expect(failing.of('folder').open(KNOWN)).rejects.toBe(cause)
  await expect(failing.of('folder').identity(KNOWN)).rejects.toBe(cause)
})
