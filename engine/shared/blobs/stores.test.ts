import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { inlineExecutor, type Job } from '../executor.ts'
import type { BlobStore, WithSource } from './blob.ts'
import type { BlobKey } from './blob-key.ts'
import { FolderStore } from './folder-store.ts'
import { ObjectStore } from './object-store.ts'
import { readFully } from './source.ts'
import { madeBytes } from './support/made-bytes.ts'
import { type S3Server, startS3 } from './support/s3-server.ts'

// What every blob store must do, whatever is behind it.

const IDS = ['1', '2', '3', '4', '5'].map((n) => `0000000${n}-0000-4000-8000-000000000000`)
const ODD_NAMES = [
  ' a b ',
  'ä ö 漢字 🧬.bam',
  'a+b%20c%2F?x=1&y#z',
  `'"<>&;.bam`,
  '..bai',
  '~$*()[]{}|^`!@=,:',
  'é', // e and a combining accent
  'x'.repeat(200),
]

let folder = ''
let s3: S3Server
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-stores-'))
  s3 = await startS3()
})
afterAll(async () => {
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

interface Ready {
  readonly store: BlobStore
  readonly close: () => Promise<void>
}

const STORES: readonly (readonly [string, (name: string) => Ready])[] = [
  [
    'folder',
    (name) => ({ store: new FolderStore(join(folder, name)), close: () => Promise.resolve() }),
  ],
  [
    's3',
    (name) => {
      const store = new ObjectStore({ ...s3.options, prefix: name })
      return { store, close: () => store.close() }
    },
  ],
]

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'given')
  await writeFile(path, bytes)
  return path
}

async function readAll(store: BlobStore, key: BlobKey): Promise<Buffer> {
  const blob = await store.open(key)
  try {
    const bytes = Buffer.alloc(blob.identity.size)
    expect(await blob.read(bytes, 0)).toBe(bytes.length)
    return bytes
  } finally {
    await blob.close()
  }
}

async function keysOf(store: BlobStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { id, name } of store.keys()) keys.push(`${id}/${name}`)
  return keys.sort()
}

const sumJob: Job<WithSource & { readonly from: number; readonly length: number }, number> = {
  name: 'test.sum',
  run({ source, from, length }) {
    const bytes = new Uint8Array(length)
    const got = readFully(source, bytes, from)
    return bytes.subarray(0, got).reduce((sum, byte) => sum + byte, 0)
  },
}

