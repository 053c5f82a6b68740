import type { Rows, Transaction } from '../../../shared/database/database.ts'
import type { RegisteredProject } from '../graph.ts'
import type { EntityDocument } from '../submitted.ts'
import { SUBMITTED_STATES } from './entities.ts'
import { readExactJson } from './exact-json.ts'

interface ProjectRow {
  readonly project_id: string
  readonly program: string
  readonly code: string
  readonly id: string
  readonly state: string
  readonly releasable: number
  readonly released: number
  readonly revision: number
}

const PROJECT = 'project_id, program, code, id, state, releasable, released, revision'

export async function programNames(rows: Rows): Promise<string[]> {
  const sql = 'SELECT name FROM submission_programs ORDER BY name'
  return (await rows.all<{ name: string }>(sql)).map(({ name }) => name)
}

/** Returns the projects of a program, sorted by code. */
export async function projectsOf(rows: Rows, program: string): Promise<RegisteredProject[]> {
  const sql = `SELECT ${PROJECT} FROM submission_projects WHERE program = ? ORDER BY code`
  return (await rows.all<ProjectRow>(sql, [program])).map(registeredProject)
}

/** A project with the properties that operators see. */
export interface ProjectSummary {
  readonly projectId: string
  readonly state: string
  readonly released: boolean
  readonly entities: number
  /** Number of subjects whose cases the project accepts. Null for no restriction. */
  readonly subjects: number | null
}

/** Returns all projects, sorted by id. */
export async function allProjects(rows: Rows): Promise<ProjectSummary[]> {
  const found = await rows.all<{
    readonly project_id: string
    readonly state: string
    readonly released: number
    readonly entities: number
    readonly subjects: number
  }>(
    `SELECT project_id, state, released,
       (SELECT count(*) FROM submission_entities e WHERE e.project_id = p.project_id) AS entities,
       (SELECT count(*) FROM submission_subjects s WHERE s.project_id = p.project_id) AS subjects
     FROM submission_projects p ORDER BY project_id`,
  )
  return found.map(({ project_id: projectId, state, released, entities, subjects }) => ({
    projectId,
    state,
    released: released === 1,
    entities,
    subjects: subjects === 0 ? null : subjects,
  }))
}

/** Number of a project's files with a `file_state`. */
export interface FileStateCount {
  readonly fileState: string
  readonly files: number
}

/** Returns the states of a project's files, sorted. */
export async function fileStatesOf(
  rows: Rows,
  projectId: string,
): Promise<readonly FileStateCount[]> {
  const sql = `SELECT file_state, count(*) AS files FROM submission_entities
     WHERE project_id = ? AND is_current = 1 AND file_state IS NOT NULL
     GROUP BY file_state ORDER BY file_state`
  const found = await rows.all<{ readonly file_state: string; readonly files: number }>(sql, [
    projectId,
  ])
  return found.map(({ file_state: fileState, files }) => ({ fileState, files }))
}

/** A project that is marked as released, with its own properties and those of its program. */
export interface ProjectToRelease extends RegisteredProject {
  readonly properties: EntityDocument
  readonly programId: string
  readonly programAccession: string
}

/** Returns the projects that are marked as released and have submitted entities, sorted by id. */
export async function projectsToRelease(rows: Rows): Promise<ProjectToRelease[]> {
  const found = await rows.all<
    ProjectRow & {
      readonly properties: string
      readonly program_id: string
      readonly accession: string
    }
  >(
    `SELECT project_id, program, code, p.id AS id, state, releasable, released, revision, properties,
       g.id AS program_id, g.accession AS accession
     FROM submission_projects p JOIN submission_programs g ON g.name = p.program
     WHERE released = 1 AND EXISTS (SELECT 1 FROM submission_entities e
       WHERE e.project_id = p.project_id AND e.state IN (?, ?))
     ORDER BY project_id`,
    SUBMITTED_STATES,
  )
  return found.map((row) => ({
    ...registeredProject(row),
    properties: readExactJson(row.properties) as EntityDocument,
    programId: row.program_id,
    programAccession: row.accession,
  }))
}

/** Returns a project by its exact names. If there is none, ignores case, provided that the match is unique. */
export async function findProject(
  rows: Rows,
  program: string,
  code: string,
): Promise<RegisteredProject | undefined> {
  const sql = `SELECT ${PROJECT} FROM submission_projects
     WHERE lower(program) = lower(?) AND lower(code) = lower(?)`
  const found = (await rows.all<ProjectRow>(sql, [program, code])).map(registeredProject)
  const exact = found.find((one) => one.program === program && one.code === code)
  return exact ?? (found.length === 1 ? found[0] : undefined)
}

