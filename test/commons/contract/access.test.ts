import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TokenStore } from '../../../engine/shared/access/tokens.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { eventually } from '../../eventually.ts'
import { ACCESS_CASES, type How, type Refusal, type Who } from './support/access-cases.ts'
import { FILE_NAMES, type FileName, fileOf } from './support/access-records.ts'
import {
  factsOf,
  type Got,
  markOf,
  type Sent,
  send,
  startWorld,
  type World,
} from './support/access-world.ts'

// Who gets which bytes, over HTTP, from an engine whose catalogue of stored bytes contradicts the records
// wherever it can. The records decide (data-commons.md 5.3, 11.1).

const DAY_MS = 86_400_000
const UNKNOWN = '0a000000-0000-4000-8000-00000000ffff'

let world: World
let tokens: Readonly<Record<Who, string | undefined>>
/** Parts of tokens that must not be logged or returned. */
const secrets: string[] = []

beforeAll(async () => {
  world = await startWorld()
  tokens = await makeTokens(world)
})

afterAll(() => world?.[Symbol.asyncDispose]())

async function makeTokens({ engine, clock }: World): Promise<typeof tokens> {
  const make = async (
    user: string,
    projects: readonly string[],
    options: { expiresDays?: number } = {},
  ) => {
    const made = await engine.shared.tokens.create({ user, projects, ...options })
    secrets.push(made.secret, made.secret.slice(17))
    return made
  }
  const project = await make('paula', ['ALPHA-1'])
  const revoked = await make('paula', ['ALPHA-1'])
  await engine.shared.tokens.revoke(revoked.id)
  const expired = await make('paula', ['ALPHA-1'], { expiresDays: 1 })
  clock.now += 2 * DAY_MS
  return {
    nobody: undefined,
    'an unknown token': `${'0'.repeat(16)}_${'A'.repeat(43)}`,
    'a token that is no text': 't\u00f6k\u00e9n\u00ff',
    'an empty token': '',
    'a revoked token': revoked.secret,
    'an expired token': expired.secret,
    'another project': (await make('otto', ['BETA-1'])).secret,
    'a writer': (await make('wilma', ['ALPHA-1:create,update,delete,release,_member_'])).secret,
    'the project': project.secret,
    'a bearer of the project': project.secret,
    'a reader': (await make('rita', ['ALPHA-1:read'])).secret,
    'both projects': (await make('bela', ['ALPHA-1', 'BETA-1'])).secret,
    'the accession': (await make('axel', ['phs000111:download'])).secret,
    'an administrator': (await engine.shared.tokens.create({ user: 'ada', admin: true })).secret,
  }
}

function requestOf(who: Who, names: readonly FileName[], how: How): Sent {
  const token = tokens[who]
  const auth: Record<string, string> =
    token === undefined
      ? {}
      : who === 'a bearer of the project'
        ? { authorization: `Bearer ${token}` }
        : { 'x-auth-token': token }
  const ids = names.map((name) => fileOf(name).id)
  const path = `/data/${ids.join(',')}`
  const get = (target: string, headers: Record<string, string> = {}): Sent => ({
    target,
    headers: { ...auth, ...headers },
  })
  const post = (target: string, body: string, type: string): Sent => ({
    method: 'POST',
    target,
    headers: { ...auth, 'content-type': type },
    body,
  })
  const slice = `/slicing/view/${ids[0]}`
  const forms: Readonly<Record<How, () => Sent>> = {
    GET: () => get(path),
    HEAD: () => ({ ...get(path), method: 'HEAD' }),
    'GET /v0 in capitals': () => get(`/v0/data/${ids.join(',').toUpperCase()}`),
    range: () => get(path, { range: 'bytes=10-29' }),
    'two ranges': () => get(path, { range: 'bytes=0-1,4-5' }),
    'suffix range': () => get(path, { range: 'bytes=-20' }),
    'range beyond the end': () => get(path, { range: 'bytes=99999999-' }),
    'if none match *': () => get(path, { 'if-none-match': '*' }),
    'if range': () => get(path, { range: 'bytes=10-29', 'if-range': '"of another file"' }),
    'POST JSON': () => post('/data', JSON.stringify({ ids: [ids] }), 'application/json'),
    'POST form': () => post('/data', `ids=${ids}`, 'application/x-www-form-urlencoded'),
    'POST tar': () => post('/data?tarfile', JSON.stringify({ ids }), 'application/json'),
    'tar.gz': () => get(path),
    tar: () => get(`${path}?tarfile`),
    'HEAD tar': () => ({ ...get(`${path}?tarfile`), method: 'HEAD' }),
    'range of tar': () => get(`${path}?tarfile`, { range: 'bytes=0-2047' }),
    'with related files': () => get(`${path}?related_files=true`),
    slice: () => get(`${slice}?region=chr1`),
    'slice POST': () => post(slice, '{"regions":["chr1"]}', 'application/json'),
    'slice HEAD': () => ({ ...get(`${slice}?region=chr1`), method: 'HEAD' }),
  }
  return forms[how]()
}

