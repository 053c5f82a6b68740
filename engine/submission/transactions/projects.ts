import { mayKnow } from '../../shared/access/access.ts'
import type { Principal } from '../../shared/access/principal.ts'
import { uuidIn } from '../../shared/catalogue/uuid.ts'
import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { type SubmissionAnswer, uploadAnswer } from './answers.ts'
import { DocumentValidator } from './document-validator.ts'
import type { EntityResult } from './entity-result.ts'
import { literal } from './literal.ts'
import { parseBody, type SubmissionFormat } from './parse-body.ts'
import {
  mayKnowProgram,
  projectNamed,
  requireAdministrator,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from './permissions.ts'
import { hasEntities } from './store/entities.ts'
import { writeExactJson } from './store/exact-json.ts'
import {
  findProgram,
  findProject,
  insertProject,
  isCodeTaken,
  programNames,
  projectProperties,
  projectsOf,
  putProgram,
  removeProgram,
  removeProject,
  setProjectProperties,
} from './store/projects.ts'
import { finishTransaction, insertTransaction } from './store/transactions.ts'
import type { EntityDocument } from './submitted.ts'

/** Namespaces for the ids of programs and projects, which are the same in all installations (submission.md 3). */
const PROGRAMS = Buffer.from('85b08c6a56a644749c30b65abfd214a8', 'hex')
const PROJECTS = Buffer.from('249b44052c6945d996bc7410333d5d80', 'hex')

/** Names are parts of paths and of project ids, which are split at their first hyphen. */
const PROGRAM_NAME = /^[A-Za-z0-9][A-Za-z0-9._]{0,63}$/
const PROJECT_CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
/** Names that other paths already use (submission.md 1). */
const NO_PROGRAM: ReadonlySet<string> = new Set([
  'template',
  'templates',
  'graphql',
  'getschema',
  'validation',
  'admin',
])
const NO_PROJECT: ReadonlySet<string> = new Set([
  'bulk',
  'entities',
  'export',
  'files',
  'manifest',
  'upload_manifest',
  'open',
  'review',
  'submit',
  'release',
  'template',
  'transactions',
  'xml',
])
/** Members of a project body that only the service sets. */
const DROPPED: ReadonlySet<string> = new Set(['type', 'state', 'released', 'id'])

/** Members of a project body that its type in the dictionary lacks, and names of links and accessions. */
const STORED_APART: ReadonlySet<string> = new Set([
  'access',
  'programs',
  'registry_accession_number',
])

/** Accepted values of `access`, for the files of a project after their release (data-commons.md 11.22). */
const ACCESSES: readonly unknown[] = ['open', 'controlled']

export interface RegistrationRequest extends SubmissionCaller {
  readonly body: Uint8Array
  readonly format: SubmissionFormat
}

export interface RegistrationOptions {
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly clock: () => Date
}

/** Programs and projects, which administrators register (submission.md 3). */
export class Projects {
  readonly #options: RegistrationOptions

  constructor(options: RegistrationOptions) {
    this.#options = options
  }

  /**
   * Returns the sorted names of the programs in which the caller has a right.
   * @throws EngineError `unauthenticated` without a principal
   */
  async programs(caller: SubmissionCaller): Promise<readonly string[]> {
    const principal = requirePrincipal(caller)
    const all = await this.#options.database.read(programNames)
    return all.filter((name) => mayKnowProgram(principal, name))
  }

  /**
   * Returns the sorted codes of a program's projects in which the caller has a right.
   * @throws EngineError `unauthenticated` without a principal; `not_found` if the program does not exist, or
   *   the caller has no right in it
   */
  async codes(caller: SubmissionCaller & { readonly program: string }): Promise<readonly string[]> {
    const principal = requirePrincipal(caller)
    return this.#options.database.read(async (rows) => {
      const name = await programKnownTo(principal, rows, caller.program, 'program')
      const all = await projectsOf(rows, name)
      return all.filter((one) => mayKnow(principal, one.projectId)).map(({ code }) => code)
    })
  }

  /**
   * Checks, before the body is read, that the caller may register a program or one of its projects.
   * @throws EngineError `unauthenticated` without a principal; `forbidden` if it may not register a program;
   *   `not_found` if it may not know the program
   */
  async admit(caller: SubmissionCaller & { readonly program?: string }): Promise<void> {
    const principal = requirePrincipal(caller)
    const { program } = caller
    if (program === undefined) return requireAdministrator(principal, 'create program')
    await this.#options.database.read((rows) => programKnownTo(principal, rows, program, 'Program'))
  }

  /**
   * Registers or updates a program.
   * @throws EngineError `unauthenticated` without a principal; `forbidden` if it is no administrator;
   *   `bad_input` for a body that is no valid program
   */
  async putProgram(request: RegistrationRequest): Promise<SubmissionAnswer> {
    requireAdministrator(requirePrincipal(request), 'create program')
    const { types } = await this.#options.dictionary.current()
    const document = onlyDocument(request, types)
    if (document.type !== 'program') {
      throw badInput(`Invalid type in key type='${String(document.type ?? '')}'`)
    }
    const name = textIn(document, 'name')
    if (name === undefined) throw badInput("No program specified in key 'name'")
    if (!PROGRAM_NAME.test(name) || NO_PROGRAM.has(name.toLowerCase())) {
      throw badInput(
        `program name ${literal(name)} is not of letters, digits, "." and "_", or is reserved`,
      )
    }
    const id = uuidIn(PROGRAMS, name)
    const accession = accessionIn(document) ?? ''
    const now = this.#options.clock().toISOString()
    const { wasThere } = await this.#options.database.write(async (transaction) => {
      const known = await findProgram(transaction, name)
      if (known !== undefined && known !== name)
        throw badInput(`program ${known} has that name already`)
      return putProgram(transaction, { name, id, accession, now })
    })
    const message = wasThere ? 'Program is updated!' : 'Program registered.'
    return { status: 200, body: { id, name, message }, entities: () => [id] }
  }

  /**
   * Registers or updates a project.
   * @throws EngineError `unauthenticated`, `forbidden`, `bad_input`, `not_found`
   */
  async putProject(
    request: RegistrationRequest & { readonly program: string },
  ): Promise<SubmissionAnswer> {
    const principal = requirePrincipal(request)
    const dictionary = await this.#options.dictionary.current()
    const document = onlyDocument(request, dictionary.types)
    const code = projectCode(document)
    const isNamed = document.type === undefined || document.type === 'project'
    if (!isNamed) throw badInput(`Invalid type in key type='${String(document.type)}'`)
    const accession = accessionIn(document)
    if (accession === undefined) throw badInput('No dbgap_accession_number specified.')
    const access = accessIn(document)
    const given = Object.entries(document).filter(
      ([key]) => !DROPPED.has(key) && !STORED_APART.has(key),
    )
    const properties = { ...Object.fromEntries(given), dbgap_accession_number: accession }
    return this.#options.database.write((transaction) =>
      this.#put(transaction, { principal, request, code, properties, access, dictionary }),
    )
  }

  async #put(
    transaction: Transaction,
    asked: {
      readonly principal: Principal
      readonly request: RegistrationRequest & { readonly program: string }
      readonly code: string
      readonly properties: EntityDocument
      readonly access: string | undefined
      readonly dictionary: Dictionary
    },
  ): Promise<SubmissionAnswer> {
    const { principal, request, code, properties, dictionary } = asked
    const program = await programKnownTo(principal, transaction, request.program, 'Program')
    const projectId = `${program}-${code}`
    requireRoles(principal, { projectId }, ['admin'], 'create project')
    if (await isCodeTaken(transaction, code, program)) {
      throw badInput(`project code ${literal(code)} is taken by another program`)
    }
    const stored = await findProject(transaction, program, code)
    if (stored && stored.code !== code)
      throw badInput(`project ${stored.code} has that code already`)
    const now = this.#options.clock().toISOString()
    const id = uuidIn(PROJECTS, code)
    const transactionId = await insertTransaction(transaction, {
      program,
      project: code,
      projectId,
      operation: stored ? 'put' : 'create',
      isDryRun: false,
      submitter: principal.user,
      // The transaction ends with this write, so no server has to be recorded.
      server: '',
      createdAt: now,
      canonicalJson: writeExactJson([properties]),
      document: { name: null, format: request.format, text: Buffer.from(request.body).toString() },
    })
    const result = projectResult(properties, { id, code, isNew: !stored }, dictionary)
    if (result.valid) {
      // A document without `access` leaves a controlled project controlled. `open` is not stored, because it is
      // the default after a release and does not apply before one.
      const before = stored && (await projectProperties(transaction, projectId)).access
      const access = asked.access ?? before
      const text = writeExactJson({ ...properties, ...(access === 'controlled' && { access }) })
      if (stored) await setProjectProperties(transaction, projectId, text)
      else await insertProject(transaction, { projectId, program, code, id }, text, now)
    }
    const outcome = { transactionId, isDryRun: false, results: [result], transactionalErrors: [] }
    const answer = uploadAnswer({ ...outcome, code: 200 })
    await finishTransaction(transaction, transactionId, {
      state: result.valid ? 'SUCCEEDED' : 'FAILED',
      responseJson: JSON.stringify(answer.body),
    })
    return { ...answer, transactionId, projectId, entities: () => [id] }
  }

  /**
   * Deletes a program without projects.
   * @throws EngineError `unauthenticated` without a principal; `forbidden` if it is no administrator;
   *   `not_found` if there is no such program; `bad_input` if it has projects
   */
  async deleteProgram(caller: SubmissionCaller & { readonly program: string }): Promise<void> {
    requireAdministrator(requirePrincipal(caller), 'delete program')
    await this.#options.database.write(async (transaction) => {
      const name = await findProgram(transaction, caller.program)
      if (name === undefined) throw noProgram(caller.program, 'Program')
      if ((await projectsOf(transaction, name)).length > 0) {
        throw badInput(`Can't remove the program ${name}: it has projects`)
      }
      await removeProgram(transaction, name)
    })
  }

  /**
   * Deletes a project without entities.
   * @throws EngineError `unauthenticated` without a principal; `forbidden` without the role `admin`;
   *   `not_found` as projectNamed; `bad_input` if the project has entities
   */
  async deleteProject(
    caller: SubmissionCaller & { readonly program: string; readonly project: string },
  ): Promise<void> {
    await this.#options.database.write(async (transaction) => {
      const project = await projectNamed(transaction, caller)
      requireRoles(requirePrincipal(caller), project, ['admin'], 'delete project')
      const { projectId } = project
      if (await hasEntities(transaction, projectId)) {
        throw badInput(`Can't remove the project ${projectId}: it has entities`)
      }
      await removeProject(transaction, projectId)
    })
  }
}

