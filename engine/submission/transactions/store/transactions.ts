import { byKeys, PLACES } from '../../../shared/database/by-keys.ts'
import type { Dialect, Rows, RowsOf, Transaction } from '../../../shared/database/database.ts'

type TransactionState = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'ERRORED'

/** Operation of an upload. A commit repeats it. */
export type UploadOperation = 'create' | 'put' | 'patch'
/** Action on a project as a whole (submission.md 13.3). */
export type ProjectAction = 'open' | 'review' | 'submit' | 'release'
export type Operation = UploadOperation | 'delete' | 'redact' | ProjectAction
type TransactionRole = 'create' | 'update' | 'delete' | ProjectAction

const ROLE_OF: Readonly<Record<Operation, TransactionRole>> = Object.freeze({
  create: 'create',
  put: 'update',
  patch: 'update',
  delete: 'delete',
  redact: 'delete',
  open: 'open',
  review: 'review',
  submit: 'submit',
  release: 'release',
})

export interface TransactionRecord {
  readonly id: number
  readonly projectId: string
  readonly operation: Operation
  readonly isDryRun: boolean
  readonly closed: boolean
  readonly committedBy: number | null
  readonly state: TransactionState
  readonly canonicalJson: string
}

export interface NewTransaction {
  readonly program: string
  readonly project: string
  readonly projectId: string
  readonly operation: Operation
  readonly isDryRun: boolean
  readonly submitter: string
  /** Id of the server that runs it. */
  readonly server: string
  readonly createdAt: string
  readonly canonicalJson: string
  readonly document: OriginalDocument
}

/** The submitted document. */
export interface OriginalDocument {
  readonly name: string | null
  readonly format: string
  readonly text: string
}

export interface Snapshot {
  readonly entityId: string
  readonly action: string
  /** Properties as JSON. */
  readonly oldProperties: string
  readonly newProperties: string
}

/** Adds the record of a new transaction and returns its id. */
export async function insertTransaction(
  transaction: Transaction,
  record: NewTransaction,
): Promise<number> {
  await transaction.run('UPDATE submission_counter SET last = last + 1')
  const counter = await transaction.get<{ last: number }>('SELECT last FROM submission_counter')
  const id = counter?.last ?? 0
  const { program, project, projectId, operation, isDryRun, document } = record
  await transaction.run(
    `INSERT INTO submission_transactions (id, program, project, project_id, role, operation,
       is_dry_run, closed, committed_by, state, submitter, server, created_at, canonical_json)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 'PENDING', ?, ?, ?, ?)`,
    [
      id,
      program,
      project,
      projectId,
      ROLE_OF[operation],
      operation,
      isDryRun ? 1 : 0,
      record.submitter,
      record.server,
      record.createdAt,
      record.canonicalJson,
    ],
  )
  await transaction.run(
    `INSERT INTO submission_documents (transaction_id, position, name, format, document,
       response_json) VALUES (?, 0, ?, ?, ?, NULL)`,
    [id, document.name, document.format, document.text],
  )
  return id
}

type EndState = Exclude<TransactionState, 'PENDING'>

interface TransactionEnd {
  readonly state: EndState
  /** The response as JSON, sent or not. */
  readonly responseJson: string
}

/** Ends a pending transaction. If the transaction has already ended, changes nothing and returns false. */
export async function finishTransaction(
  transaction: Transaction,
  id: number,
  { state, responseJson }: TransactionEnd,
): Promise<boolean> {
  if (!(await endTransaction(transaction, id, state))) return false
  await transaction.run(`${SET_RESPONSE} ?${OF_TRANSACTION}`, [responseJson, id])
  return true
}

/** Ends a transaction like `finishTransaction`, without its response, which `storeResponse` stores. */
export async function endTransaction(
  transaction: Transaction,
  id: number,
  state: EndState,
): Promise<boolean> {
  const sql = "UPDATE submission_transactions SET state = ? WHERE id = ? AND state = 'PENDING'"
  return (await transaction.run(sql, [state, id])).changes > 0
}

