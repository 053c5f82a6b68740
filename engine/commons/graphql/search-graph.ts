import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import { loadGraphqlLibrary } from '../../shared/graphql/load-library.ts'
import type { Searches, SearchesOptions, SearchGraphAnswer } from './searches.ts'

interface SearchGraphContext
  extends Pick<SearchesOptions, 'current' | 'evaluate' | 'executor' | 'sets'> {
  readonly turns?: LoopTurns | undefined
}

export interface SearchGraphRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string | undefined
  /** Identifies the client whose limits apply to new sets. */
  readonly client: string
  readonly signal?: AbortSignal
}

/** Maximum number of documents executed at a time. Each may use all threads. */
const AT_ONCE = 8
const WAITING = 256

/** HTTP status by error code, for errors that the client can correct. */
const CALLER_STATUSES: Readonly<Partial<Record<ErrorCode, SearchGraphAnswer['status']>>> =
  Object.freeze({ bad_input: 400, too_many: 400, not_found: 404, conflict: 409 })

/** Search by GraphQL, as the public portal uses it (portal.md 1.2 to 5). */
export class SearchGraph {
  readonly #context: SearchGraphContext
  readonly #gate = new Gate(AT_ONCE, WAITING, 'too many queries at once; try again in a moment')
  #made: Promise<Searches> | undefined

  constructor(context: SearchGraphContext) {
    this.#context = context
  }

  /**
   * Executes a document: a query, or a mutation of sets. Errors in the document are reported in the response,
   * which then has no data.
   * @throws EngineError busy, unavailable without a release, corrupt_source; the signal's reason
   */
  async query(request: SearchGraphRequest): Promise<SearchGraphAnswer> {
    const { query, variables = {}, operationName, client, signal } = request
    this.#made ??= this.#make()
    const searches = await this.#made
    const leave = await this.#gate.enter(signal)
    try {
      return await searches.answer({ query, variables, operationName }, { client, signal })
    } catch (error) {
      signal?.throwIfAborted()
      const refused = refusalOf(error)
      if (!refused) throw error
      return refused
    } finally {
      leave()
    }
  }

  /** Imported on first use, because the GraphQL library would slow down every start. */
  async #make(): Promise<Searches> {
    const { turns = new LoopTurns(), ...context } = this.#context
    await loadGraphqlLibrary(turns)
    const [{ Searches }, { searchModel }] = await Promise.all([
      import('./searches.ts'),
      import('./model.ts'),
    ])
    // Each step takes some ten milliseconds.
    const model = await turns.run(searchModel())
    await turns.next()
    return new Searches({ ...context, model, turns })
  }
}

/** If the client can correct an error, returns the response for it. Returns undefined otherwise. */
function refusalOf(error: unknown): SearchGraphAnswer | undefined {
  if (error instanceof EngineError) {
    const status = CALLER_STATUSES[error.code]
    return status && refusal([error.message], status)
  }
  // The error is recognised by name, because the module with its class is loaded with the first document.
  return error instanceof Error && error.name === 'QueryError' && 'reasons' in error
    ? refusal(error.reasons as readonly string[])
    : undefined
}

/** Creates an error response without data. Clients look at the status first, then at the message (portal.md 1.2). */
export function refusal(
  reasons: readonly string[],
  status: SearchGraphAnswer['status'] = 400,
): SearchGraphAnswer {
  const errors = reasons.map((message) => ({ message }))
  return {
    status,
    json: [Buffer.from(JSON.stringify({ errors, message: reasons.join('; ') }))],
  }
}
