import type { DatasetName } from '../../commons/datasets/define.ts'
import type { Intake } from '../../commons/import/intake.ts'
import { RowError } from '../../commons/import/row-error.ts'
import type { Rows } from '../../shared/database/database.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { isFileType, type StoredEntity } from '../transactions/graph.ts'
import { entitiesOf } from '../transactions/store/entities.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'
import { ANNOTATION, annotationRecord } from './annotation-record.ts'
import { caseRecord } from './case-record.ts'
import { type CaseTree, fetchTree } from './case-tree.ts'
import { type FileContext, fileRecord, placeOf } from './file-record.ts'
import type { OwnedDataset, Owners } from './owners.ts'
import type { ProblemList } from './problem.ts'
import { projectRecord } from './project-record.ts'
import { bytesProblems, type StoredBytes } from './stored-bytes.ts'
import { type Successors, successorsOf, takeVersions } from './versions-of-project.ts'

/** Number of cases to hold in memory at a time, with all their descendants. */
const CASES_AT_ONCE = 100

interface TakeProject extends StoredBytes {
  readonly types: ReadonlyMap<string, EntityType>
  readonly intake: Intake
  readonly problems: ProblemList
  /** Number of the new release. */
  readonly release: string
  /** Owners of the records in the current release. */
  readonly owners: Pick<Owners, 'of'>
  readonly signal?: AbortSignal | undefined
}

/** The part of a project that was added to a release. */
export interface ReleasedProject {
  readonly projectId: string
  /** Number of submitted entities, without former versions. */
  readonly entities: number
  readonly cases: number
  readonly files: number
  readonly annotations: number
  /** Number of file versions that were superseded. */
  readonly formerVersions: number
  /** Ids of files from which the release derives more: alignments to slice, and expression tables. */
  readonly alignments: readonly string[]
  readonly tables: readonly string[]
}

/** Converts everything that a project has submitted to records. Passes them to the import. */
export async function takeProject(
  rows: Rows,
  project: ProjectToRelease,
  what: TakeProject,
): Promise<ReleasedProject> {
  const successors = await successorsOf(rows, project.projectId)
  const formerVersions = await takeVersions(rows, successors, what)
  const taking = new Taking(project, successors, what)
  await taking.run(rows)
  return { ...taking.taken(), formerVersions }
}

class Taking {
  readonly #project: ProjectToRelease
  readonly #what: TakeProject
  readonly #successors: Successors
  readonly #context: FileContext
  readonly #reached = new Set<string>()
  readonly #counts: Record<'annotations' | 'cases' | 'files', number>
  readonly #alignments: string[] = []
  readonly #tables: string[] = []
  #entities = 0

  constructor(project: ProjectToRelease, successors: Successors, what: TakeProject) {
    this.#project = project
    this.#successors = successors
    this.#what = what
    this.#counts = { annotations: 0, cases: 0, files: 0 }
    const isFormer = ({ id }: StoredEntity) => successors.has(id)
    this.#context = { project, types: what.types, isFormer }
  }

  async run(rows: Rows): Promise<void> {
    const { signal } = this.#what
    const { projectId } = this.#project
    this.#take('projects', projectRecord(this.#project), null)
    const ids: string[] = []
    for await (const { id } of entitiesOf(rows, projectId, 'case')) ids.push(id)
    for (let at = 0; at < ids.length; at += CASES_AT_ONCE) {
      signal?.throwIfAborted()
      await this.#takeTree(await fetchTree(rows, ids.slice(at, at + CASES_AT_ONCE)))
    }
    await this.#findStrays(rows)
  }

  taken(): Omit<ReleasedProject, 'formerVersions'> {
    return {
      projectId: this.#project.projectId,
      entities: this.#entities,
      ...this.#counts,
      alignments: this.#alignments,
      tables: this.#tables,
    }
  }

