import type { Packed } from '../../shared/arrays/packed.ts'
import type { EntityResult, TransactionalError } from './entity-result.ts'
import { type UnsubmittedCount, waitingText } from './store/entities.ts'
import type { ProjectAction } from './store/transactions.ts'

/** Response: HTTP status and JSON. */
export interface SubmissionAnswer {
  readonly status: number
  readonly body: unknown
  /** Body in UTF-8, if it is already serialized. `body` then parses it at each access. */
  readonly json?: Uint8Array<ArrayBuffer>
  /** Id of the transaction that the response is about. */
  readonly transactionId?: number
  /** Id of the project that the response is about, if the request does not name it. */
  readonly projectId?: string
  /** Returns the ids of the entities that the response is about. */
  readonly entities?: () => readonly string[]
}

/** A response that a worker thread has serialized, because it may be megabytes long. */
export class WrittenAnswer implements SubmissionAnswer {
  readonly status: number
  readonly json: Uint8Array<ArrayBuffer>
  readonly transactionId: number
  readonly entities: () => readonly string[]

  constructor(
    transactionId: number,
    {
      status,
      bytes,
      entities,
    }: { readonly status: number; readonly bytes: Packed; readonly entities: Packed },
  ) {
    this.status = status
    this.json = bytes
    this.transactionId = transactionId
    this.entities = () => new TextDecoder().decode(entities).split('\n').filter(Boolean)
  }

  get body(): unknown {
    return JSON.parse(new TextDecoder().decode(this.json))
  }
}

const SUBMITTED = 'Transaction submitted.'
export const UNEXPECTED = 'Internal server error. Sorry, something unexpected went wrong!'
export const LEFT = 'The client went away before the transaction had begun.'
export const UNWRITTEN = 'Unable to write to database, please try again'

const DRY_UPLOAD =
  'Transaction would have been successful. User selected dry run option, transaction aborted, ' +
  'no data written to database.'

/** Result of a transaction. */
export interface Outcome {
  readonly transactionId: number
  readonly isDryRun: boolean
  readonly results: readonly EntityResult[]
  readonly transactionalErrors: readonly TransactionalError[]
  /** HTTP status of a success. */
  readonly code: number
  /** Numbers of validated entities that are not submitted, by type. A release of the project leaves them out. */
  readonly waiting?: readonly UnsubmittedCount[]
}

/** Returns whether all documents of a transaction are valid. */
export function isSuccess({ results, transactionalErrors }: Outcome): boolean {
  return transactionalErrors.length === 0 && results.every(({ valid }) => valid)
}

/** Builds the response to an upload (submission.md 9). */
export function uploadAnswer(outcome: Outcome): SubmissionAnswer {
  const { results, isDryRun } = outcome
  const success = isSuccess(outcome)
  const of = (action: string) => (success ? results.filter((one) => one.action === action) : [])
  const done = isDryRun ? DRY_UPLOAD : 'Transaction successful.'
  return answerWith(outcome, {
    cases_related_to_created_entities_count: countCases(of('create')),
    cases_related_to_updated_entities_count: countCases(of('update')),
    created_entity_count: of('create').length,
    message: success ? done : `Transaction aborted due to ${failureCounts(outcome)}.`,
    updated_entity_count: of('update').length,
  })
}

/** Builds the response to a deletion (submission.md 11). */
export function deletionAnswer(outcome: Outcome): SubmissionAnswer {
  const { results, isDryRun } = outcome
  const success = isSuccess(outcome)
  const done = isDryRun
    ? `Dry run successful. Would have deleted ${results.length} entities`
    : `Successfully deleted ${results.length} entities`
  const dependents = results
    .flatMap(({ errors }) => errors)
    .flatMap((error) => error.dependents ?? [])
  return answerWith(outcome, {
    deleted_entity_count: success ? results.length : 0,
    dependent_ids: [...new Set(dependents.map(({ id }) => id))].join(','),
    message: success ? done : 'Deletion transaction failed.',
  })
}

/** Builds the response to a redaction (submission.md 11). */
export function redactionAnswer(outcome: Outcome): SubmissionAnswer {
  const { results, isDryRun } = outcome
  const success = isSuccess(outcome)
  const done = isDryRun
    ? `Dry run successful. Would have redacted ${results.length} entities`
    : `Successfully redacted ${results.length} entities`
  return answerWith(outcome, {
    message: success ? done : 'Redaction transaction failed.',
    redacted_entity_count: success ? results.length : 0,
  })
}

