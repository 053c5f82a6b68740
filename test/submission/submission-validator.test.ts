import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EntityResult } from '../../engine/submission/transactions/entity-result.ts'
import type { SubmissionOptions } from '../../engine/submission/transactions/submission.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { HeldExecutor } from './support/executors.ts'
import { MadeSubmission, type UploadBody } from './support/service.ts'

const P = 'A-B'
const ALL_LARGE = { bytes: 0, weight: 0 }
const ALL_SMALL = { bytes: Infinity, weight: Infinity }

describe('by threads', () => {
  let pool: ThreadPool
  let threads: MadeSubmission
  let inline: MadeSubmission
  beforeAll(async () => {
    pool = new ThreadPool({ threads: 1 })
    threads = await prepared({ executor: pool })
    inline = await prepared({ small: ALL_SMALL })
  })
  afterAll(async () => {
    await Promise.all([threads?.close(), inline?.close()])
    await pool?.close()
  })

  test('large bodies are validated as on the calling thread, and what is wrong is reported alike', async () => {
    const rows = (faulty: boolean) =>
      Array.from({ length: 400 }, (_, i) => {
        const sample = faulty && i % 7 === 0 ? `nobody-${i}` : `s-${i % 20}`
        return ['aliquot', `a-${i}`, sample, faulty && i % 5 === 0 ? 'many' : '1.5'].join('\t')
      })
    const head = ['type', 'submitter_id', 'samples.submitter_id', 'aliquot_quantity'].join('\t')
    const table = (faulty: boolean) => Buffer.from([head, ...rows(faulty), ''].join('\n'))
    for (const faulty of [true, false]) {
      const request = { ...threads.at(P), operation: 'create', format: 'tsv' } as const
      const bodies = await Promise.all(
        [threads, inline].map(async ({ submission }) => {
          const { status, body } = await submission.upload({ ...request, body: table(faulty) })
          expect(status).toBe(faulty ? 400 : 201)
          return withoutIds(body as UploadBody)
        }),
      )
      expect(bodies[0]).toEqual(bodies[1])
      expect(bodies[0]?.entity_error_count).toBe(faulty ? 126 : 0)
    }
    expect(await stored(threads)).toEqual(await stored(inline))
    expect(await stored(threads)).toHaveLength(421)
  })

  test('a dry run of hundreds is repeated by its commit with the ids that it told', async () => {
    const body = Array.from({ length: 500 }, (_, i) => sample(`more-${i}`))
    const dry = await threads.upload('put', P, body, { isDryRun: true })
    const done = await threads.commit(P, dry.transaction_id)
    expect(done.created_entity_count).toBe(500)
    const ids = ({ entities }: UploadBody) => entities.map(({ id }) => id)
    expect(ids(done)).toEqual(ids(dry))
    const gone = await threads.delete(P, ids(done).map(String))
    expect(gone.deleted_entity_count).toBe(500)
  })

  test('the memory of a large body is moved, that of a small one is not', async () => {
    const sizes = [300, 3].map((count) =>
      Buffer.from(JSON.stringify(Array.from({ length: count }, (_, i) => sample(`again-${i}`)))),
    )
    for (const body of sizes) {
      const request = {
        ...threads.at(P),
        operation: 'put',
        format: 'json',
        isDryRun: true,
      } as const
      await threads.submission.upload({ ...request, body })
    }
    expect(sizes.map(({ length }) => length > 0)).toEqual([false, true])
  })
})

test('a few documents of many properties are validated by a job, as many documents are', async () => {
  const counted = new HeldExecutor('submission.conclude')
  counted.goOn()
  const made = await MadeSubmission.open({ executor: counted })
  await made.register(P)
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, '1']))
  const counts: number[] = []
  for (const count of [10, 1900]) {
    const documents = Array.from({ length: 10 }, () => ({ type: 'case', ...named(count) }))
    const body = Buffer.from(JSON.stringify(documents))
    const request = { ...made.at(P), operation: 'create', format: 'json', body } as const
    expect((await made.submission.upload(request)).status).toBe(400)
    counts.push(counted.count)
  }
  expect(counts).toEqual([0, 1])
  await made.close()
})

