import type { Role } from '../access/grants.ts'
import type { Database, Transaction } from '../database/database.ts'
import { keepable } from '../database/values.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { EngineError } from '../errors.ts'
import type { SubmissionAnswer } from './answers.ts'
import { readEntities } from './entity-reading.ts'
import type { RegisteredProject } from './graph.ts'
import { parseBody, type SubmissionFormat } from './parse-body.ts'
import {
  projectNamed,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from './permissions.ts'
import { isProjectAction, lockTold } from './project-states.ts'
import { Projects } from './projects.ts'
import { Registry } from './registry.ts'
import { readExactJson, writeExactJson } from './store/exact-json.ts'
import {
  closeTransaction,
  findTransaction,
  type Operation,
  type OriginalDocument,
  type ProjectAction,
  responseOf,
  type TransactionRecord,
  type UploadOperation,
} from './store/transactions.ts'
import type { EntityDocument, Submitted } from './submitted.ts'
import {
  type Asked,
  TRANSACTION_LIMITS,
  type TransactionLimits,
  Transactions,
} from './transactions.ts'
import type { Work } from './work.ts'

export interface SubmissionOptions {
  /** With SUBMISSION_ROOM among its rooms. */
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly clock?: () => Date
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number
  readonly limits?: TransactionLimits
  readonly onFault?: (error: unknown, transactionId: number) => void
}

/** Where a request goes, and by whom. */
export interface SubmissionRequest extends SubmissionCaller {
  readonly program: string
  readonly project: string
  /** As refusals for the project's state tell it. */
  readonly path: string
  readonly isDryRun?: boolean
  readonly isAsync?: boolean
}

export interface UploadRequest extends SubmissionRequest {
  readonly operation: UploadOperation
  readonly body: Uint8Array
  readonly format: SubmissionFormat
  /** What the submitter calls the document. */
  readonly name?: string
}

const ROLES_FOR: Readonly<Record<Operation, readonly Role[]>> = Object.freeze({
  create: ['create'],
  put: ['create', 'update'],
  patch: ['update'],
  delete: ['delete'],
  open: ['release'],
  review: ['release'],
  submit: ['release'],
  release: ['release'],
})

/** Submission of entities to projects (submission 2 to 11). */
export class Submission {
  readonly projects: Projects
  readonly registry: Registry
  readonly #database: Database
  readonly #dictionary: Pick<LoadedDictionary, 'current'>
  readonly #transactions: Transactions

  constructor(options: SubmissionOptions) {
    const { database, dictionary, limits = TRANSACTION_LIMITS } = options
    const { clock = () => new Date(), onFault = () => {} } = options
    this.#database = database
    this.#dictionary = dictionary
    this.#transactions = new Transactions({
      ...{ database, dictionary, clock, limits, onFault, now: options.now },
    })
    this.projects = new Projects({ database, dictionary, clock })
    this.registry = new Registry({ database, dictionary, clock })
  }

  /**
   * Ends what servers that died have left behind; to be called before anything is submitted.
   * @param isAlone whether no other server works on the database, as with an embedded one
   * @returns how many transactions that were
   */
  start({ isAlone }: { readonly isAlone: boolean }): Promise<number> {
    return this.#transactions.start({ isAlone })
  }

  /** What is done every ten seconds when not alone. For tests. */
  beat(): Promise<number> {
    return this.#transactions.beat()
  }

  /** Resolves when no transaction is under way. */
  idle(): Promise<void> {
    return this.#transactions.idle()
  }

  /** Takes nothing new, and finishes what has begun. */
  close(): Promise<void> {
    return this.#transactions.close()
  }

  /**
   * Lets pass whose body is worth reading: `upload` and the others ask the same for themselves.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` for the project's state
   */
  async admit(request: SubmissionRequest & { readonly operation: UploadOperation }): Promise<void> {
    await this.#admit(request, request.operation, 'upload')
  }

  /**
   * Creates and updates the entities of a body (submission 7), in a transaction.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` and `too_many` for a
   *   body that cannot be read and for the project's state; `busy`, `unavailable`
   */
  async upload(request: UploadRequest): Promise<SubmissionAnswer> {
    const { operation, body, format, name } = request
    const { project, submitter } = await this.#admit(request, operation, 'upload')
    const { types } = await this.#dictionary.current()
    const submitted = parseBody(body, format, types)
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    const work: Work = { operation, submitted, reservedIds: [], ids: [], fields: [] }
    const document = { name: name ?? null, format, text }
    return this.#transactions.run(askedFor({ request, project, submitter, work, document }))
  }

  /**
   * Deletes entities, or optional properties of them (submission 11), in a transaction.
   * @throws EngineError as `upload`; `bad_input` for ids that the database could not look for
   */
  async delete(
    request: SubmissionRequest & {
      readonly ids: readonly string[]
      readonly fields?: readonly string[]
    },
  ): Promise<SubmissionAnswer> {
    const { project, submitter } = await this.#admit(request, 'delete', 'delete')
    const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))]
    keepable(ids)
    const fields = [...new Set(request.fields ?? [])]
    const work: Work = { operation: 'delete', submitted: [], reservedIds: [], ids, fields }
    const document = { name: null, format: 'N/A', text: '' }
    return this.#transactions.run(askedFor({ request, project, submitter, work, document }))
  }

  /**
   * Moves a project from state to state, hands its entities over or marks it released (submission
   * 13.3), in a transaction.
   * @throws EngineError as `upload`
   */
  async act(
    request: SubmissionRequest & { readonly action: ProjectAction },
  ): Promise<SubmissionAnswer> {
    const { action: operation } = request
    const { project, submitter } = await this.#admit(request, operation, operation)
    const work: Work = { operation, submitted: [], reservedIds: [], ids: [], fields: [] }
    const document = { name: null, format: 'N/A', text: '' }
    return this.#transactions.run(askedFor({ request, project, submitter, work, document }))
  }

  /**
   * Repeats a dry run for good (submission 10.1), as a transaction of its own.
   * @throws EngineError as `upload`; `bad_input` for a dry run that cannot be committed
   */
  async commit(
    request: SubmissionRequest & { readonly transactionId: number },
  ): Promise<SubmissionAnswer> {
    const { transactionId } = request
    const found = await this.#database.read(async (rows) => {
      const project = await projectNamed(rows, request.program, request.project)
      const principal = requirePrincipal(request)
      const record = await findTransaction(rows, transactionId)
      const response = record && (await responseOf(rows, transactionId))
      return { project, principal, record, response }
    })
    const { project, principal } = found
    const some = (['create', 'update', 'delete', 'release'] as const).filter(
      (role) => principal.admin || principal.projects.get(project.projectId)?.includes(role),
    )
    if (some.length === 0) requireRoles(principal, project, ['update'], 'commit')
    const record = committable(found.record, transactionId, project)
    requireRoles(principal, project, ROLES_FOR[record.operation], 'commit')
    requireState(project, record.operation, request.path)
    const work = repeatedWork(record, found.response ?? null)
    const document = { name: null, format: 'json', text: record.canonicalJson }
    const again = { ...request, isDryRun: false }
    const asked = askedFor({ request: again, project, submitter: principal.user, work, document })
    return this.#transactions.run({
      ...asked,
      code: 200,
      commits: {
        id: transactionId,
        // Of two commits at the same time one comes second.
        check: async (transaction: Transaction) => {
          committable(await findTransaction(transaction, transactionId), transactionId, project)
        },
      },
    })
  }

  /**
   * Closes a dry run, so that it can never be committed (submission 10.2).
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`, `bad_input`
   */
  async closeDryRun(
    request: SubmissionCaller & {
      readonly program: string
      readonly project: string
      readonly transactionId: number
    },
  ): Promise<SubmissionAnswer> {
    const { transactionId: id } = request
    await this.#database.write(async (transaction) => {
      const project = await projectNamed(transaction, request.program, request.project)
      requireRoles(requirePrincipal(request), project, ['update'], 'close')
      requireClosable(await findTransaction(transaction, id), id, project)
      await closeTransaction(transaction, id)
    })
    const body = { code: 200, message: 'Closed transaction.', transaction_id: id }
    return { status: 200, body }
  }

  /**
   * Entities of a project by id (submission 11).
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`
   */
  async entities(
    request: SubmissionCaller & {
      readonly program: string
      readonly project: string
      readonly ids: readonly string[]
    },
  ): Promise<SubmissionAnswer> {
    const { types } = await this.#dictionary.current()
    return this.#database.read(async (rows) => {
      const project = await projectNamed(rows, request.program, request.project)
      requireRoles(requirePrincipal(request), project, ['read'], 'read')
      const entities = await readEntities(rows, project, request.ids, types)
      return { status: 200, body: { entities } }
    })
  }

  async #admit(request: SubmissionRequest, operation: Operation, action: string) {
    const project = await this.#database.read((rows) =>
      projectNamed(rows, request.program, request.project),
    )
    const principal = requirePrincipal(request)
    requireRoles(principal, project, ROLES_FOR[operation], action)
    requireState(project, operation, request.path)
    return { project, submitter: principal.user }
  }
}

