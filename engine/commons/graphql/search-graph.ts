import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import { loadGraphqlLibrary } from '../../shared/graphql/load-library.ts'
import type { Searches, SearchesOptions, SearchGraphAnswer } from './searches.ts'

interface SearchGraphContext
  extends Pick<SearchesOptions, 'current' | 'evaluate' | 'executor' | 'sets'> {
  /** Turns of the event loop; without them, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
}

export interface SearchGraphRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string | undefined
  /** The client whose limits new sets count against: the same text for the same client. */
  readonly client: string
  readonly signal?: AbortSignal
}

/** Documents that are answered at a time. Each may keep all threads at work. */
const AT_ONCE = 8
const WAITING = 256

/** Statuses of errors that the caller can do something about. */
const CALLER_STATUSES: Readonly<Partial<Record<ErrorCode, SearchGraphAnswer['status']>>> =
  Object.freeze({ bad_input: 400, too_many: 400, not_found: 404, conflict: 409 })

/** The search by GraphQL, as the public portal asks it (portal.md 1.2 to 6). */
export class SearchGraph {
  readonly #context: SearchGraphContext
  readonly #gate = new Gate(AT_ONCE, WAITING, 'too many queries at once; try again in a moment')
  #made: Promise<Searches> | undefined

  constructor(context: SearchGraphContext) {
    this.#context = context
  }

  /**
   * Answers a document: a query, or a mutation of sets. What is wrong with it is in the answer, which then has no
   * data.
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

  /** The library is not needed for anything else in most processes, and would make every start slower. */
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

/** Returns the answer that tells who asks what is wrong; undefined for what is the service's fault. */
function refusalOf(error: unknown): SearchGraphAnswer | undefined {
  if (error instanceof EngineError) {
    const status = CALLER_STATUSES[error.code]
    return status && refusal([error.message], status)
  }
  // Its class is in a module that is loaded with the first document.
  return error instanceof Error && error.name === 'QueryError' && 'reasons' in error
    ? refusal(error.reasons as readonly string[])
    : undefined
}

/** Makes a failure, which has no data: clients look at the status, then at the message (portal.md 1.2). */
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