const MAY_NOT = "You don't have access to the data: Requested file"

/** The texts of data-commons.md 5.3, which clients show to users. */
function textsOf(refusal: Refusal, names: readonly FileName[]): string[] {
  const ids = names.map((name) => fileOf(name).id)
  switch (refusal) {
    case 'no token':
      return ["You don't have access to the data: Please specify a X-Auth-Token"]
    case 'bad token':
      return ['Your token is invalid or expired. Please get a new token.']
    case 'no right':
      return ids.map((id) => `${MAY_NOT} ${id} does not allow read access`)
    case 'no bytes':
      return ids.map((id) => `file ${id} is known, but its bytes are not stored here`)
  }
}

test.each(ACCESS_CASES)('%s, %j, %s: %s', async (who, names, how, expected) => {
  const sent = requestOf(who, names, how)
  const got = await send(world.address, sent)
  if (typeof expected === 'number') {
    expect(got.status).toBe(expected)
    expectBytes(got, names, how)
    return
  }
  expect(got.status).toBe(expected === 'no bytes' ? 404 : 403)
  if (sent.method === 'HEAD') expect(got.body.length).toBe(0)
  else expectRefusal(got, textsOf(expected, names))
  expectNothingTold(got, names)
})

test('the table has every kind of token, every file and every form of asking', () => {
  expect(ACCESS_CASES.length).toBeGreaterThanOrEqual(40)
  const whos = new Set(ACCESS_CASES.map(([who]) => who))
  const files = new Set(ACCESS_CASES.flatMap(([, names]) => names))
  const hows = new Set(ACCESS_CASES.map(([, , how]) => how))
  expect([...whos].sort()).toEqual(Object.keys(tokens).sort())
  expect([...files].sort()).toEqual([...FILE_NAMES].sort())
  expect(hows.size).toBe(20)
})

/** Expects a refusal that contains no byte of a file. */
function expectRefusal({ headers, body }: Got, texts: readonly string[]): void {
  expect(headers['content-type']).toBe('application/json')
  const told = JSON.parse(body.toString())
  expect(texts).toContain(told.error)
  expect(body.toString()).toBe(JSON.stringify({ error: told.error, message: told.error }))
}

const TELLING = ['content-md5', 'etag', 'content-disposition', 'content-range', 'accept-ranges']

function expectNothingTold({ headers, body }: Got, names: readonly FileName[]): void {
  for (const header of [...TELLING, 'last-modified', 'content-encoding']) {
    expect(headers).not.toHaveProperty(header)
  }
  const all = `${JSON.stringify(headers)}\n${body.toString('latin1')}`
  for (const name of names.filter((one) => fileOf(one).isSecret)) {
    const { size, md5 } = factsOf(world.bytes.get(name) ?? Buffer.alloc(0))
    for (const fact of [fileOf(name).fileName, md5, markOf(name)]) expect(all).not.toContain(fact)
    expect(all).not.toMatch(new RegExp(`\\b${size}\\b`))
  }
  for (const secret of secrets) expect(all).not.toContain(secret)
}

/** Expects the right bytes, complete. */
function expectBytes({ status, headers, body }: Got, names: readonly FileName[], how: How): void {
  const contents = names.map((name) => world.bytes.get(name) ?? Buffer.alloc(0))
  const [first = Buffer.alloc(0)] = contents
  if (status === 304 || status === 416 || how.includes('HEAD')) {
    const isError = status === 416
    expect(body.includes('Zq7')).toBe(false)
    expect(body.length > 0).toBe(isError)
    return
  }
  if (how.startsWith('slice')) {
    // A whole slice starts with a header and ends with the end marker.
    expect(body.subarray(0, 2).toString('hex')).toBe('1f8b')
    expect(body.subarray(-28).toString('hex')).toBe(
      '1f8b08040000000000ff0600424302001b0003000000000000000000',
    )
    return
  }
  if (how === 'range of tar') {
    expect(body.length).toBe(2048)
    return
  }
  if (how === 'with related files' || how.includes('tar')) {
    const tar = headers['content-type'] === 'application/x-gzip' ? gunzipSync(body) : body
    const record = fileOf(names[0] ?? 'open').record
    const related = how === 'with related files' ? (record?.index ?? []) : []
    const wanted = [...names, ...related.map((name) => name as FileName)]
    for (const name of wanted) expect(tar.includes(world.bytes.get(name) ?? '')).toBe(true)
    return
  }
  expect(headers['content-md5']).toBe(factsOf(first).md5)
  const ranges: Partial<Record<How, Buffer>> = {
    range: first.subarray(10, 30),
    'suffix range': first.subarray(-20),
  }
  expect(body.equals(ranges[how] ?? first)).toBe(true)
}

