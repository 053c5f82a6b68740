import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAnswers, storedIn } from '../../bench/submission/check.ts'
import { makeHome } from '../../bench/submission/home.ts'
import { AMOUNTS, aliquotsOf, digestOfRows } from '../../bench/submission/input.ts'
import { openSqlitePeer, type Peer } from '../../bench/submission/peers.ts'
import { PINS } from '../../bench/submission/pins.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { databasePath } from '../../engine/shared/database/open.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import type { RunningServer } from '../../server/main.ts'
import { listenFor } from '../commons/contract/support/listen.ts'

// The benchmark measures nothing unless service and peer store the pinned bytes. This test checks the same for a
// few aliquots.

const FIRST_TURN = 1
let folder: string
let engine: Engine
let server: RunningServer
let peer: Peer
let token: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-submission-'))
  token = (await makeHome(folder, 'test')).token
  engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  server = await listenFor(engine)
  peer = await openSqlitePeer(folder, AMOUNTS.test)
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await peer?.close()
  await rm(folder, { recursive: true, force: true })
})

test('digests are of rows that are made from the input', () => {
  for (const name of ['full', 'quick', 'test'] as const) {
    const rows = aliquotsOf(AMOUNTS[name], FIRST_TURN).map((one) => ({
      name: one.name,
      parent: one.sample,
      properties: JSON.stringify(one.properties),
    }))
    expect(digestOfRows(rows)).toBe(PINS[name].rows)
    expect(rows).toHaveLength(PINS[name].entities)
  }
})

test('the service and the peer store what is pinned; other rows stop the bench', async () => {
  const stored = async () => storedIn(databasePath(folder))
  const checked = { door: { address: server.address, token }, peer, folder, stored }
  await checkAnswers(checked, 'test', FIRST_TURN)
  await expect(checkAnswers(checked, 'test', FIRST_TURN + 1)).rejects.toThrow('other rows')
})
