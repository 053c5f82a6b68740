import type { Database, Transaction } from '../database/database.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { EngineError } from '../errors.ts'
import {
  acceptedAnswer,
  erroredAnswer,
  isSuccess,
  type Outcome,
  type SubmissionAnswer,
  UNEXPECTED,
  UNWRITTEN,
} from './answers.ts'
import type { RegisteredProject } from './graph.ts'
import { LivingServers } from './living-servers.ts'
import { lockTold } from './project-states.ts'
import { applyChanges } from './store/entities.ts'
import { beginChange, findProject, setProjectState } from './store/projects.ts'
import {
  clearCommitter,
  finishTransaction,
  insertTransaction,
  type NewTransaction,
  pendingTransactions,
  setCommittedBy,
} from './store/transactions.ts'
import { type Turn, Turns } from './turns.ts'
import { answerOf, fetchWork, type Work } from './work.ts'

/** How often a transaction is judged anew when another server changed its project meanwhile. */
const MOST_ATTEMPTS = 20

export interface TransactionLimits {
  /** Asynchronous transactions at the same time, and those that wait (submission 10.3). */
  readonly asyncAtOnce: number
  readonly asyncWaiting: number
  /** Transactions of one project that wait for their turn. */
  readonly projectWaiting: number
}

export const TRANSACTION_LIMITS: TransactionLimits = Object.freeze({
  asyncAtOnce: 8,
  asyncWaiting: 128,
  projectWaiting: 128,
})

export interface TransactionsOptions {
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly clock: () => Date
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
  readonly limits: TransactionLimits
  /** Told what made a transaction fail that is not its submitter's fault. */
  readonly onFault: (error: unknown, transactionId: number) => void
}

/** A transaction that was asked for. */
export interface Asked {
  readonly project: RegisteredProject
  readonly work: Work
  readonly record: Omit<NewTransaction, 'createdAt' | 'server'>
  readonly isAsync: boolean
  /** The HTTP status of a success. */
  readonly code: number
  /** The request, as a refusal for the project's state tells it. */
  readonly path: string
  /** The dry run that this one commits, and a last look at it with the record about to be made. */
  readonly commits?: {
    readonly id: number
    readonly check: (transaction: Transaction) => Promise<void>
  }
}

/**
 * Runs transactions (submission 7.1, 10): the record first, durable and visible; then the work, one
 * transaction of a project after the other; then what it changes, the log and the final state at once.
 */
