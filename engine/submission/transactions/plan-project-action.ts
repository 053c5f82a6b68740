import type { EntityType } from '../dictionary/entity-type.ts'
import { type EntityResult, storedResult, type TransactionalError } from './entity-result.ts'
import type { RegisteredProject, StoredEntity } from './graph.ts'
import type { Types } from './shared-types.ts'
import type { ProjectState } from './store/projects.ts'
import type { ProjectAction } from './store/transactions.ts'

/** Indexes and descriptions of files are handed over with these: nothing else would release them. */
const SUBMITTED_CATEGORIES: ReadonlySet<string> = new Set([
  ...['biospecimen', 'clinical', 'data_file', 'index_file', 'metadata_file'],
])
const SUBMITTED_TYPES: ReadonlySet<string> = new Set(['case', 'annotation'])

export interface ProjectPlan {
  readonly project: ProjectState
  readonly transactionalErrors: readonly TransactionalError[]
  readonly results: readonly EntityResult[]
  /** Entities that are handed over, before and after. */
  readonly handedOver: readonly { readonly before: StoredEntity; readonly after: StoredEntity }[]
}

/**
 * What an action does to a project whose state allows it (submission.md 13.3).
 * @param by the validated entities of what is handed over, and when that is
 */
export function planProjectAction(
  action: ProjectAction,
  project: RegisteredProject,
  by: { readonly entities: readonly StoredEntity[]; readonly types: Types; readonly now: string },
): ProjectPlan {
  const { state, releasable, released } = project
  const nothing = { transactionalErrors: [], results: [], handedOver: [] }
  switch (action) {
    case 'open':
    case 'review':
      return { ...nothing, project: { state: action, releasable, released } }
    case 'release': {
      const problem = releaseProblem(project)
      const transactionalErrors = problem === undefined ? [] : [{ message: problem }]
      return { ...nothing, transactionalErrors, project: { state, releasable, released: true } }
    }
    case 'submit': {
      const { entities, types, now } = by
      const handedOver = entities
        .filter(({ type }) => isHandedOver(types.get(type)))
        .map((before) => ({ before, after: handOver(before, now) }))
      const results = handedOver.map(({ after }) => storedResult('submit', after))
      const changed = { state: 'submitted', releasable: true, released }
      return { ...nothing, project: changed, handedOver, results }
    }
  }
}

function releaseProblem({ releasable, released }: RegisteredProject): string | undefined {
  if (released) return 'Project is already released.'
  if (releasable) return undefined
  return 'Project is not releasable. Project must be submitted at least once first.'
}

function isHandedOver(type: EntityType | undefined): boolean {
  return (
    type !== undefined &&
    (SUBMITTED_CATEGORIES.has(type.category) || SUBMITTED_TYPES.has(type.name))
  )
}

function handOver(entity: StoredEntity, now: string): StoredEntity {
  const fileState = entity.fileState === 'validated' ? 'submitted' : entity.fileState
  return { ...entity, state: 'submitted', fileState, updatedAt: now }
}
