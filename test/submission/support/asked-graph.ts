import type { Principal } from '../../../engine/shared/access/principal.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { GraphLimits } from '../../../engine/submission/graphql/budget.ts'
import { SubmittedGraph } from '../../../engine/submission/graphql/submitted-graph.ts'
import { ADMIN, MadeSubmission } from './service.ts'

interface GraphBody {
  /** The data of the answer, whose type depends on the query. */
  readonly data: ReturnType<JSON['parse']>
  readonly errors?: readonly string[]
}

interface AskOptions {
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
  readonly principal?: Principal
  readonly signal?: AbortSignal
}

/** Queries on the contents of a made service. */
export class AskedGraph {
  readonly graph: SubmittedGraph

  constructor({ database }: Pick<MadeSubmission, 'database'>, limits?: GraphLimits) {
    this.graph = new SubmittedGraph({
      database,
      dictionary: { current: () => MadeSubmission.dictionary() },
      executor: inlineExecutor,
      ...(limits && { limits }),
    })
  }

  async ask(query: string, { principal = ADMIN, ...options }: AskOptions = {}) {
    const request = { principal, tokenGiven: true, query, ...options }
    const { status, json } = await this.graph.query(request)
    return { status, body: JSON.parse(Buffer.from(json).toString()) as GraphBody }
  }

  /** Returns the data of a query that must have no errors. */
  async found(query: string, options: AskOptions = {}): Promise<GraphBody['data']> {
    const { status, body } = await this.ask(query, options)
    if (status === 200 && !('errors' in body)) return body.data
    throw new Error(`${status} ${JSON.stringify(body)} for ${query}`)
  }
}

/** A user with roles in projects. */
export function reader(...projects: readonly string[]): Principal {
  return {
    user: 'reader',
    admin: false,
    projects: new Map(projects.map((id) => [id, ['read']])),
  }
}

/** Writes a value as in a query. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one)}`)
    .join(', ')}}`
}

/** Arguments in brackets; empty if there are none. */
export function argumentsOf(given: Readonly<Record<string, unknown>>): string {
  const text = literal(given).slice(1, -1)
  return text === '' ? '' : `(${text})`
}
