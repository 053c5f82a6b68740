import type { Role } from '../../shared/access/grants.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { storable } from '../../shared/database/values.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { Administration } from './administration.ts'
import type { SubmissionAnswer } from './answers.ts'
import { readEntities } from './entity-reading.ts'
import { fetchDeletion } from './fetch-graph.ts'
import type { RegisteredProject } from './graph.ts'
import type { SubmissionFormat } from './parse-body.ts'
import {
  projectNamed,
  requireAdministrator,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from './permissions.ts'
import { isProjectAction, lockMessage } from './project-states.ts'
import { Projects } from './projects.ts'
import type { ReadUpload } from './read-body.ts'
import { readExactJson } from './store/exact-json.ts'
import {
  closeTransaction,
  findTransaction,
  type NewTransaction,
  type Operation,
  type OriginalDocument,
  type ProjectAction,
  responseOf,
  type TransactionRecord,
  type UploadOperation,
} from './store/transactions.ts'
import { type SmallLimits, SubmissionValidator } from './submission-validator.ts'
import {
  type Prepared,
  TRANSACTION_LIMITS,
  type TransactionLimits,
  type TransactionRequest,
  Transactions,
} from './transactions.ts'

export interface SubmissionOptions {
  /** Database with SUBMISSION_TABLES. */
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  /** Runs large submissions. If undefined, they run on the calling thread. */
  readonly executor?: Executor
  readonly small?: SmallLimits
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns
  /** Disk of the database. If undefined, no space is reserved. */
  readonly space?: Pick<DiskSpace, 'require'>
  readonly clock?: () => Date
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
  readonly limits?: Partial<TransactionLimits>
  readonly onError?: (error: unknown, transactionId: number) => void
}

/** A request to a project. */
export interface SubmissionRequest extends SubmissionCaller {
  readonly program: string
  readonly project: string
  /** Path of the request, for errors about the project's state. */
  readonly path: string
  readonly isDryRun?: boolean
  readonly isAsync?: boolean
  /** Aborts when the client disconnects. A transaction that has not begun by then never begins. */
  readonly signal?: AbortSignal | undefined
}

export interface UploadRequest extends SubmissionRequest {
  readonly operation: UploadOperation
  /** Body of the request. The submission takes over the memory and may transfer it to a thread. */
  readonly body: Uint8Array
  readonly format: SubmissionFormat
  /** The submitter's name of the document. */
  readonly name?: string
}

const ROLES_FOR: Readonly<Record<Operation, readonly Role[]>> = Object.freeze({
  create: ['create'],
  put: ['create', 'update'],
  patch: ['update'],
  delete: ['delete'],
  redact: ['admin'],
  open: ['release'],
  review: ['release'],
  submit: ['release'],
  release: ['release'],
})

/** Maximum length of a reason in characters. */
const MAX_REASON = 1000

/** Maximum disk space per submitted byte: in the log, and in tables and indexes. */
const DISK_BYTES_PER_BYTE = 25

/** Submission of entities to projects (submission.md 2 to 11). */
export class Submission {
  readonly projects: Projects
  readonly administration: Administration
  readonly #database: Database
  readonly #dictionary: Pick<LoadedDictionary, 'current'>
  readonly #validator: SubmissionValidator
  readonly #turns: LoopTurns
  readonly #space: Pick<DiskSpace, 'require'> | undefined
  readonly #transactions: Transactions

  constructor(options: SubmissionOptions) {
    const { database, dictionary } = options
    const limits = { ...TRANSACTION_LIMITS, ...options.limits }
    const { clock = () => new Date(), onError = () => {}, executor = inlineExecutor } = options
    const { turns = new LoopTurns() } = options
    this.#turns = turns
    this.#database = database
    this.#dictionary = dictionary
    this.#space = options.space
    this.#validator = new SubmissionValidator(executor, options.small, turns)
    this.#transactions = new Transactions({
      database,
      dictionary,
      clock,
      limits,
      onError,
      now: options.now,
      validator: this.#validator,
      turns,
    })
    this.projects = new Projects({ database, dictionary, clock })
    this.administration = new Administration({ database, dictionary, clock })
  }

  /**
   * Recovers after servers have died. Call it before accepting submissions.
   * @param isAlone whether no other server uses the database, as with an embedded one
   * @returns the number of transactions that were ended
   */
  start({ isAlone }: { readonly isAlone: boolean }): Promise<number> {
    return this.#transactions.start({ isAlone })
  }

  /** Sends a heartbeat and ends abandoned transactions, which otherwise happens every ten seconds. For tests. */
  beat(): Promise<number> {
    return this.#transactions.beat()
  }

  /** Resolves when no transaction is in progress. */
  idle(): Promise<void> {
    return this.#transactions.idle()
  }

  /** Rejects new transactions and completes those in progress. */
  close(): Promise<void> {
    return this.#transactions.close()
  }

  /**
   * Checks that the caller may upload, before the body is read. `upload` and the other methods check it again.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` for the project's state
   */
  async admit(request: SubmissionRequest & { readonly operation: UploadOperation }): Promise<void> {
    await this.#admit(request, request.operation, 'upload')
  }

  /**
   * Checks the caller's rights in a project, for requests that the project does not support.
   * @throws EngineError `not_found` and `unauthenticated` as projectNamed; `forbidden` without the roles
   */
  async requireRights(
    request: Pick<SubmissionRequest, keyof SubmissionCaller | 'program' | 'project'>,
    right: 'administer' | 'upload',
  ): Promise<void> {
    const project = await this.#database.read((rows) => projectNamed(rows, request))
    const roles: readonly Role[] = right === 'upload' ? ROLES_FOR.put : ['admin']
    requireRoles(requirePrincipal(request), project, roles, right)
  }

  /**
   * Creates and updates the entities of a body in a transaction (submission.md 7).
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`; `bad_input` and `too_many` for a body
   * that cannot be parsed and for the project's state; `busy`, `unavailable`
   */
  async upload(request: UploadRequest): Promise<SubmissionAnswer> {
    const { operation, body, format, name = null, signal } = request
    const admitted = await this.#admit(request, operation, 'upload')
    const bytes = body.byteLength
    await this.#space?.require(bytes * DISK_BYTES_PER_BYTE)
    const asked = { ...askedFor(request, admitted, operation), bytes }
    return this.#transactions.run(asked, async () => {
      const { types } = await this.#dictionary.current()
      const read = await this.#validator.read({ body, format }, types, { signal })
      const document = { name, format, text: read.text }
      return uploadOf(read, { ...asked, document })
    })
  }

  /**
   * Deletes entities or some of their optional properties in a transaction (submission.md 11).
   * @throws EngineError as `upload`; `bad_input` for ids that the database cannot store
   */
  async delete(
    request: SubmissionRequest & {
      readonly ids: readonly string[]
      readonly fields?: readonly string[]
    },
  ): Promise<SubmissionAnswer> {
    const admitted = await this.#admit(request, 'delete', 'delete')
    const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))]
    storable(ids)
    const fields = [...new Set(request.fields ?? [])]
    const listed = ids.map((id) => ({ id, ...(fields.length > 0 && { fields }) }))
    const asked = askedFor(request, admitted, 'delete')
    return this.#transactions.run(asked, async () => ({
      work: { operation: 'delete', ids, fields },
      record: recordOf({ ...asked, document: NO_DOCUMENT }, JSON.stringify(listed)),
    }))
  }

  /**
   * Removes released entities from all later releases in a transaction (submission.md 11). The log keeps the
   * reason.
   * @throws EngineError as `delete`; `forbidden` except for administrators; `bad_input` without a reason
   */
  async redact(
    request: SubmissionRequest & {
      readonly ids: readonly string[]
      readonly reason: string
      /** Whether to include all descendants. If false, the request must name them. */
      readonly withChildren?: boolean
    },
  ): Promise<SubmissionAnswer> {
    requireAdministrator(requirePrincipal(request), 'redact')
    const admitted = await this.#admit(request, 'redact', 'redact')
    const reason = request.reason.trim()
    if (reason === '' || reason.length > MAX_REASON || reason.includes('\0')) {
      const message = `the reason of a redaction has 1 to ${MAX_REASON} characters`
      throw new EngineError('bad_input', message, { at: 'reason' })
    }
    const named = [...new Set(request.ids.map((id) => id.toLowerCase()))]
    storable(named)
    const { project } = admitted
    const ids = request.withChildren
      ? await this.#database.read(async (rows) => {
          const { children } = await fetchDeletion(rows, project, named)
          return [...new Set([...named, ...children.keys()])]
        })
      : named
    const asked = askedFor(request, admitted, 'redact')
    const listed = JSON.stringify(ids.map((id) => ({ id, reason })))
    return this.#transactions.run(asked, async () => ({
      work: { operation: 'redact', ids, fields: [], reason },
      record: recordOf({ ...asked, document: NO_DOCUMENT }, listed),
    }))
  }

  /**
   * Changes the state of a project, submits its entities, or marks it as released, in a transaction
   * (submission.md 13.3).
   * @throws EngineError like `upload`
   */
  async act(
    request: SubmissionRequest & { readonly action: ProjectAction },
  ): Promise<SubmissionAnswer> {
    const { action: operation } = request
    const admitted = await this.#admit(request, operation, operation)
    const asked = askedFor(request, admitted, operation)
    return this.#transactions.run(asked, async () => ({
      work: { operation, ids: [], fields: [] },
      record: recordOf({ ...asked, document: NO_DOCUMENT }, '[]'),
    }))
  }

  /**
   * Commits a dry run by repeating it as a new transaction (submission.md 10.1).
   * @throws EngineError like `upload`; `bad_input` if it cannot be committed
   */
  async commit(
    request: SubmissionRequest & { readonly transactionId: number },
  ): Promise<SubmissionAnswer> {
    const { transactionId } = request
    const found = await this.#database.read(async (rows) => {
      const project = await projectNamed(rows, request)
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
    if (record.operation === 'redact') requireAdministrator(principal, 'commit')
    requireRoles(principal, project, ROLES_FOR[record.operation], 'commit')
    requireState({ project, principal }, record.operation, request.path)
    const asked: TransactionRequest = {
      ...askedFor({ ...request, isDryRun: false }, { project, principal }, record.operation),
      code: 200,
      bytes: record.canonicalJson.length,
      commits: {
        id: transactionId,
        // This is checked again in the write transaction, because another commit may have come first.
        check: async (transaction: Transaction) => {
          committable(await findTransaction(transaction, transactionId), transactionId, project)
        },
      },
    }
    await this.#space?.require(asked.bytes * DISK_BYTES_PER_BYTE)
    const { response = null } = found
    return this.#transactions.run(asked, () => this.#repeated(record, response, asked))
  }

  /** Prepares the work of a recorded dry run. */
  async #repeated(
    { operation, canonicalJson }: TransactionRecord,
    response: string | null,
    asked: TransactionRequest,
  ): Promise<Prepared> {
    const document = { name: null, format: 'json', text: canonicalJson }
    const record = recordOf({ ...asked, document }, canonicalJson)
    if (isProjectAction(operation)) return { work: { operation, ids: [], fields: [] }, record }
    if (operation === 'delete') return { work: repeatedDeletion(canonicalJson), record }
    if (operation === 'redact') return { work: repeatedRedaction(canonicalJson), record }
    const { types } = await this.#dictionary.current()
    const { signal } = asked
    const read = await this.#validator.read({ canonicalJson, response }, types, { signal })
    return uploadOf(read, { ...asked, document })
  }

  /**
   * Closes a dry run, so that it can never be committed (submission.md 10.2).
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
      const project = await projectNamed(transaction, request)
      requireRoles(requirePrincipal(request), project, ['update'], 'close')
      requireClosable(await findTransaction(transaction, id), id, project)
      await closeTransaction(transaction, id)
    })
    const body = { code: 200, message: 'Closed transaction.', transaction_id: id }
    return { status: 200, body, transactionId: id }
  }

  /**
   * Returns entities of a project by id (submission.md 11).
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
      const project = await projectNamed(rows, request)
      requireRoles(requirePrincipal(request), project, ['read'], 'read')
      const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))]
      const entities = await readEntities(rows, project, ids, types, this.#turns)
      return { status: 200, body: { entities }, entities: () => ids }
    })
  }

  async #admit(
    request: SubmissionRequest,
    operation: Operation,
    action: string,
  ): Promise<Admitted> {
    const project = await this.#database.read((rows) => projectNamed(rows, request))
    const principal = requirePrincipal(request)
    requireRoles(principal, project, ROLES_FOR[operation], action)
    requireState({ project, principal }, operation, request.path)
    return { project, principal }
  }
}

type Admitted = Pick<TransactionRequest, 'project' | 'principal'>

function requireState({ project, principal }: Admitted, operation: Operation, path: string): void {
  const locked = lockMessage(project, operation, { path, isAdministrator: principal.admin })
  if (locked !== undefined) throw new EngineError('bad_input', locked)
}

function askedFor(
  { isDryRun = false, isAsync = false, path, signal }: SubmissionRequest,
  admitted: Admitted,
  operation: Operation,
): TransactionRequest {
  const code = operation === 'create' ? 201 : 200
  return { ...admitted, operation, isDryRun, isAsync, code, path, bytes: 0, signal }
}

const NO_DOCUMENT: OriginalDocument = Object.freeze({ name: null, format: 'N/A', text: '' })

/** @param canonicalJson the work as a JSON list with one element per entity */
function recordOf(
  {
    project: { program, code, projectId },
    ...asked
  }: TransactionRequest & Pick<NewTransaction, 'document'>,
  canonicalJson: string,
): Prepared['record'] {
  const { operation, isDryRun, principal, document } = asked
  const names = { program, project: code, projectId }
  const submitter = principal.user
  return { ...names, operation, isDryRun, submitter, canonicalJson, document }
}