/** Returns the registered name of a program. */
export async function findProgram(rows: Rows, name: string): Promise<string | undefined> {
  const sql = 'SELECT name FROM submission_programs WHERE lower(name) = lower(?)'
  const names = (await rows.all<{ name: string }>(sql, [name])).map((row) => row.name)
  return names.includes(name) ? name : names.length === 1 ? names[0] : undefined
}

/** Returns the properties that a project was registered with. */
export async function projectProperties(rows: Rows, projectId: string): Promise<EntityDocument> {
  const sql = 'SELECT properties FROM submission_projects WHERE project_id = ?'
  const row = await rows.get<{ properties: string }>(sql, [projectId])
  return row ? (readExactJson(row.properties) as EntityDocument) : {}
}

export async function isCodeTaken(rows: Rows, code: string, program: string): Promise<boolean> {
  const sql = 'SELECT 1 AS found FROM submission_projects WHERE code = ? AND program <> ?'
  return (await rows.get(sql, [code, program])) !== undefined
}

/** Adds or updates a program. Returns whether the program existed. */
export async function putProgram(
  transaction: Transaction,
  { name, id, accession, now }: Readonly<Record<'name' | 'id' | 'accession' | 'now', string>>,
): Promise<{ readonly wasThere: boolean }> {
  const sql = 'UPDATE submission_programs SET accession = ? WHERE name = ?'
  if ((await transaction.run(sql, [accession, name])).changes > 0) return { wasThere: true }
  await transaction.run(
    'INSERT INTO submission_programs (name, id, accession, created_at) VALUES (?, ?, ?, ?)',
    [name, id, accession, now],
  )
  return { wasThere: false }
}

export async function insertProject(
  transaction: Transaction,
  project: Pick<RegisteredProject, 'projectId' | 'program' | 'code' | 'id'>,
  properties: string,
  now: string,
): Promise<void> {
  const { projectId, program, code, id } = project
  await transaction.run(
    `INSERT INTO submission_projects (project_id, program, code, id, state, releasable, released,
       properties, created_at, revision)
     VALUES (?, ?, ?, ?, 'open', 0, 0, ?, ?, 0)`,
    [projectId, program, code, id, properties, now],
  )
}

export async function setProjectProperties(
  transaction: Transaction,
  projectId: string,
  properties: string,
): Promise<void> {
  await transaction.run(
    'UPDATE submission_projects SET properties = ?, revision = revision + 1 WHERE project_id = ?',
    [properties, projectId],
  )
}

/**
 * Increments the revision of a project unconditionally. For a caller that has read the data in the same
 * transaction, or that changes what entities are validated against.
 */
export async function touchProject(transaction: Transaction, projectId: string): Promise<void> {
  const sql = 'UPDATE submission_projects SET revision = revision + 1 WHERE project_id = ?'
  await transaction.run(sql, [projectId])
}

/**
 * Increments the revision of a project. Other writers of the project then wait until the end of the transaction.
 * Returns false if the project has changed since it was read.
 */
export async function beginChange(
  transaction: Transaction,
  { projectId, revision }: Pick<RegisteredProject, 'projectId' | 'revision'>,
): Promise<boolean> {
  const { changes } = await transaction.run(
    'UPDATE submission_projects SET revision = revision + 1 WHERE project_id = ? AND revision = ?',
    [projectId, revision],
  )
  return changes === 1
}

export type ProjectState = Pick<RegisteredProject, 'state' | 'releasable' | 'released'>

export async function setProjectState(
  transaction: Transaction,
  projectId: string,
  { state, releasable, released }: ProjectState,
): Promise<void> {
  await transaction.run(
    'UPDATE submission_projects SET state = ?, releasable = ?, released = ? WHERE project_id = ?',
    [state, releasable ? 1 : 0, released ? 1 : 0, projectId],
  )
}

export async function removeProject(transaction: Transaction, projectId: string): Promise<void> {
  await transaction.run('DELETE FROM submission_subjects WHERE project_id = ?', [projectId])
  await transaction.run('DELETE FROM submission_projects WHERE project_id = ?', [projectId])
}

export async function removeProgram(transaction: Transaction, name: string): Promise<void> {
  await transaction.run('DELETE FROM submission_programs WHERE name = ?', [name])
}

function registeredProject(row: ProjectRow): RegisteredProject {
  const { project_id: projectId, program, code, id, state, revision } = row
  const flags = { releasable: row.releasable === 1, released: row.released === 1 }
  return { projectId, program, code, id, state, ...flags, revision }
}