describe('unknown files', () => {
  test.each(['nobody', 'an unknown token', 'the project'] as const)('%s: 404', async (who) => {
    const headers = requestOf(who, ['open'], 'GET').headers ?? {}
    for (const target of [`/data/${UNKNOWN}`, `/slicing/view/${UNKNOWN}`, '/data/nothing']) {
      expect((await send(world.address, { target, headers })).status).toBe(404)
    }
    const mixed = `/data/${UNKNOWN},${fileOf('byProject').id}`
    const got = await send(world.address, { target: mixed, headers })
    expect(got.status).toBe(404)
    expectNothingTold(got, ['byProject'])
  })

  test('a text file is no BAM, whoever asks for a slice of it', async () => {
    for (const who of ['nobody', 'the project'] as const) {
      const { status } = await send(world.address, requestOf(who, ['byProject'], 'slice'))
      expect(status).toBe(404)
    }
  })
})

test('records, versions, history and manifests of controlled files are open', async () => {
  const { id } = fileOf('byProject')
  for (const target of [`/files/${id}`, `/manifest/${id}`, `/files/versions/${id}`]) {
    const { status } = await send(world.address, { target })
    expect([target, status]).toEqual([target, 200])
  }
})

test('a token that is revoked by another process is refused at the next request', async () => {
  const { id, secret } = await world.engine.shared.tokens.create({ user: 'paula' })
  const ask = async (how: 'GET' | 'slice') => {
    const { target } = requestOf('nobody', [how === 'GET' ? 'byProject' : 'bam'], how)
    return (await send(world.address, { target, headers: { 'x-auth-token': secret } })).status
  }
  expect([await ask('GET'), await ask('slice')]).toEqual([200, 206])
  const state = sharedState(world.place)
  await new TokenStore(state, () => new Date(world.clock.now)).revoke(id)
  await state.close()
  const refused = async () => expect([await ask('GET'), await ask('slice')]).toEqual([403, 403])
  // With a database server, a node learns of other nodes' writes with a short delay.
  await (world.place.stateUrl === undefined ? refused() : eventually(refused))
})

test('rights that a user loses are lost at the next request', async () => {
  const { secret } = await world.engine.shared.tokens.create({
    user: 'lena',
    projects: ['ALPHA-1'],
  })
  const { target } = requestOf('nobody', ['byProject'], 'GET')
  const ask = () => send(world.address, { target, headers: { 'x-auth-token': secret } })
  expect((await ask()).status).toBe(200)
  await world.engine.shared.tokens.create({ user: 'lena', projects: [] })
  expect((await ask()).status).toBe(403)
})

test('a token counts only in its headers', async () => {
  const secret = tokens['the project'] ?? ''
  const { target } = requestOf('nobody', ['byProject'], 'GET')
  for (const name of ['token', 'X-Auth-Token', 'x-auth-token', 'auth_token', 'authorization']) {
    const got = await send(world.address, { target: `${target}?${name}=${secret}` })
    expect(got.status).toBe(403)
    expectRefusal(got, textsOf('no token', ['byProject']))
  }
  const headers = { cookie: `X-Auth-Token=${secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ ids: [fileOf('byProject').id], token: secret })
  const got = await send(world.address, { method: 'POST', target: '/data', headers, body })
  expect(got.status).toBe(403)
  expectRefusal(got, textsOf('no token', ['byProject']))
})

test('neither log nor metrics hold a token, or the name, md5 or bytes of a controlled file', async () => {
  const metrics = await send(world.address, { target: '/metrics' })
  expect(metrics.body.toString()).toContain('route="/data/')
  expect(world.lines.length).toBeGreaterThan(ACCESS_CASES.length)
  const all = [...world.lines, metrics.body.toString()].join('\n')
  for (const secret of [...secrets, tokens['an unknown token'] ?? '']) {
    expect(all).not.toContain(secret)
  }
  for (const name of FILE_NAMES.filter((one) => fileOf(one).isSecret)) {
    const { md5 } = factsOf(world.bytes.get(name) ?? Buffer.alloc(0))
    for (const fact of [fileOf(name).fileName, md5, markOf(name)]) expect(all).not.toContain(fact)
  }
})
