import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { buildRelease } from './build.ts'
import { Release } from './release.ts'
import { Releases } from './releases.ts'
import { someDocuments, writeSources } from './support/documents.ts'

let folder = ''
let releases: Releases
const version = { major: 1, minor: 0, releaseDate: '2026-01-02' }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-releases-'))
  releases = new Releases(folder)
})
afterAll(() => rm(folder, { recursive: true }))

async function build(id: string, createdAt: string) {
  const sources = await writeSources(folder, { projects: someDocuments(1).projects })
  const facts = { id, createdAt, version, dataRelease: `Data Release ${id}` }
  await buildRelease({ folder: releases.path, sources, facts, executor: inlineExecutor })
}

test('a folder without releases has no current one', async () => {
  expect(await releases.current()).toBeUndefined()
  expect(await releases.list()).toEqual([])
  await expect(releases.switchTo('r1')).rejects.toMatchObject({ code: 'not_found' })
})

test('the current release is the one that was switched to last', async () => {
  await build('r2', '2026-02-01T00:00:00Z')
  await build('r1', '2026-03-01T00:00:00Z')
  for (const id of ['r1', 'r2', 'r1']) {
    await releases.switchTo(id)
    expect(await new Releases(folder).current()).toBe(id)
  }
  await expect(releases.switchTo('r3')).rejects.toMatchObject({ code: 'not_found' })
  expect(await releases.current()).toBe('r1')
  expect((await readdir(releases.path)).sort()).toEqual(['.before', 'current', 'r1', 'r2'])
  expect(await releases.before()).toBe('r2')
})

test('releases are listed oldest first; other folders are passed over', async () => {
  await mkdir(join(releases.path, '.building-x'), { recursive: true })
  await mkdir(join(releases.path, 'empty'), { recursive: true })
  expect(await releases.list()).toEqual([
    { id: 'r2', createdAt: '2026-02-01T00:00:00Z', version, dataRelease: 'Data Release r2' },
    { id: 'r1', createdAt: '2026-03-01T00:00:00Z', version, dataRelease: 'Data Release r1' },
  ])
})

test.each(['', '..', '.', 'a/b', 'a\\b', '../x', 'current', '.x', 'x\u0000'])(
  'a name that is no release has no folder (%j)',
  (id) => {
    expect(() => releases.folder(id)).toThrow(expect.objectContaining({ code: 'bad_input' }))
  },
)

test.each(['../../etc\n', '', '\n', 'current\n'])(
  'a pointer that names nothing usable is refused: it is not that there is no release (%j)',
  async (text) => {
    await writeFile(join(releases.path, 'current'), text)
    await expect(releases.current()).rejects.toMatchObject({ code: 'corrupt_source' })
  },
)

test('a pointer that is missing is no sign of a fresh folder where there are releases', async () => {
  await rm(join(releases.path, 'current'))
  await expect(releases.current()).rejects.toMatchObject({ code: 'not_found' })
  await releases.nameOnly()
  await expect(releases.current()).rejects.toMatchObject({ code: 'not_found' })
  await mkdir(join(releases.path, 'current'))
  await expect(releases.current()).rejects.toMatchObject({
    code: 'corrupt_source',
    message: '"releases/current" cannot be read (EISDIR)',
  })
  await rm(join(releases.path, 'current'), { recursive: true })
})

test('folders that cannot be listed are not none', async () => {
  const other = new Releases(join(folder, 'other'))
  await mkdir(join(folder, 'other'))
  await writeFile(other.path, '')
  await expect(other.names()).rejects.toMatchObject({ code: 'corrupt_source' })
  await expect(other.current()).rejects.toMatchObject({ code: 'corrupt_source' })
})

test('a new release that cannot be named is removed, unless it may be the one that is named', async () => {
  const other = new Releases(join(folder, 'new'))
  const make = async () => {
    const sources = await writeSources(folder, { projects: someDocuments(1).projects })
    const facts = { id: 'r1', createdAt: '2026-01-01T00:00:00Z', version, dataRelease: 'r1' }
    await buildRelease({ folder: other.path, sources, facts, executor: inlineExecutor })
  }
  const pointer = join(other.path, 'current')
  const manifest = join(other.folder('r1'), 'manifest.json')
  // No pointer refers to this release.
  await make()
  await rm(manifest)
  await expect(other.switchToNew('r1')).rejects.toMatchObject({ code: 'not_found' })
  expect(await readdir(other.path)).toEqual([])
  // The pointer refers to another release.
  await make()
  await rm(manifest)
  await writeFile(pointer, 'r0\n')
  await expect(other.switchToNew('r1')).rejects.toMatchObject({ code: 'not_found' })
  expect(await readdir(other.path)).toEqual(['current'])
  // The release to which the pointer refers cannot be read.
  await make()
  await rm(pointer)
  await mkdir(pointer)
  await expect(other.switchToNew('r1')).rejects.toThrow()
  expect((await readdir(other.path)).sort()).toEqual(['current', 'r1'])
})

test('a release whose manifest cannot be read is not taken for none', async () => {
  const other = new Releases(join(folder, 'unreadable'))
  await mkdir(join(other.folder('r1'), 'manifest.json'), { recursive: true })
  await expect(Release.open(other.folder('r1'))).rejects.toMatchObject({
    code: 'corrupt_source',
    at: 'manifest.json',
  })
  // The damaged release does not hide the others either.
  expect(await other.list()).toEqual([])
})

test('the only release is named, as the import would have done that made it', async () => {
  const other = new Releases(join(folder, 'first'))
  const sources = await writeSources(folder, { projects: someDocuments(1).projects })
  const facts = { id: 'r1', createdAt: '2026-01-01T00:00:00Z', version, dataRelease: 'r1' }
  await other.nameOnly()
  expect(await other.current()).toBeUndefined()
  await buildRelease({ folder: other.path, sources, facts, executor: inlineExecutor })
  await other.nameOnly()
  expect(await other.current()).toBe('r1')
})

test('a release is closed when the last lease has been given back', async () => {
  const release = await Release.open(releases.folder('r1'))
  const [one, other] = [release.retain(), release.retain()]
  let closed = false
  const closing = release.close().then(() => {
    closed = true
  })
  one.release()
  one.release()
  await release.load(['columns/projects/name'])
  expect(closed).toBe(false)
  other.release()
  await closing
  await release.close()
  expect(() => release.retain()).toThrow(expect.objectContaining({ code: 'unavailable' }))
  await expect(release.documents('projects')).rejects.toThrow(/closed/)
  await expect(release.load([])).rejects.toMatchObject({ code: 'unavailable' })
})
