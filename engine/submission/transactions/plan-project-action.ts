import type { EntityType } from '../dictionary/entity-type.ts'
import type { EntityIssue } from './entity-issue.ts'
import { type EntityResult, storedResult, type TransactionalError } from './entity-result.ts'
import { type RegisteredProject, type StoredEntity, wasReleased } from './graph.ts'
import { shortened } from './literal.ts'
import { isReopening } from './project-states.ts'
import type { Types } from './shared-types.ts'
import type { ProjectState } from './store/projects.ts'
import type { ProjectAction } from './store/transactions.ts'

/** Categories of entities to submit. Index and metadata files are included, as nothing else would release them. */
const SUBMITTED_CATEGORIES: ReadonlySet<string> = new Set([
  'biospecimen',
  'clinical',
  'data_file',
  'index_file',
  'metadata_file',
])
const SUBMITTED_TYPES: ReadonlySet<string> = new Set(['case', 'annotation'])

interface ProjectPlan {
  readonly project: ProjectState
  readonly transactionalErrors: readonly TransactionalError[]
  readonly results: readonly EntityResult[]
  /** Entities that are submitted or withdrawn, before and after. */
  readonly changed: readonly { readonly before: StoredEntity; readonly after: StoredEntity }[]
}

/**
 * Plans an action on a project whose state permits the action (submission.md 13.3).
 * @param by entities that are submitted or withdrawn, and the time
 */
export function planProjectAction(
  action: ProjectAction,
  project: RegisteredProject,
  by: { readonly entities: readonly StoredEntity[]; readonly types: Types; readonly now: string },
): ProjectPlan {
  const { state, releasable, released } = project
  const nothing = { transactionalErrors: [], results: [], changed: [] }
  switch (action) {
    case 'open':
      if (isReopening(project, action)) return planReopening(project, by)
      return { ...nothing, project: { state: action, releasable, released } }
    case 'review':
      return { ...nothing, project: { state: action, releasable, released } }
    case 'release': {
      const issue = releaseError(project)
      const transactionalErrors = issue === undefined ? [] : [{ message: issue }]
      return { ...nothing, transactionalErrors, project: { state, releasable, released: true } }
    }
    case 'submit': {
      const { entities, types, now } = by
      const changed = entities
        .filter(({ type }) => isToSubmit(types.get(type)))
        .map((before) => ({ before, after: handOver(before, now) }))
      const results = changed.map(({ before, after }) =>
        storedResult('submit', after, issuesOfData(before)),
      )
      const after = { state: 'submitted', releasable: true, released }
      return { ...nothing, project: after, changed, results }
    }
  }
}

/** Withdraws entities that are submitted but not released, so that submitters can change and delete them again. */
function planReopening(
  { releasable }: RegisteredProject,
  { entities, now }: { readonly entities: readonly StoredEntity[]; readonly now: string },
): ProjectPlan {
  // Released entities stay submitted, with their corrections.
  const changed = entities
    .filter((one) => !wasReleased(one))
    .map((before) => ({ before, after: takenBack(before, now) }))
  const results = changed.map(({ after }) => storedResult('update', after))
  const project = { state: 'open', releasable, released: false }
  return { transactionalErrors: [], project, changed, results }
}

function releaseError({ releasable, released }: RegisteredProject): string | undefined {
  if (released) return 'Project is already released.'
  if (releasable) return undefined
  return 'Project is not releasable. Project must be submitted at least once first.'
}

/** Returns whether submitting a project includes entities of this type. */
export function isToSubmit(type: EntityType | undefined): boolean {
  return (
    type !== undefined &&
    (SUBMITTED_CATEGORIES.has(type.category) || SUBMITTED_TYPES.has(type.name))
  )
}

function handOver(entity: StoredEntity, now: string): StoredEntity {
  const fileState = entity.fileState === 'validated' ? 'submitted' : entity.fileState
  return { ...entity, state: 'submitted', fileState, updatedAt: now }
}

function takenBack(entity: StoredEntity, now: string): StoredEntity {
  const fileState = entity.fileState === 'submitted' ? 'validated' : entity.fileState
  return { ...entity, state: 'validated', fileState, updatedAt: now }
}

/** Advice on invalid data of a file, keyed by file_state. */
const REMEDIES: Readonly<Record<string, string>> = Object.freeze({
  registered: 'they were not uploaded; open the project, and upload them or delete the entity',
  uploading: 'they are being uploaded; open the project, and complete or abort the upload',
  uploaded: 'they are being checked; try again when the file is validated',
  validating: 'they are being checked; try again when the file is validated',
  error: 'they are not what the entity says; open the project, and upload them again',
})

/** Returns an issue for a file without valid data, which would prevent a release (submission.md 13.3). */
function issuesOfData({ id, fileState, errorType, properties }: StoredEntity): EntityIssue[] {
  if (fileState === null || HAS_DATA.has(fileState)) return []
  const { file_name: name } = properties
  const file = typeof name === 'string' ? ` ${JSON.stringify(shortened(name))}` : ''
  const why = errorType === null ? '' : `, error_type '${errorType}'`
  const remedy = REMEDIES[fileState] ?? 'open the project, and upload them or delete the entity'
  const message = `The data of file${file} (files/${id}) are not valid in file_state '${fileState}'${why}: ${remedy}.`
  return [{ keys: ['file_state'], message, type: 'INVALID_PERMISSIONS' }]
}

/** States in which a file has valid data. */
const HAS_DATA: ReadonlySet<string> = new Set(['validated', 'submitted', 'released'])
