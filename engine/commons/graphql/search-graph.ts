import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Searches, SearchesOptions, SearchGraphAnswer } from './searches.ts'

export interface SearchGraphContext
  extends Pick<SearchesOptions, 'current' | 'executor' | 'evaluate'> {
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
  /** Puts the members of sets in place of `set_id:` values; left out, there are no sets. */
  readonly withSets?: SearchesOptions['withSets']
}

export interface SearchGraphRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string | undefined
  readonly signal?: AbortSignal
}

/** Each may have all threads at work. */
const AT_ONCE = 8
const WAITING = 256

/** What the caller can do something about. */
const CALLER_CODES: ReadonlySet<string> = new Set(['bad_input', 'too_many'])

/** The search by GraphQL, as the public portal asks it (portal.md 1.2 to 6). */
export class SearchGraph {
  readonly #context: SearchGraphContext
  readonly #gate = new Gate(AT_ONCE, WAITING, 'too many queries at once; try again in a moment')
  #made: Promise<Searches> | undefined

  constructor(context: SearchGraphContext) {
    this.#context = context
  }

  /**
   * Answers a document. What is wrong with it is in the answer, which then has no data.
   * @throws EngineError busy, unavailable without a release, corrupt_source; the signal's reason
   */
  async query(request: SearchGraphRequest): Promise<SearchGraphAnswer> {
    const { query, variables = {}, operationName, signal } = request
    this.#made ??= this.#make()
    const searches = await this.#made
    const leave = await this.#gate.enter(signal)
    try {
      return await searches.answer({ query, variables, operationName }, signal)
    } catch (error) {
      signal?.throwIfAborted()
      const reasons = reasonsOf(error)
      if (!reasons) throw error
      return refusal(reasons)
    } finally {
      leave()
    }
  }

  /** The library is not needed for anything else in most processes, and would make every start slower. */
  async #make(): Promise<Searches> {
    const [{ Searches }, { searchModel }] = await Promise.all([
      import('./searches.ts'),
      import('./model.ts'),
    ])
    const { turns = new LoopTurns(), withSets, ...context } = this.#context
    // Each step takes some ten milliseconds.
    const model = await turns.run(searchModel())
    await turns.next()
    return new Searches({ ...context, model, turns, withSets })
  }
}

/** Why a document is not answered, for who asks; `undefined` for what is the service's fault. */
function reasonsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof EngineError)
    return CALLER_CODES.has(error.code) ? [error.message] : undefined
  // Its class is in a module that is loaded with the first document.
  return error instanceof Error && error.name === 'QueryError' && 'reasons' in error
    ? (error.reasons as readonly string[])
    : undefined
}

/** A failure has no data: clients look at the status, then at the message (portal.md 1.2). */
export function refusal(reasons: readonly string[]): SearchGraphAnswer {
  const errors = reasons.map((message) => ({ message }))
  return {
    status: 400,
    json: [Buffer.from(JSON.stringify({ errors, message: reasons.join('; ') }))],
  }
}