describe('a client that goes away', () => {
  let made: MadeSubmission
  afterEach(() => made.close())

  test('while its body waits to be read leaves no record', async () => {
    const held = new HeldExecutor('submission.read')
    made = await MadeSubmission.open({ executor: held, small: ALL_LARGE })
    await made.register(P)
    const client = new AbortController()
    const sent = made.submission.upload({ ...uploadOf('a'), signal: client.signal })
    while (held.count < 1) await setImmediate()
    client.abort(new Error('gone'))
    await expect(sent).rejects.toThrow('gone')
    expect(await states()).toEqual([])
    held.goOn()
    expect((await made.submission.upload(uploadOf('a'))).status).toBe(201)
  })

  test('while its transaction waits for its turn frees the place; one under way is finished', async () => {
    const held = new HeldExecutor('submission.conclude')
    const limits = { asyncAtOnce: 0, asyncWaiting: 0, projectWaiting: 1 }
    made = await MadeSubmission.open({ executor: held, small: ALL_LARGE, limits })
    await made.register(P)
    const clients = [new AbortController(), new AbortController()]
    const [first, second] = clients.map(({ signal }, i) =>
      made.submission.upload({ ...uploadOf(`a-${i}`), signal }),
    )
    while ((await states()).length < 2 || held.count < 1) await setImmediate()
    await expect(made.submission.upload(uploadOf('b'))).rejects.toThrow('waiting already')
    for (const client of clients) client.abort()
    expect(await second).toMatchObject({ status: 500, body: { success: false } })
    const third = made.submission.upload(uploadOf('c'))
    held.goOn()
    expect(await first).toMatchObject({ status: 201 })
    expect(await third).toMatchObject({ status: 201 })
    expect(await states()).toEqual(['SUCCEEDED', 'ERRORED', 'SUCCEEDED'])
    expect(made.faults).toEqual([])
  })

  test('transactions that wait when the service stops are not written, and can be sent again', async () => {
    const held = new HeldExecutor('submission.conclude')
    const limits = { asyncAtOnce: 0, asyncWaiting: 0, projectWaiting: 1 }
    made = await MadeSubmission.open({ executor: held, small: ALL_LARGE, limits })
    await made.register(P)
    const [first, second] = ['a', 'b'].map((name) => made.submission.upload(uploadOf(name)))
    while ((await states()).length < 2 || held.count < 1) await setImmediate()
    const closed = made.submission.close()
    held.goOn()
    expect(await first).toMatchObject({ status: 201 })
    expect(await second).toMatchObject({
      status: 503,
      body: {
        code: 503,
        success: false,
        transactional_errors: [{ message: expect.stringContaining('again') }],
      },
    })
    await closed
    expect(await states()).toEqual(['SUCCEEDED', 'ERRORED'])
  })

  const uploadOf = (name: string) => ({
    ...({ ...made.at(P), operation: 'create', format: 'json' } as const),
    body: Buffer.from(
      JSON.stringify({
        type: 'case',
        submitter_id: name,
        projects: { code: 'B' },
        disease_type: 'Adenomas and Adenocarcinomas',
        primary_site: 'Breast',
      }),
    ),
  })

  /** The states of transactions about entities, in order. */
  const states = () =>
    made.database.read(async (rows) => {
      const all = await rows.all<{ state: string }>(
        `SELECT state FROM submission_transactions WHERE canonical_json LIKE '%"case"%' ORDER BY id`,
      )
      return all.map(({ state }) => state)
    })
})

async function prepared(options: Partial<SubmissionOptions>): Promise<MadeSubmission> {
  const made = await MadeSubmission.open(options)
  await made.register(P)
  const samples = Array.from({ length: 20 }, (_, i) => `s-${i}`)
  await made.seed(
    P,
    { type: 'case', name: 'c' },
    ...samples.map((name) => ({ type: 'sample', name, links: { cases: 'c' } })),
  )
  return made
}

const sample = (submitter_id: string) => ({
  type: 'sample',
  submitter_id,
  cases: { submitter_id: 'c' },
  tissue_type: 'Tumor',
  tumor_descriptor: 'Primary',
  specimen_type: 'Solid Tissue',
  preservation_method: 'FFPE',
})

function withoutIds({ transaction_id: _, ...body }: UploadBody) {
  const entities = body.entities.map(({ id, ...one }: EntityResult) => one)
  return { ...body, entities }
}

/** The names and properties of all entities. */
function stored({ database }: MadeSubmission) {
  return database.read((rows) =>
    rows.all(
      `SELECT submitter_id, properties FROM submission_entities WHERE submitter_id NOT LIKE 'more%'
       ORDER BY submitter_id`,
    ),
  )
}
