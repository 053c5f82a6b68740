import promises, { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { buildRelease } from './build.ts'
import { extendRelease } from './extend.ts'
import type { ReleaseManifest } from './layout.ts'
import { Release } from './release.ts'
import { verifyRelease } from './verify.ts'

let folder = ''
let from: ReleaseManifest
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-extend-'))
  const source = join(folder, 'genes.ndjson')
  await writeFile(source, '{"gene_id":"G1","symbol":"A"}\n{"gene_id":"G2"}\n')
  const old = join(folder, 'old.txt')
  await writeFile(old, 'old')
  from = await buildRelease({
    folder: join(folder, 'releases'),
    sources: { genes: source },
    executor: inlineExecutor,
    extras: { 'old.txt': old },
    facts: facts('one'),
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  await rm(folder, { recursive: true })
})

/** Makes linking fail, as on a file system without links. */
function refuseLinks(): void {
  vi.spyOn(promises, 'link').mockRejectedValue(new Error('no links here'))
  // Functions that modules have imported by name are only replaced by this call.
  syncBuiltinESMExports()
}

const facts = (id: string) => ({
  id,
  dataRelease: `Release ${id}`,
  createdAt: '2025-01-02T00:00:00.000Z',
  version: { major: 1, minor: 0, releaseDate: '2025-01-02' },
})

const write = (text: string) => async (path: string) => {
  await writeFile(path, text)
  return { bytes: text.length, crc32: crc32(text) }
}

const extend = (id: string, files = { 'new.txt': write('new') }) =>
  extendRelease({
    folder: join(folder, 'releases'),
    from,
    fromFolder: join(folder, 'releases', from.id),
    facts: facts(id),
    files,
  })

async function issues(id: string) {
  const found: object[] = []
  for await (const issue of verifyRelease(join(folder, 'releases', id))) found.push(issue)
  return found
}

test.each([[true], [false]])(
  'a release has all files of another one beside its own, with hard links: %s',
  async (areMade) => {
    if (!areMade) refuseLinks()
    const made = await extend('two')
    expect(made).toEqual({
      ...from,
      ...facts('two'),
      files: { ...from.files, 'new.txt': { bytes: 3, crc32: crc32('new') } },
    })
    expect(await issues('two')).toEqual([])
    const inode = async (id: string) => (await stat(join(folder, 'releases', id, 'old.txt'))).ino
    expect((await inode('one')) === (await inode('two'))).toBe(areMade)
    const release = await Release.open(join(folder, 'releases', 'two'))
    expect(await release.find('genes', 'G2')).toBe(1)
    await release.close()
  },
)

test('a file of its own takes the place of the other release’s, which stays as it was', async () => {
  await extend('two', { 'old.txt': write('newer') } as never)
  const text = (id: string) => readFile(join(folder, 'releases', id, 'old.txt'), 'utf8')
  expect([await text('one'), await text('two')]).toEqual(['old', 'newer'])
  expect(await issues('one')).toEqual([])
  expect(await issues('two')).toEqual([])
})

test('what cannot be made leaves nothing', async () => {
  const names = () => readdir(join(folder, 'releases'))
  await expect(extend('one')).rejects.toMatchObject({ code: 'already_exists' })
  const fail = () => Promise.reject(new Error('no room'))
  await expect(extend('two', { 'new.txt': fail })).rejects.toThrow('no room')
  expect(await names()).toEqual(['one'])
  refuseLinks()
  await writeFile(join(folder, 'releases', 'one', 'old.txt'), 'odd')
  await expect(extend('two')).rejects.toMatchObject({
    code: 'corrupt_source',
    message: expect.stringContaining('"old.txt" of the release is not what was written'),
  })
  expect(await names()).toEqual(['one'])
})