/** Builds the response to a project action (submission.md 13.3). */
export function projectAnswer(action: ProjectAction, outcome: Outcome): SubmissionAnswer {
  const success = isSuccess(outcome)
  const count = success ? outcome.results.length : 0
  const [done, dry, failed] = PROJECT_MESSAGES[action](count)
  return answerWith(outcome, {
    ...(action === 'submit' && { submitted_entity_count: count }),
    message: success ? withRest(outcome.isDryRun ? dry : done, outcome) : failed,
  })
}

/**
 * Appends the numbers of entities that are not submitted to a message. If there are none, the message must be
 * exactly the documented one.
 */
function withRest(text: string, { waiting = [] }: Outcome): string {
  if (waiting.length === 0) return text
  const sentence = text.endsWith('.') ? text : `${text}.`
  const remedy =
    'No release takes them before you review and submit the project and release it again'
  return `${sentence} ${waitingText(waiting)}. ${remedy}.`
}

type Messages = readonly [done: string, dry: string, failed: string]

const moved = (state: string): Messages => [
  `Successfully transitioned project state to '${state}'`,
  `Dry run successful. Would have successfully transitioned project state to '${state}'`,
  'Transaction failed.',
]

const PROJECT_MESSAGES: Readonly<Record<ProjectAction, (count: number) => Messages>> = {
  open: () => moved('open'),
  review: () => moved('review'),
  submit: (count) => [
    `Successfully submitted ${count} entities.`,
    `Dry run successful. Would have submitted ${count} entities.`,
    'Submit transaction failed.',
  ],
  release: () => [
    'Successfully released project',
    'Dry run successful. Would have released project.',
    'Release transaction failed.',
  ],
}

/** Adds the members of all responses. The message of a failure is also in `error` (submission.md 2). */
function answerWith(
  outcome: Outcome,
  own: Readonly<Record<string, unknown>> & { readonly message: string },
): SubmissionAnswer {
  const { transactionId, results, transactionalErrors } = outcome
  const success = isSuccess(outcome)
  const code = success ? outcome.code : 400
  const body = {
    ...own,
    code,
    entities: results,
    entity_error_count: results.filter(({ valid }) => !valid).length,
    ...(success ? {} : { error: own.message }),
    success,
    transaction_id: transactionId,
    transactional_error_count: transactionalErrors.length,
    transactional_errors: transactionalErrors,
  }
  return { status: code, body: inOrder(body) }
}

/** Sorts members by name, which is the order that clients know (submission.md 9). */
function inOrder(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Builds the response of a transaction that could not be completed and stored nothing. It has the counts of an
 * upload, all 0, for every kind of transaction. Status 503 means that the database could not be written and a
 * retry may help.
 */
export function erroredAnswer(transactionId: number, message: string): SubmissionAnswer {
  const aborted = 'Transaction aborted due to 1 transactional error.'
  const code = message === UNWRITTEN ? 503 : 500
  return {
    status: code,
    body: {
      cases_related_to_created_entities_count: 0,
      cases_related_to_updated_entities_count: 0,
      code,
      created_entity_count: 0,
      entities: [],
      entity_error_count: 0,
      error: aborted,
      message: aborted,
      success: false,
      transaction_id: transactionId,
      transactional_error_count: 1,
      transactional_errors: [{ message }],
      updated_entity_count: 0,
    },
  }
}

/** Returns the stored response of a finished transaction, or undefined if there is none. */
export function storedAnswer(responseJson: string | null): SubmissionAnswer | undefined {
  if (responseJson === null) return undefined
  const body = JSON.parse(responseJson) as { readonly code: number }
  return { status: body.code, body }
}

export function acceptedAnswer(transactionId: number): SubmissionAnswer {
  return {
    status: 200,
    body: { code: 200, message: SUBMITTED, transaction_id: transactionId },
    transactionId,
  }
}

function countCases(results: readonly EntityResult[]): number {
  return new Set(results.flatMap((one) => one.related_cases.map(({ id }) => id))).size
}

function failureCounts({ results, transactionalErrors }: Outcome): string {
  const invalid = results.filter(({ valid }) => !valid).length
  const counted = (count: number, one: string, several: string) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]
  return [
    ...counted(invalid, 'invalid entity', 'invalid entities'),
    ...counted(transactionalErrors.length, 'transactional error', 'transactional errors'),
  ].join(' and ')
}
