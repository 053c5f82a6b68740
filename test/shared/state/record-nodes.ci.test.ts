import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AuditRecord } from '../../../engine/shared/audit/audit-record.ts'
import { SegmentRegister } from '../../../engine/shared/audit/segment-register.ts'
import { verifyRecord } from '../../../engine/shared/audit/verify-record.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { available } from '../../available.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// The record of access of nodes that share a PostgreSQL database, each with processes of its own.

const CHILD = fileURLToPath(new URL('./support/sweeping-child.ts', import.meta.url))
const DAYS = 8
/** Ids of a line, more than it can have itself. */
const MANY = 150

describe.skipIf(!available.postgresql)('the record of access with PostgreSQL', () => {
  const server = new PostgresServer()
  let folder = ''
  let url = ''
  let database: Database
  let now = new Date(0)
  const clock = () => now
  beforeAll(() => server.start())
  afterAll(() => server.stop())
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casemill-record-nodes-'))
    url = await server.url()
    database = sharedState({ dataFolder: '', stateUrl: url })
  })
  afterEach(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  const rootOf = (node: string) => join(folder, node)
  const open = (node: string) =>
    new AuditRecord({
      root: rootOf(node),
      register: new SegmentRegister(database, clock),
      clock,
      report: () => {},
      days: 2,
    })

  /** Writes a line on each of some days, by two processes of a node. */
  async function record(node: string): Promise<void> {
    for (let day = 1; day <= DAYS; day++) {
      now = new Date(`2026-03-0${day}T10:00:00Z`)
      const processes = [open(node), open(node)]
      for (const [i, one] of processes.entries()) {
        const files = Array.from({ length: MANY }, (_, n) => `file-${day}-${i}-${n}`)
        const line = { request: `${day}-${i}`, action: 'GET /data/{ids}', subject: 'ada' }
        const rest = { credential: null, release: null, status: 200, bytes: 1 }
        await one.answer({ ...line, ...rest }, { files })
      }
      await Promise.all(processes.map((one) => one.close()))
    }
  }

  async function problems(nodes: readonly string[]): Promise<readonly string[]> {
    const registered = await new SegmentRegister(database, clock).all()
    const { issues } = await verifyRecord(nodes.map(rootOf), registered)
    return issues.map(({ subject, problem }) => `${subject}: ${problem}`)
  }

  const daysLeft = (node: string) =>
    readdirSync(rootOf(node)).filter((name) => /^\d{4}-/.test(name))

  test('two processes that delete old days at once leave a whole chain', async () => {
    await record('one')
    const children = [0, 1, 2].map(() => {
      const child = spawn(process.execPath, [CHILD, rootOf('one'), url, now.toISOString()], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
    })
    for (const { lines } of children) expect((await lines.next()).value).toBe('ready')
    for (const { child } of children) child.stdin.write('go\n')
    const swept = new Set<string>()
    for (const { lines } of children) {
      const { value } = await lines.next()
      for (const day of JSON.parse(String(value)) as readonly string[]) swept.add(day)
    }
    expect([...swept].sort()).toEqual([1, 2, 3, 4, 5].map((day) => `2026-03-0${day}`))
    // The lists of the last deleted day stay a day longer.
    expect(daysLeft('one')).toEqual([5, 6, 7, 8].map((day) => `2026-03-0${day}`))
    expect(await problems(['one'])).toEqual([])
  })

  test('the records of three nodes are verified together, and one that is missing is named', async () => {
    const nodes = ['one', 'two', 'three']
    for (const node of nodes) await record(node)
    expect(await problems(nodes)).toEqual([])
    expect(await new SegmentRegister(database, clock).nodes()).toHaveLength(3)
    expect(await problems(['one', 'three'])).toEqual([
      expect.stringMatching(/^node \S+: its 16 segments were not verified/),
    ])
    rmSync(join(rootOf('two'), '2026-03-04'), { recursive: true })
    expect(await problems(nodes)).toEqual(
      expect.arrayContaining([expect.stringMatching(/2026-03-04.*: is missing/)]),
    )
  })
})
