import type { FileCatalogue, StoredFile } from '../../shared/catalogue/files.ts'
import type { Database } from '../../shared/database/database.ts'
import { entitiesOf, markReleased } from '../transactions/store/entities.ts'
import {
  beginChange,
  type ProjectToRelease,
  projectsToRelease,
  setProjectState,
} from '../transactions/store/projects.ts'
import { accessOf } from './access.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Redacted } from './withdrawn.ts'

interface Completing {
  readonly database: Database
  readonly files: FileCatalogue
}

/** Number of catalogue rows changed per statement. */
const ROWS_AT_ONCE = 500

/** Maximum number of attempts if the project keeps changing. */
const MAX_ATTEMPTS = 20

/**
 * Marks the submissions of a project as released, after the current release contains them. First sets the access
 * to bytes, then marks entities, files and the project, which reopens for the next batch. After an interruption,
 * another call completes the work.
 * @param fingerprint fingerprint of the project in the release
 * @returns false if the project has submitted more since, which the next release will contain
 */
export async function completeProject(
  projectId: string,
  fingerprint: string,
  completing: Completing,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const project = await sameProject(projectId, fingerprint, completing)
    if (!project) return false
    if (attempt === 0) await openBytes(project, completing)
    if (await mark(project, completing)) return true
  }
  return false
}

/** Returns the project if its submissions still have the same fingerprint. */
function sameProject(projectId: string, fingerprint: string, { database }: Completing) {
  return database.read(async (rows) => {
    const all = await projectsToRelease(rows)
    const project = all.find((one) => one.projectId === projectId)
    return project && (await fingerprintOf(rows, project)) === fingerprint ? project : undefined
  })
}

function mark(project: ProjectToRelease, { database }: Completing): Promise<boolean> {
  return database.write(async (transaction) => {
    if (!(await beginChange(transaction, project))) return false
    await markReleased(transaction, project.projectId)
    const { releasable } = project
    const after = { state: 'open', releasable, released: false }
    await setProjectState(transaction, project.projectId, after)
    return true
  })
}

/**
 * Gives stored bytes the access of the released files. Until then, only their project has access. The setting
 * still applies when later releases no longer contain a file.
 */
async function openBytes(project: ProjectToRelease, completing: Completing): Promise<void> {
  const { database, files } = completing
  const { projectId } = project
  await database.read(async (rows) => {
    let some = new Map<string, StoredFile['access']>()
    for await (const entity of entitiesOf(rows, projectId)) {
      if (entity.fileState === null) continue
      some.set(entity.id, accessOf(entity, project))
      if (some.size < ROWS_AT_ONCE) continue
      await setAccess(some, projectId, files)
      some = new Map()
    }
    await setAccess(some, projectId, files)
  })
}

async function setAccess(
  wanted: ReadonlyMap<string, StoredFile['access']>,
  projectId: string,
  files: FileCatalogue,
): Promise<void> {
  const owners = await files.owners.of(wanted.keys())
  const stored = await files.findAll(
    [...wanted.keys()].filter((id) => owners.get(id) === projectId),
  )
  const changed = [...stored.values()].flatMap((row) => {
    const access = wanted.get(row.id) ?? row.access
    return access === row.access ? [] : [{ ...row, access, acl: [projectId] }]
  })
  await files.addAll(changed)
}

/** Restricts the bytes of redacted files to their project again. */
export async function closeRedacted(
  { entities }: Redacted,
  { files }: Pick<Completing, 'files'>,
): Promise<void> {
  const byProject = new Map<string, Map<string, StoredFile['access']>>()
  for (const { id, projectId, fileState } of entities) {
    if (fileState === null) continue
    const ids = byProject.get(projectId) ?? new Map<string, StoredFile['access']>()
    byProject.set(projectId, ids.set(id, 'controlled'))
  }
  for (const [projectId, wanted] of byProject) await setAccess(wanted, projectId, files)
}
