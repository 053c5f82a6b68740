import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_CODES, loadDemoCodes } from '../../fixtures/codes/load-codes.ts'
import { DEMO_TUMOURS } from '../../fixtures/demo.ts'
import { DEMO_NAACCR, loadDemoNaaccr } from '../../fixtures/naaccr/items.ts'
import { storeRecords } from '../../fixtures/publishing/records.ts'
import { DEMO_CASE, DEMO_STAGING, demoStagingZip } from '../../fixtures/staging/algorithm.ts'
import { DEMO_SURGERY, loadDemoSurgery } from '../../fixtures/surgery/tables.ts'
import { successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { type ClientArea, unreadable } from './support/strict-client.ts'
import { strictFaults } from './support/strict-codes.ts'
import { strictNaaccrFaults, strictSurgeryFaults } from './support/strict-lookups.ts'
import { type StagingAnswer, unreadableStaging } from './support/strict-staging.ts'

// Every read operation of the public client on the demo's registry, parsed as strictly as by the client.

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
  const { registry } = world.engine
  const folder = await mkdtemp(join(tmpdir(), 'casemill-demo-client-'))
  const archive = join(folder, `${DEMO_STAGING.algorithm}-${DEMO_STAGING.version}.zip`)
  await writeFile(archive, demoStagingZip())
  await registry.staging.import(archive, { user: 'demo' })
  await storeRecords(registry, 'demo')
  await loadDemoCodes(registry, folder, 'demo')
  await loadDemoSurgery(registry, folder)
  await loadDemoNaaccr(registry, folder)
  await rm(folder, { recursive: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

async function ask(operation: string, body?: unknown): Promise<unknown> {
  const posted = typeof body === 'string' ? { headers: { 'Content-Type': 'text/plain' } } : {}
  const given = body === undefined ? {} : { body, ...posted }
  return successOf(await world.ask(operation, { who: 'reader', ...given }), 200)
}

type Listed = readonly { readonly id: string }[]
const idsOf = (answer: unknown) => (answer as Listed).map(({ id }) => id)

describe('staging', () => {
  const version = `/rest/staging/${DEMO_STAGING.algorithm}/latest`

  test.each<[StagingAnswer, string, unknown?]>([
    ['algorithms', 'GET /rest/staging/algorithms'],
    ['versions', `GET /rest/staging/${DEMO_STAGING.algorithm}/versions`],
    ['schemas', `GET ${version}/schemas`],
    ['schemas', `GET ${version}/schemas?q=thyroid`],
    ['schemas', `POST ${version}/schemas/lookup`, { site: 'C739', hist: '8260' }],
    ['tables', `GET ${version}/tables`],
    ['tables', `GET ${version}/tables?q=node`],
    ['matches', `GET ${version}/schema/bowel/glossary`],
    ['matches', `GET ${version}/table/depth/glossary`],
    ['staged', `POST ${version}/stage`, DEMO_CASE],
    ['staged', `POST ${version}/stage`, { ...DEMO_CASE, depth: 'none' }],
    ['staged', `POST ${version}/stage`, {}],
  ])('%s of %s decodes', async (kind, operation, body) => {
    expect(unreadableStaging(kind, await ask(operation, body))).toEqual([])
  })

  test('a mistyped key is named, though the case is answered as it is', async () => {
    const { hist, ...others } = DEMO_CASE
    const body = { ...others, hyst: hist }
    const response = await world.ask(`POST ${version}/stage`, { who: 'reader', body })
    expect(response.headers.get('x-warnings')).toBe(
      'body: no schema has an input "hyst"; did you mean "hist"?',
    )
    expect(await successOf(response, 200)).toMatchObject({
      result: 'FAILED_MISSING_SITE_OR_HISTOLOGY',
    })
    const right = await world.ask(`POST ${version}/stage`, { who: 'reader', body: DEMO_CASE })
    expect(right.headers.get('x-warnings')).toBeNull()
  })

  test('schemas decode', async () => {
    const ids = idsOf(await ask(`GET ${version}/schemas`))
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) {
      const schema = await ask(`GET ${version}/schema/${id}`)
      expect(unreadableStaging('schema', schema), id).toEqual([])
      const tables = await ask(`GET ${version}/schema/${id}/tables`)
      expect(unreadableStaging('tables', tables)).toEqual([])
    }
  })

  test('tables and the schemas that they are in decode', async () => {
    for (const id of idsOf(await ask(`GET ${version}/tables`))) {
      expect(unreadableStaging('table', await ask(`GET ${version}/table/${id}`)), id).toEqual([])
      const schemas = await ask(`GET ${version}/table/${id}/schemas`)
      if ((schemas as Listed).length > 0)
        expect(unreadableStaging('schemas', schemas), id).toEqual([])
    }
  })
})

test('multiple primaries decode', async () => {
  const answer = await ask('POST /rest/mph', DEMO_TUMOURS)
  expect(unreadableStaging('primaries', answer)).toEqual([])
})

interface Found {
  readonly total: number
  readonly results?: readonly {
    readonly id: string
    readonly type?: string
    readonly category?: readonly string[]
    readonly icdO3_morphology?: string
  }[]
}

describe.each<ClientArea>(['rx', 'glossary', 'disease'])('%s', (area) => {
  const latest = `/rest/${area}/latest`
  const read = async (operation: string, body?: unknown) => {
    const answer = await ask(operation, body)
    const path = (operation.split(' ')[1] ?? '').replace(/\?.*/, '')
    expect(unreadable(area, path, answer), operation).toEqual([])
    return answer
  }

  test('versions, searches, records and changelogs decode', async () => {
    await read(`GET /rest/${area}/versions`)
    await read(`GET ${latest}?q=lymphoma`)
    await read(`GET ${latest}/changelog`)
    for (const type of ['MIN', 'PARTIAL', 'FULL']) {
      await read(`GET ${latest}?output_type=${type}&glossary=true&count=1000`)
    }
    const { results = [], total } = (await read(`GET ${latest}?count=1000`)) as Found
    expect(results).toHaveLength(total)
    for (const { id } of results) await read(`GET ${latest}/id/${id}?glossary=true`)
    if (area === 'rx') for (const { id } of results) await read(`GET ${latest}/id/${id}/regimens`)
  })

  test('a search without a hit has no results', async () => {
    const answer = await read(`GET ${latest}?q=zzzz`)
    expect(answer).toMatchObject({ total: 0, offset: 0 })
    expect(answer).not.toHaveProperty('results')
  })
})

// The client's search would fail at the first value that its enumerations lack.
test.each([
  ['disease', 'type', ['HEMATO', 'SOLID_TUMOR']],
  ['glossary', 'category', undefined],
  ['rx', 'type', ['DRUG', 'REGIMEN']],
] as const)('%s has no %s that the client lacks', async (area, member, known) => {
  const path = `/rest/${area}/latest?output_type=FULL&count=1000`
  const { results = [] } = (await ask(`GET ${path}`)) as Found
  const values = results.flatMap((record) => record[member] ?? [])
  expect(values).not.toEqual([])
  expect(values).not.toContain('NON_NEOPLASTIC')
  if (known) expect(new Set(values)).toEqual(new Set(known))
})

test('same primaries, sites, regimens and matches decode', async () => {
  const disease = '/rest/disease/latest'
  const query = 'output_type=FULL&type=HEMATO&count=2'
  const { results = [] } = (await ask(`GET ${disease}?${query}`)) as Found
  const [one, other] = results.map((record) => record.icdO3_morphology)
  const years = 'year1=2010&year2=2010'
  for (const path of [
    `/rest/disease/latest/same_primary?d1=${one}&d2=${other}&${years}`,
    '/rest/disease/primary_site',
    '/rest/disease/primary_site/C182',
    '/rest/disease/site_categories',
    `${disease}/id/${results[0]?.id}/2010`,
  ]) {
    const answer = await ask(`GET ${path}`)
    expect(unreadable('disease', path.replace(/\?.*/, ''), answer), path).toEqual([])
  }
  const text = 'A regimen of chemotherapy for multiple primaries.'
  const matches = await ask('POST /rest/glossary/match', text)
  expect(matches).not.toEqual([])
  expect(unreadable('glossary', '/rest/glossary/match', matches)).toEqual([])
})

test.each(['ndc', 'hcpcs'] as const)('records of %s decode, searched and by code', async (area) => {
  const records = (await ask(`GET /rest/${area}?per_page=100`)) as readonly object[]
  expect(records.length).toBeGreaterThan(10)
  const code = area === 'ndc' ? DEMO_CODES.product : DEMO_CODES.procedure
  for (const record of [...records, await ask(`GET /rest/${area}/code/${code}`)]) {
    expect(strictFaults(area, record)).toEqual([])
  }
})

test('surgery tables decode, by title and by site and histology', async () => {
  const path = `GET /rest/surgery/${DEMO_SURGERY.year}`
  const titles = (await ask(`${path}/tables`)) as string[]
  expect(titles).toContain(DEMO_SURGERY.title)
  for (const title of titles) {
    const table = await ask(`${path}/table?title=${encodeURIComponent(title)}`)
    expect(strictSurgeryFaults(table), title).toEqual([])
  }
  const { site, hist, title } = DEMO_SURGERY
  const found = await ask(`${path}/table?site=${site}&hist=${hist}`)
  expect(found).toMatchObject({ title })
})

test('versions and items of registry files decode', async () => {
  const versions = await ask('GET /rest/naaccr/versions')
  expect(versions).toMatchObject([{ version: DEMO_NAACCR.version, year_implemented: 2021 }])
  expect(strictNaaccrFaults('versions', versions)).toEqual([])
  const items = (await ask('GET /rest/naaccr/latest')) as readonly { readonly item: string }[]
  expect(items).toHaveLength(9)
  expect(strictNaaccrFaults('items', items)).toEqual([])
  for (const key of [...items.map(({ item }) => item), DEMO_NAACCR.id]) {
    const item = await ask(`GET /rest/naaccr/latest/${key}`)
    expect(strictNaaccrFaults('item', item), key).toEqual([])
  }
})
