import type { Principal } from '../../shared/access/principal.ts'
import { unpackMembers } from '../../shared/arrays/packed.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Rows } from '../../shared/database/database.ts'
import { fetchDeletion, fetchGraph, type Names } from './fetch-graph.ts'
import type { Graph, RegisteredProject, StoredEntity } from './graph.ts'
import { isProjectAction, isReopening } from './project-states.ts'
import type { UploadWork } from './read-body.ts'
import { entitiesInState, type UnsubmittedCount, waitingIn } from './store/entities.ts'
import type { Operation } from './store/transactions.ts'
import type { Deletion } from './validate-deletion.ts'

/** Work of a transaction. */
export interface Work {
  readonly operation: Operation
  /** Documents of an upload. */
  readonly upload?: UploadWork
  /** Ids to delete or redact, without duplicates. */
  readonly ids: readonly string[]
  /** Properties to remove in a deletion. If empty, the entities themselves are deleted. */
  readonly fields: readonly string[]
  /** Reason for a redaction. */
  readonly reason?: string
}

/** Stored data against which work is validated. */
export type Facts = Graph | Deletion | ToSubmit

/** Entities that an action on a project changes. */
export interface ToSubmit {
  readonly entities: readonly StoredEntity[]
  /** Entities that a release leaves out. */
  readonly waiting?: readonly UnsubmittedCount[]
}

interface FetchContext {
  readonly project: RegisteredProject
  readonly principal: Principal
  readonly turns: LoopTurns
}

/** Fetches the stored data for work, without changing anything. */
export async function fetchFacts(
  rows: Rows,
  { operation, upload, ids }: Work,
  { project, principal, turns }: FetchContext,
): Promise<Facts> {
  if (operation === 'delete' || operation === 'redact') return fetchDeletion(rows, project, ids)
  if (!isProjectAction(operation)) {
    const names = await turns.run(unpackMembers<Names>(upload?.names ?? []))
    return fetchGraph(rows, { project, principal }, names)
  }
  const entities: StoredEntity[] = []
  const isTakenBack = isReopening(project, operation)
  if (operation === 'release') {
    return { entities, waiting: await waitingIn(rows, project.projectId) }
  }
  if (operation !== 'submit' && !isTakenBack) return { entities }
  const state = isTakenBack ? 'submitted' : 'validated'
  for await (const one of entitiesInState(rows, project.projectId, state)) entities.push(one)
  return { entities }
}

/** Returns the amount of data to validate, roughly the number of entities and links. */
export function weightOf({ upload, ids }: Work, facts: Facts): number {
  let weight = (upload?.count ?? 0) + ids.length
  if ('entities' in facts)
    weight += 'size' in facts.entities ? facts.entities.size : facts.entities.length
  if ('above' in facts) weight += facts.above.size
  if ('children' in facts) for (const edges of facts.children.values()) weight += edges.length
  return weight
}
