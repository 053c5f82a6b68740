import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Dictionary } from '../../engine/submission/dictionary/dictionary.ts'
import { madeTypes } from './support/naive-graph.ts'
import { MadeSubmission } from './support/service.ts'

/** The number of kills. A hundred were run when this was written; each takes half a second. */
const KILLS = 3
/** The number of acknowledged batches before each kill. */
const BATCHES = 6

interface Acknowledged {
  readonly id: number
  readonly names: readonly string[]
  readonly isDryRun: boolean
  readonly isAsync: boolean
}

const WRITER = join(import.meta.dirname, 'support/submit-until-killed.ts')

let made: MadeSubmission
beforeAll(async () => {
  const dictionary = { types: madeTypes() } as Dictionary
  made = await MadeSubmission.open({ dictionary: { current: async () => dictionary } })
  await made.register('A-B')
})
afterAll(() => made.close())

test('acknowledged transactions survive a kill completely, and others leave no trace', {
  timeout: KILLS * 100_000,
}, async () => {
  const acknowledged: Acknowledged[] = []
  let left = 0
  for (let round = 0; round < KILLS; round++) {
    acknowledged.push(...(await killedWriter(round)))
    left += await made.submission.start({ isAlone: true })
    await check(acknowledged)
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(BATCHES * KILLS)
  // At least one kill hit a batch in progress.
  expect(left).toBeGreaterThan(0)
})

const countOf = (text: string) => text.split('\n').length - 1

/** The batches that a process acknowledged before it was killed. */
async function killedWriter(round: number): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [WRITER, made.path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const before = countOf(text)
    text += chunk
    // The kill comes after some batches, at a different moment each time.
    const isTime = before < BATCHES && countOf(text) >= BATCHES
    if (isTime) setTimeout(() => child.kill('SIGKILL'), (round * 7) % 20)
  })
  await once(child, 'close')
  expect(child.signalCode).toBe('SIGKILL')
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Acknowledged)
}

async function check(acknowledged: readonly Acknowledged[]): Promise<void> {
  const { entities, links, transactions, snapshots } = await made.database.read(async (rows) => ({
    entities: await rows.all<{ name: string; transaction: number }>(
      'SELECT submitter_id AS name, transaction_id AS "transaction" FROM submission_entities',
    ),
    links: await rows.all('SELECT child FROM submission_links'),
    transactions: await rows.all<{ id: number; state: string; isDryRun: number }>(
      `SELECT id, state, is_dry_run AS "isDryRun" FROM submission_transactions
       WHERE canonical_json LIKE '%either%'`,
    ),
    snapshots: await rows.all('SELECT entity_id FROM submission_snapshots'),
  }))
  const states = new Map(transactions.map((one) => [one.id, one]))
  for (const { id, names, isDryRun, isAsync } of acknowledged) {
    const { state = '' } = states.get(id) ?? {}
    expect(isAsync ? ['SUCCEEDED', 'ERRORED'] : ['SUCCEEDED']).toContain(state)
    const found = names.filter((name) => entities.some((one) => one.name === name))
    expect(found).toEqual(state === 'SUCCEEDED' && !isDryRun ? names : [])
  }
  const done = transactions.filter(({ state, isDryRun }) => state === 'SUCCEEDED' && !isDryRun)
  expect(new Set(transactions.map(({ state }) => state))).not.toContain('PENDING')
  expect(new Set(entities.map((one) => one.transaction))).toEqual(new Set(done.map(({ id }) => id)))
  expect(entities).toHaveLength(3 * done.length)
  expect(links).toHaveLength(2 * done.length)
  expect(snapshots).toHaveLength(3 * done.length)
}
