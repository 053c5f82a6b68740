import { describe, expect, test, vi } from 'vitest'
import { insertTransaction } from '../../engine/submission/transactions/store/transactions.ts'
import { Submission } from '../../engine/submission/transactions/submission.ts'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { caseOf } from './support/documents.ts'
import { MadeSubmission, type UploadBody } from './support/service.ts'
import { P, prepareTransactions } from './support/transactions.ts'

describe.each(DIALECTS.filter(canRun))(
  'dry runs, asynchronous and simultaneous transactions in %s',
  (dialect) => {
    let made: MadeSubmission
    const { rows, states, names } = prepareTransactions(dialect, (opened) => {
      made = opened
    })

    describe('dry runs', () => {
      test('a dry run writes nothing but its record, and its commit keeps its ids', async () => {
        const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
        expect(dry).toMatchObject({ status: 200, created_entity_count: 1 })
        expect(await names()).toEqual([])
        const commit = await made.commit(P, dry.transaction_id)
        expect(commit).toMatchObject({ status: 200, code: 200, created_entity_count: 1 })
        expect(commit.transaction_id).toBeGreaterThan(dry.transaction_id)
        expect(commit.entities[0]?.id).toBe(dry.entities[0]?.id)
        await expect(made.commit(P, dry.transaction_id)).rejects.toThrow(
          `This transaction_log was committed already by transaction '${commit.transaction_id}'.`,
        )
        await expect(made.commit(P, commit.transaction_id)).rejects.toThrow('not a dry_run')
      })

      test('of two commits at the same time one is refused', async () => {
        const dry = await made.upload('put', P, caseOf('C'), { isDryRun: true })
        const both = await Promise.allSettled([1, 2].map(() => made.commit(P, dry.transaction_id)))
        expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      })

      test('a commit fails when the graph has changed against it, and marks the dry run', async () => {
        const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
        await made.upload('create', P, caseOf('C'))
        const commit = await made.commit(P, dry.transaction_id)
        expect(commit).toMatchObject({ status: 400, success: false })
        const [row] = await rows(
          `SELECT state, committed_by FROM submission_transactions WHERE id = ${dry.transaction_id}`,
        )
        expect(row).toEqual({ state: 'SUCCEEDED', committed_by: commit.transaction_id })
      })

      test('a closed dry run is never committed; what is none is not closed', async () => {
        const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
        const close = (transactionId: number) =>
          made.submission.closeDryRun({ ...made.at(P), transactionId })
        expect(await close(dry.transaction_id)).toMatchObject({
          status: 200,
          body: { code: 200, message: 'Closed transaction.', transaction_id: dry.transaction_id },
        })
        await expect(close(dry.transaction_id)).rejects.toThrow('already closed')
        await expect(made.commit(P, dry.transaction_id)).rejects.toThrow(
          'Unable to commit closed transaction log.',
        )
        const real = await made.upload('create', P, caseOf('C'))
        await expect(close(real.transaction_id)).rejects.toThrow('is not a dry run')
        const failed = await made.upload('create', P, caseOf('C'), { isDryRun: true })
        await expect(made.commit(P, failed.transaction_id)).rejects.toThrow('in state FAILED')
        expect((await close(failed.transaction_id)).status).toBe(200)
        await expect(close(10 ** 6)).rejects.toThrow('Unable to find transaction_log with id')
      })
    })

    describe('asynchronous transactions', () => {
      test('the answer comes first, the outcome stands in the log', async () => {
        const body = Buffer.from(JSON.stringify(caseOf('C')))
        const request = {
          ...made.at(P),
          operation: 'create',
          format: 'json',
          isAsync: true,
        } as const
        const { status, body: answer } = await made.submission.upload({ ...request, body })
        const { transaction_id: id, ...others } = answer as UploadBody
        expect({ status, ...others }).toEqual({
          status: 200,
          code: 200,
          message: 'Transaction submitted.',
        })
        expect((await states())[0]).toBe('PENDING')
        await made.submission.idle()
        expect((await states())[0]).toBe('SUCCEEDED')
        const [row] = await rows<{ response_json: string }>(
          `SELECT response_json FROM submission_documents WHERE transaction_id = ${id}`,
        )
        expect(JSON.parse(row?.response_json ?? '')).toMatchObject({
          code: 201,
          transaction_id: id,
        })
      })

      test('more than may wait are refused and leave no record', async () => {
        const small = await MadeSubmission.open({
          limits: { asyncAtOnce: 1, asyncWaiting: 1, projectWaiting: 1 },
        })
        try {
          await small.register(P)
          const upload = (name: string) =>
            small.submission.upload({
              ...small.at(P),
              operation: 'create',
              format: 'json',
              isAsync: true,
              body: Buffer.from(JSON.stringify(caseOf(name))),
            })
          // No request is completed before all have arrived.
          const { promise: haveCome, resolve: letWrite } = Promise.withResolvers<void>()
          const write = small.database.write.bind(small.database)
          const held = vi.spyOn(small.database, 'write').mockImplementation(async (...given) => {
            await haveCome
            return write(...given)
          })
          const refused: unknown[] = []
          const all = ['A', 'B', 'C', 'D'].map((name) =>
            upload(name).catch((error: unknown) => void refused.push(error)),
          )
          await expect.poll(() => refused).toMatchObject([{ code: 'busy' }, { code: 'busy' }])
          letWrite()
          await Promise.all(all)
          held.mockRestore()
          await small.submission.idle()
          const found = await small.database.read((all) =>
            all.all("SELECT state FROM submission_transactions WHERE state <> 'SUCCEEDED'"),
          )
          expect(found).toEqual([])
        } finally {
          await small.close()
        }
      })

      test('transactions of a dead process are ended at the next start', async () => {
        const dry = await made.upload('create', P, caseOf('C'), { isDryRun: true })
        const left = await made.database.write(async (transaction) => {
          const id = await insertTransaction(transaction, {
            program: 'GDC',
            project: 'INTERNAL',
            projectId: P,
            operation: 'create',
            isDryRun: false,
            submitter: 'a',
            server: 'gone',
            createdAt: '',
            canonicalJson: '[]',
            document: { name: null, format: 'json', text: '[]' },
          })
          await transaction.run(
            'UPDATE submission_transactions SET committed_by = ? WHERE id = ?',
            [...[id, dry.transaction_id]],
          )
          return id
        })
        expect(await made.submission.start({ isAlone: true })).toBe(1)
        const [row] = await rows(`SELECT state FROM submission_transactions WHERE id = ${left}`)
        expect(row).toEqual({ state: 'ERRORED' })
        expect((await made.commit(P, dry.transaction_id)).success).toBe(true)
        expect(await made.submission.start({ isAlone: true })).toBe(0)
      })
    })

    test('of several servers each ends what the dead have left, and nothing of the living', async () => {
      let now = 0
      const dictionary = { current: () => MadeSubmission.dictionary() }
      const options = { database: made.database, dictionary, now: () => now }
      const [one, two] = [new Submission(options), new Submission(options)]
      expect(await one.start({ isAlone: false })).toBe(0)
      expect(await two.start({ isAlone: false })).toBe(0)
      const [first] = await rows<{ id: string }>('SELECT id FROM submission_servers ORDER BY id')
      const id = await made.database.write((transaction) =>
        insertTransaction(transaction, {
          program: 'GDC',
          project: 'INTERNAL',
          projectId: P,
          operation: 'create',
          isDryRun: false,
          submitter: 'a',
          createdAt: '',
          canonicalJson: '[]',
          server: first?.id ?? '',
          document: { name: null, format: 'json', text: '[]' },
        }),
      )
      for (let seconds = 0; seconds < 100; seconds += 10) {
        now += 10_000
        expect([await one.beat(), await two.beat()]).toEqual([0, 0])
      }
      // Only the other server continues to send heartbeats.
      const [dead, alive] = await deadAndAlive(one, two, first?.id)
      await alive.beat()
      for (let seconds = 0; seconds < 60; seconds += 10) {
        now += 10_000
        expect(await alive.beat()).toBe(0)
      }
      now += 10_000
      expect(await alive.beat()).toBe(1)
      expect(await rows(`SELECT state FROM submission_transactions WHERE id = ${id}`)).toEqual([
        { state: 'ERRORED' },
      ])
      // The server was only slow, and returns.
      expect(await dead.beat()).toBe(0)
      expect(await rows('SELECT id FROM submission_servers')).toHaveLength(2)
      await one.close()
      await two.close()
      expect(await rows('SELECT id FROM submission_servers')).toEqual([])
    })

    /** Finds which of two servers has an id: when it sends a heartbeat, the row's count increases. */
    async function deadAndAlive(one: Submission, two: Submission, id = '') {
      const beats = async () =>
        (
          await rows<{ id: string; beats: number }>('SELECT id, beats FROM submission_servers')
        ).find((row) => row.id === id)?.beats
      const before = await beats()
      await one.beat()
      return (await beats()) === before ? ([two, one] as const) : ([one, two] as const)
    }

    describe('several at the same time', () => {
      test('of creations of one entity exactly one succeeds', async () => {
        const all = await Promise.all(
          Array.from({ length: 8 }, () => made.upload('create', P, caseOf('C'))),
        )
        expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)])
        expect(await names()).toEqual(['C'])
      })

      test('a validation by what another server has changed is made again', async () => {
        const dictionary = { current: () => MadeSubmission.dictionary() }
        const other = new Submission({ database: made.database, dictionary })
        const request = { ...made.at(P), operation: 'create', format: 'json' } as const
        const body = Buffer.from(JSON.stringify(caseOf('C')))
        const both = [made.submission, other, made.submission, other]
        const all = await Promise.all(both.map((one) => one.upload({ ...request, body })))
        expect(all.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
        expect(made.faults).toEqual([])
      })
    })
  },
)
