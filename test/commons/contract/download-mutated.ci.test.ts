import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../../fixtures/random.ts'
import type { App } from '../../../server/http/compose.ts'
import { depth } from '../../depth.ts'
import { appOf } from '../search/support/app.ts'
import {
  ANNOTATIONS,
  idOf,
  listed,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'

// Nearly correct requests for bytes, manifests and versions. None may be answered with a 5xx, every refusal is
// JSON, and each answer has the length that it states.

const SEED = 4
const REQUESTS = depth(2_000, 5_000, 20_000)
const AT_A_TIME = 16

const kept = Array.from({ length: 6 }, (_, i): RetainedFile => {
  const bytes = someBytes([0, 1, 511, 512, 70_000, 2_100_000][i] ?? 0, i)
  return { id: idOf(i + 1), name: `file ${i + 1}.txt`, bytes }
})
const [, second, third] = kept as [RetainedFile, RetainedFile, RetainedFile]
const closed = { access: 'controlled', acl: ['ALPHA-1'] }
const unstored = { id: idOf(50), name: 'gone.txt', bytes: someBytes(10, 50) }

let world: DownloadWorld
let app: App
let token = ''

beforeAll(async () => {
  const records = kept.map((file, i) =>
    recordOf(file, {
      ...(i % 2 === 1 ? closed : {}),
      ...(file === third ? { index_files: [listed(second)] } : {}),
      annotations: i === 4 ? [{ annotation_id: ANNOTATIONS[0] }] : undefined,
    }),
  )
  world = await openWorld({ ...SURROUNDINGS, files: [...records, recordOf(unstored)] })
  for (const file of kept) await world.store(file)
  token = (await world.engine.shared.tokens.create({ user: 'ada', projects: ['ALPHA-1'] })).secret
  app = appOf(world.engine)
})
afterAll(() => world.close())

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** Generates requests, each composed of correct and wrong parts. */
class Mutations {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  next(): Sent {
    const path = this.#pick<() => string>([
      () => `/data/${this.#idList()}`,
      () => '/data',
      () => '/data/',
      () => `/manifest/${this.#idList()}`,
      () => '/manifest',
      () => `/history/${this.#id()}`,
      () => `/files/versions/${this.#idList()}`,
      () => '/files/versions',
      () => '/files/versions/manifest',
      () => `/v0/data/${this.#id()}`,
      () => `//data//${this.#id()}/`,
    ])()
    const query = this.#some(this.#pick([0, 0, 1, 3]), () => this.#flag()).join('&')
    const method = this.#pick(['GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT'])
    const headers = Object.fromEntries(this.#some(this.#pick([0, 1, 3]), () => this.#header()))
    const target = `${path}${query === '' ? '' : `?${query}`}`
    if (method !== 'POST') return { method, target, headers }
    const { type, body } = this.#body()
    return { method, target, headers: { ...headers, 'Content-Type': type }, body }
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#random.below(choices.length)] as T
  }

  #some<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make)
  }

  #id(): string {
    const { id } = this.#pick(kept)
    if (this.#random.chance(0.7)) return id
    return this.#pick([
      ...[id.toUpperCase(), ` ${id} `, unstored.id, ANNOTATIONS[0], idOf(999), id.slice(1), ''],
      ...['..%2f..%2fstate.sqlite', '%00', '%ff', 'é', 'x'.repeat(5000)],
    ])
  }

  #idList(): string {
    return this.#some(this.#pick([1, 1, 2, 5, 120]), () => this.#id()).join(
      this.#pick([',', ',', '%2C', ' ', ';']),
    )
  }

  #flag(): string {
    const name = this.#pick([
      'tarfile',
      'compress',
      'related_files',
      'annotations',
      'pretty',
      'ids',
    ])
    const value = this.#pick(['', '=', '=true', '=false', '=%zz', `=${this.#id()}`, '=tsv'])
    return this.#pick([`${name}${value}`, `${name}${value}`, 'format=tsv', 'format=xml', '&', '=x'])
  }

  #header(): [string, string] {
    const number = () => this.#pick(['0', '1', '511', '512', '99999999', '9'.repeat(40), '-1', 'x'])
    return this.#pick<() => [string, string]>([
      () => ['Range', `bytes=${number()}-${this.#pick(['', number()])}`],
      () => ['Range', this.#pick(['bytes=-0', 'bytes=-5', 'bytes=0-1,3-4', 'lines=1-2', '=', ','])],
      () => ['If-Range', this.#pick(['"x"', 'W/"x"', 'yesterday', new Date(0).toUTCString()])],
      () => ['If-None-Match', this.#pick(['*', '"', '"x", "y"', 'W/"x"'])],
      () => ['If-Match', this.#pick(['*', '"x"', ''])],
      () => ['If-Modified-Since', this.#pick(['never', new Date(4e12).toUTCString()])],
      () => ['X-Auth-Token', this.#pick([token, token, 'none', '', `${token}x`])],
      () => ['Accept-Encoding', this.#pick(['gzip', 'br;q=0', '*'])],
    ])()
  }

  #body(): { readonly type: string; readonly body: string } {
    const ids = this.#some(this.#pick([0, 1, 1, 2, 4]), () => this.#id())
    const value = this.#pick<unknown>([
      ...[{ ids }, { ids }, { ids: [ids] }, { ids: [[[ids]], ids] }, { ids: ids.join(',') }],
      ...[{ ids: 7 }, { ids: [null] }, { ids: { a: ids } }, [], null, 'text', {}],
      { ids, tarfile: this.#pick<unknown>([true, false, '', null, {}, []]) },
    ])
    const json = JSON.stringify(value) ?? ''
    const manifest = ['id\tfilename', ...ids.map((id) => `${id}\tname`)].join('\n')
    const body = this.#pick([
      ...[json, json, json.slice(0, this.#random.below(json.length + 1)), manifest, ''],
      ids.map((id) => `ids=${id}`).join('&'),
      '['.repeat(3000),
    ])
    const type = this.#pick([
      ...['application/json', 'application/json', 'application/x-www-form-urlencoded'],
      ...['text/tsv', 'text/plain', 'application/octet-stream', 'application/json; charset=x'],
    ])
    return { type, body }
  }
}

