import { EngineError } from '../../shared/errors.ts'
import { parseBody } from './parse-body.ts'
import {
  projectNamed,
  requireAdministrator,
  requirePrincipal,
  type SubmissionCaller,
} from './permissions.ts'
import type { RegistrationOptions, RegistrationRequest } from './projects.ts'
import { placeReferences, readReferences } from './read-references.ts'
import {
  allProjects,
  type FileStateCount,
  fileStatesOf,
  type ProjectSummary,
  touchProject,
} from './store/projects.ts'
import { putReferences, referencesById, referencesByName } from './store/references.ts'
import { countUnlistedCases, setSubjects } from './store/subjects.ts'

/** Maximum number of subjects, more than any study has. */
const MAX_SUBJECTS = 1_000_000
/** Maximum length of a name, see resolve-entity.ts. */
const MAX_NAME_BYTES = 2000

export interface SubjectsRequest extends SubmissionCaller {
  readonly program: string
  readonly project: string
  /** Names of subjects. An empty list makes the project accept all cases. */
  readonly subjects: readonly string[]
}

export interface PutReferencesResult {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

/** Operations for operators of the service: lists of projects and file states, subjects, references. */
export class Administration {
  readonly #options: RegistrationOptions

  constructor(options: RegistrationOptions) {
    this.#options = options
  }

  /**
   * Returns all projects by id.
   * @throws EngineError `unauthenticated` without a principal, `forbidden` if it is no administrator
   */
  async projects(caller: SubmissionCaller): Promise<readonly ProjectSummary[]> {
    requireAdministrator(requirePrincipal(caller), 'list projects')
    return this.#options.database.read(allProjects)
  }

  /**
   * Returns the states of a project's files, sorted.
   * @throws EngineError `unauthenticated` without a principal, `forbidden` if it is no administrator
   */
  async fileStates(
    caller: SubmissionCaller,
    projectId: string,
  ): Promise<readonly FileStateCount[]> {
    requireAdministrator(requirePrincipal(caller), 'list states of files')
    return this.#options.database.read((rows) => fileStatesOf(rows, projectId))
  }

  /**
   * Sets the subjects whose cases may be created in a project (submission.md 7.5). Existing cases stay.
   * @returns the number of subjects, and of existing cases that are not among them
   * @throws EngineError `unauthenticated`, `forbidden`, `not_found`, `bad_input`, `too_many`
   */
  async setSubjects(
    request: SubjectsRequest,
  ): Promise<{ readonly listed: number; readonly unlistedCases: number }> {
    requireAdministrator(requirePrincipal(request), 'list subjects')
    const subjects = new Set(request.subjects)
    if (subjects.size > MAX_SUBJECTS) {
      throw new EngineError('too_many', `the list has more than ${MAX_SUBJECTS} subjects`)
    }
    const isName = (name: string) => {
      const isStorable = name.isWellFormed() && !name.includes('\0')
      return isStorable && name !== '' && Buffer.byteLength(name) <= MAX_NAME_BYTES
    }
    if (![...subjects].every(isName)) {
      const message = `a subject is named by 1 to ${MAX_NAME_BYTES} bytes of UTF-8`
      throw new EngineError('bad_input', message)
    }
    return this.#options.database.write(async (transaction) => {
      const { projectId } = await projectNamed(transaction, request)
      await setSubjects(transaction, projectId, subjects)
      await touchProject(transaction, projectId)
      const listed = subjects.size
      const unlistedCases = listed === 0 ? 0 : await countUnlistedCases(transaction, projectId)
      return { listed, unlistedCases }
    })
  }

  /**
   * Registers references, such as centers and tissue source sites, to which entities of all projects link by
   * code or name (submission.md 4). Existing references are updated.
   * @throws EngineError `unauthenticated`, `forbidden`, `too_many`; `bad_input` naming the problem, in which
   *   case nothing is registered
   */
  async putReferences(request: RegistrationRequest): Promise<PutReferencesResult> {
    requireAdministrator(requirePrincipal(request), 'register references')
    const dictionary = await this.#options.dictionary.current()
    const submitted = parseBody(request.body, request.format, dictionary.types)
    const given = readReferences(submitted, dictionary)
    const now = this.#options.clock().toISOString()
    return this.#options.database.write(async (transaction) => {
      const names = given.map(({ name }) => name)
      const ids = given.flatMap(({ id }) => id ?? [])
      const placed = placeReferences(given, [
        ...(await referencesByName(transaction, names)),
        ...(await referencesById(transaction, ids)),
      ])
      const of = (fate: string) => placed.filter((one) => one.fate === fate)
      const changed = [...of('created'), ...of('updated')].map(({ reference }) => reference)
      await putReferences(transaction, changed, now)
      return {
        created: of('created').length,
        updated: of('updated').length,
        unchanged: of('unchanged').length,
      }
    })
  }
}
