import type { Principal } from '../../shared/access/tokens.ts'
import { unpackMembers } from '../../shared/arrays/packed.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Rows } from '../../shared/database/database.ts'
import { fetchDeletion, fetchGraph, type Names } from './fetch-graph.ts'
import type { Graph, RegisteredProject, StoredEntity } from './graph.ts'
import type { Deletion } from './judge-deletion.ts'
import { isProjectAction, isReopening } from './project-states.ts'
import type { UploadWork } from './read-body.ts'
import { entitiesInState, type Waiting, waitingIn } from './store/entities.ts'
import type { Operation } from './store/transactions.ts'

/** What a transaction is to do. */
export interface Work {
  readonly operation: Operation
  /** Of an upload. */
  readonly upload?: UploadWork
  /** Of a deletion, each once. */
  readonly ids: readonly string[]
  /** Properties that a deletion takes out, instead of the entities; none: the entities themselves. */
  readonly fields: readonly string[]
  /** Of a redaction. */
  readonly reason?: string
}

/** What of the store work is judged by. */
export type Facts = Graph | Deletion | ToSubmit

/** What an action on a project changes besides the project. */
export interface ToSubmit {
  readonly entities: readonly StoredEntity[]
  /** Of a release: what it goes without. */
  readonly waiting?: readonly Waiting[]
}

interface FetchContext {
  readonly project: RegisteredProject
  readonly principal: Principal
  readonly turns: LoopTurns
}

/** Fetches what work is to be judged by; nothing changes. */
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

/** How much there is to judge: roughly how many entities and links. */
export function weightOf({ upload, ids }: Work, facts: Facts): number {
  let weight = (upload?.count ?? 0) + ids.length
  if ('entities' in facts)
    weight += 'size' in facts.entities ? facts.entities.size : facts.entities.length
  if ('above' in facts) weight += facts.above.size
  if ('children' in facts) for (const edges of facts.children.values()) weight += edges.length
  return weight
}