function requireState(project: RegisteredProject, operation: Operation, path: string): void {
  const told = lockTold(project, operation, path)
  if (told !== undefined) throw new EngineError('bad_input', told)
}

function askedFor(made: {
  readonly request: SubmissionRequest
  readonly project: RegisteredProject
  readonly submitter: string
  readonly work: Work
  readonly document: OriginalDocument
}): Asked {
  const { request, project, submitter, work, document } = made
  const { isDryRun = false, isAsync = false, path } = request
  const { operation } = work
  const { program, code: projectCode, projectId } = project
  return {
    project,
    work,
    record: {
      program,
      project: projectCode,
      projectId,
      operation,
      isDryRun,
      submitter,
      canonicalJson: canonicalJson(work),
      document,
    },
    isAsync,
    code: operation === 'create' ? 201 : 200,
    path,
  }
}

/** What is to be done, as a list with one element for each entity. */
function canonicalJson({ operation, submitted, ids, fields }: Work): string {
  if (isProjectAction(operation)) return '[]'
  if (operation !== 'delete') {
    return writeExactJson(
      submitted.map((one) => ('document' in one ? one.document : { [UNLIKE]: one.unlike })),
    )
  }
  return JSON.stringify(ids.map((id) => ({ id, ...(fields.length > 0 && { fields }) })))
}