function uploadOf(
  { work: upload, canonicalJson }: ReadUpload,
  asked: TransactionRequest & Pick<NewTransaction, 'document'>,
): Prepared {
  const work = { operation: asked.operation, upload, ids: [], fields: [] }
  return { work, record: recordOf(asked, canonicalJson) }
}

function repeatedDeletion(canonicalJson: string): Prepared['work'] {
  const elements = readExactJson(canonicalJson) as readonly {
    readonly id: string
    readonly fields?: readonly string[]
  }[]
  const ids = elements.map(({ id }) => id)
  return { operation: 'delete', ids, fields: elements[0]?.fields ?? [] }
}

function repeatedRedaction(canonicalJson: string): Prepared['work'] {
  const elements = readExactJson(canonicalJson) as readonly {
    readonly id: string
    readonly reason: string
  }[]
  const ids = elements.map(({ id }) => id)
  return { operation: 'redact', ids, fields: [], reason: elements[0]?.reason ?? '' }
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
  const badInput = (message: string) => new EngineError('bad_input', message)
  const { state, closed, committedBy, isDryRun } = record
  if (state !== 'SUCCEEDED') throw badInput(`Unable to commit transaction log in state ${state}.`)
  if (closed) throw badInput('Unable to commit closed transaction log.')
  if (committedBy !== null) {
    const by = `This transaction_log was committed already by transaction '${committedBy}'.`
    throw badInput(by)
  }
  if (!isDryRun) throw badInput(`Cannot submit transaction_log '${id}', not a dry_run.`)
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
  const badInput = (message: string) => new EngineError('bad_input', message)
  const { closed, committedBy, isDryRun } = record
  const inVain = 'Closing it would have no effect.'
  if (closed) throw badInput('This transaction log is already closed.')
  if (!isDryRun) throw badInput(`Transaction log '${id}' is not a dry run. ${inVain}`)
  if (committedBy !== null) {
    throw badInput(`Transaction log '${id}' has already been committed. ${inVain}`)
  }
}
