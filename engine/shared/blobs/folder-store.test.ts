import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inlineExecutor, type Job } from '../executor.ts'
import type { WithSource } from './blob.ts'
import { FolderStore, openFile } from './folder-store.ts'
import { readFully } from './source.ts'

const ID = '4e9a2c1d-7b53-5a0e-8f46-0123456789ab'
const OTHER = '4e9a2c1d-7b53-5a0e-8f46-0123456789ac'

let folder: string
let store: FolderStore
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-blobs-'))
  store = new FolderStore(join(folder, 'files'))
})
afterEach(() => rm(folder, { recursive: true }))

async function given(text: string): Promise<string> {
  const path = join(folder, 'given')
  await writeFile(path, text)
  return path
}

async function allKeys() {
  const keys = []
  for await (const key of store.keys()) keys.push(key)
  return keys
}

test('the path is absolute and in the folder of the id', () => {
  const relative = new FolderStore('data/files')
  const root = resolve('data/files')
  expect(relative.path({ id: ID, name: 'demo.bam' })).toBe(join(root, ID, 'demo.bam'))
  expect(relative.path({ id: ID, name: '..bai' })).toBe(join(root, ID, '..bai'))
})

test('any name gives a path directly inside the folder of the id, or is refused', () => {
  const inside = join(folder, 'files', ID)
  const pieces = fc.constantFrom('..', '.', '/', '\\', 'a', '\u0000', '%2e%2e', '~', ' ', ':')
  let made = 0
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
      const name = parts.join('')
      let path: string
      try {
        path = store.path({ id: ID, name })
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad_input', at: 'name' })
        return
      }
      made++
      expect(path).toBe(`${inside}/${name}`)
      expect(resolve(path, '..')).toBe(inside)
    }),
    { seed: 1, numRuns: 2000 },
  )
  expect(made).toBeGreaterThan(100)
})

test('a stored file is complete, and gone from its former place', async () => {
  const key = { id: ID, name: 'demo.txt' }
  expect(await store.identity(key)).toBeUndefined()
  const path = await given('one')
  await store.take(key, path)
  expect(await readFile(store.path(key), 'utf8')).toBe('one')
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
  const first = await store.identity(key)
  expect(first).toMatchObject({ size: 3 })
  await store.take(key, await given('other'))
  expect(await readFile(store.path(key), 'utf8')).toBe('other')
  expect(await store.identity(key)).not.toEqual(first)
})

test('several are taken at once, and all keys are reported', async () => {
  const keys = [
    { id: ID, name: 'a' },
    { id: ID, name: 'b' },
    { id: OTHER, name: 'a' },
  ]
  const files = await Promise.all(
    keys.map(async (key, i) => {
      const path = join(folder, `given-${i}`)
      await writeFile(path, `text ${i}`)
      return { key, path }
    }),
  )
  expect(await allKeys()).toEqual([])
  await store.takeAll(files)
  const found = await allKeys()
  const order = ({ id, name }: { id: string; name: string }) => `${id}/${name}`
  expect(found.map(order).sort()).toEqual(keys.map(order).sort())
  expect(await readFile(store.path(keys[2]!), 'utf8')).toBe('text 2')
  expect((await readdir(folder)).sort()).toEqual(['files'])
})

test('a path that cannot be inspected is an error; a path below a file is absent', async () => {
  const [key, other] = [
    { id: ID, name: 'a' },
    { id: OTHER, name: 'a' },
  ]
  await store.take(key, await given('one'))
  await writeFile(join(folder, 'files', OTHER), 'a stray file')
  expect(await store.identity(other)).toBeUndefined()
  expect(await allKeys()).toEqual([key])
  const loop = { id: ID, name: 'loop' }
  await symlink('loop', store.path(loop))
  await expect(store.identity(loop)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'stored file cannot be looked at',
  })
})

test('an impossible key is refused before anything is made', async () => {
  const path = await given('one')
  await expect(store.take({ id: ID, name: '../x' }, path)).rejects.toMatchObject({
    code: 'bad_input',
  })
  expect(await readdir(folder)).toEqual(['given'])
})

test('bytes are read from any place, by as many as there are, also through a link', async () => {
  const key = { id: ID, name: 'demo.txt' }
  const outside = await given('0123456789')
  await mkdir(join(folder, 'files', ID), { recursive: true })
  await symlink(outside, store.path(key))
  const blob = await store.open(key)
  const into = Buffer.alloc(4)
  expect(await blob.read(into, 3)).toBe(4)
  expect(into.toString()).toBe('3456')
  expect(await blob.read(into, 8)).toBe(2)
  expect(await blob.read(into, 10)).toBe(0)
  expect(blob.identity).toEqual(await store.identity(key))
  await blob.close()
  await blob.close()
})

test('a job reads the same bytes by the number of the open file', async () => {
  const firstBytes: Job<WithSource & { readonly count: number }, string> = {
    name: 'slicing.load',
    run: ({ source, count }) => {
      const into = Buffer.alloc(count)
      return into.subarray(0, readFully(source, into, 0)).toString()
    },
  }
  const blob = await openFile(await given('0123456789'))
  expect(await blob.run(inlineExecutor, firstBytes, { count: 3 })).toBe('012')
  await blob.close()
})

test('missing files, folders and devices cannot be opened', async () => {
  const refused = { code: 'unavailable' }
  await expect(store.open({ id: ID, name: 'x' })).rejects.toMatchObject(refused)
  await expect(openFile(folder)).rejects.toMatchObject(refused)
  await expect(openFile('/dev/null')).rejects.toMatchObject(refused)
})
