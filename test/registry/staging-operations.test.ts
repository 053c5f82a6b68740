import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readAlgorithmZip } from '../../engine/registry/staging/algorithm/read-zip.ts'
import { ROLES, type Role } from '../../engine/shared/index.ts'
import { describeArea, type Step } from './support/area-tests.ts'
import { CASE, SCHEMA, SPARE_TABLE, TABLES } from './support/made-algorithm.ts'
import { successOf } from './support/registry-answers.ts'

// Every operation of the staging area with every status that it declares.

const STAGING = '/rest/staging'
const VERSION = `${STAGING}/{algorithm}/{version}`
const [, , , , SIZES] = TABLES
const NOT_HELD = { headers: { 'If-Match': '"0"' } }

/** A body for an operation that is valid, except for its names. */
function bodyOf(name: string): unknown {
  const kind = /\/(schema|table)(\/\{id\})?$/.exec(name)?.[1]
  if (kind !== undefined) return { ...(kind === 'schema' ? SCHEMA : SPARE_TABLE), id: 'x' }
  if (name.endsWith('/stage/batch')) return CASE
  if (name.endsWith('/copy')) return { algorithm: 'made', version: 'c' }
  return name.endsWith('/restore') ? { history: 1 } : {}
}

const area = await describeArea({
  area: 'staging',
  names: { algorithm: 'made', version: '1.0', id: 'made' },
  unknown: { algorithm: 'nowhere', version: 'v', id: 'x' },
  bodyOf,
  rolesFor: (name) =>
    /\/(schema|table|batch)(\/|$)/.test(name)
      ? ['STAGING_ADMIN', 'STAGING_EDITOR']
      : ['STAGING_ADMIN'],
  repeatable: ['part', 'schema'],
  queryOf: (name) => (name.endsWith('/diff') ? 'from=1.0' : undefined),
  reads: /\/(stage|stage\/batch|schemas\/lookup|\{id\}\/defaults|match)$/,
})

