import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import { readOpenFilesLimit } from '../../server/http/open-files.ts'
import { startHolding } from './support/holding-clients.ts'
import { askHonestly, type HonestAsk } from './support/honest-clients.ts'
import { serveLimited } from './support/limited-server.ts'

// Nine thousand idle connections and sixty stalled bodies, beside clients that send requests. held-load.ts
// measures the same.

const MiB = 1 << 20
const CONNECTIONS = 9000
/** Limits of file descriptors; the second allows about 4,000 connections at once. */
const OPEN_FILES = [1024, 20_000] as const
/**
 * The memory that may stay resident under any load: used buffers of 64 KiB are freed when the collector has seen
 * 64 MiB of them, and the allocator keeps part of the freed memory (ADR 58).
 */
const MAX_CACHED_BYTES = 192 * MiB
const ASKS: readonly HonestAsk[] = [
  { path: '/status', status: 200 },
  { method: 'POST', path: '/files', body: '{"size":5}', status: 200 },
  { path: '/cases?facets=primary_site&size=1', status: 200 },
]
/** The number of requests that warm a server up, until its memory has grown to what they need. */
const WARM_UP = 2000
/** The number of requests to measure beside each kind of load. */
const REQUESTS = 100
/** The limit on the memory of bodies, chosen small so that exceeding it shows in the memory used. */
const SETTINGS = { CASEMILL_HELD_BODY_BYTES: String(128 * MiB) }

const folder = await mkdtemp(join(tmpdir(), 'casemill-held-'))
const data = join(folder, 'data')
const limit = readOpenFilesLimit() ?? 0

beforeAll(async () => {
  await mkdir(data)
  const executor = inlineExecutor
  await buildMadeRelease({ dataFolder: data, executor, scale: 'tiny', seed: 5, id: 'made' })
})

afterAll(() => rm(folder, { recursive: true, force: true }))

for (const openFiles of OPEN_FILES) {
  const isPossible = limit >= Math.max(openFiles, CONNECTIONS + 500)
  test.skipIf(!isPossible)(
    `honest clients are served beside all of them, of ${openFiles} descriptors`,
    async () => {
      const server = await serveLimited(data, openFiles, SETTINGS)
      try {
        const ask = (requests: number) => {
          let asked = 0
          return askHonestly(server.port, ASKS, { clients: 4, until: () => asked++ >= requests })
        }
        await ask(WARM_UP)
        const before = server.residentBytes()
        const holding = await startHolding({
          port: server.port,
          idle: 6000,
          slow: 3000,
          stalled: 60,
          stalledBytes: 15 * MiB,
          returnMilliseconds: 10_000,
        })
        await vi.waitFor(() => expect(holding.counts().opened).toBeGreaterThan(CONNECTIONS), {
          timeout: 120_000,
        })
        const { served, failures } = await ask(REQUESTS)
        await holding.stop()
        // A client sends its request again when an idle connection is closed under it.
        const reset = Object.entries(failures).filter(([why]) => why.endsWith('ECONNRESET'))
        expect(Object.keys(failures)).toHaveLength(reset.length)
        expect(served).toBeGreaterThan(0.95 * REQUESTS)
        await vi.waitFor(
          async () => {
            await ask(20)
            expect(server.residentBytes()).toBeLessThan(before + MAX_CACHED_BYTES)
          },
          { timeout: 120_000, interval: 1000 },
        )
      } finally {
        await server.stop()
      }
    },
  )
}
