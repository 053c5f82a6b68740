import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../shared/database/database.ts'
import type { Executor } from '../../shared/executor.ts'
import type { SchemaBody } from '../../shared/graphql/introspection.ts'
import { loadGraphqlLibrary } from '../../shared/graphql/load-library.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { requirePrincipal, type SubmissionCaller } from '../transactions/permissions.ts'
import { GRAPH_LIMITS, type GraphLimits } from './budget.ts'
import type { GraphAnswer, Queries } from './queries.ts'

interface SubmittedGraphOptions {
  /** Database with SUBMISSION_TABLES. */
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly executor: Executor
  readonly limits?: GraphLimits
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

export interface GraphRequest extends SubmissionCaller {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string | undefined
  readonly signal?: AbortSignal
}

/** Maximum number of concurrent queries. Each occupies one of the eight read transactions of the database. */
const AT_ONCE = 4
const WAITING = 64

/** GraphQL queries on submitted data (submission.md 15). */
export class SubmittedGraph {
  readonly #options: SubmittedGraphOptions
  readonly #gate = new Gate(AT_ONCE, WAITING, 'too many queries at once; try again in a moment')
  #made: { readonly of: Dictionary; readonly queries: Promise<Queries> } | undefined

  constructor(options: SubmittedGraphOptions) {
    this.#options = options
  }

  /**
   * Throws if the caller may not query.
   * @throws EngineError `unauthenticated` without a principal
   */
  admit(caller: SubmissionCaller): void {
    requirePrincipal(caller)
  }

  /**
   * Answers a query on the projects that the caller may read. The response includes errors in the query.
   * @throws EngineError `unauthenticated`, `busy`, `unavailable`; the signal's reason
   */
  async query(request: GraphRequest): Promise<GraphAnswer> {
    const { admin, projects } = requirePrincipal(request)
    const { query, variables = {}, operationName, signal } = request
    const readable = [...projects].filter(([, roles]) => roles.includes('read'))
    const queries = await this.#queries()
    const leave = await this.#gate.enter(signal)
    try {
      return await queries.answer({
        query,
        variables,
        operationName,
        signal,
        projects: admin ? undefined : readable.map(([id]) => id),
      })
    } finally {
      leave()
    }
  }

  /**
   * Returns the response to the usual introspection query. The object is the same while the dictionary does
   * not change.
   * @throws EngineError `busy` if too many queries are waiting
   */
  async schema(signal?: AbortSignal): Promise<SchemaBody> {
    return (await this.#queries()).schema(signal)
  }

  /** Builds the schema on first use, once per dictionary. */
  async #queries(): Promise<Queries> {
    const dictionary = await this.#options.dictionary.current()
    if (this.#made?.of !== dictionary) {
      const queries = this.#make(dictionary)
      this.#made = { of: dictionary, queries }
      queries.catch(() => {
        this.#made = undefined
      })
    }
    return this.#made.queries
  }

  async #make(dictionary: Dictionary): Promise<Queries> {
    const { database, executor, limits = GRAPH_LIMITS, turns = new LoopTurns() } = this.#options
    // Imported on first use, because the library would slow down every start of the server.
    await loadGraphqlLibrary(turns)
    const [{ Queries }, { graphModel }, { schemaSteps }] = await Promise.all([
      import('./queries.ts'),
      import('./model.ts'),
      import('./schema.ts'),
    ])
    // Each step takes about ten milliseconds.
    await turns.next()
    const model = graphModel(dictionary)
    await turns.next()
    const schema = await turns.run(schemaSteps(model))
    return new Queries({ model, schema, database, executor, limits, turns })
  }
}
