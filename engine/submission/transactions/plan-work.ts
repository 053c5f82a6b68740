import { randomUUID } from 'node:crypto'
import { unpack } from '../../shared/arrays/packed.ts'
import {
  deletionAnswer,
  type Outcome,
  projectAnswer,
  redactionAnswer,
  type SubmissionAnswer,
  uploadAnswer,
} from './answers.ts'
import { withoutFields } from './delete-fields.ts'
import type { EntityResult, TransactionalError } from './entity-result.ts'
import { type Graph, REDACTED, type RegisteredProject, type StoredEntity } from './graph.ts'
import { isToSubmit, planProjectAction } from './plan-project-action.ts'
import { isProjectAction } from './project-states.ts'
import type { UploadDocuments } from './read-body.ts'
import type { Types } from './shared-types.ts'
import type { GraphChanges, UnsubmittedCount } from './store/entities.ts'
import { writeExactJson } from './store/exact-json.ts'
import type { ProjectState } from './store/projects.ts'
import type { Operation, Snapshot } from './store/transactions.ts'
import { type Deletion, validateDeletion } from './validate-deletion.ts'
import { validateRedaction } from './validate-redaction.ts'
import { type Planned, validateUpload } from './validate-upload.ts'
import type { Facts, ToSubmit, Work } from './work.ts'

/** Changes and results of a transaction. */
interface Plan {
  readonly results: readonly EntityResult[]
  readonly transactionalErrors: readonly TransactionalError[]
  readonly changes: GraphChanges
  readonly snapshots: readonly Snapshot[]
  /** New state of the project. Undefined if it does not change. */
  readonly project?: ProjectState
  /** Entities that a release of the project leaves out. */
  readonly waiting?: readonly UnsubmittedCount[]
}

/** Validates work with the data that was read for it. Has no side effects. Only new random ids differ. */
export function* planWork(
  { operation, upload, fields, reason = '' }: Work,
  facts: Facts,
  by: {
    readonly project: RegisteredProject
    readonly types: Types
    readonly now: string
    readonly isAdministrator: boolean
    readonly mayCorrect: boolean
  },
): Generator<void, Plan> {
  const { project, types, now, isAdministrator, mayCorrect } = by
  if (isProjectAction(operation)) {
    const { entities, waiting = [] } = facts as ToSubmit
    const planned = planProjectAction(operation, project, { entities, types, now })
    const { results, transactionalErrors, changed } = planned
    const changes = { ...NOTHING, updated: changed.map(({ after }) => after) }
    const action = operation === 'submit' ? 'submit' : 'update'
    const snapshots = changed.map(({ before, after }) => snapshotOf(action, before, after))
    const own = waiting.filter(({ type }) => isToSubmit(types.get(type)))
    return {
      results,
      transactionalErrors,
      changes,
      snapshots,
      project: planned.project,
      waiting: own,
    }
  }
  if (operation === 'redact') return yield* planRedaction(facts as Deletion, { reason, now })
  if (operation === 'delete') {
    const deletion = facts as Deletion
    if (fields.length === 0) return yield* planDeletion(deletion)
    return planFields(withoutFields(deletion, fields, types, { now, mayCorrect }))
  }
  const graph = facts as Graph
  const { submitted, reservedIds } = upload
    ? unpack<UploadDocuments>(upload.documents)
    : { submitted: [], reservedIds: [] }
  const newIds = ascendingIds(submitted.length)
  for (const [i, reserved] of reservedIds.entries()) {
    const isFree = reserved !== null && !graph.entities.has(reserved) && !graph.taken.has(reserved)
    if (isFree) newIds[i] = reserved
  }
  const validated = yield* validateUpload(
    { operation, submitted, graph, now, newIds, isAdministrator, mayCorrect },
    { types },
  )
  const { results, transactionalErrors } = validated
  return { results, transactionalErrors, ...(yield* planUpload(validated.planned)) }
}

/**
 * Returns random ids in ascending order. Inserting rows in key order visits each index page once, which
 * halves the time of large transactions.
 */
function ascendingIds(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID()).sort()
}

function* planDeletion(deletion: Deletion): Generator<void, Plan> {
  const results = yield* validateDeletion(deletion)
  const deleted = [...deletion.entities.values()]
  return {
    results,
    transactionalErrors: [],
    changes: {
      ...NOTHING,
      deleted: deleted.map(({ id }) => id),
      restored: deleted.flatMap(({ supersedes }) => supersedes ?? []),
    },
    snapshots: deleted.map((one) => snapshotOf('delete', one, undefined)),
  }
}

function* planRedaction(
  deletion: Deletion,
  { reason, now }: { readonly reason: string; readonly now: string },
): Generator<void, Plan> {
  const results = yield* validateRedaction(deletion)
  const before = [...deletion.entities.values()]
  const after = before.map((one) => ({ ...one, state: REDACTED, updatedAt: now }))
  return {
    results,
    transactionalErrors: [],
    // Makes the submitter ids of redacted entities free for their replacements.
    changes: { ...NOTHING, updated: after, superseded: after.map(({ id }) => id) },
    snapshots: before.map((one, i) => snapshotOf('redact', one, after[i], { reason })),
  }
}

const NOTHING: GraphChanges = Object.freeze({
  created: [],
  updated: [],
  superseded: [],
  restored: [],
  deleted: [],
  linked: [],
})

function* planUpload(
  planned: readonly Planned[],
): Generator<void, Pick<Plan, 'changes' | 'snapshots'>> {
  const snapshots: Snapshot[] = []
  for (const { action, entity, stored } of planned) {
    snapshots.push(snapshotOf(action, action === 'version' ? undefined : stored, entity))
    yield
  }
  const changes = {
    ...NOTHING,
    created: planned.filter(({ action }) => action !== 'update').map(({ entity }) => entity),
    updated: planned
      .filter(({ action, entity, stored }) => action === 'update' && entity !== stored)
      .map(({ entity }) => entity),
    superseded: planned.flatMap(({ entity, stored, action }) =>
      action === 'version' && stored ? (entity.supersedes ?? []) : [],
    ),
    linked: planned.flatMap(({ edges }) => edges),
  }
  return { changes, snapshots }
}

function planFields({
  results,
  entities,
}: {
  readonly results: readonly EntityResult[]
  readonly entities: readonly { readonly before: StoredEntity; readonly after: StoredEntity }[]
}): Plan {
  const changed = entities.filter(({ before, after }) => before !== after)
  return {
    results,
    transactionalErrors: [],
    changes: { ...NOTHING, updated: changed.map(({ after }) => after) },
    snapshots: changed.map(({ before, after }) => snapshotOf('update', before, after)),
  }
}

function snapshotOf(
  action: string,
  before: StoredEntity | undefined,
  after: StoredEntity | undefined,
  note: Readonly<Record<string, string>> = {},
): Snapshot {
  const propertiesOf = (entity: StoredEntity | undefined, more = {}) =>
    writeExactJson(
      entity
        ? {
            ...entity.properties,
            submitter_id: entity.submitterId,
            state: entity.state,
            ...(entity.fileState !== null && { file_state: entity.fileState }),
            ...more,
          }
        : {},
    )
  return {
    entityId: (after ?? before)?.id ?? '',
    action,
    oldProperties: propertiesOf(before),
    newProperties: propertiesOf(after, note),
  }
}

export function answerOf(operation: Operation, outcome: Outcome): SubmissionAnswer {
  if (isProjectAction(operation)) return projectAnswer(operation, outcome)
  if (operation === 'redact') return redactionAnswer(outcome)
  return operation === 'delete' ? deletionAnswer(outcome) : uploadAnswer(outcome)
}