/** Stands for an element that was no object; a dry run with one fails, so none is repeated. */
const UNLIKE = 'not an object, but'

function repeatedWork(record: TransactionRecord, response: string | null): Work {
  const { operation, canonicalJson } = record
  const nothing = { operation, submitted: [], reservedIds: [], ids: [], fields: [] }
  if (isProjectAction(operation)) return nothing
  const elements = readExactJson(canonicalJson) as readonly EntityDocument[]
  if (operation === 'delete') {
    const ids = elements.map(({ id }) => String(id))
    const fields = (elements[0]?.fields ?? []) as readonly string[]
    return { ...nothing, ids, fields }
  }
  const submitted = elements.map((document): Submitted => ({ document }))
  const { entities = [] } = JSON.parse(response ?? '{}') as {
    readonly entities?: readonly { readonly action: string; readonly id: string | null }[]
  }
  const reservedIds = entities.map(({ action, id }) => (action === 'update' ? null : id))
  return { ...nothing, submitted, reservedIds }
}

function committable(
  record: TransactionRecord | undefined,
  id: number,
  { projectId }: RegisteredProject,
): TransactionRecord {
  if (record?.projectId !== projectId) {
    const message = `Unable to find transaction_log with id: ${id} for project ${projectId}`
    throw new EngineError('not_found', message)
  }
  const refuse = (message: string) => new EngineError('bad_input', message)
  const { state, closed, committedBy, isDryRun } = record
  if (state !== 'SUCCEEDED') throw refuse(`Unable to commit transaction log in state ${state}.`)
  if (closed) throw refuse('Unable to commit closed transaction log.')
  if (committedBy !== null) {
    const by = `This transaction_log was committed already by transaction '${committedBy}'.`
    throw refuse(by)
  }
  if (!isDryRun) throw refuse(`Cannot submit transaction_log '${id}', not a dry_run.`)
  return record
}

function requireClosable(
  record: TransactionRecord | undefined,
  id: number,
  { projectId }: RegisteredProject,
): void {
  if (record?.projectId !== projectId) {
    const message = `Unable to find transaction_log with id ${id} for project ${projectId}`
    throw new EngineError('not_found', message)
  }
  const refuse = (message: string) => new EngineError('bad_input', message)
  const { closed, committedBy, isDryRun } = record
  const inVain = 'Closing it would have no effect.'
  if (closed) throw refuse('This transaction log is already closed.')
  if (!isDryRun) throw refuse(`Transaction log '${id}' is not a dry run. ${inVain}`)
  if (committedBy !== null) {
    throw refuse(`Transaction log '${id}' has already been committed. ${inVain}`)
  }
}
