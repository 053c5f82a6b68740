import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATASET_NAMES } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { MANIFEST_NAME, manifestText } from '../../../engine/commons/release/manifest.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { someDocuments, writeSources } from '../../../engine/commons/release/support/documents.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import type { App } from '../../../server/http/compose.ts'
import { openEngine } from '../../places.ts'
import { appOf } from './support/app.ts'

// A release built before most datasets existed, whose manifest lacks their layouts.

const THERE = ['projects', 'cases', 'files'] as const
const LATER = DATASET_NAMES.filter((name) => !THERE.some((each) => each === name))

let folder = ''
let engine: Engine
let app: App

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-older-'))
  const { projects, cases, files } = someDocuments(30)
  const sources = await writeSources(folder, { projects, cases, files })
  const version = { major: 1, minor: 0, releaseDate: '2024-01-01' }
  const createdAt = '2024-01-01T00:00:00.000Z'
  const facts = { id: 'old', dataRelease: 'Data Release 1.0', version, createdAt }
  const releases = new Releases(folder)
  const executor = inlineExecutor
  const options = { folder: releases.path, sources, facts, executor }
  const { datasets, ...manifest } = await buildRelease(options)
  const layouts = Object.fromEntries(THERE.map((name) => [name, datasets[name]]))
  const older = { ...manifest, datasets: layouts as typeof datasets }
  await writeFile(join(releases.folder('old'), MANIFEST_NAME), manifestText(older))
  await releases.switchTo('old')
  engine = await openEngine({ dataFolder: folder, executor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

async function asked(path: string, query: Readonly<Record<string, string>> = {}) {
  const answer = await app.request(`${path}?${new URLSearchParams(query)}`)
  return { status: answer.status, body: await answer.json() }
}

const hits = (count: number) => ({ status: 200, body: { data: { pagination: { total: count } } } })

describe.each(LATER)('%s that the release was built before', (name) => {
  const { idField, autocomplete, casePath } = DATASETS[name]

  test('have no records', async () => {
    expect(await asked(`/${name}`)).toMatchObject({ ...hits(0), body: { data: { hits: [] } } })
    expect(await asked(`/${name}/ids`, { query: 'a' })).toMatchObject(hits(0))
    expect(await asked(`/${name}/unknown`)).toMatchObject({ status: 404 })
  })

  test('are filtered, counted, sorted and shown like those that a release has none of', async () => {
    const filters = JSON.stringify({ op: '=', content: { field: idField, value: 'x' } })
    const facets = [idField, ...autocomplete].join(',')
    expect(await asked(`/${name}`, { filters, facets, sort: idField })).toMatchObject(hits(0))
    const cohort = { op: '=', content: { field: 'primary_site', value: 'kidney' } }
    const about = { case_filters: JSON.stringify(cohort) }
    expect(await asked(`/${name}`, about)).toMatchObject(hits(0))
    for (const expand of DATASETS[name].expand) {
      expect(await asked(`/${name}`, { expand })).toMatchObject(hits(0))
    }
    if (!casePath) return
    const answer = await app.request(`/${name}?return_type=manifest`)
    expect([answer.status, await answer.text()]).toEqual([200, 'id\tfilename\tmd5\tsize\tstate\n'])
  })
})

test('what the release has is found beside them', async () => {
  expect(await asked('/cases')).toMatchObject(hits(3))
  const { status, body } = await asked('/all', { query: 'case-' })
  expect([status, body]).toMatchObject([200, { data: { query: { hits: [{}, {}, {}] } } }])
})
