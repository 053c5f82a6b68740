import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inlineExecutor } from '../executor.ts'
import { buildRelease } from '../release/build.ts'
import { Releases } from '../release/releases.ts'
import { CurrentRelease } from './current-release.ts'

let folder = ''
let releases: Releases
let current: CurrentRelease
let switched: string[] = []
let failures: unknown[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-current-'))
  releases = new Releases(folder)
  switched = []
  failures = []
  current = new CurrentRelease(releases, {
    onSwitch: (id) => switched.push(id),
    onFailure: (cause) => failures.push(cause),
  })
})
afterEach(async () => {
  await current.close()
  await rm(folder, { recursive: true, force: true })
})

async function build(id: string, project: string): Promise<void> {
  const source = join(folder, `${id}.ndjson`)
  await writeFile(source, `${JSON.stringify({ project_id: project })}\n`)
  await buildRelease({
    folder: releases.path,
    sources: { projects: source },
    facts: {
      id,
      dataRelease: 'Data Release 1.0',
      version: { major: 1, minor: 0, releaseDate: '2026-01-01' },
      createdAt: '2026-01-01T00:00:00.000Z',
    },
    executor: inlineExecutor,
  })
}

test('without a release there is nothing to lease', async () => {
  await current.start()
  expect(current.release).toBeUndefined()
  expect(() => current.lease()).toThrow(expect.objectContaining({ code: 'unavailable' }))
})

test('who has a lease finishes on the old release, who comes later gets the new one', async () => {
  await build('one', 'P1')
  await build('two', 'P2')
  await releases.switchTo('one')
  await current.start()
  const early = current.lease()
  await releases.switchTo('two')
  await current.look()
  const late = current.lease()
  expect(await early.release.find('projects', 'P1')).toBe(0)
  expect(await early.release.find('projects', 'P2')).toBeUndefined()
  expect(await late.release.find('projects', 'P2')).toBe(0)
  expect(switched).toEqual(['one', 'two'])
  await build('three', 'P3')
  await releases.switchTo('three')
  await current.look()
  expect(current.release?.id).toBe('three')
  early.end()
  early.end()
  await expect(early.release.find('projects', 'P1')).rejects.toMatchObject({ code: 'unavailable' })
  late.end()
})

test('a release that cannot be opened leaves the old one in service and is told once', async () => {
  await build('one', 'P1')
  await build('two', 'P2')
  await releases.switchTo('one')
  await current.start()
  await releases.switchTo('two')
  await rm(join(releases.folder('two'), 'documents', 'projects.text'))
  await current.look()
  await current.look()
  expect(current.release?.id).toBe('one')
  expect(failures).toEqual([expect.objectContaining({ code: 'corrupt_source' })])
})
