import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { eventually } from '../../eventually.ts'
import { openEngine, serveRelease } from '../../places.ts'
import { keptLog } from './fake-engine.ts'

const NAMES = Array.from({ length: 7 }, (_, i) => `P-${i}`)

let folder = ''
let engine: Engine
let server: RunningServer
let count = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-pinned-'))
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  const config = readConfig({ flags: { port: 0, drainSeconds: 0 } })
  const status = { commit: '880f321a', tag: '0.1.0' }
  server = await startServer({ engine, config, status, log: keptLog(config).log })
})
afterAll(async () => {
  await server.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

/** This file has the same name in each release. */
const FILE = '0f2e7a34-5c1e-4f3a-9d7c-2b8f6a1d4e55'

/**
 * Builds a release of projects with one case each and a file with one byte per project, and waits until it is
 * served.
 */
async function serve(projects: readonly string[], samples = (name: string) => [`${name}-s`]) {
  const id = `r${++count}`
  const of = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const sources = {
    projects: join(folder, 'projects'),
    cases: join(folder, 'cases'),
    files: join(folder, 'files'),
  }
  const file = { file_id: FILE, file_name: 'reads.bam', file_size: projects.length }
  await writeFile(sources.files, of([file]))
  await writeFile(sources.projects, of(projects.map((name) => ({ project_id: name, name: id }))))
  const cases = projects.map((name) => ({
    case_id: `${name}-c`,
    samples: samples(name).map((sample_id) => ({ sample_id })),
  }))
  await writeFile(sources.cases, of(cases))
  const version = { major: count, minor: 0, releaseDate: '2026-01-01' }
  const facts = { id, dataRelease: id, version, createdAt: '2026-01-01T00:00:00.000Z' }
  const { releases } = engine.commons
  await buildRelease({ folder: releases.path, sources, facts, executor: inlineExecutor })
  await serveRelease(engine, id)
  return id
}

const ask = (path: string, init?: RequestInit) => fetch(server.address + path, init)
const untilServed = (id: string) =>
  eventually(async () => {
    expect((await ask('/projects')).headers.get('x-casemill-release')).toBe(id)
  })
async function namesOf(answer: Response) {
  expect(answer.status).toBe(200)
  const { data } = (await answer.json()) as {
    data: { hits: { project_id: string; name: string }[] }
  }
  return data.hits.map(({ project_id, name }) => [project_id, name])
}
const problemOf = async (answer: Response) => {
  const { message } = (await answer.json()) as { message: string }
  return [answer.status, message]
}

let former = ''
let current = ''
beforeEach(async () => {
  former = await serve(NAMES)
  await untilServed(former)
})

test('pages of a named release fit together although another one comes between', async () => {
  const pages = (from: number) =>
    `/projects?sort=project_id&size=3&from=${from}&fields=project_id,name`
  const first = await ask(pages(0))
  const release = first.headers.get('x-casemill-release')
  expect(release).toBe(former)
  const names = await namesOf(first)
  current = await serve(['A-first', ...NAMES])
  await untilServed(current)
  for (const from of [3, 6]) {
    const answer = await ask(`${pages(from)}&release=${release}`)
    expect(answer.headers.get('x-casemill-release')).toBe(former)
    names.push(...(await namesOf(answer)))
  }
  expect(names).toEqual(NAMES.map((name) => [name, former]))
  const body = JSON.stringify({ sort: 'project_id', size: 1, release })
  const headers = { 'Content-Type': 'application/json' }
  const posted = await ask('/projects', { method: 'POST', headers, body })
  expect(posted.headers.get('x-casemill-release')).toBe(former)
  // Without the check, a page would repeat a record of the page before.
  expect(await namesOf(await ask(pages(3)))).toEqual(
    NAMES.slice(2, 5).map((name) => [name, current]),
  )
})

test('records, lookups, tables and files are of the release that is named, and so is their ETag', async () => {
  current = await serve(NAMES)
  await untilServed(current)
  for (const path of [
    '/projects/P-1?a=b',
    '/projects/ids?query=P-',
    '/projects?format=parquet',
    '/projects?format=tsv',
  ]) {
    const [old, now] = await Promise.all([ask(`${path}&release=${former}`), ask(path)])
    expect([old.status, old.headers.get('x-casemill-release')]).toEqual([200, former])
    expect(now.headers.get('x-casemill-release')).toBe(current)
    const etag = old.headers.get('etag') ?? ''
    expect(etag).not.toBe(now.headers.get('etag'))
    expect(
      await ask(`${path}&release=${former}`, { headers: { 'If-None-Match': etag } }),
    ).toHaveProperty('status', 200)
  }
  const named = await ask(`/projects?release=${current}`)
  const headers = { 'If-None-Match': named.headers.get('etag') ?? '' }
  const held = await ask(`/projects?release=${current}`, { headers })
  expect([held.status, held.headers.get('x-casemill-release')]).toEqual([304, current])
  expect((await ask('/all?query=P-1&size=1')).headers.get('x-casemill-release')).toBe(current)
  expect(held.headers.get('access-control-expose-headers')).toContain('X-Casemill-Release')
})

test.each([
  ['by path', (release: string) => ask(`/manifest/${FILE}?release=${release}`)],
  [
    'by body',
    (release: string) => {
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify({ ids: [FILE], release })
      return ask('/manifest', { method: 'POST', headers, body })
    },
  ],
])('manifests %s are of the release that is named', async (_, manifest) => {
  current = await serve(['A-first', ...NAMES])
  await untilServed(current)
  for (const [release, size] of [
    [former, NAMES.length],
    [current, NAMES.length + 1],
  ] as const) {
    const answer = await manifest(release)
    expect([answer.status, answer.headers.get('x-casemill-release')]).toEqual([200, release])
    expect(await answer.text()).toMatch(new RegExp(`^${FILE}\\treads.bam\\t\\t${size}\\t`, 'm'))
  }
  expect(await problemOf(await manifest('other'))).toMatchObject([410, expect.any(String)])
})

test('a name that cannot be one is malformed, and one that is not open is gone', async () => {
  current = await serve(NAMES)
  await untilServed(current)
  for (const name of ['..%2Fr1', '.before', 'current', 'a'.repeat(101)]) {
    const [status, message] = await problemOf(await ask(`/projects?release=${name}`))
    expect([name, status, message]).toEqual([name, 400, expect.stringContaining('release id')])
  }
  for (const name of ['never', 'r1']) {
    expect(await problemOf(await ask(`/projects?release=${name}`))).toEqual([
      410,
      `release "${name}" is not open here; "${current}" and "${former}" can be requested: begin again with one of these`,
    ])
  }
  await rm(engine.commons.releases.folder(former), { recursive: true })
  expect(await problemOf(await ask(`/projects?release=${former}`))).toEqual([
    410,
    `release "${former}" is not open here; "${current}" can be requested: begin again with one of these`,
  ])
})

test.each([
  ['a record', NAMES.slice(1), (name: string) => [`${name}-s`], 'projects.project_id'],
  [
    'part of a record',
    NAMES,
    (name: string) => (name === 'P-3' ? [] : [`${name}-s`]),
    'cases.samples.sample_id',
  ],
])(
  'once %s was taken out, the release that has it is not shown any more',
  async (_, names, samples, field) => {
    current = await serve(names, samples as (name: string) => string[])
    await untilServed(current)
    for (const path of ['/projects', '/cases', '/cases/P-3-c']) {
      const [status, message] = await problemOf(await ask(`${path}?release=${former}`))
      expect([status, message]).toEqual([410, expect.stringContaining('were taken out since')])
      expect(message).toContain(field)
    }
    expect((await ask('/projects')).status).toBe(200)
  },
)
