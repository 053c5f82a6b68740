import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { lengthOf, type WatchedServer, watchServer } from './support/watched-server.ts'

// Whatever is downloaded, the server holds a few pieces of it at a time, so its resident memory does not grow.
// It reads /proc, so it needs Linux. Most files are holes on the disk; some are noise, of which gzip makes as
// much as it is given.

const MiB = 1 << 20
const LARGE_BYTES = 512 * MiB
const MEMBERS = 40
const MEMBER_BYTES = 12 * MiB
const MAX_GROWTH_KILOBYTES = 32 * 1024

const LARGE = idOf(0)
const members = Array.from({ length: MEMBERS }, (_, i) => idOf(i + 1))
const SMALL = idOf(MEMBERS + 1)
const noisy = Array.from({ length: 12 }, (_, i) => idOf(MEMBERS + 2 + i))
const folder = mkdtempSync(join(tmpdir(), 'casemill-download-memory-'))

let server: WatchedServer

function idOf(n: number): string {
  return `0d000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}

/** The md5 of a content followed by zeros up to the given size. */
function md5Of(content: Buffer | string, size: number): string {
  const hash = createHash('md5').update(content)
  const zeros = Buffer.alloc(MiB)
  for (let left = size - content.length; left > 0; left -= MiB) {
    hash.update(zeros.subarray(0, left))
  }
  return hash.digest('hex')
}

beforeAll(async () => {
  const data = join(folder, 'data')
  const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
    Buffer.alloc(MEMBER_BYTES),
  )
  const keep = async (id: string, size: number, content: Buffer | string = '') => {
    const fileName = `${id.slice(-3)}.bin`
    const place = join(data, 'files', id)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, fileName), content)
    truncateSync(join(place, fileName), size)
    const md5 = md5Of(content, size)
    await engine.shared.files.add({
      id,
      fileName,
      size,
      md5,
      dataFormat: null,
      access: 'open',
      acl: [],
      partOf: null,
      indexName: null,
      storage: 'folder',
      linkedModified: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  }
  await keep(LARGE, LARGE_BYTES)
  for (const id of members) await keep(id, MEMBER_BYTES)
  for (const id of noisy) await keep(id, MEMBER_BYTES, noise)
  await keep(SMALL, 1000)
  await engine.close()
  server = await watchServer(data)
})

afterAll(() => {
  server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Reads an answer to its end and returns its length; `slowly` waits between pieces at first. */
async function fetchBytes(path: string, ids?: readonly string[], slowly = false): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const asked = request(new URL(path, server.address), ids ? { method: 'POST', headers } : {})
  asked.end(ids && JSON.stringify({ ids }))
  const [answer] = await once(asked, 'response')
  expect(answer.statusCode).toBe(200)
  return lengthOf(answer, slowly ? 50 : 0)
}

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('what is fetched leaves the resident memory where it was', async () => {
  for (let i = 0; i < 100; i++) await fetchBytes(`/data/${SMALL}`)
  const tarBytes = MEMBERS * (MEMBER_BYTES + 512)
  const growth = {
    // This case comes first, because garbage of the others would hide growth.
    'tar.gz of noise': await server.growthOf(async () => {
      expect(await fetchBytes('/data', noisy)).toBeGreaterThan(noisy.length * MEMBER_BYTES)
    }),
    file: await server.growthOf(async () => {
      expect(await fetchBytes(`/data/${LARGE}`)).toBe(LARGE_BYTES)
    }),
    tar: await server.growthOf(async () => {
      expect(await fetchBytes('/data?tarfile', members)).toBeGreaterThan(tarBytes)
    }),
    'tar.gz': await server.growthOf(async () => {
      expect(await fetchBytes('/data', members)).toBeGreaterThan(1000)
    }),
    'four slow readers': await server.growthOf(() =>
      Promise.all(Array.from({ length: 4 }, () => fetchBytes(`/data/${LARGE}`, undefined, true))),
    ),
  }
  console.log(`growth of resident memory in kB: ${JSON.stringify(growth)}`)
  for (const [what, kilobytes] of Object.entries(growth)) {
    expect([what, kilobytes <= MAX_GROWTH_KILOBYTES]).toEqual([what, true])
  }
})
