import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../../engine/index.ts'
import {
  type Executor,
  inlineExecutor,
  type Job,
  type RunOptions,
} from '../../../engine/shared/index.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import type { RunningServer } from '../../../server/main.ts'
import { eventually } from '../../eventually.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from './support/listen.ts'

// The jobs of an analysis wait in the queue of the pool when its client leaves. Each of them leaves the queue, and no
// other one begins: the pool removes those whose signal aborts (workers/pool.test.ts).

/** Runs jobs, but keeps those of one name in its queue until they are aborted. */
class HoldingExecutor implements Executor {
  readonly parallelism = 2
  /** Name of the jobs that stay in the queue. */
  held = ''
  queued = 0
  /** Names of all jobs that were given. */
  readonly given: string[] = []

  async run<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    options: RunOptions = {},
  ): Promise<Output> {
    const { signal } = options
    signal?.throwIfAborted()
    this.given.push(job.name)
    if (job.name !== this.held) return inlineExecutor.run(job, input, options)
    this.queued++
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.queued--
        reject(signal.reason)
      })
    })
  }
}

const among = (field: string, value: string) => ({ op: 'in', content: { field, value: [value] } })
/** Conditions on all files, so that counting is no work for the event loop. */
const COSTLY = {
  op: 'and',
  content: Array.from({ length: 1000 }, (_, size) => ({
    op: '>=',
    content: { field: 'files.file_size', value: size },
  })),
}
const TWO = [among('demographic.gender', 'female'), among('demographic.gender', 'male')]

/** Each job of each analysis, with a request that needs it. */
const ANALYSES: readonly (readonly [path: string, job: string, body: object])[] = [
  ['gene_associations', 'mutation-counts.associations', { case_filters: COSTLY }],
  ['gene_copy_numbers', 'mutation-counts.copy-numbers', { case_filters: COSTLY }],
  ['mutation_burden', 'mutation-counts.burden', { case_filters: COSTLY }],
  ['compare_fields', 'comparison.groups', { filters: TWO }],
  ['compare_fields', 'comparison.fields', { filters: TWO }],
  ['compare_fields', 'survival.compare-groups', { filters: TWO }],
  ['enrichment', 'comparison.groups', { filters: TWO }],
  ['enrichment', 'comparison.enrichment', { filters: TWO }],
  ['variables', 'comparison.variables', { x: 'demographic.gender', y: 'burden' }],
]

describe('a client leaves while the jobs wait', () => {
  const executor = new HoldingExecutor()
  let folder = ''
  let engine: Engine
  let server: RunningServer
  let gene = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-analyses-left-'))
    const seed = 7
    await buildMadeRelease({ dataFolder: folder, scale: 'tiny', seed, executor: inlineExecutor })
    engine = await openEngine({ dataFolder: folder, executor })
    await engine.start()
    server = await listenFor(engine)
    const sent = await fetch(`${server.address}/genes?size=1&fields=gene_id`)
    const { data } = (await sent.json()) as { data: { hits: readonly { gene_id: string }[] } }
    gene = data.hits[0]?.gene_id ?? ''
  })
  afterAll(async () => {
    await server?.close()
    await engine?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(ANALYSES)('%s, %s', async (path, job, asked) => {
    const body = path === 'gene_copy_numbers' ? { ...asked, gene_id: gene } : asked
    executor.held = job
    executor.given.length = 0
    const url = `${server.address}/analysis/${path}`
    const headers = { 'Content-Type': 'application/json' }
    const sent = request(url, { method: 'POST', headers, agent: false }).on('error', () => {})
    sent.end(JSON.stringify(body))
    await eventually(() => expect(executor.queued).toBeGreaterThan(0))
    const given = [...executor.given]
    sent.destroy()
    await eventually(() => expect(executor.queued).toBe(0))
    expect(executor.given).toEqual(given)
    // The same request is answered afterwards: nothing of the former one is kept.
    executor.held = ''
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
    expect(executor.given.slice(given.length)).toContain(job)
  })
})
