import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { FILE_NAMES, type FileName, fileOf } from '../commons/contract/support/access-records.ts'
import { factsOf, send, startWorld, type World } from '../commons/contract/support/access-world.ts'
import { DrsSchemas } from './support/open-api-schemas.ts'

// Objects of the Data Repository Service for the files of access-records.ts. If the published description (DRS
// 1.5, ga4gh/data-repository-service-schemas fe25c39) is available, answers are validated by it.

const FOLDER = available.shared ? publicData('contract/ga4gh-schemas/drs') : undefined
const BASE = '/ga4gh/drs/v1'
const CASE = '0c000000-0000-4000-8000-000000000001'

let world: World
let reader: string
let stranger: string
let schemas: DrsSchemas | undefined

beforeAll(async () => {
  world = await startWorld()
  const { tokens } = world.engine.shared
  reader = (await tokens.create({ user: 'paula', projects: ['ALPHA-1'] })).secret
  stranger = (await tokens.create({ user: 'otto', projects: ['BETA-1'] })).secret
  schemas = FOLDER === undefined ? undefined : await DrsSchemas.open(FOLDER)
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Asked {
  readonly method?: 'GET' | 'POST'
  readonly token?: string
  readonly body?: unknown
  readonly shape?: string
}

/** Returns the status and the JSON of an answer, validated if the description is available. */
async function ask(path: string, { method = 'GET', token, body, shape }: Asked = {}) {
  const got = await send(world.address, {
    method,
    target: `${BASE}${path}`,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = JSON.parse(got.body.toString())
  if (shape && schemas) expect(schemas.response(shape)(answer)).toEqual([])
  return { status: got.status, answer }
}

const object = (id: string, asked: Asked = {}) =>
  ask(`/objects/${id}`, { shape: 'shape' in asked ? '' : '200OkDrsObject', ...asked })

const bytesOf = (name: FileName) => world.bytes.get(name) ?? Buffer.alloc(0)
const host = () => new URL(world.address).host

test.skipIf(FOLDER === undefined)('the judge of shapes refuses what is none', () => {
  const judge = schemas?.response('200OkDrsObject')
  expect(judge?.({ id: 'a' }).join()).toContain("must have required property 'self_uri'")
  expect(judge?.({ id: 'a', self_uri: '', size: 1, checksums: [], created_time: 'x' })).not.toEqual(
    [],
  )
})

describe('a file', () => {
  test('that is open tells its address at once', async () => {
    const { id, fileName } = fileOf('open')
    const { status, answer } = await object(id)
    expect(status).toBe(200)
    const { size, md5 } = factsOf(bytesOf('open'))
    expect(answer).toMatchObject({
      id,
      name: fileName,
      self_uri: `drs://${host()}/${id}`,
      size,
      checksums: [{ type: 'md5', checksum: md5 }],
      access_methods: [
        { type: 'https', access_url: { url: `${world.address}/data/${id}` }, available: true },
      ],
    })
    const fetched = await fetch(answer.access_methods[0].access_url.url)
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytesOf('open'))).toBe(true)
  })

  test('that is controlled and released is described to everybody, as searches do', async () => {
    const { id } = fileOf('byProject')
    const { answer } = await object(id)
    expect(answer.access_methods).toEqual([
      {
        type: 'https',
        access_id: 'https',
        available: true,
        authorizations: { drs_object_id: id, supported_types: ['BearerAuth'] },
      },
    ])
  })

  test('without bytes here is not available', async () => {
    const { answer } = await object(fileOf('absentOpen').id)
    expect(answer.access_methods[0].available).toBe(false)
  })

  test('that no record speaks of is described to who may read it, and to nobody else', async () => {
    const { id } = fileOf('superseded')
    expect((await object(id, { shape: '' })).status).toBe(401)
    expect((await object(id, { token: stranger, shape: '' })).status).toBe(403)
    expect((await object(id, { token: reader })).answer).toMatchObject({
      id,
      size: bytesOf('superseded').length,
    })
    expect((await object(fileOf('supersededOpen').id)).status).toBe(200)
  })

  test('has the SHA-256 that its import took', async () => {
    const { answer } = await object(fileOf('bamOpen').id)
    const sha256 = createHash('sha256').update(bytesOf('bamOpen')).digest('hex')
    expect(answer.checksums).toContainEqual({ type: 'sha-256', checksum: sha256 })
    const { answer: found } = await ask(`/objects/checksum/${sha256}`)
    expect(found.resolved_drs_object).toEqual([answer])
  })

  test('is found by its md5', async () => {
    const { md5 } = factsOf(bytesOf('open'))
    const { answer } = await ask(`/objects/checksum/${md5.toUpperCase()}`)
    expect(answer.resolved_drs_object.map(({ id }: { id: string }) => id)).toEqual([
      fileOf('open').id,
    ])
    expect((await ask(`/objects/checksum/${'0'.repeat(32)}`)).answer).toEqual({
      resolved_drs_object: [],
    })
    expect((await ask('/objects/checksum/abc')).status).toBe(400)
  })
})

describe('a bundle', () => {
  interface Content {
    readonly id: string
    readonly name: string
  }

  /** The released files of the case and their indexes, according to the records. */
  const ofCase = () => {
    const spoken = FILE_NAMES.filter((name) =>
      (fileOf(name).record?.cases as readonly string[] | undefined)?.includes('a'),
    )
    const indexes = spoken.flatMap((name) => (fileOf(name).record?.index ?? []) as FileName[])
    return [...new Set([...spoken, ...indexes])]
  }

  test('of a case has its files and their indexes', async () => {
    const { answer } = await object(CASE)
    const ids = new Set(answer.contents.map(({ id }: Content) => id))
    for (const name of ofCase()) expect(ids, name).toContain(fileOf(name).id)
    // Each object can be requested, and together they have the size and the checksum of the bundle.
    const { answer: members } = await ask('/objects', {
      method: 'POST',
      body: { bulk_object_ids: [...ids] },
      shape: '200OkDrsObjects',
    })
    const resolved: readonly { size: number; checksums: readonly { checksum: string }[] }[] =
      members.resolved_drs_object
    expect(resolved).toHaveLength(ids.size)
    expect(resolved.reduce((sum, { size }) => sum + size, 0)).toBe(answer.size)
    const sorted = resolved.map(({ checksums }) => checksums[0]?.checksum).toSorted()
    const md5 = createHash('md5').update(sorted.join('')).digest('hex')
    expect(answer.checksums).toEqual([{ type: 'md5', checksum: md5 }])
    const names = answer.contents.map(({ name }: Content) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
  })

  test('of a file has its index beside it', async () => {
    const { id } = fileOf('byProject')
    const { answer } = await object(`${id}.with-index`)
    expect(answer.contents.map(({ name }: Content) => name)).toEqual([
      'hushed-by-project.maf',
      'hushed-by-project.maf.idx',
    ])
    expect((await object(`${fileOf('noList').id}.with-index`, { shape: '' })).status).toBe(404)
  })

  test('has no bytes of its own', async () => {
    const path = `/objects/${fileOf('byProject').id}.with-index/access/https`
    const { status, answer } = await ask(path, { token: reader })
    expect(status).toBe(404)
    expect(answer.msg).toContain('no bytes')
  })
})

describe('the address of bytes', () => {
  test('is for who may read them', async () => {
    const path = `/objects/${fileOf('byProject').id}/access/https`
    expect((await ask(path)).status).toBe(401)
    expect((await ask(path, { token: stranger })).status).toBe(403)
    const { status, answer } = await ask(path, { token: reader, shape: '200OkAccess' })
    expect(status).toBe(200)
    expect(
      (await ask(path, { method: 'POST', token: reader, body: { passports: ['x'] } })).status,
    ).toBe(200)
    const headers = Object.fromEntries(
      (answer.headers as string[]).map((line) => line.split(/: (.*)/s).slice(0, 2)),
    )
    const fetched = await fetch(answer.url, { headers })
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytesOf('byProject'))).toBe(true)
    expect((await fetch(answer.url)).status).toBe(403)
    expect(JSON.stringify(answer)).not.toContain(reader)
  })

  test('is not there for another way, an unknown object and bytes that are not here', async () => {
    for (const path of [
      `/objects/${fileOf('open').id}/access/s3`,
      '/objects/00000000-0000-4000-8000-00000000ffff/access/https',
      `/objects/${fileOf('absentOpen').id}/access/https`,
    ]) {
      const { status, answer } = await ask(path)
      expect(status).toBe(404)
      expect(answer).toMatchObject({ status_code: 404, msg: expect.any(String) })
    }
  })

  test('of several is reported beside what may not be had', async () => {
    const names = ['open', 'byProject', 'byAccession', 'absentOpen'] as const
    const asked = names.map((name) => ({
      bulk_object_id: fileOf(name).id,
      bulk_access_ids: ['https'],
    }))
    const body = { bulk_object_access_ids: asked }
    const shape = '200OkAccesses'
    const { answer } = await ask('/objects/access', { method: 'POST', body, shape })
    expect(answer.summary).toEqual({ requested: 4, resolved: 1, unresolved: 3 })
    expect(answer.unresolved_drs_objects).toEqual([
      { error_code: 401, object_ids: [fileOf('byProject').id, fileOf('byAccession').id] },
      { error_code: 404, object_ids: [fileOf('absentOpen').id] },
    ])
    const { answer: more } = await ask('/objects/access', {
      method: 'POST',
      token: reader,
      body,
      shape,
    })
    expect(more.resolved_drs_object_access_urls).toHaveLength(3)
  })
})

test('several objects come beside the ids that are none', async () => {
  const ids = [fileOf('open').id, 'nothing', fileOf('superseded').id, CASE]
  const { answer } = await ask('/objects', {
    method: 'POST',
    body: { bulk_object_ids: ids },
    shape: '200OkDrsObjects',
  })
  expect(answer.summary).toEqual({ requested: 4, resolved: 2, unresolved: 2 })
  expect(answer.unresolved_drs_objects).toEqual([
    { error_code: 404, object_ids: ['nothing'] },
    { error_code: 401, object_ids: [fileOf('superseded').id] },
  ])
})

test.each([
  [[], 400],
  [Array.from({ length: 10_001 }, (_, i) => String(i)), 413],
  [Array.from({ length: 101 }, (_, i) => `MADE-${i}.Aligned_Reads`), 413],
])('too few or too many of them are refused', async (ids, wanted) => {
  const { status, answer } = await ask('/objects', {
    method: 'POST',
    body: { bulk_object_ids: ids },
  })
  expect(status).toBe(wanted)
  expect(answer.status_code).toBe(wanted)
})

test('OPTIONS says how to be authorised, and a browser asks by it before a request', async () => {
  const url = (name: FileName) => `${world.address}${BASE}/objects/${fileOf(name).id}`
  const answer = await fetch(url('byProject'), { method: 'OPTIONS' })
  const told = (await answer.json()) as { readonly supported_types: readonly string[] }
  if (schemas) expect(schemas.response('200OkAuthorizations')(told)).toEqual([])
  expect(told.supported_types).toEqual(['BearerAuth'])
  const headers = { origin: 'https://a.test', 'access-control-request-method': 'GET' }
  const preflight = await fetch(url('byProject'), { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-methods')).toContain('GET')
})

test('the service tells what it is', async () => {
  const { answer } = await ask('/service-info', { shape: '200ServiceInfo' })
  expect(answer).toMatchObject({
    type: { group: 'org.ga4gh', artifact: 'drs', version: '1.5.0' },
    maxBulkRequestLength: 10_000,
    drs: { objectCount: world.engine.commons.releaseLoad()?.records.files },
  })
  expect(answer.drs.totalObjectSize).toBeGreaterThan(0)
})

test('a manifest has the URI of each file as its last column', async () => {
  const filters = JSON.stringify({ op: '=', content: { field: 'access', value: 'open' } })
  const read = async (type: string) => {
    const query = new URLSearchParams({ filters, return_type: type })
    return (await fetch(`${world.address}/files?${query}`)).text()
  }
  const lines = (await read('drs_manifest')).trimEnd().split('\n')
  expect(lines[0]).toBe('id\tfilename\tmd5\tsize\tstate\tdrs_uri')
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.map((line) => line.replace(/\t[^\t]*$/, ''))).toEqual(
    (await read('manifest')).trimEnd().split('\n'),
  )
  for (const line of lines.slice(1)) {
    const id = line.split('\t')[0] ?? ''
    expect(line.endsWith(`\tdrs://${host()}/${id}`)).toBe(true)
  }
})

test('the registry of services leads to it', async () => {
  interface Service {
    readonly id: string
    readonly url: string
    readonly type: { readonly artifact: string }
  }
  const get = async (path: string) => (await fetch(`${world.address}${path}`)).json()
  const services = (await get('/services')) as readonly Service[]
  const drs = services.find(({ type }) => type.artifact === 'drs')
  expect(await get(`/services/${drs?.id}`)).toEqual(drs)
  const info = (await (await fetch(`${drs?.url}/service-info`)).json()) as Service
  expect(info.id).toBe(drs?.id)
  const types = (await get('/services/types')) as readonly Service['type'][]
  expect(types.map(({ artifact }) => artifact)).toContain('drs')
  expect(await get('/service-info')).toMatchObject({ type: { artifact: 'service-registry' } })
  expect((await fetch(`${world.address}/services/none`)).status).toBe(404)
})

// Three clients resolve an address as their published sources do: Galaxy (lib/galaxy/files/sources/drs.py), IGV
// desktop (DRSUtils.java), and the resolver of Terra (drshub).
describe('clients', () => {
  interface Method {
    readonly type: string
    readonly access_url?: { readonly url: string; readonly headers?: readonly string[] }
    readonly access_id?: string
  }

  /** Converts `drs://host/id` into an HTTP address of the test server. */
  const objectAddress = (uri: string) => {
    const { host, pathname } = new URL(uri.replace(/^drs:/, 'http:'))
    return `http://${host}/ga4gh/drs/v1/objects${pathname}`
  }

  async function get(address: string, authorization?: string) {
    const response = await fetch(address, { headers: { ...(authorization && { authorization }) } })
    expect(response.status).toBe(200)
    return response
  }

  /** Parses headers given as lines. */
  const headersOf = (lines: readonly string[] = []) =>
    Object.fromEntries(lines.map((line) => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']))

  const bytes = async (url: string, headers: Record<string, string>) =>
    Buffer.from(await (await fetch(url, { headers })).arrayBuffer())

  test('Galaxy takes the first method that it can fetch, and asks for its address if it must', async () => {
    for (const name of ['open', 'byProject'] as const) {
      const address = objectAddress(`drs://${host()}/${fileOf(name).id}`)
      const bearer = `Bearer ${reader}`
      const { access_methods: methods } = (await (await get(address, bearer)).json()) as {
        readonly access_methods: readonly Method[]
      }
      const method = methods.find(({ type }) => type === 'https')
      const { url, headers } =
        method?.access_url ??
        ((await (
          await get(`${address}/access/${method?.access_id}`, bearer)
        ).json()) as Required<Method>['access_url'])
      expect((await bytes(url, headersOf(headers))).equals(bytesOf(name))).toBe(true)
    }
  })

  test('IGV names the file by its object and reads ranges of it', async () => {
    const address = objectAddress(`drs://${host()}/${fileOf('bam').id}`)
    const object = (await (await get(address)).json()) as {
      readonly name: string
      readonly size: number
      readonly access_methods: readonly Method[]
    }
    expect(object.name).toMatch(/\.bam$/)
    const { access_id: accessId } = object.access_methods[0] ?? {}
    const access = await get(`${address}/access/${accessId}`, `Bearer ${reader}`)
    const { url, headers } = (await access.json()) as Required<Method>['access_url']
    const range = { ...headersOf(headers), range: `bytes=${object.size - 28}-` }
    expect((await bytes(url, range)).equals(bytesOf('bam').subarray(-28))).toBe(true)
  })

  test('Terra needs size, time and checksums, and hands the address on', async () => {
    const address = objectAddress(`drs://${host()}/${fileOf('byProject').id}`)
    const object = (await (await get(address, `Bearer ${reader}`)).json()) as {
      readonly size: number
      readonly created_time: string
      readonly checksums: readonly { readonly type: string; readonly checksum: string }[]
    }
    const { size, md5 } = factsOf(bytesOf('byProject'))
    expect(object.size).toBe(size)
    expect(Object.fromEntries(object.checksums.map((one) => [one.type, one.checksum])).md5).toBe(
      md5,
    )
    expect(new Date(object.created_time).getTime()).toBeGreaterThan(0)
  })
})
