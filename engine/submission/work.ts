import { randomUUID } from 'node:crypto'
import type { Rows } from '../database/database.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import { inSlices } from '../in-slices.ts'
import {
  deletionAnswer,
  type Outcome,
  projectAnswer,
  type SubmissionAnswer,
  uploadAnswer,
} from './answers.ts'
import { withoutFields } from './delete-fields.ts'
import type { EntityResult, TransactionalError } from './entity-result.ts'
import { fetchDeletion, fetchGraph } from './fetch-graph.ts'
import type { RegisteredProject, StoredEntity } from './graph.ts'
import { type Deletion, judgeDeletion } from './judge-deletion.ts'
import { judgeUpload, type Planned } from './judge-upload.ts'
import { planProjectAction } from './plan-project-action.ts'
import { isProjectAction } from './project-states.ts'
import type { GraphChanges } from './store/entities.ts'
import { writeExactJson } from './store/exact-json.ts'
import type { ProjectState } from './store/projects.ts'
import type { Operation, Snapshot } from './store/transactions.ts'
import type { Submitted } from './submitted.ts'

/** What a transaction is to do, as it was parsed. */
export interface Work {
  readonly operation: Operation
  /** Of an upload. */
  readonly submitted: readonly Submitted[]
  /** Ids that a dry run told, for each document; they are kept where they are still free. */
  readonly reservedIds: readonly (string | null)[]
  /** Of a deletion, each once. */
  readonly ids: readonly string[]
  /** Properties that a deletion takes out, instead of the entities; none: the entities themselves. */
  readonly fields: readonly string[]
}

/** What a transaction would do, and what it says. */
export interface Plan {
  readonly results: readonly EntityResult[]
  readonly transactionalErrors: readonly TransactionalError[]
  readonly changes: GraphChanges
  readonly snapshots: readonly Snapshot[]
  /** What the project is then, where it is about that. */
  readonly project?: ProjectState
}

/** Judges what was fetched; no snapshot of the database is held meanwhile. */
export type Judge = () => Promise<Plan>

/** Fetches what a piece of work is to be judged by; nothing changes. */
export async function fetchWork(
  rows: Rows,
  work: Work,
  project: RegisteredProject,
  { dictionary, now }: { readonly dictionary: Dictionary; readonly now: string },
): Promise<Judge> {
  const { operation } = work
  if (isProjectAction(operation)) {
    const planned = await planProjectAction(rows, operation, project, { dictionary, now })
    const { results, transactionalErrors, handedOver } = planned
    const changes = { ...NOTHING, updated: handedOver.map(({ after }) => after) }
    const snapshots = handedOver.map(({ before, after }) => snapshotOf('submit', before, after))
    const plan = { results, transactionalErrors, changes, snapshots, project: planned.project }
    return async () => plan
  }
  if (operation !== 'delete') {
    const { submitted } = work
    const reservedIds = work.reservedIds.filter((id) => id !== null)
    const { types } = dictionary
    const graph = await fetchGraph(rows, project, { submitted, reservedIds, types })
    const newIds = submitted.map((_, i) => {
      const reserved = work.reservedIds[i] ?? null
      return reserved === null || graph.entities.has(reserved) ? randomUUID() : reserved
    })
    const upload = { operation, submitted, graph, now, newIds }
    return async () => {
      const { planned, ...judged } = await inSlices(judgeUpload(upload, dictionary))
      return { ...judged, ...(await inSlices(planUpload(planned))) }
    }
  }
  const deletion = await fetchDeletion(rows, project, work.ids)
  if (work.fields.length === 0) return () => planDeletion(deletion)
  return async () => planFields(withoutFields(deletion, work.fields, dictionary, now))
}

async function planDeletion(deletion: Deletion): Promise<Plan> {
  const results = await inSlices(judgeDeletion(deletion))
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
): Snapshot {
  const propertiesOf = (entity: StoredEntity | undefined) =>
    writeExactJson(
      entity
        ? {
            ...entity.properties,
            submitter_id: entity.submitterId,
            state: entity.state,
            ...(entity.fileState !== null && { file_state: entity.fileState }),
          }
        : {},
    )
  return {
    entityId: (after ?? before)?.id ?? '',
    action,
    oldProperties: propertiesOf(before),
    newProperties: propertiesOf(after),
  }
}

export function answerOf(operation: Operation, outcome: Outcome): SubmissionAnswer {
  if (isProjectAction(operation)) return projectAnswer(operation, outcome)
  return operation === 'delete' ? deletionAnswer(outcome) : uploadAnswer(outcome)
}