/**
 * Returns the registered name of a program that the caller may know.
 * @throws EngineError `not_found` if there is none
 */
async function programKnownTo(
  principal: Principal,
  rows: Rows,
  given: string,
  what: 'Program' | 'program',
): Promise<string> {
  const name = await findProgram(rows, given)
  if (name === undefined || !mayKnowProgram(principal, name)) throw noProgram(given, what)
  return name
}

function onlyDocument(
  { body, format }: RegistrationRequest,
  types: Dictionary['types'],
): EntityDocument {
  const [first, ...others] = parseBody(body, format, types)
  if (first && others.length === 0 && 'document' in first) return first.document
  throw badInput('the body is not one object, or a table of one row')
}

function projectCode(document: EntityDocument): string {
  const code = textIn(document, 'code')
  if (code === undefined) throw badInput("No project specified in key 'code'")
  if (PROJECT_CODE.test(code) && !NO_PROJECT.has(code.toLowerCase())) return code
  throw badInput(
    `project code ${literal(code)} is not of letters, digits, ".", "_" and "-", or is reserved`,
  )
}

function projectResult(
  properties: EntityDocument,
  { id, code, isNew }: { readonly id: string; readonly code: string; readonly isNew: boolean },
  dictionary: Dictionary,
): EntityResult {
  const type = dictionary.types.get('project')
  const validated =
    type && new DocumentValidator(dictionary).validate(properties, type, { isPartial: true })
  const errors = validated?.errors ?? []
  return {
    action: isNew ? 'create' : 'update',
    errors,
    id,
    related_cases: [],
    type: 'project',
    unique_keys: [{ code }],
    valid: errors.length === 0,
    warnings: validated?.warnings ?? [],
  }
}

function textIn(document: EntityDocument, key: string): string | undefined {
  const value = document[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function accessionIn(document: EntityDocument): string | undefined {
  return textIn(document, 'dbgap_accession_number') ?? textIn(document, 'registry_accession_number')
}

function accessIn({ access }: EntityDocument): string | undefined {
  if (access === undefined || access === null) return undefined
  if (ACCESSES.includes(access)) return String(access)
  throw badInput(`access ${literal(access)} is not one of ['open', 'controlled']`)
}

const badInput = (message: string) => new EngineError('bad_input', message)

function noProgram(name: string, what: 'Program' | 'program'): EngineError {
  return new EngineError('not_found', `${what} ${name} not found`)
}