/** Returns what is wrong with an answer, if anything. */
async function issueOf(answer: Response, method: string): Promise<string | undefined> {
  const { status, headers } = answer
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (status >= 500) return `status ${status}: ${bytes.toString('utf8', 0, 300)}`
  const length = headers.get('content-length')
  if (method === 'HEAD' || status === 304) return bytes.length > 0 ? 'a body' : undefined
  if (length !== null && Number(length) !== bytes.length)
    return `${bytes.length} of ${length} bytes`
  if (status < 400) return undefined
  if (headers.get('content-type') !== 'application/json') return `no JSON with ${status}`
  const { error, message } = JSON.parse(bytes.toString()) as Record<string, unknown>
  return error === message && typeof error === 'string' && error !== '' ? undefined : 'no message'
}

test(`${REQUESTS} mutated requests: no 5xx, refusals are JSON, lengths are true`, async () => {
  const mutations = new Mutations(randomFrom(SEED))
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let left = REQUESTS
  const worker = async () => {
    while (left-- > 0 && faults.length < 10) {
      const { method, target, headers, body } = mutations.next()
      const init = { method, headers, ...(body === undefined ? {} : { body }) }
      const answer = await app.request(`http://localhost${target}`, init)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const failure = await issueOf(answer, method)
      if (failure === undefined) continue
      const { 'X-Auth-Token': _, ...shown } = headers
      faults.push(
        `${failure} for ${method} ${target.slice(0, 300)} ${JSON.stringify(shown)} ${body?.slice(0, 300)}`,
      )
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  expect(faults).toEqual([])
  // If one of these were missing, the requests would not get deep enough for the test to mean anything.
  for (const status of [200, 206, 304, 400, 403, 404, 405, 412, 416]) {
    expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(depth(0, 2, 20))
  }
  expect(world.engine.load()).toMatchObject({ activeDownloads: 0 })
})
