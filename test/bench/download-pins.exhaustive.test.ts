import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servedDigest } from '../../bench/commons/download/check.ts'
import { fetchAway } from '../../bench/commons/download/fetch.ts'
import { prepareInput } from '../../bench/commons/download/input.ts'
import { idsOf, layoutOf } from '../../bench/commons/download/layout.ts'
import { PINS } from '../../bench/commons/download/pins.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/http/log.ts'
import { type RunningServer, startServer } from '../../server/main.ts'

// The benchmark measures nothing unless the answers have the pinned digests, which come from openssl and md5sum
// (see pins.ts). This test checks the same for an input that takes a moment to make.

const layout = layoutOf('test')
let folder = ''
let engine: Engine
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-download-pins-'))
  const { home } = await prepareInput('test', join(folder, 'input'), inlineExecutor)
  engine = await openEngine({ dataFolder: home, executor: inlineExecutor })
  await engine.start()
  const config = readConfig({ flags: { port: 0, logLevel: 'silent', drainSeconds: 0 } })
  const status = { commit: '', tag: '' }
  server = await startServer({ engine, config, status, log: createLog(config) })
})

afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

test.each([
  ['single', 'files'],
  ['archive', 'tar'],
  ['archive', 'tar.gz'],
  ['small', 'files'],
] as const)('the bytes of %s as %s are the pinned ones', async (set, way) => {
  expect(await servedDigest(server.address, layout, set, way)).toBe(PINS.test[set])
})

test('the reader of the bench takes every byte, of files, lengths and chunks', async () => {
  const { address } = server
  const small = idsOf('small', layout).map((id) => ({ path: `/data/${id}` }))
  const { bytes } = await fetchAway({ address, targets: small })
  expect(bytes).toBe(layout.small.count * layout.small.bytes)
  const body = JSON.stringify({ ids: idsOf('archive', layout) })
  const tar = await fetchAway({ address, targets: [{ path: '/data?tarfile', body }] })
  expect(tar.bytes % 512).toBe(0)
  expect(tar.bytes).toBeGreaterThan(700_000)
  const twice = [
    { path: '/data', body },
    { path: '/data', body },
  ]
  expect((await fetchAway({ address, targets: twice })).bytes).toBeGreaterThan(1_400_000)
})

test('an answer that is none stops the bench', async () => {
  const targets = [{ path: '/data/nothing' }]
  await expect(fetchAway({ address: server.address, targets })).rejects.toThrow('404')
})
