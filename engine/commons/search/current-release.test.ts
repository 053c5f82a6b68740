import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { RELEASE_GUARDS } from '../files/records/guard-sources.ts'
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
  current = new CurrentRelease(releases, RELEASE_GUARDS, {
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
  expect(await current.leaseForGuards()).toBeUndefined()
  expect(current.health).toEqual({ state: 'ready', problems: [] })
})

test('guards requested before the first look are those of the release', async () => {
  await build('one', 'P1')
  await releases.switchTo('one')
  expect(current.health.state).toBe('warming')
  const lease = await current.leaseForGuards()
  expect(lease?.release.id).toBe('one')
  lease?.end()
})

test('a first release that is not named yet is not served, and is named after a restart', async () => {
  await current.start()
  await build('one', 'P1')
  await current.look()
  expect(await current.leaseForGuards()).toBeUndefined()
  const restarted = new CurrentRelease(releases, RELEASE_GUARDS, {
    onSwitch: () => {},
    onFailure: () => {},
  })
  await restarted.look()
  await expect(restarted.leaseForGuards()).rejects.toMatchObject({ code: 'unavailable' })
  expect(restarted.health).toEqual({
    state: 'damaged',
    problems: [expect.stringContaining('"releases/current" is missing')],
  })
  await releases.switchTo('one')
  for (const one of [current, restarted]) {
    await one.look()
    expect(one.release?.id).toBe('one')
    expect(one.health).toEqual({ state: 'ready', problems: [] })
  }
  await restarted.close()
})

test('a folder that has lost its releases is not a fresh one', async () => {
  await build('one', 'P1')
  await releases.switchTo('one')
  await rm(join(releases.folder('one'), 'manifest.json'))
  await current.start()
  await expect(current.leaseForGuards()).rejects.toMatchObject({ code: 'unavailable' })
  await rm(releases.path, { recursive: true })
  await current.look()
  await expect(current.leaseForGuards()).rejects.toMatchObject({ code: 'unavailable' })
})

test('a lack of file descriptors is not reported as a damaged release', async () => {
  await build('one', 'P1')
  await releases.switchTo('one')
  await current.start()
  const shortage = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  vi.spyOn(releases, 'current').mockRejectedValueOnce(shortage)
  await current.look()
  expect(current.health).toEqual({ state: 'ready', problems: [] })
  expect(failures).toEqual([])
})

test('damage found by reading makes the release unavailable, is reported, and cleared once repaired', async () => {
  await build('one', 'P1')
  await releases.switchTo('one')
  await current.start()
  const path = 'columns/projects/project_id.arrow'
  const file = join(releases.folder('one'), path)
  const bytes = await readFile(file)
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
  await writeFile(file, changed)
  const lease = current.lease()
  const error = await lease.release.find('projects', 'P1').catch((cause: unknown) => cause)
  lease.end()
  const message = expect.stringContaining('the field "project_id" of projects cannot be used')
  expect(lease.errorOf(error)).toMatchObject({ code: 'unavailable', message })
  expect(current.health).toEqual({ state: 'ready', problems: [message] })
  await current.look()
  expect(current.health.problems).toEqual([message])
  await writeFile(file, bytes)
  for (let looks = 0; looks < 10; looks++) await current.look()
  expect(current.health).toEqual({ state: 'ready', problems: [] })
})

test('a leased request finishes on the old release, and later ones get the new one', async () => {
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

test('a release that cannot be opened leaves the old one in service and is reported once', async () => {
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
  expect(current.health).toEqual({
    state: 'damaged',
    problems: [expect.stringMatching(/^the data release "two" .*"documents\/projects\.text"/)],
  })
})