  async #takeTree(tree: CaseTree): Promise<void> {
    const all = [...tree.entities.values()]
    const isNew = ({ id }: StoredEntity) => !this.#reached.has(id)
    await this.#proveBytes(all.filter(isNew))
    await this.#proveOwners(all.filter(isNew))
    for (const entity of all) this.#takeEntity(entity, tree)
    for (const { id } of all) this.#reached.add(id)
  }

  #takeEntity(entity: StoredEntity, tree: CaseTree): void {
    const { types } = this.#what
    const isNew = !this.#reached.has(entity.id)
    if (isNew && !types.has(entity.type)) this.#note(entity, 'its type is not in the dictionary')
    if (this.#context.isFormer(entity)) return
    if (isNew) this.#entities++
    if (entity.type === 'case') {
      this.#counts.cases++
      this.#take('cases', caseRecord(entity, tree), entity)
    } else if (entity.type === ANNOTATION) {
      const record = isNew ? annotationRecord(entity, tree) : undefined
      if (!record) return
      this.#counts.annotations++
      this.#take('annotations', record, entity)
    } else if (placeOf(types.get(entity.type)) === 'record') {
      // If a file has further cases, its record is merged again when these are read.
      this.#take('files', fileRecord(entity, tree, this.#context), entity)
      if (isNew) this.#noteFile(entity)
    }
  }

  #noteFile({ id, type, properties }: StoredEntity): void {
    this.#counts.files++
    const format = String(properties.data_format ?? '').toUpperCase()
    if (format === 'BAM') this.#alignments.push(id)
    if (type === TABLE_TYPE && TABLE_FORMATS.has(format)) this.#tables.push(id)
  }

  #take(dataset: DatasetName, record: JsonObject, entity: StoredEntity | null): void {
    try {
      this.#what.intake.record(dataset, record)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      this.#note(entity, `it cannot be put into a record: ${error.message}`)
    }
  }

  async #proveBytes(entities: readonly StoredEntity[]): Promise<void> {
    const { types } = this.#what
    const files = entities.filter((one) => {
      const type = types.get(one.type)
      return type && isFileType(type) && !this.#context.isFormer(one)
    })
    const problems = await bytesProblems(files, this.#what)
    for (const file of files) {
      const problem = problems.get(file.id)
      if (problem !== undefined) this.#note(file, problem)
    }
  }

  /** Submitters may choose ids, so this checks that no id replaces a record of another project. */
  async #proveOwners(entities: readonly StoredEntity[]): Promise<void> {
    for (const dataset of OWNED) {
      const some = entities.filter((one) => this.#datasetOf(one) === dataset)
      const ids = some.map(({ id }) => id)
      const owners = await this.#what.owners.of(dataset, ids)
      for (const entity of some) {
        const projects = owners.get(entity.id) ?? []
        const other = projects.find((one) => one !== this.#project.projectId)
        if (other === undefined) continue
        this.#note(entity, `the current release has its id as that of project ${other}`)
      }
    }
  }

  #datasetOf({ type: name }: StoredEntity): OwnedDataset | undefined {
    if (name === 'case') return 'cases'
    if (name === ANNOTATION) return 'annotations'
    const type = this.#what.types.get(name)
    return type && isFileType(type) ? 'files' : undefined
  }

  /** Finds entities that have no submitted case above them. They would be missing from the release. */
  async #findStrays(rows: Rows): Promise<void> {
    for await (const entity of entitiesOf(rows, this.#project.projectId)) {
      if (this.#reached.has(entity.id) || this.#successors.has(entity.id)) continue
      if (placeOf(this.#what.types.get(entity.type)) === 'archive') continue
      this.#note(entity, 'no case that was submitted is above it')
    }
  }

  #note(entity: StoredEntity | null, problem: string): void {
    const { projectId } = this.#project
    const [entityId, type] = entity ? [entity.id, entity.type] : [null, null]
    this.#what.problems.add({ projectId, entityId, type, problem })
  }
}

const OWNED: readonly OwnedDataset[] = ['annotations', 'cases', 'files']

/** Type and formats in which expression tables are submitted (data-commons.md 11.22). */
const TABLE_TYPE = 'submitted_genomic_profile'
const TABLE_FORMATS: ReadonlySet<string> = new Set(['', 'TSV', 'TXT'])
