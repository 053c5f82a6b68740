import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type {
  AccessOptions,
  Database,
  Rows,
  Transaction,
} from '../../engine/shared/database/database.ts'
import type { Parameters } from '../../engine/shared/database/values.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { insertTransaction } from '../../engine/submission/transactions/store/transactions.ts'
import { Submission } from '../../engine/submission/transactions/submission.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'
import { caseOf } from '../submission/support/documents.ts'
import { MadeSubmission } from '../submission/support/service.ts'

// Tests transactions whose database hangs, is lost, or does not confirm a commit that it has stored.

const P = 'GDC-INTERNAL'

interface TransactionRow {
  readonly id: number
  readonly state: string
  readonly committedBy: number | null
  readonly response: string | null
  readonly document: string
}

async function transactionsOf(database: Database): Promise<readonly TransactionRow[]> {
  return database.read((rows) =>
    rows.all<TransactionRow>(`
      SELECT t.id, t.state, t.committed_by AS "committedBy", d.response_json AS response,
        t.canonical_json AS document
      FROM submission_transactions t JOIN submission_documents d ON d.transaction_id = t.id
      ORDER BY t.id`),
  )
}

async function entityNames(database: Database): Promise<ReadonlySet<string>> {
  const found = await database.read((rows) =>
    rows.all<{ name: string }>('SELECT submitter_id AS name FROM submission_entities'),
  )
  return new Set(found.map(({ name }) => name))
}

/** The outcome of a write: whether it is stored, and whether the client learns of it. */
type Fate = 'kept' | 'kept, not told' | 'lost'

/** A database whose next writes have the outcomes that the test sets. */
class FatedDatabase implements Database {
  readonly fates: Fate[] = []
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  get dialect() {
    return this.#database.dialect
  }

  ask<Row>(sql: string, parameters?: Parameters): Promise<Row[]> {
    return this.#database.ask<Row>(sql, parameters)
  }

  read<Result>(work: (rows: Rows) => Promise<Result>, options?: AccessOptions) {
    return this.#database.read(work, options)
  }

  async write<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: AccessOptions,
  ): Promise<Result> {
    const fate = this.fates.shift() ?? 'kept'
    const lost = new EngineError('unavailable', 'the connection was lost')
    const fated = async (transaction: Transaction) => {
      const result = await work(transaction)
      if (fate === 'lost') throw lost
      return result
    }
    const result = await this.#database.write(fated, options)
    if (fate !== 'kept') throw lost
    return result
  }

  availability() {
    return this.#database.availability()
  }

  close() {
    return this.#database.close()
  }
}

