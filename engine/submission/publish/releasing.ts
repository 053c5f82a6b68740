import { mkdir } from 'node:fs/promises'
import type { Table } from '../../commons/import/expression/tables.ts'
import { makeSliceable } from '../../commons/import/files/make-sliceable.ts'
import type { MakeCurrent } from '../../commons/import/make-current.ts'
import {
  type ImportStep,
  makeNextRelease,
  type NextRelease,
} from '../../commons/import/next-release.ts'
import { readOrigin } from '../../commons/import/read-release.ts'
import type { Releases } from '../../commons/release/releases.ts'
import { withWorkFolder } from '../../commons/release/work-folder.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import type { Database } from '../../shared/database/database.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { nearestOf, quotedName } from '../../shared/input/near-name.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { isToSubmit } from '../transactions/plan-project-action.ts'
import { waitingIn } from '../transactions/store/entities.ts'
import { type ProjectToRelease, projectsToRelease } from '../transactions/store/projects.ts'
import { closeRedacted, completeProject } from './complete.ts'
import { addExpression, expressionTables, type ReleasedExpression } from './expression-files.ts'
import { fingerprintOf } from './fingerprint.ts'
import { Owners } from './owners.ts'
import { ProblemList, type ReleaseProblem } from './problem.ts'
import type { ReleasingReport } from './report.ts'
import { type ReleasedProject, takeProject } from './take-project.ts'
import { type Redacted, redactedIn, withdrawnBy } from './withdrawn.ts'

interface ReleasingOptions {
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly dataFolder: string
  readonly executor: Executor
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly releases: Releases
  /** Disk of the data folder. */
  readonly space: DiskSpace
  readonly clock: () => Date
  /** Records the owners of files that were stored before owners were recorded. */
  readonly recordOwners: () => Promise<void>
}

export interface ReleaseRequest {
  /** Ids of projects. Defaults to all that are marked as released. */
  readonly projects?: readonly string[] | undefined
  /** Number of the release, such as `32.0`. By default, the next whole number. */
  readonly release?: string | undefined
  /** Whether to report, without changing anything, what would be released and what prevents it. */
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly makeCurrent?: MakeCurrent | undefined
  readonly onProgress?: ((step: ReleaseStep) => void) | undefined
}

/** Progress of a release. The unit depends on the phase. */
export type ReleaseStep = ImportStep | (Omit<ImportStep, 'phase'> & { readonly phase: 'proving' })

/** Releases submitted data into the searchable commons (data-commons.md 11.22, submission.md 13). */
export class Releasing {
  readonly #options: ReleasingOptions

  constructor(options: ReleasingOptions) {
    this.#options = options
  }

  /**
   * Builds the next release from the current one and everything submitted by the projects that are marked as
   * released; then marks it as released and the projects as open. Submissions that the current release already
   * contains are only marked. If there is any problem, nothing is built. After a crash, the old or the new
   * release is served, and another call completes the work.
   * @throws EngineError `bad_input` (unknown project, damaged expression table), `conflict` (an import is
   *   running), `corrupt_source`, `unavailable`
   */
  async release(request: ReleaseRequest = {}): Promise<ReleasingReport> {
    const { dataFolder, space } = this.#options
    await mkdir(dataFolder, { recursive: true })
    await this.#options.recordOwners()
    return withWorkFolder({ dataFolder, space, signal: request.signal }, (workFolder, signal) =>
      new Run(this.#options, { ...request, signal }, workFolder).run(),
    )
  }
}

/** Thrown to stop the build if there are problems or nothing is left to release. */
class Prevented extends Error {
  override readonly name = 'Prevented'
}

interface Batch {
  readonly fingerprints: ReadonlyMap<string, string>
  readonly taken: readonly ReleasedProject[]
}

class Run {
  readonly #options: ReleasingOptions
  readonly #request: ReleaseRequest
  readonly #workFolder: string
  readonly #problems = new ProblemList()
  readonly #notes = new ProblemList()
  readonly #changedMeanwhile: string[] = []

  constructor(options: ReleasingOptions, request: ReleaseRequest, workFolder: string) {
    this.#options = options
    this.#request = request
    this.#workFolder = workFolder
  }