/** The steps in the life of an algorithm, in this order. */
const LIFE: readonly Step[] = [
  [`GET ${STAGING}/algorithms`, 200],
  [`POST ${STAGING}/{algorithm}`, 201, {}, { algorithm: 'made', name: 'Made' }],
  [`POST ${STAGING}/{algorithm}`, 400, {}, { algorithm: 'made' }],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'algorithms' }, {}],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'other' }, { algorithm: 'another' }],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'b%20d' }, {}],
  [`GET ${STAGING}/{algorithm}`, 200],
  [`PUT ${STAGING}/{algorithm}`, 200, {}, { name: 'Made again' }],
  [`PUT ${STAGING}/{algorithm}`, 400, {}, { name: 7 }],
  [`GET ${STAGING}/algorithms`, 200],
  [`GET ${STAGING}/{algorithm}/versions`, 200],
  [`POST ${VERSION}`, 201, {}, { version: '1.0', type: 'PRODUCTION' }],
  [`POST ${VERSION}`, 400, {}, {}],
  [`POST ${VERSION}`, 400, { version: 'versions' }, {}],
  [`POST ${VERSION}`, 400, { version: 'latest' }, {}],
  [`POST ${VERSION}`, 400, { version: '2.0' }, { version: '3.0' }],
  [`GET ${STAGING}/{algorithm}/versions`, 200],
  [`GET ${VERSION}`, 200],
  [`GET ${VERSION}`, 200, { version: 'latest' }],
  [`PUT ${VERSION}`, 200, {}, { naaccr_version: '26' }],
  [`PUT ${VERSION}`, 400, {}, { view_roles: ['BOSS'] }],
  [`PUT ${VERSION}`, 400, { version: 'latest' }, {}],
  [`DELETE ${VERSION}`, 400, { version: 'latest' }],
  [`POST ${VERSION}/table`, 400, { version: 'latest' }, SPARE_TABLE],
  ...[...TABLES, SPARE_TABLE].map((table): Step => [`POST ${VERSION}/table`, 201, {}, table]),
  [`POST ${VERSION}/table`, 400, {}, SPARE_TABLE],
  [`POST ${VERSION}/schema`, 201, { query: 'comment=first' }, SCHEMA],
  [`POST ${VERSION}/schema`, 400, {}, SCHEMA],
  [`POST ${VERSION}/schema`, 400, {}, { ...SCHEMA, id: 'other', inputs: [] }],
  [`GET ${VERSION}/schemas`, 200],
  [`GET ${VERSION}/schemas`, 200, { query: 'q=MADE' }],
  [`GET ${VERSION}/tables`, 200],
  [`GET ${VERSION}/tables`, 200, { query: 'unused=true&q=sp' }],
  [`GET ${VERSION}/tables`, 400, { query: 'unused=perhaps' }],
  [`GET ${VERSION}/schema/{id}`, 200],
  [`GET ${VERSION}/table/{id}`, 200, { id: 'sizes' }],
  [`GET ${VERSION}/schema/{id}/tables`, 200],
  [`GET ${VERSION}/table/{id}/schemas`, 200, { id: 'sizes' }],
  [`GET ${VERSION}/schema/{id}/glossary`, 200],
  [`GET ${VERSION}/table/{id}/glossary`, 200, { id: 'sizes', query: 'category=GENERAL,HEMATO' }],
  [`GET ${VERSION}/table/{id}/glossary`, 400, { id: 'sizes', query: 'category=BEST' }],
  [`PUT ${VERSION}/schema/{id}`, 200, {}, { ...SCHEMA, title: 'Made anew' }],
  [`PUT ${VERSION}/schema/{id}`, 400, {}, { ...SCHEMA, id: 'other' }],
  [`PUT ${VERSION}/table/{id}`, 200, { id: 'sizes' }, { ...SIZES, title: 'Sizes, anew' }],
  [`PUT ${VERSION}/table/{id}`, 400, { id: 'sizes' }, { ...SIZES, rows: [['1']] }],
  [`PUT ${VERSION}/schema/{id}`, 412, {}, SCHEMA, NOT_HELD],
  [`PUT ${VERSION}/table/{id}`, 412, { id: 'sizes' }, SIZES, NOT_HELD],
  [`POST ${VERSION}/schema/{id}/restore`, 412, {}, { history: TABLES.length + 2 }, NOT_HELD],
  [`POST ${VERSION}/table/{id}/restore`, 412, { id: 'primary_site' }, { history: 1 }, NOT_HELD],
  [`DELETE ${VERSION}/schema/{id}`, 412, {}, undefined, NOT_HELD],
  [`DELETE ${VERSION}/table/{id}`, 412, { id: 'sizes' }, undefined, NOT_HELD],
  [`POST ${VERSION}/stage`, 200, {}, CASE],
  [`POST ${VERSION}/stage`, 200, { query: 'explain=true' }, { ...CASE, size: null }],
  [`POST ${VERSION}/stage`, 200, { query: 'hints=true&naaccr=true' }, CASE],
  [`POST ${VERSION}/stage`, 400, { query: 'hints=yes' }, CASE],
  [`POST ${VERSION}/stage`, 200, {}, {}],
  [`POST ${VERSION}/stage`, 400, {}, { ...CASE, size: 5 }],
  [`POST ${VERSION}/stage`, 400, {}, [CASE]],
  [`POST ${VERSION}/stage/batch`, 400, { query: 'explain=perhaps' }, CASE],
  [`POST ${VERSION}/schemas/lookup`, 200, {}, { site: 'C000', hist: '8000' }],
  [`POST ${VERSION}/{id}/defaults`, 200, {}, { site: 'C000', hist: null }],
  [`POST ${VERSION}/{id}/defaults`, 400, { id: 'nowhere' }, {}],
  [`POST ${VERSION}/table/{id}/match`, 200, { id: 'sizes' }, { size: '005' }],
  [`POST ${VERSION}/table/{id}/match`, 200, { id: 'sizes' }, { size: 'x' }],
  [`GET ${VERSION}/findings`, 200],
  [`POST ${VERSION}/fill_cache`, 204],
  [`POST ${VERSION}/invalidate_cache`, 204],
  [`GET ${VERSION}/schemas/history`, 200],
  [`GET ${VERSION}/tables/history`, 200, { query: 'page=2&per_page=3&order=ASC' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'page=0' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'per_page=1001' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'order=up' }],
  [`GET ${VERSION}/schema/{id}/history`, 200],
  [`GET ${VERSION}/table/{id}/history`, 200, { id: 'sizes' }],
  [`POST ${VERSION}/schema/{id}/restore`, 400, {}, { history: 999 }],
  [`POST ${VERSION}/batch`, 200, { query: 'comment=both' }, { tables: [], delete_tables: [] }],
  [`POST ${VERSION}/batch`, 400, {}, { tables: [{ ...SIZES, id: 'new' }, { id: 'bad' }] }],
  [`GET ${VERSION}/table/{id}`, 404, { id: 'new' }],
  [`DELETE ${VERSION}/table/{id}`, 400, { id: 'sizes' }],
  [`DELETE ${VERSION}/table/{id}`, 204, { id: 'spare', query: 'comment=gone' }],
  [`GET ${VERSION}/table/{id}`, 404, { id: 'spare' }],
  [`POST ${VERSION}/copy`, 204, {}, { algorithm: 'made', version: '2.0' }],
  [`POST ${VERSION}/copy`, 400, {}, { algorithm: 'made', version: '2.0' }],
  [`POST ${VERSION}/copy`, 400, {}, { algorithm: 'nowhere', version: '2.0' }],
  [`DELETE ${VERSION}/schema/{id}`, 204, { version: '2.0' }],
  [`DELETE ${STAGING}/{algorithm}`, 400],
]

