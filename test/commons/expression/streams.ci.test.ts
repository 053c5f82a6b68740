import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ABSENT } from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { caseId, geneId } from '../../../engine/commons/analysis/expression/support/made-matrix.ts'
import type { Executor, Job, RunOptions } from '../../../engine/shared/index.ts'
import type { RunningServer } from '../../../server/main.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { eventually } from '../../eventually.ts'
import { listenFor } from '../contract/support/listen.ts'
import { type ExpressionWorld, openExpressionWorld } from './support/expression-world.ts'

const GENES = 6000
const CASES = 700

/** Counts the jobs that were started and those in progress. */
class CountingExecutor implements Executor {
  readonly #pool: ThreadPool
  readonly begun: string[] = []
  underWay = 0
  onBegun: (name: string) => void = () => {}

  constructor(pool: ThreadPool) {
    this.#pool = pool
  }

  get parallelism(): number {
    return this.#pool.parallelism
  }

  async run<I, O>(job: Job<I, O>, input: I, options?: RunOptions): Promise<O> {
    this.begun.push(job.name)
    this.underWay++
    try {
      const running = this.#pool.run(job, input, options)
      this.onBegun(job.name)
      return await running
    } finally {
      this.underWay--
    }
  }

  count(name: string): number {
    return this.begun.filter((one) => one === name).length
  }
}

const matrixOf = (value: (gene: number, column: number) => number) => ({
  kind: 'fixed' as const,
  cases: Array.from({ length: CASES }, (_, column) => ({ caseId: caseId(column) })),
  rows: Array.from({ length: GENES }, (_, gene) => ({
    geneId: geneId(gene),
    symbol: null,
    values: Uint32Array.from({ length: CASES }, (_, column) => value(gene, column)),
  })),
})

let pool: ThreadPool
let executor: CountingExecutor
let world: ExpressionWorld
let server: RunningServer

beforeAll(async () => {
  pool = new ThreadPool({ threads: 2 })
  executor = new CountingExecutor(pool)
  const made = matrixOf((gene, column) => (gene * 7919 + column * 104_729) % 3_000_000)
  const limits = { expressionCells: 0 }
  world = await openExpressionWorld({}, made, { executor, limits })
  server = await listenFor(world.engine)
})
afterAll(async () => {
  await server.close()
  await world.close()
  await pool.close()
})

const case_ids = Array.from({ length: CASES }, (_, column) => caseId(column))
const gene_ids = Array.from({ length: GENES }, (_, gene) => geneId(gene))

async function begin(body: object): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json' }
  const url = new URL('/gene_expression/values', server.address)
  // Each request uses a new connection, because the system may buffer a whole table on one that has been used.
  const asked = request(url, { method: 'POST', headers, agent: false })
  asked.on('error', () => {})
  asked.end(JSON.stringify({ case_ids, gene_ids, tsv_units: 'uqfpkm', ...body }))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  return answer
}

async function rest(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('first requests that come together read the matrix once', async () => {
  const some = { gene_ids: gene_ids.slice(0, 2) }
  const tables = await Promise.all([1, 2, 3, 4].map(async () => rest(await begin(some))))
  expect(new Set(tables).size).toBe(1)
  expect(executor.count('expression.read-part')).toBe(Math.ceil((GENES * CASES * 4) / (8 << 20)))
})

test('a client that takes nothing has but a few pieces made, and one that leaves no more', async () => {
  executor.begun.length = 0
  const answer = await begin({})
  await once(answer, 'readable')
  await pause(300)
  const made = executor.count('expression.lines')
  answer.destroy()
  await eventually(() => expect(executor.underWay).toBe(0))
  await pause(100)
  expect(executor.count('expression.lines')).toBeLessThanOrEqual(made + 1)
  await rest(await begin({}))
  expect(made).toBeLessThan((executor.count('expression.lines') - made) / 2)
})

test('who leaves while genes are selected frees the threads', async () => {
  executor.begun.length = 0
  const left = new AbortController()
  executor.onBegun = (name) => {
    if (name === 'expression.spreads') left.abort(new Error('gone'))
  }
  const asked = world.engine.commons.expression.geneSelection(
    {
      caseIds: case_ids,
      geneType: 'protein_coding',
      size: GENES,
      leastMedian: 0,
      token: undefined,
    },
    { signal: left.signal },
  )
  await expect(asked).rejects.toThrow('gone')
  executor.onBegun = () => {}
  expect(executor.underWay).toBe(0)
  expect(executor.count('expression.medians')).toBe(0)
})

test('tables that nobody takes are bounded; the next is told to retry', async () => {
  const begun = await Promise.all(Array.from({ length: 32 }, () => begin({})))
  const refused = await fetch(`${server.address}/gene_expression/values`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ case_ids, gene_ids, tsv_units: 'uqfpkm' }),
  })
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
  for (const answer of begun) answer.destroy()
  await eventually(() => expect(executor.underWay).toBe(0))
  await rest(await begin({}))
})

test('what is begun on a release ends on it, and what comes later is of the next', async () => {
  const expected = await rest(await begin({}))
  const answer = await begin({})
  const first = (await once(answer, 'readable')) && (answer.read() as Buffer)
  await world.serve(
    'second',
    {},
    matrixOf((gene) => (gene === 0 ? ABSENT : 10_000)),
  )
  await eventually(() => expect(world.engine.commons.releaseFacts()?.id).toBe('second'))
  const later = await begin({ gene_ids: gene_ids.slice(0, 2), case_ids: case_ids.slice(0, 2) })
  const head = `gene_id\t${caseId(0)}\t${caseId(1)}`
  expect(await rest(later)).toBe(`${head}\n${geneId(0)}\t\t\n${geneId(1)}\t1\t1\n`)
  expect(first.toString() + (await rest(answer)) === expected).toBe(true)
})
