import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomFrom } from '../../../fixtures/random.ts'
import { type CommonsServer, startCommons } from '../../clients/commons-server.ts'
import { sendRaw } from '../../clients/raw-request.ts'
import { depth } from '../../depth.ts'
import { eventually } from '../../eventually.ts'
import { type KnownDataset, type MutatedRequest, Mutations } from './support/mutations.ts'

// Nearly correct requests to the real engine with its threads: none may be answered with a 5xx, every refusal is
// JSON that locates the error, and nobody is kept waiting. Failing ones are printed and can be repeated by their
// number.

const SEED = 3
const IN_PROCESS = depth(500, 6_000, 95_000)
const OVER_THE_WIRE = depth(60, 800, 5_000)
const AT_A_TIME = 32
/** About 10 ms of work on an idle core. */
const WORK = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ id: `${i}`, n: i })))
const MAX_BLOCK_UNITS = 25

let server: CommonsServer
type Known = readonly [KnownDataset, ...KnownDataset[]]

let known: Known

beforeAll(async () => {
  server = await startCommons({ scale: 'tiny' })
  known = await knownOf(server)
})
afterAll(() => server[Symbol.asyncDispose]())

async function knownOf({ engine, address }: CommonsServer): Promise<Known> {
  const known: KnownDataset[] = []
  for (const { name } of engine.commons.datasets) {
    const { defaults, fields, expand } = engine.commons.search.mapping(name)
    const { text } = await sendRaw(address, { target: `/${name}?size=10` })
    const hits: readonly Record<string, unknown>[] = JSON.parse(text).data.hits
    const values = hits
      .flatMap((hit) => Object.values(hit))
      .filter((value) => typeof value === 'string')
    const ids = hits.map(({ id }) => String(id))
    known.push({ name, fields: [...defaults, ...fields], groups: expand, values, ids })
  }
  return known as [KnownDataset, ...KnownDataset[]]
}

interface Seen {
  readonly status: number
  readonly type: string | null
  /** The body's text; undefined if it is not JSON, or for HEAD. */
  readonly text?: string
}