describe.each(STORES)('a %s', (kind, make) => {
  let number = 0
  async function withStore(use: (store: BlobStore) => Promise<void>) {
    const { store, close } = make(`store-${number++}`)
    try {
      await use(store)
    } finally {
      await close()
    }
  }
  const key = { id: IDS[0]!, name: 'a.bam' }

  test('says what it is', () => withStore(async (store) => expect(store.kind).toBe(kind)))

  test('gives back the bytes that it took, and the file is gone', () =>
    withStore(async (store) => {
      const bytes = madeBytes(1, 300_000)
      const path = await fileOf(bytes)
      await store.take(key, path)
      expect(existsSync(path)).toBe(false)
      expect((await readAll(store, key)).equals(bytes)).toBe(true)
      expect(await store.identity(key)).toMatchObject({ size: bytes.length })
    }))

  test('replaces what was there before, which shows in the identity', () =>
    withStore(async (store) => {
      await store.take(key, await fileOf(Buffer.from('first')))
      const first = await store.identity(key)
      await store.take(key, await fileOf(Buffer.from('other')))
      expect((await readAll(store, key)).toString()).toBe('other')
      expect(await store.identity(key)).not.toEqual(first)
    }))

  test('removes what it took, once or again, and nothing else', () =>
    withStore(async (store) => {
      const other = { id: IDS[1]!, name: 'b.bam' }
      await store.remove(key)
      await store.take(key, await fileOf(Buffer.from('one')))
      await store.take(other, await fileOf(Buffer.from('two')))
      await store.remove(key)
      await store.remove(key)
      expect(await store.identity(key)).toBeUndefined()
      expect((await readAll(store, other)).toString()).toBe('two')
      expect(await keysOf(store)).toEqual([`${other.id}/${other.name}`])
    }))

  test('reads any range, and of one that reaches past the end what there is', () =>
    withStore(async (store) => {
      const bytes = madeBytes(2, 10_000)
      await store.take(key, await fileOf(bytes))
      const blob = await store.open(key)
      for (const [from, length] of [
        [0, 1],
        [0, 10_000],
        [9_999, 1],
        [5, 777],
        [9_990, 100],
        [10_000, 10],
        [1_000_000, 10],
        [3, 0],
      ] as const) {
        const into = Buffer.alloc(length, 0xee)
        const got = await blob.read(into, from)
        const expected = bytes.subarray(from, from + length)
        expect(got).toBe(expected.length)
        expect(into.subarray(0, got).equals(expected)).toBe(true)
        // The bytes behind the part that was read are unchanged.
        expect(into.subarray(got).every((byte) => byte === 0xee)).toBe(true)
      }
      await blob.close()
      await blob.close()
    }))

  test('stores nothing as nothing', () =>
    withStore(async (store) => {
      await store.take(key, await fileOf(Buffer.alloc(0)))
      expect(await store.identity(key)).toMatchObject({ size: 0 })
      const blob = await store.open(key)
      expect(await blob.read(Buffer.alloc(10), 0)).toBe(0)
      expect(await blob.run(inlineExecutor, sumJob, { from: 0, length: 10 })).toBe(0)
      await blob.close()
    }))

  test('takes any name that a file may have', () =>
    withStore(async (store) => {
      for (const name of ODD_NAMES) {
        const odd = { id: IDS[1]!, name }
        await store.take(odd, await fileOf(Buffer.from(name)))
        expect((await readAll(store, odd)).toString()).toBe(name)
      }
      expect(await keysOf(store)).toEqual(ODD_NAMES.map((name) => `${IDS[1]}/${name}`).sort())
    }))

  test('refuses a key that is no id or no name', () =>
    withStore(async (store) => {
      for (const wrong of [
        { id: IDS[0]!, name: '../x' },
        { id: '..', name: 'x' },
      ]) {
        await expect(async () => store.open(wrong)).rejects.toMatchObject({ code: 'bad_input' })
        await expect(async () => store.identity(wrong)).rejects.toMatchObject({ code: 'bad_input' })
        const path = await fileOf(Buffer.from('kept'))
        await expect(async () => store.take(wrong, path)).rejects.toMatchObject({
          code: 'bad_input',
        })
        expect(existsSync(path)).toBe(true)
      }
    }))

  test('has nothing under a key that nothing was stored under', () =>
    withStore(async (store) => {
      expect(await store.identity(key)).toBeUndefined()
      await expect(store.open(key)).rejects.toMatchObject({ code: 'unavailable' })
      expect(await keysOf(store)).toEqual([])
    }))

  test('names every key once', () =>
    withStore(async (store) => {
      const names = IDS.flatMap((id) => ['a.bam', 'a.bam.bai', 'b'].map((name) => ({ id, name })))
      for (const one of names) await store.take(one, await fileOf(Buffer.from('x')))
      expect(await keysOf(store)).toEqual(names.map(({ id, name }) => `${id}/${name}`).sort())
    }))

  test('keeps what it had, and the file stays, when taking is aborted', () =>
    withStore(async (store) => {
      await store.take(key, await fileOf(Buffer.from('before')))
      const path = await fileOf(Buffer.from('after'))
      const signal = AbortSignal.abort(new Error('not wanted any more'))
      await expect(store.take(key, path, { signal })).rejects.toThrow('not wanted any more')
      expect(existsSync(path)).toBe(true)
      expect((await readAll(store, key)).toString()).toBe('before')
    }))

  test('runs jobs over the bytes', () =>
    withStore(async (store) => {
      const bytes = madeBytes(3, 1_000_000)
      await store.take(key, await fileOf(bytes))
      const blob = await store.open(key)
      for (const [from, length] of [
        [0, 100],
        [262_100, 100],
        [999_990, 100],
        [0, 2_000_000],
        [2_000_000, 1],
      ] as const) {
        const expected = bytes.subarray(from, from + length).reduce((sum, byte) => sum + byte, 0)
        expect(await blob.run(inlineExecutor, sumJob, { from, length })).toBe(expected)
      }
      await blob.close()
    }))
})