  async run(): Promise<ReleasingReport> {
    const { database, dictionary } = this.#options
    const { types } = await dictionary.current()
    const folder = await this.#currentFolder()
    const origin = folder === undefined ? undefined : await readOrigin(folder)
    const before = origin?.submitted ?? {}
    const { wanted, redacted } = await database.read(async (rows) => ({
      wanted: await this.#wanted(rows),
      redacted: await redactedIn(rows),
    }))
    const unchanged = wanted.filter(({ id, fingerprint }) => before[id] === fingerprint)
    for (const { id, fingerprint } of unchanged) await this.#complete(id, fingerprint)
    const changed = wanted.filter((one) => !unchanged.includes(one)).map(({ id }) => id)
    const waiting = wanted
      .map(({ id: projectId, waiting }) => ({
        projectId,
        waiting: waiting.filter(({ type }) => isToSubmit(types.get(type))),
      }))
      .filter((one) => one.waiting.length > 0)
    const facts = { unchanged: unchanged.map(({ id }) => id), waiting }
    // If there is no release, there is nothing to withdraw.
    const isTakenOut = folder === undefined || origin?.redacted === redacted.fingerprint
    if (isTakenOut && !this.#request.dryRun) await this.#close(redacted)
    if (changed.length === 0 && isTakenOut) return { ...this.#found(), ...facts, projects: [] }
    return { ...(await this.#make(changed, folder, redacted)), ...facts }
  }

  async #currentFolder(): Promise<string | undefined> {
    const { releases } = this.#options
    if (this.#request.dryRun !== true) await releases.nameOnly()
    const id = await releases.current()
    return id === undefined ? undefined : releases.folder(id)
  }

  async #wanted(rows: Parameters<typeof projectsToRelease>[0]) {
    const all = await projectsToRelease(rows)
    const named = this.#request.projects
    const missing = named?.find((id) => all.every(({ projectId }) => projectId !== id))
    if (missing !== undefined) {
      const ids = all.map(({ projectId }) => projectId)
      throw new EngineError(
        'bad_input',
        `project ${quotedName(missing)} is not marked as released, or has submitted nothing; casemill project list shows the states${nearestOf(missing, ids)}`,
        { at: 'project' },
      )
    }
    const wanted = []
    for (const project of all) {
      const { projectId: id } = project
      if (named && !named.includes(id)) continue
      const waiting = await waitingIn(rows, id)
      wanted.push({ id, waiting, fingerprint: await fingerprintOf(rows, project) })
    }
    return wanted
  }

  async #make(
    ids: readonly string[],
    folder: string | undefined,
    redacted: Redacted,
  ): Promise<Omit<ReleasingReport, 'unchanged' | 'waiting'>> {
    const { release, dryRun, signal, onProgress, makeCurrent } = this.#request
    const { dataFolder, executor, clock, database } = this.#options
    const withdrawn = await database.read((rows) => withdrawnBy(rows, redacted, ids))
    let batch: Batch = { fingerprints: new Map(), taken: [] }
    let tables: readonly Table[] = []
    let expression: ReleasedExpression | undefined
    const next: NextRelease = {
      dataFolder,
      workFolder: this.#workFolder,
      executor,
      release,
      dryRun,
      signal,
      onProgress,
      clock,
      makeCurrent,
      maxErrors: 0,
      withdrawn,
      read: async ({ intake }, { release: number }) => {
        batch = await this.#take(ids, folder, { intake, release: number })
        const isNothing = ids.length > 0 && batch.taken.length === 0
        if (this.#problems.count > 0 || isNothing) throw new Prevented()
        const found = batch.taken.flatMap((one) => one.tables)
        tables = await expressionTables(found, this.#expressionContext())
        if (!dryRun) await this.#proveAlignments(batch)
        const { fingerprint } = redacted
        return {
          submitted: Object.fromEntries(batch.fingerprints),
          ...(fingerprint !== undefined && { redacted: fingerprint }),
        }
      },
      derive: async (made) => {
        const added = await addExpression(tables, made, this.#expressionContext())
        expression = added.expression
        return added.files
      },
    }
    try {
      const { report: made, isCurrent } = await makeNextRelease(next)
      const { dataRelease, releaseId } = made
      // If the new release is not served yet, the first call after the switch marks its submissions.
      if (isCurrent) {
        for (const [id, fingerprint] of batch.fingerprints) await this.#complete(id, fingerprint)
        await this.#close(redacted)
      }
      return {
        dataRelease,
        ...(releaseId !== undefined && { releaseId }),
        made,
        ...this.#found(),
        projects: batch.taken,
        redacted: redacted.entities.length,
        ...(expression && { expression }),
      }
    } catch (error) {
      if (!(error instanceof Prevented)) throw error
      return { ...this.#found(), projects: batch.taken }
    }
  }

  /** Reads records and fingerprints from one database snapshot, so that they describe the same entities. */
  async #take(
    ids: readonly string[],
    folder: string | undefined,
    into: Pick<Parameters<typeof takeProject>[2], 'intake' | 'release'>,
  ): Promise<Batch> {
    const { database, files, blobs, dictionary } = this.#options
    const { types } = await dictionary.current()
    const owners = await Owners.open(folder)
    try {
      return await database.read(async (rows) => {
        const fingerprints = new Map<string, string>()
        const taken: ReleasedProject[] = []
        for (const project of await projectsToRelease(rows)) {
          const { projectId } = project
          if (!ids.includes(projectId)) continue
          fingerprints.set(projectId, await fingerprintOf(rows, project))
          const what = {
            ...into,
            files,
            blobs,
            types,
            signal: this.#request.signal,
            problems: this.#problems,
            owners,
          }
          taken.push(await this.#takeProject(rows, project, what))
        }
        return { fingerprints, taken }
      })
    } finally {
      await owners.close()
    }
  }

  async #takeProject(
    rows: Parameters<typeof takeProject>[0],
    project: ProjectToRelease,
    what: Parameters<typeof takeProject>[2],
  ): Promise<ReleasedProject> {
    what.intake.begin(`submission of ${project.projectId}`)
    const taken = await takeProject(rows, project, what)
    what.intake.end('submission')
    return taken
  }

  /** Validates and indexes alignment files. A file that cannot be sliced is released as an ordinary file. */
  async #proveAlignments({ taken }: Batch): Promise<void> {
    const { files, blobs, executor } = this.#options
    const { signal, onProgress } = this.#request
    const stored = await files.findAll(taken.flatMap(({ alignments }) => alignments))
    const all = taken.flatMap(({ projectId, alignments }) =>
      alignments.flatMap((id) => {
        const file = stored.get(id)
        return file ? [{ projectId, file }] : []
      }),
    )
    const total = all.reduce((bytes, { file }) => bytes + file.size, 0)
    let before = 0
    for (const { projectId, file } of all) {
      const start = before
      const problem = await makeSliceable(file, {
        files,
        blobs,
        executor,
        signal,
        onProgress: (bytes) => onProgress?.({ phase: 'proving', done: start + bytes, total }),
      })
      before += file.size
      if (problem === undefined) continue
      const note: ReleaseProblem = {
        projectId,
        entityId: file.id,
        type: 'BAM',
        problem: `it cannot be sliced: ${problem}`,
      }
      this.#notes.add(note)
    }
  }

  async #complete(projectId: string, fingerprint: string): Promise<void> {
    if (this.#request.dryRun) return
    const { database, files } = this.#options
    const isDone = await completeProject(projectId, fingerprint, { database, files })
    if (!isDone) this.#changedMeanwhile.push(projectId)
  }

  #close(redacted: Redacted): Promise<void> {
    return closeRedacted(redacted, this.#options)
  }

  #expressionContext() {
    const { files, blobs, executor } = this.#options
    return { files, blobs, executor, workFolder: this.#workFolder, signal: this.#request.signal }
  }

  #found() {
    return {
      changedMeanwhile: this.#changedMeanwhile,
      problems: this.#problems.listed,
      problemCount: this.#problems.count,
      notes: this.#notes.listed,
    }
  }
}