/** Returns what is wrong with an answer, if anything. */
function issueOf({ status, type, text }: Seen): string | undefined {
  if (status >= 500) return `status ${status}: ${text}`
  if (text === undefined) return undefined
  if (type !== 'application/json') return status < 400 ? undefined : `type ${type}`
  if (status < 400) return isJson(text) ? undefined : 'the body is no JSON'
  const refusal = /^\{"error":"/.test(text) && isJson(text) ? JSON.parse(text) : undefined
  if (refusal === undefined) return `refusal ${text.slice(0, 200)}`
  if (refusal.error !== refusal.message || refusal.error === '') return 'error is not message'
  if (status === 400 && !PLACE.test(refusal.error)) return `no place in: ${refusal.error}`
  return undefined
}

const PLACE =
  /\b(filters|case_filters|fields|expand|facets|sort|size|from|format|pretty|return_type|attachment|filename|query|body|content-type|content type|id)\b/

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Sends `count` requests, some at a time, and counts the answers by status. */
async function put(
  count: number,
  next: (i: number) => MutatedRequest,
  ask: (request: MutatedRequest) => Promise<Seen>,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let given = 0
  const worker = async () => {
    while (given < count && faults.length < 10) {
      const i = given++
      const request = next(i)
      // Real requests arrive as separate events. Without this pause, refusals would follow each other without a
      // turn for other work.
      await setImmediate()
      const seen = await ask(request)
      statuses.set(seen.status, (statuses.get(seen.status) ?? 0) + 1)
      const failure = issueOf(seen)
      if (failure !== undefined) faults.push(`${i}: ${failure} for ${told(request)}${causes()}`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  expect(faults).toEqual([])
  return statuses
}

/** The failures in the log. */
function causes(): string {
  const lines = server.lines.filter((line) => line.includes('request failed'))
  return lines.length === 0 ? '' : ` because of ${lines.at(-1)}`
}

function told({ method, target, headers, body }: MutatedRequest): string {
  const text = body === undefined ? '' : Buffer.from(body).toString('latin1').slice(0, 1500)
  return `${method} ${target.slice(0, 1500)} ${JSON.stringify(headers)} ${text}`
}

const cpuSince = (used: NodeJS.CpuUsage) => {
  const { user, system } = process.threadCpuUsage(used)
  return user + system
}

/** CPU time of a known piece of work, which measures the machine's current speed. */
function unitOfWork(): number {
  const before = process.threadCpuUsage()
  JSON.parse(WORK)
  return cpuSince(before)
}

/**
 * Measures the most work between two turns of the loop, in units. It counts the CPU time of this thread, so
 * other processes do not matter.
 */
function watchBlocking() {
  let longest = 0
  let unit = unitOfWork()
  let used = process.threadCpuUsage()
  let turns = 0
  const timer = setInterval(() => {
    longest = Math.max(longest, cpuSince(used))
    if (++turns % 100 === 0) unit = Math.max(unit, unitOfWork())
    used = process.threadCpuUsage()
  }, 5)
  return {
    end() {
      clearInterval(timer)
      return longest / unit
    },
  }
}

test(`${IN_PROCESS} mutated requests: no 5xx, refusals name the place, nobody is blocked`, async () => {
  const { app } = server
  const mutations = new Mutations(randomFrom(SEED), known)
  const watch = watchBlocking()
  const statuses = await put(
    IN_PROCESS,
    () => mutations.next(),
    async ({ method, target, headers, body }) => {
      const init = { method, headers, ...(body === undefined ? {} : { body }) }
      const response = await app.request(`http://localhost${target}`, init)
      const type = response.headers.get('content-type')
      const isPlain = !response.headers.has('content-encoding') && method !== 'HEAD'
      if (isPlain && type === 'application/json') {
        return { status: response.status, type, text: await response.text() }
      }
      await response.arrayBuffer()
      return { status: response.status, type }
    },
  )
  expect(watch.end()).toBeLessThan(MAX_BLOCK_UNITS)
  // If few requests succeeded, the test would not mean anything.
  expect(statuses.get(200)).toBeGreaterThan(IN_PROCESS / 5)
  expect(statuses.get(400)).toBeGreaterThan(IN_PROCESS / 10)
  for (const status of [204, 404, 405]) expect([...statuses.keys()]).toContain(status)
})

test(`${OVER_THE_WIRE} mutated requests over the wire: the same`, async () => {
  const mutations = new Mutations(randomFrom(SEED, 1), known)
  const watch = watchBlocking()
  const statuses = await put(
    OVER_THE_WIRE,
    () => mutations.next(),
    async ({ method, target, headers, body }) => {
      const more = body === undefined ? {} : { body: Buffer.from(body) }
      const {
        status,
        headers: received,
        text,
      } = await sendRaw(server.address, {
        method,
        target,
        headers,
        ...more,
      })
      const type = received['content-type'] ?? null
      // A browser that opens a missing page gets an HTML page.
      const isPage = type?.startsWith('text/html') && status === 404 && method === 'GET'
      const named = headers.accept?.includes('text/html') ?? false
      return method === 'HEAD' || (isPage && named) ? { status, type } : { status, type, text }
    },
  )
  expect(watch.end()).toBeLessThan(MAX_BLOCK_UNITS)
  for (const status of [200, 204, 400, 404, 405]) expect([...statuses.keys()]).toContain(status)
  expect(causes()).toBe('')
})

test('400 clients that leave midway leave nothing behind', async () => {
  const random = randomFrom(SEED, 2)
  const { hostname, port } = new URL(server.address)
  const codings = ['identity', 'gzip', 'br', 'zstd']
  const handles = () => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length
  const before = handles()
  const leave = async () => {
    const coding = codings[random.below(codings.length)] ?? ''
    const format = ['json', 'tsv', 'xml', 'ndjson'][random.below(4)]
    const expand = 'cases,cases.samples,cases.samples.portions.analytes.aliquots'
    const target = `/files?size=400&format=${format}&expand=${expand}`
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`)
    if (random.chance(0.5)) await once(socket, 'data')
    await sleep(random.below(20))
    socket.destroy()
  }
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 20 }, leave))
  await eventually(() => expect(handles()).toBeLessThanOrEqual(before))
  const answer = await sendRaw(server.address, { target: '/files?size=1' })
  expect(answer.status).toBe(200)
  expect(causes()).toBe('')
  // The engine can only be closed if every answer has released its release.
})