const LAST: readonly Step[] = [
  [`DELETE ${VERSION}`, 204],
  [`DELETE ${VERSION}`, 204, { version: '2.0' }],
  [`DELETE ${STAGING}/{algorithm}`, 204],
]

area.testSteps('the life of an algorithm', LIFE)

describe('the history', () => {
  test.each([
    ['schema', 'made', 'title', 'Made for tests'],
    ['table', 'sizes', 'title', 'Sizes'],
  ])(
    'an earlier state of a %s comes back by its number in the history',
    async (...[kind, id, member, value]) => {
      const history = `GET ${VERSION}/${kind}/{id}/history`
      const entries = (await area.take([history, 200, { id, query: 'order=ASC' }])) as {
        number: number
        type: string
      }[]
      const number = entries.find(({ type }) => type === 'ADD')?.number
      const restored = await area.take([
        `POST ${VERSION}/${kind}/{id}/restore`,
        200,
        { id },
        { history: number },
      ])
      expect(restored).toMatchObject({ [member]: value })
      expect(await area.take([`GET ${VERSION}/${kind}/{id}`, 200, { id }])).toEqual(restored)
    },
  )
})

area.testRefusals()

describe('a batch of cases', () => {
  test('has their answers in their order, and none of the nulls', async () => {
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const body = `${JSON.stringify({ ...CASE, size: null })}\nx\n`
    const target = area.filled(`POST ${VERSION}/stage/batch`)
    const answer = await area.world.ask(target, { body, headers })
    const [first, second] = (await answer.text()).trimEnd().split('\n')
    const { size: _size, ...input } = CASE
    expect(JSON.parse(first ?? '')).toMatchObject({ result: 'STAGED', input })
    expect(JSON.parse(second ?? '')).toMatchObject({ line: 2, error: { code: 'bad_input' } })
  })
})

test('a batch tells what becomes of cases by another version', async () => {
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const operation = `POST ${VERSION}/stage/batch`
  const target = `${area.filled(operation)}?from=latest&ignore=a,b`
  const answer = await area.world.ask(target, { body: `${JSON.stringify(CASE)}\nx\n`, headers })
  const [first, second] = (await answer.text()).trimEnd().split('\n')
  expect(JSON.parse(first ?? '')).toEqual({ changed: false })
  expect(JSON.parse(second ?? '')).toMatchObject({ line: 2, error: { code: 'bad_input' } })
  const request = { body: CASE, headers }
  await area.refuses(operation, 404, request, { names: {}, query: 'from=0.9' })
  // A parameter without effect is reported, not ignored.
  for (const query of ['from=latest&hints=true', 'naaccr=true&from=latest', 'ignore=a']) {
    await area.refuses(operation, 400, request, { names: {}, query })
  }
})

