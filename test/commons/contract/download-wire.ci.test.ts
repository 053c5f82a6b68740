import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { startServer } from '../../../server/main.ts'
import { sendRaw } from '../../clients/raw-request.ts'
import { depth } from '../../depth.ts'
import { steady } from '../../eventually.ts'
import { keptLog } from './fake-engine.ts'
import { idOf, md5Of, recordOf, SURROUNDINGS, someBytes } from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'

// Behaviour that shows only on a real connection: lengths, broken connections and slow readers.

const MiB = 1 << 20
const SIZE = depth(40, 64) * MiB
/** The distance between the starts of overlapping ranges; 24 of them cover more than three quarters of the file. */
const STEP = SIZE / 32
const LARGE = { id: idOf(1), name: 'large.bin', bytes: Buffer.alloc(SIZE, someBytes(MiB, 1)) }
const CUT = { ...LARGE, id: idOf(3) }
const SMALL = { id: idOf(2), name: 'small.txt', bytes: someBytes(100, 2) }

let world: DownloadWorld
let address = ''
let lines: string[] = []
let stop: () => Promise<void>

beforeAll(async () => {
  world = await openWorld({
    ...SURROUNDINGS,
    files: [LARGE, CUT, SMALL].map((one) => recordOf(one)),
  })
  for (const kept of [LARGE, CUT, SMALL]) await world.store(kept)
  const config = readConfig({ flags: { port: 0, logLevel: 'info', drainSeconds: 0 } })
  const kept = keptLog(config)
  lines = kept.lines
  const status = { commit: 'test', tag: '0.0.0' }
  const server = await startServer({ engine: world.engine, config, status, log: kept.log })
  address = server.address
  stop = () => server.close()
})
afterAll(async () => {
  await stop()
  await world.close()
})

/** Lists the stored files that this process has open. */
function openFiles(): string[] {
  const descriptors = readdirSync('/proc/self/fd')
  return descriptors.flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`)
      return path.startsWith(`${world.folder}/files/`) ? [path] : []
    } catch {
      return []
    }
  })
}

const begin = (path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(address + path, resolve).on('error', reject)
  })

const isLinux = existsSync('/proc/self/fd')
const paths = [
  `/data/${LARGE.id}`,
  `/data/${SMALL.id},${LARGE.id}?tarfile`,
  `/data/${SMALL.id},${LARGE.id}`,
]

test.each(paths)('all bytes of %s arrive', async (path) => {
  const response = await begin(path)
  const bytes = await buffer(response)
  const length = response.headers['content-length']
  expect(length === undefined || Number(length) === bytes.length).toBe(true)
  if (path.endsWith(LARGE.id) && !path.includes(',')) {
    expect(response.headers['content-md5']).toBe(md5Of(bytes))
  }
  await expect.poll(() => world.engine.load().activeDownloads).toBe(0)
})

test.runIf(isLinux).each(paths)('a client that leaves frees the files of %s', async (path) => {
  const before = lines.length
  const response = await begin(path)
  await new Promise((resolve) => response.once('data', resolve))
  expect(openFiles().length).toBeGreaterThan(0)
  response.destroy()
  await expect.poll(openFiles, { interval: 5 }).toEqual([])
  await expect.poll(() => world.engine.load().activeDownloads).toBe(0)
  await expect.poll(() => lines.length).toBeGreaterThan(before)
  const told = lines.slice(before).map((line) => JSON.parse(line))
  expect(told.map(({ outcome }) => outcome)).toEqual(['client gone'])
  expect(told[0].level).toBe('info')
})

test('a reader that takes nothing holds reading back', async () => {
  const before = world.engine.load().bytesDownloaded
  const response = await begin(`/data/${LARGE.id}`)
  response.pause()
  // Waits until the system's buffers are full, as nobody reads.
  const seen = await steady(() => world.engine.load().bytesDownloaded - before)
  expect(seen).toBeLessThan(32 * MiB)
  expect(world.engine.load()).toMatchObject({ activeDownloads: 1 })
  const bytes = await buffer(response)
  expect(bytes.equals(LARGE.bytes)).toBe(true)
})

test.each([`/data/${CUT.id}`, `/data/${SMALL.id},${CUT.id}`])(
  'a file that is cut off while %s is sent breaks the connection off',
  async (path) => {
    const stored = join(world.folder, 'files', CUT.id, CUT.name)
    await writeFile(stored, CUT.bytes)
    const response = await begin(path)
    response.pause()
    await truncate(stored, 0.75 * SIZE + 5)
    await expect(buffer(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect.poll(() => lines.some((line) => line.includes('"outcome":"failed"'))).toBe(true)
    await expect.poll(() => world.engine.load().activeDownloads).toBe(0)
  },
)

test('many readers at once get what they asked for', async () => {
  const asked = Array.from({ length: 24 }, (_, i) => [i * STEP + i, i * STEP + 3 * MiB])
  const parts = asked.map(async ([first = 0, last = 0]) => {
    const headers = { Range: `bytes=${first}-${last}` }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${address}/data/${LARGE.id}`, { headers }, resolve).on('error', reject).end()
    })
    expect(response.statusCode).toBe(206)
    return (await buffer(response)).equals(LARGE.bytes.subarray(first, last + 1))
  })
  expect(await Promise.all(parts)).toEqual(asked.map(() => true))
  await expect.poll(() => world.engine.load().activeDownloads).toBe(0)
})

test('HEAD tells the length on the wire, and 304 and 416 end their answers', async () => {
  const ask = (method: string, headers: Record<string, string> = {}) =>
    sendRaw(address, { method, target: `/data/${SMALL.id}`, headers })
  const head = await ask('HEAD')
  expect([head.status, head.headers['content-length']]).toEqual([200, '100'])
  expect(head.headers['content-md5']).toBe(md5Of(SMALL.bytes))
  const held = await ask('GET', { 'If-None-Match': `"${md5Of(SMALL.bytes)}"` })
  expect([held.status, held.text]).toEqual([304, ''])
  const behind = await ask('GET', { Range: 'bytes=100-' })
  expect([behind.status, behind.headers['content-range']]).toEqual([416, 'bytes */100'])
  const odd = await ask('GET', { 'X-Auth-Token': 'tökén' })
  expect(odd.status).toBe(200)
})

test('path tricks that HTTP libraries would tidy away lead nowhere', async () => {
  const targets = [
    '/data/../../state.sqlite',
    '/data/%2e%2e/%2e%2e/state.sqlite',
    '/data//etc/passwd',
    `/data/${SMALL.id}/../../../state.sqlite`,
    '/data/..%2f..%2fstate.sqlite',
    `/data/${'a'.repeat(10_000)}`,
  ]
  for (const target of targets) {
    const { status, text } = await sendRaw(address, { target })
    expect([target, status]).toEqual([target, 404])
    expect(text).toMatch(/^\{"error":"/)
  }
})
