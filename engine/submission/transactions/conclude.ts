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
import { snapshotRows } from './store/transactions.ts'
import type { Facts, Work } from './work.ts'

/** A transaction to be validated. */
export interface Pending {
  readonly id: number
  readonly work: Work
  readonly project: RegisteredProject
  /** Whether the submitter is an administrator, who may upload entities of all types. */
  readonly isAdministrator: boolean
  /** Whether the submitter may change released entities. */
  readonly mayCorrect: boolean
  /** Time of the transaction in ISO 8601. */
  readonly now: string
  readonly isDryRun: boolean
  /** HTTP status of a success. */
  readonly code: number
  /** Why the project does not permit the operation. Undefined if it does. */
  readonly lock: string | undefined
}

/** Result of a transaction, ready to be sent and stored without further processing. */
export interface Conclusion {
  /** Response in UTF-8. Encoding megabytes would block the calling thread. */
  readonly bytes: Packed
  readonly status: number
  readonly success: boolean
  /** Ids of the entities in the response, with line feeds between them, in UTF-8. */
  readonly entities: Packed
  /** Statements to run, in this order. Empty for a dry run or a failure. */
  readonly statements: readonly PackedStatement[]
  /** New state of the project. Undefined if it does not change. */
  readonly project: ProjectState | undefined
}

/** Validates a transaction and prepares its result. */
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
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  yield
  const ids = plan.results.flatMap(({ id }) => id ?? [])
  const entities = new TextEncoder().encode(ids.join('\n'))
  return { status, bytes, success, entities, statements, project: plan.project }
}

interface ConcludeInput {
  readonly pending: Pending
  /** `Facts`, as serialized by `packMembers`. */
  readonly facts: readonly Packed[]
  readonly types: SharedTypes
}

export const concludeJob: Job<ConcludeInput, Conclusion> = {
  name: 'submission.conclude',
  run: ({ pending, facts, types }, scratch) =>
    atOnce(conclude(pending, atOnce(unpackMembers<Facts>(facts)), typesOf(types, scratch))),
  transfer: ({ bytes, entities, statements }) => [
    bytes.buffer,
    entities.buffer,
    ...statements.flatMap(({ rows }) => rows.chunks.map(({ buffer }) => buffer)),
  ],
}