describe('a transaction', () => {
  let made: MadeSubmission
  let database: FatedDatabase
  let submission: Submission
  const dictionary = { current: () => MadeSubmission.dictionary() }
  beforeAll(async () => {
    made = await MadeSubmission.open()
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(P)
    database = new FatedDatabase(made.database)
    submission = new Submission({ database, dictionary })
  })
  afterAll(() => made.close())

  const upload = (name: string, { isDryRun = false } = {}) =>
    submission.upload({
      ...made.at(P),
      operation: 'create',
      format: 'json',
      isDryRun,
      body: Buffer.from(JSON.stringify(caseOf(name))),
    })
  const last = async () => (await transactionsOf(made.database)).at(-1)
  const count = async () => (await transactionsOf(made.database)).length

  test('whose begin was kept but not confirmed is ended, once', async () => {
    database.fates.push('kept, not told')
    await expect(upload('C')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await last()).toMatchObject({ state: 'PENDING', response: null })
    expect(await submission.beat()).toBe(1)
    const ended = await last()
    expect(ended).toMatchObject({
      state: 'ERRORED',
      response: expect.stringContaining('"code":500'),
    })
    expect(await submission.beat()).toBe(0)
    expect(await last()).toEqual(ended)
    expect(await entityNames(made.database)).toEqual(new Set())
  })

  test('whose end was lost is ended later, and nothing of it is kept', async () => {
    // Three writes: the start, the work itself, and the record of its failure.
    database.fates.push('kept', 'lost', 'lost')
    await expect(upload('C')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await last()).toMatchObject({ state: 'PENDING' })
    database.fates.push('lost', 'kept, not told')
    await expect(submission.beat()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(submission.beat()).rejects.toMatchObject({ code: 'unavailable' })
    expect(await submission.beat()).toBe(0)
    expect(await last()).toMatchObject({ state: 'ERRORED' })
    expect(await entityNames(made.database)).toEqual(new Set())
  })

  test('that was kept but not confirmed stays what it is, and is reported as that', async () => {
    database.fates.push('kept', 'kept, not told')
    expect(await upload('C')).toMatchObject({ status: 201, body: { success: true, code: 201 } })
    expect(await last()).toMatchObject({ state: 'SUCCEEDED' })
    database.fates.push('kept', 'kept, not told', 'lost')
    await expect(upload('D')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await submission.beat()).toBe(0)
    expect(await last()).toMatchObject({ state: 'SUCCEEDED' })
    expect(await entityNames(made.database)).toEqual(new Set(['C', 'D']))
  })

  test('that committed a dry run without confirmation has committed it, and nobody does so again', async () => {
    const dryRun = (await upload('C', { isDryRun: true })).body as { transaction_id: number }
    const commit = { ...made.at(P), transactionId: dryRun.transaction_id }
    database.fates.push('kept', 'kept, not told')
    expect(await submission.commit(commit)).toMatchObject({ status: 200, body: { success: true } })
    const [dry, committer] = (await transactionsOf(made.database)).slice(-2)
    expect(dry?.committedBy).toBe(committer?.id)
    const before = await count()
    await expect(submission.commit(commit)).rejects.toMatchObject({ code: 'bad_input' })
    expect(await count()).toBe(before)
  })

  test('that bears the number of one which did not begin is left alone', async () => {
    const { promise: read, resolve: goOn } = Promise.withResolvers<void>()
    let asked = 0
    const slow = async () => {
      // The first two reads, which precede the bodies, are answered at once.
      if (++asked > 2) await read
      return MadeSubmission.dictionary()
    }
    submission = new Submission({ database, dictionary: { current: slow } })
    database.fates.push('lost')
    await expect(upload('C')).rejects.toMatchObject({ code: 'unavailable' })
    const answer = upload('D')
    await expect.poll(async () => (await last())?.state).toBe('PENDING')
    expect(await submission.beat()).toBe(0)
    goOn()
    expect(await answer).toMatchObject({ status: 201 })
    expect(await last()).toMatchObject({ state: 'SUCCEEDED' })
  })

  test('of another server is not ended because both were held up', async () => {
    let now = 0
    const options = { database: made.database, dictionary, now: () => now }
    const [one, two] = [new Submission(options), new Submission(options)]
    await one.start({ isAlone: false })
    const [server] = await made.database.ask<{ id: string }>('SELECT id FROM submission_servers')
    await two.start({ isAlone: false })
    await made.database.write((transaction) =>
      insertTransaction(transaction, {
        program: 'GDC',
        project: 'INTERNAL',
        projectId: P,
        operation: 'create',
        isDryRun: false,
        submitter: 'a',
        createdAt: '',
        canonicalJson: '[]',
        server: server?.id ?? '',
        document: { name: null, format: 'json', text: '[]' },
      }),
    )
    now += 10_000
    expect([await one.beat(), await two.beat()]).toEqual([0, 0])
    // Neither server sends a heartbeat.
    now += 80_000
    expect([await two.beat(), await one.beat()]).toEqual([0, 0])
    expect(await last()).toMatchObject({ state: 'PENDING' })
    await one.close()
    await two.close()
  })
})

describe.skipIf(!available.postgresql)('when the database stands still', () => {
  const server = new PostgresServer()
  let made: MadeSubmission
  let onDictionary = () => {}
  const dictionary = {
    current: () => {
      onDictionary()
      return MadeSubmission.dictionary()
    },
  }
  beforeAll(async () => {
    await server.start()
    const times = { doubt: 500, answer: 2000 }
    made = await MadeSubmission.open({ dictionary }, { url: await server.url(), times })
    await made.register(P)
    await made.submission.start({ isAlone: false })
  })
  afterEach(() => {
    onDictionary = () => {}
    server.thaw()
  })
  afterAll(async () => {
    server.thaw()
    await made?.close()
    await server.stop()
  })

  /** Sends heartbeats until no upload is left to end, ignoring failures while the database comes back. */
  const settled = () =>
    expect
      .poll(() => made.submission.beat().catch(() => 'away'), { timeout: 60_000, interval: 100 })
      .toBe(0)

  test('a transaction in its midst comes to nothing, and says so afterwards', async () => {
    let asked = 0
    onDictionary = () => {
      // The second read belongs to the validation, when the record already exists.
      if (++asked === 2) server.freeze()
    }
    await expect(made.upload('create', P, caseOf('midst'))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: expect.any(Number),
    })
    server.thaw()
    await settled()
    expect((await transactionsOf(made.database)).at(-1)).toMatchObject({ state: 'ERRORED' })
    expect(await entityNames(made.database)).not.toContain('midst')
  })

  test('whatever was acknowledged is kept, and all else comes to a true end', async () => {
    const acknowledged: string[] = []
    let isOver = false
    const writer = async (name: string) => {
      for (let i = 0; !isOver; i++) {
        const one = `${name}-${i}`
        const answer = await made.upload('create', P, caseOf(one)).catch(async (error) => {
          expect(error).toMatchObject({ code: expect.stringMatching(/^(unavailable|busy)$/) })
          // A retry loop without delay would leave no time for anything else.
          await sleep(20)
          return undefined
        })
        if (answer?.success) acknowledged.push(one)
      }
    }
    const writers = Promise.all(['a', 'b', 'c'].map(writer))
    for (let round = 0; round < depth(2, 4, 12); round++) {
      const before = acknowledged.length
      await expect
        .poll(() => acknowledged.length, { timeout: 60_000, interval: 5 + round * 3 })
        .toBeGreaterThan(before + 2)
      server.freeze()
      await expect.poll(() => made.database.availability(), { timeout: 60_000 }).toBe('away')
      server.thaw()
    }
    isOver = true
    await writers
    await settled()

    const rows = await transactionsOf(made.database)
    const names = await entityNames(made.database)
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
    for (const { state, response, document } of rows.slice(1)) {
      const [name = ''] = [...document.matchAll(/[abc]-\d+/g)].map(String)
      expect(['SUCCEEDED', 'FAILED', 'ERRORED']).toContain(state)
      expect(JSON.parse(response ?? '{}')).toMatchObject({ success: state === 'SUCCEEDED' })
      if (name !== '' && state === 'SUCCEEDED') expect(names).toContain(name)
    }
    const succeeded = rows.filter(({ state }) => state === 'SUCCEEDED')
    for (const name of names)
      expect(succeeded.filter(({ document }) => document.includes(`"${name}"`))).toHaveLength(1)
  })
})