describe('a whole version', () => {
  test('its archive has what is stored', async () => {
    const operation = `GET ${VERSION}/archive`
    area.cover(operation, 200)
    const response = await area.world.ask(area.filled(operation), { who: 'reader' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename=made-1.0.zip',
      'content-type': 'application/zip',
    })
    const path = join(await mkdtemp(join(tmpdir(), 'casemill-archive-')), 'made.zip')
    onTestFinished(() => rm(dirname(path), { recursive: true }))
    await writeFile(path, Buffer.from(await response.arrayBuffer()))
    const { schemas, tables } = await readAlgorithmZip(path)
    const stored = await successOf(await area.world.ask(area.filled(`GET ${VERSION}/tables`)), 200)
    expect([...tables.keys()].sort()).toEqual((stored as { id: string }[]).map(({ id }) => id))
    expect(schemas.get('made')).toMatchObject({ id: 'made', algorithm: 'made', version: '1.0' })
  })

  test('roles that its writer lacks are reported beside the answer', async () => {
    const change = (body: object) =>
      area.world.ask(area.filled(`PUT ${VERSION}`), { who: 'STAGING_ADMIN', body })
    const response = await change({ edit_roles: ['RX_EDITOR'] })
    expect([response.status, response.headers.get('x-warnings')]).toEqual([
      ...[200, expect.stringContaining('"edit_roles" has none of your roles')],
    ])
    expect((await change({ edit_roles: [] })).headers.get('x-warnings')).toBeNull()
  })

  test('its difference from another one is reported, as JSON and in columns', async () => {
    const operation = `GET ${VERSION}/diff`
    area.cover(operation, 200)
    const ask = (query: string) =>
      area.world.ask(`${area.filled(operation)}?${query}`, { who: 'reader' })
    const response = await ask('from=latest')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      ...[200, 'application/x-ndjson'],
    ])
    const [head] = (await response.text()).split('\n')
    expect(JSON.parse(head ?? '')).toEqual({ algorithm: 'made', from: '1.0', to: '1.0' })
    const table = await ask('from=1.0&format=tsv')
    expect(await table.text()).toBe('kind\tid\tchange\tat\tfrom\tbefore\tafter\n')
    await area.refuses(operation, 400, {}, { names: {} })
    await area.refuses(operation, 400, {}, { names: {}, query: 'from=1.0&format=csv' })
    await area.refuses(operation, 404, {}, { names: {}, query: 'from=0.9' })
  })

  test('what chooses its schemas, and their codes, are one table, as JSON and in columns', async () => {
    const operation = `GET ${VERSION}/codebook`
    area.cover(operation, 200)
    const ask = (query: string) =>
      area.world.ask(`${area.filled(operation)}?${query}`, { who: 'reader' })
    const response = await ask('part=selection')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      ...[200, 'application/x-ndjson'],
    ])
    const [head, ...lines] = (await response.text()).trimEnd().split('\n')
    expect(JSON.parse(head ?? '')).toEqual({ algorithm: 'made', version: '1.0' })
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { part: 'selection', schema: 'made', schema_name: 'Made', sites: 'C000', histologies: '*' },
    ])
    const table = await ask('format=tsv&part=site,output&schema=made')
    expect(table.headers.get('content-type')).toBe('text/tab-separated-values')
    expect((await table.text()).split('\n').map((line) => line.split('\t')[0])).toEqual([
      ...['part', 'site', 'site', 'output', ''],
    ])
    await area.refuses(operation, 400, {}, { names: {}, query: 'part=codes' })
    await area.refuses(operation, 404, {}, { names: {}, query: 'schema=other' })
  })
})

describe('an id that is not there', () => {
  const ofEntities = area.named(
    ({ name, has }) => has(404) && name.includes('{id}') && !name.endsWith('/defaults'),
  )
  test.each(ofEntities)('%s is 404', async (name, { posts }) => {
    const kind = name.includes('/schema/') ? SCHEMA : SPARE_TABLE
    const body = name.startsWith('PUT') ? { ...kind, id: 'x' } : bodyOf(name)
    await area.refuses(name, 404, posts ? { body } : {}, { names: { id: 'x' } })
  })
})

area.testRoles()

describe('who may see and edit one version', () => {
  const version = `${STAGING}/made/beta`
  const statuses = async (operation: string, body?: unknown) => {
    const all = [...ROLES, 'reader'].map(async (who) => {
      const response = await area.world.ask(operation, { who: who as Role, body })
      await response.text()
      return [who, response.status] as const
    })
    return Object.fromEntries(await Promise.all(all)) as Record<Role | 'reader', number>
  }

  test('one with view_roles is not there for others, and in no list of theirs', async () => {
    const roles = { view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['RX_EDITOR'] }
    await successOf(await area.world.ask(`POST ${version}`, { body: roles }), 201)
    const seen = await statuses(`GET ${version}`)
    expect(seen).toMatchObject({ ADMIN: 200, STAGING_BETA_VIEW: 200, reader: 404, RX_EDITOR: 404 })
    expect(await statuses(`GET ${version}/schemas`)).toEqual(seen)
    for (const who of ['STAGING_BETA_VIEW', 'reader'] as const) {
      const listed = await successOf(
        await area.world.ask(`GET ${STAGING}/made/versions`, { who }),
        200,
      )
      const names = (listed as { version: string }[]).map((one) => one.version)
      expect(names.includes('beta')).toBe(who !== 'reader')
    }
  })

  test('one with edit_roles asks its editors for one of them besides', async () => {
    await successOf(
      await area.world.ask(`PUT ${version}`, { body: { edit_roles: ['RX_EDITOR'] } }),
      200,
    )
    const may = await statuses(`POST ${version}/table`, SPARE_TABLE)
    expect(may).toMatchObject({ STAGING_EDITOR: 403, RX_EDITOR: 403, reader: 403 })
    expect([201, 400]).toContain(may.ADMIN)
    await successOf(await area.world.ask(`DELETE ${version}`), 204)
  })
})

area.testSteps('the end of it', LAST)

area.testSeen({ unsaid: /C000|nowhere|BAD KEY|\/made\b/, said: `${VERSION}/stage` })