export class Transactions {
  readonly #options: TransactionsOptions
  readonly #servers: LivingServers
  readonly #async: Turns
  readonly #projects = new Map<string, Turns>()
  readonly #running = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(options: TransactionsOptions) {
    this.#options = options
    this.#servers = new LivingServers(options.database, options.now)
    const { asyncAtOnce, asyncWaiting } = options.limits
    this.#async = new Turns({ atOnce: asyncAtOnce, mostWaiting: asyncWaiting })
  }

  /**
   * Ends the transactions that servers left behind when they died: nothing of them is kept. From then
   * on it does so again and again, unless the database is this server's alone.
   * @returns how many transactions that were
   */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<number> {
    const { onFault } = this.#options
    if (!isAlone)
      this.#servers.start(
        () => this.beat(),
        (error) => onFault(error, 0),
      )
    return this.#recover((transaction) =>
      isAlone ? this.#servers.beatAlone(transaction) : this.#servers.beat(transaction),
    )
  }

  /** Says that this server is alive, and ends what dead ones have left behind. */
  beat(): Promise<number> {
    return this.#recover((transaction) => this.#servers.beat(transaction))
  }

  #recover(living: (transaction: Transaction) => Promise<ReadonlySet<string>>): Promise<number> {
    return this.#options.database.write(async (transaction) => {
      const alive = await living(transaction)
      const left = (await pendingTransactions(transaction)).filter(
        ({ server }) => !alive.has(server),
      )
      for (const { id } of left) await this.#error(transaction, id, UNEXPECTED)
      return left.length
    })
  }

  /**
   * Runs a transaction, or has it run and answers at once.
   * @throws EngineError `busy` when too many wait, and before the record is made whatever `commits`
   *   throws; `unavailable`
   */
  async run(asked: Asked): Promise<SubmissionAnswer> {
    if (this.#isClosed) throw new EngineError('unavailable', 'the service is about to stop')
    const { project, isAsync } = asked
    const turn = isAsync ? this.#async.enter() : this.#turnOf(project, true)
    let id: number
    try {
      id = await this.#begin(asked)
    } catch (error) {
      turn.leave()
      throw error
    }
    const done = this.#inTurn(id, asked, turn)
    this.#running.add(done)
    const forget = () => this.#running.delete(done)
    done.then(forget, forget)
    if (!isAsync) return done
    done.catch((error) => this.#options.onFault(error, id))
    return acceptedAnswer(id)
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** Takes nothing new; what waits for its turn comes to nothing, what has begun is finished. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.idle()
    // Others take this server for dead all the same, a minute later.
    await this.#servers.stop().catch((error) => this.#options.onFault(error, 0))
  }

  #begin({ record, commits }: Asked): Promise<number> {
    return this.#options.database.write(async (transaction) => {
      await commits?.check(transaction)
      const server = this.#servers.id
      const createdAt = this.#options.clock().toISOString()
      const id = await insertTransaction(transaction, { ...record, createdAt, server })
      if (commits) await setCommittedBy(transaction, commits.id, id)
      return id
    })
  }

  async #inTurn(id: number, asked: Asked, turn: Turn): Promise<SubmissionAnswer> {
    try {
      await turn.come
      if (!asked.isAsync) return await this.#attempt(id, asked)
      const inner = this.#turnOf(asked.project, false)
      try {
        await inner.come
        return await this.#attempt(id, asked)
      } finally {
        inner.leave()
      }
    } finally {
      turn.leave()
      const turns = this.#projects.get(asked.project.projectId)
      if (turns?.isIdle) this.#projects.delete(asked.project.projectId)
    }
  }

  #turnOf({ projectId }: RegisteredProject, isBounded: boolean): Turn {
    const { projectWaiting, asyncAtOnce } = this.#options.limits
    const known = this.#projects.get(projectId)
    const turns = known ?? new Turns({ atOnce: 1, mostWaiting: projectWaiting + asyncAtOnce })
    if (!known) this.#projects.set(projectId, turns)
    return turns.enter(isBounded ? asyncAtOnce : 0)
  }

  async #attempt(id: number, asked: Asked): Promise<SubmissionAnswer> {
    try {
      if (this.#isClosed) throw new EngineError('unavailable', 'the service is about to stop')
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const answer = await this.#tryOnce(id, asked)
        if (answer) return answer
      }
      throw new EngineError(
        'busy',
        'the project is changed by others all the time; try again later',
      )
    } catch (error) {
      this.#options.onFault(error, id)
      const message = error instanceof EngineError ? UNWRITTEN : UNEXPECTED
      return this.#options.database.write((transaction) => this.#error(transaction, id, message))
    }
  }

  /** Undefined when the project has changed since it was read. */
  async #tryOnce(id: number, asked: Asked): Promise<SubmissionAnswer | undefined> {
    const { project, plan } = await this.#judge(asked)
    const { isDryRun, operation } = asked.record
    const outcome: Outcome = {
      transactionId: id,
      isDryRun,
      results: plan.results,
      transactionalErrors: plan.transactionalErrors,
      code: isDryRun ? 200 : asked.code,
    }
    const answer = answerOf(operation, outcome)
    const success = isSuccess(outcome)
    const isKept = success && !isDryRun
    const end = {
      state: success ? 'SUCCEEDED' : 'FAILED',
      responseJson: JSON.stringify(answer.body),
      snapshots: isKept ? plan.snapshots : [],
    } as const
    const isDone = await this.#options.database.write(async (transaction) => {
      if (isKept) {
        if (!(await beginChange(transaction, project))) return false
        await applyChanges(transaction, id, plan.changes)
        if (plan.project) await setProjectState(transaction, project.projectId, plan.project)
      }
      if (await finishTransaction(transaction, id, end)) return true
      throw new Error('a transaction that had not ended was ended by another process')
    })
    return isDone ? answer : undefined
  }

  async #judge({ project: { program, code }, work, path }: Asked) {
    const { database, dictionary, clock } = this.#options
    const loaded = await dictionary.current()
    const { project, judge } = await database.read(async (rows) => {
      const project = await findProject(rows, program, code)
      if (!project) throw new EngineError('not_found', 'the project is no longer registered')
      const by = { dictionary: loaded, now: clock().toISOString() }
      return { project, judge: await fetchWork(rows, work, project, by) }
    })
    const plan = await judge()
    // It may have been open when the transaction was let in.
    const lock = lockTold(project, work.operation, path)
    if (lock === undefined) return { project, plan }
    const transactionalErrors = [...plan.transactionalErrors, { message: lock }]
    return { project, plan: { ...plan, transactionalErrors } }
  }

  async #error(transaction: Transaction, id: number, message: string): Promise<SubmissionAnswer> {
    const answer = erroredAnswer(id, message)
    const responseJson = JSON.stringify(answer.body)
    await finishTransaction(transaction, id, { state: 'ERRORED', responseJson })
    await clearCommitter(transaction, id)
    return answer
  }
}
