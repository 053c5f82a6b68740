import { type Packed, unpackMembers } from '../../shared/arrays/packed.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import { type PackedStatement, packRows } from '../../shared/database/packed-rows.ts'
import type { Job } from '../../shared/executor.ts'
import { isSuccess, type Outcome } from './answers.ts'
import type { RegisteredProject } from './graph.ts'
import { answerOf, planWork } from './plan-work.ts'
import { type SharedTypes, type Types, typesOf } from './shared-types.ts'
import { changeRows } from './store/entities.ts'
import type { ProjectState } from './store/projects.ts'
import { responseRow, snapshotRows } from './store/transactions.ts'
import type { Facts, Work } from './work.ts'

/** A transaction that is to be judged. */
export interface Pending {
  readonly id: number
  readonly work: Work
  readonly project: RegisteredProject
  /** Of the submitter, who may upload entities of all types then. */
  readonly isAdministrator: boolean
  /** Whether the submitter may change what is released. */
  readonly mayCorrect: boolean
  /** When it is, in ISO 8601. */
  readonly now: string
  readonly isDryRun: boolean
  /** The HTTP status of a success. */
  readonly code: number
  /** Why the project takes nothing of the kind, if so. */
  readonly lock: string | undefined
}

/** What a transaction comes to, as it is answered and written: nothing that is looked into again. */
export interface Conclusion {
  /** The answer in UTF-8: to encode megabytes would hold the calling thread up. */
  readonly bytes: Packed
  /** Stores the answer in the log. */
  readonly response: PackedStatement
  readonly status: number
  readonly success: boolean
  /** What is written, in this order; nothing of a dry run or a failure. */
  readonly statements: readonly PackedStatement[]
  /** What the project is then, where it is about that. */
  readonly project: ProjectState | undefined
}

/** Judges a transaction to its end. */
export function* conclude(
  { id, work, project, isAdministrator, mayCorrect, now, isDryRun, code, lock }: Pending,
  facts: Facts,
  types: Types,
): Generator<void, Conclusion> {
  const plan = yield* planWork(work, facts, { project, types, now, isAdministrator, mayCorrect })
  const outcome: Outcome = {
    transactionId: id,
    isDryRun,
    code: isDryRun ? 200 : code,
    results: plan.results,
    waiting: plan.waiting ?? [],
    transactionalErrors: [
      ...plan.transactionalErrors,
      ...(lock === undefined ? [] : [{ message: lock }]),
    ],
  }
  const { status, body } = answerOf(work.operation, outcome)
  const success = isSuccess(outcome)
  const statements: PackedStatement[] = []
  if (success && !isDryRun) {
    for (const { sql, rows } of [
      ...changeRows(id, plan.changes),
      snapshotRows(id, plan.snapshots),
    ]) {
      if (rows.length > 0) statements.push({ sql, rows: packRows(rows) })
      yield
    }
  }
  const json = JSON.stringify(body)
  const { sql, rows } = responseRow(id, json)
  const response = { sql, rows: packRows(rows) }
  const bytes = new TextEncoder().encode(json)
  return { status, bytes, response, success, statements, project: plan.project }
}

export interface ConcludeInput {
  readonly pending: Pending
  /** `Facts`, packed by their members. */
  readonly facts: readonly Packed[]
  readonly types: SharedTypes
}

export const concludeJob: Job<ConcludeInput, Conclusion> = {
  name: 'submission.conclude',
  run: ({ pending, facts, types }, scratch) =>
    atOnce(conclude(pending, atOnce(unpackMembers<Facts>(facts)), typesOf(types, scratch))),
  transfer: ({ bytes, response, statements }) => [
    bytes.buffer,
    ...[response, ...statements].flatMap(({ rows }) => rows.chunks.map(({ buffer }) => buffer)),
  ],
}