const SET_RESPONSE = 'UPDATE submission_documents SET response_json ='
const OF_TRANSACTION = ' WHERE transaction_id = ?'

/** Makes text of bytes in UTF-8. */
const TEXT_OF: Readonly<Record<Dialect, string>> = Object.freeze({
  sqlite: 'CAST(? AS TEXT)',
  postgresql: "convert_from(?, 'UTF8')",
})

/** Stores a response from its bytes: as a string, the longest would take that memory once more in each thread. */
export async function storeResponse(
  transaction: Transaction,
  dialect: Dialect,
  { id, json }: { readonly id: number; readonly json: Uint8Array },
): Promise<void> {
  await transaction.run(`${SET_RESPONSE} ${TEXT_OF[dialect]}${OF_TRANSACTION}`, [json, id])
}

/** Returns the statement that stores the changes of a transaction. */
export function snapshotRows(id: number, snapshots: readonly Snapshot[]): RowsOf {
  return {
    sql: `INSERT INTO submission_snapshots (transaction_id, position, entity_id, action, old_props,
       new_props) VALUES (?, ?, ?, ?, ?, ?)`,
    rows: snapshots.map((one, position) => [
      id,
      position,
      one.entityId,
      one.action,
      one.oldProperties,
      one.newProperties,
    ]),
  }
}

/** Returns a stored transaction, or undefined if it does not exist. */
export async function findTransaction(
  rows: Rows,
  id: number,
): Promise<TransactionRecord | undefined> {
  const row = await rows.get<{
    readonly project_id: string
    readonly operation: Operation
    readonly is_dry_run: number
    readonly closed: number
    readonly committed_by: number | null
    readonly state: TransactionState
    readonly canonical_json: string
  }>(
    `SELECT project_id, operation, is_dry_run, closed, committed_by, state, canonical_json
     FROM submission_transactions WHERE id = ?`,
    [id],
  )
  if (!row) return undefined
  return {
    id,
    projectId: row.project_id,
    operation: row.operation,
    isDryRun: row.is_dry_run === 1,
    closed: row.closed === 1,
    committedBy: row.committed_by,
    state: row.state,
    canonicalJson: row.canonical_json,
  }
}

/** Returns the response of a transaction as JSON. Null if the transaction has not ended. */
export async function responseOf(rows: Rows, id: number): Promise<string | null> {
  const sql = 'SELECT response_json FROM submission_documents WHERE transaction_id = ?'
  return (await rows.get<{ response_json: string | null }>(sql, [id]))?.response_json ?? null
}

/** Closes a transaction. It can then no longer be committed. */
export async function closeTransaction(transaction: Transaction, id: number): Promise<void> {
  await transaction.run('UPDATE submission_transactions SET closed = 1 WHERE id = ?', [id])
}

/**
 * Links a dry run to the transaction that commits it.
 * @param committedBy null if that transaction failed
 */
export async function setCommittedBy(
  transaction: Transaction,
  id: number,
  committedBy: number | null,
): Promise<void> {
  const sql = 'UPDATE submission_transactions SET committed_by = ? WHERE id = ?'
  await transaction.run(sql, [committedBy, id])
}

/** Returns the pending transactions with their servers. */
export function pendingTransactions(
  rows: Rows,
): Promise<{ readonly id: number; readonly server: string }[]> {
  const sql = "SELECT id, server FROM submission_transactions WHERE state = 'PENDING' ORDER BY id"
  return rows.all(sql)
}

/** Permits dry runs to be committed again after their commit was interrupted. */
export async function clearCommitter(transaction: Transaction, committer: number): Promise<void> {
  await transaction.run(
    'UPDATE submission_transactions SET committed_by = NULL WHERE committed_by = ?',
    [committer],
  )
}

/** Returns the properties that entities had before each of their changes, in no particular order. */
export function propertiesBefore(
  rows: Rows,
  entityIds: Iterable<string>,
): Promise<{ readonly id: string; readonly old_props: string }[]> {
  const sql = `SELECT entity_id AS id, old_props FROM submission_snapshots
     WHERE entity_id IN (${PLACES})`
  return byKeys(rows, sql, [], entityIds)
}
