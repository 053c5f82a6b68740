import { type ChildProcess, spawn } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineExecutor, openEngine } from '../../engine/index.ts'

// Whatever is fetched, the server holds a few pieces of it at a time: its resident memory stays
// where it was. Linux only, since it looks into /proc. Most files are holes on the disk; some are noise,
// of which gzip makes as much as it is given.

const MiB = 1 << 20
const LARGE_BYTES = 512 * MiB
const MEMBERS = 40
const MEMBER_BYTES = 12 * MiB
const MOST_GROWTH_KILOBYTES = 32 * 1024

const LARGE = idOf(0)
const members = Array.from({ length: MEMBERS }, (_, i) => idOf(i + 1))
const SMALL = idOf(MEMBERS + 1)
const noisy = Array.from({ length: 12 }, (_, i) => idOf(MEMBERS + 2 + i))
const folder = mkdtempSync(join(tmpdir(), 'casemill-download-memory-'))

let server: ChildProcess
let address: URL

function idOf(n: number): string {
  return `0d000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

beforeAll(async () => {
  const data = join(folder, 'data')
  const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(MEMBER_BYTES),
  )
  const keep = (id: string, size: number, content: Buffer | string = '') => {
    const fileName = `${id.slice(-3)}.bin`
    const place = join(data, 'files', id)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, fileName), content)
    truncateSync(join(place, fileName), size)
    engine.files.add({
      ...{ id, fileName, size, md5: '0'.repeat(32), dataFormat: null, access: 'open', acl: [] },
      ...{ partOf: null, indexName: null, storage: 'folder', linkedModified: null },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  }
  keep(LARGE, LARGE_BYTES)
  for (const id of members) keep(id, MEMBER_BYTES)
  for (const id of noisy) keep(id, MEMBER_BYTES, noise)
  keep(SMALL, 1000)
  await engine.close()
  const heap = ['--max-semi-space-size=8', '--initial-old-space-size=16']
  const serve = ['bin/casemill.ts', 'serve', '--port', '0', '--data', data]
  server = spawn(process.execPath, [...heap, ...serve], {
    env: { ...process.env, CASEMILL_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [first] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string]
  address = new URL(/http:\/\/\S+/.exec(first)![0])
})

afterAll(() => {
  server?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Reads an answer to its end and tells its length; `slowly` waits between pieces at first. */
async function fetchBytes(path: string, ids?: readonly string[], slowly = false): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const asked = request(new URL(path, address), ids ? { method: 'POST', headers } : {})
  asked.end(ids && JSON.stringify({ ids }))
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(200)
  let length = 0
  let waits = slowly ? 50 : 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (waits-- > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return length
}

const kilobytes = (name: 'VmRSS' | 'VmHWM') => {
  const text = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
}

/** How far the resident memory went above what it was, at its highest. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  // Sets the peak back to what is held now.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  await work()
  return kilobytes('VmHWM') - before
}

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('what is fetched leaves the resident memory where it was', async () => {
  for (let i = 0; i < 100; i++) await fetchBytes(`/data/${SMALL}`)
  const tarBytes = MEMBERS * (MEMBER_BYTES + 512)
  const growth = {
    // First: what others leave for the garbage collector would hide it.
    'tar.gz of noise': await growthOf(async () => {
      expect(await fetchBytes('/data', noisy)).toBeGreaterThan(noisy.length * MEMBER_BYTES)
    }),
    file: await growthOf(async () => {
      expect(await fetchBytes(`/data/${LARGE}`)).toBe(LARGE_BYTES)
    }),
    tar: await growthOf(async () => {
      expect(await fetchBytes('/data?tarfile', members)).toBeGreaterThan(tarBytes)
    }),
    'tar.gz': await growthOf(async () => {
      expect(await fetchBytes('/data', members)).toBeGreaterThan(1000)
    }),
    'four slow readers': await growthOf(() =>
      Promise.all(Array.from({ length: 4 }, () => fetchBytes(`/data/${LARGE}`, undefined, true))),
    ),
  }
  console.log(`growth of resident memory in kB: ${JSON.stringify(growth)}`)
  for (const [what, kilobytes] of Object.entries(growth)) {
    expect([what, kilobytes <= MOST_GROWTH_KILOBYTES]).toEqual([what, true])
  }
})
