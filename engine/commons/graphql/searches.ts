import { type GraphQLSchema, getVariableValues } from 'graphql'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import { Introspection, type SchemaQuery } from '../../shared/graphql/introspection.ts'
import { QueryError, type ReadOperation, readDocument } from '../../shared/graphql/read-document.ts'
import { filterCost } from '../query/cost.ts'
import { layoutsOf } from '../query/field-cost.ts'
import type { Answer } from '../query/query.ts'
import type { Release } from '../release/release.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import type { Cart } from './cart.ts'
import { CART_FIELDS } from './cart-fields.ts'
import { compile, type ValidOperation } from './compile.ts'
import { countsJob, showCounts, widthOfCounts } from './counts.ts'
import { costOfRequest, type Finding, type Found, findRequest } from './find-request.ts'
import { introspectSearchJob } from './introspect-job.ts'
import { SEARCH_DOCUMENT_LIMITS, SEARCH_GRAPH_LIMITS } from './limits.ts'
import type { SearchModel } from './model.ts'
import { type NodePlan, needsOf, pageInfoOf, pageInfoText, widthOf } from './node-plan.ts'
import { pickJob, tooLong } from './picks.ts'
import type { HitsPart, SearchPlan, Slot } from './plan.ts'
import { makeSearchSchema } from './schema.ts'
import type { ScoredPage } from './scored-page.ts'
import { type ChangingSets, changeSets } from './set-changes.ts'
import { nodesJob, tooManyValues } from './show-nodes.ts'

export interface SearchesOptions extends Finding {
  readonly model: SearchModel
  readonly current: CurrentRelease
  readonly turns: LoopTurns
  /** Stored sets. Filters refer to them by `set_id:`, and mutations change them. */
  readonly sets: ChangingSets
}

interface AnswerOptions {
  /** Identifies the client whose limits apply to new sets. */
  readonly client: string
  readonly signal: AbortSignal | undefined
}

/** Response of a document: HTTP status and JSON. */
export interface SearchGraphAnswer {
  readonly status: 200 | 400 | 404 | 409
  /** JSON in chunks, so that a long response is never in memory twice. */
  readonly json: readonly Uint8Array<ArrayBuffer>[]
  /** Undefined if no release was needed. */
  readonly releaseId?: string
  /** Warnings about the filters, by parameter, for the header: a success has no member besides `data`. */
  readonly warnings?: Readonly<Record<string, string>>
}

type Chunk = string | Uint8Array<ArrayBuffer>

/** Maximum number of cached documents. Pages of a portal repeat a few documents. */
const MAX_DOCUMENTS = 128
const MAX_PLANS = 256
/** Maximum length of a cached document with its variables. */
const MAX_KEY_LENGTH = 16_000
/** Maximum size of counts in bytes that are rendered on the calling thread. */
const INLINE_COUNTS = 64 << 10
/** Number of records rendered per job. */
const NODES_AT_ONCE = 500

/** Executes documents of one schema on the current release. */
export class Searches {
  readonly #options: SearchesOptions
  readonly #schema: GraphQLSchema
  readonly #introspection: Introspection
  readonly #documents = new LruCache<ReadOperation>(MAX_DOCUMENTS)
  readonly #plans = new LruCache<SearchPlan>(MAX_PLANS)

  constructor(options: SearchesOptions) {
    this.#options = options
    this.#schema = makeSearchSchema(options.model)
    const { executor } = options
    this.#introspection = new Introspection((asked, signal) =>
      executor.run(introspectSearchJob, asked, { signal }),
    )
  }

  /**
   * Executes a document.
   * @throws QueryError, EngineError bad_input and too_many if it is invalid; not_found and conflict
   *   for a set that it changes; busy, unavailable, corrupt_source; the signal's reason
   */
  async answer(asked: SchemaQuery, { client, signal }: AnswerOptions): Promise<SearchGraphAnswer> {
    const read = await this.#read(asked)
    if (read.isIntrospection) return this.#introspect(asked, signal)
    if (read.operation.operation === 'mutation') {
      const valid = this.#valid(asked, read)
      const schema = this.#schema
      const data = await changeSets(valid, { ...this.#options, schema, client, signal })
      return { status: 200, json: [Buffer.from(JSON.stringify({ data }))] }
    }
    const plan = await this.#plan(asked, read)
    const lease = this.#options.current.lease()
    try {
      const answering = new Answering(plan, lease.release, this.#options, signal)
      const { warnings } = plan
      return { status: 200, json: await answering.json(), releaseId: lease.release.id, warnings }
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  async #introspect(asked: SchemaQuery, signal?: AbortSignal): Promise<SearchGraphAnswer> {
    const found = await this.#introspection.answer(asked, signal)
    if ('reasons' in found) throw new QueryError(found.reasons)
    return { status: 200, json: [found.json] }
  }

  async #read({ query, operationName }: SchemaQuery): Promise<ReadOperation> {
    const key = JSON.stringify([query, operationName])
    const known = key.length > MAX_KEY_LENGTH ? undefined : this.#documents.peek(key)
    if (known) return this.#documents.of(key, () => known)
    const rules = { schema: this.#schema, limits: SEARCH_DOCUMENT_LIMITS }
    const read = await this.#options.turns.run(readDocument(query, operationName, rules))
    return key.length > MAX_KEY_LENGTH ? read : this.#documents.of(key, () => read)
  }

  async #plan(asked: SchemaQuery, read: ReadOperation): Promise<SearchPlan> {
    const key = JSON.stringify([asked.query, asked.operationName, asked.variables])
    const isShort = key.length <= MAX_KEY_LENGTH
    const known = isShort ? this.#plans.peek(key) : undefined
    if (known) return this.#plans.of(key, () => known)
    const { model, turns, sets } = this.#options
    const withSets = (filters: unknown) => sets.pin(filters)
    const context = { model, schema: this.#schema, turns, withSets }
    const plan = await compile(this.#valid(asked, read), context)
    return isShort && !plan.refersToSets ? this.#plans.of(key, () => plan) : plan
  }

  /** @throws QueryError for variables of the wrong type */
  #valid({ variables }: SchemaQuery, { document, operation }: ReadOperation): ValidOperation {
    const definitions = operation.variableDefinitions ?? []
    const given = getVariableValues(this.#schema, definitions, variables, { maxErrors: 20 })
    if (given.errors) throw new QueryError(given.errors.map(({ message }) => message))
    return { document, operation, variables: given.coerced }
  }
}

/** The execution of one document on one release. */
class Answering {
  readonly #plan: SearchPlan
  readonly #release: Release
  readonly #options: SearchesOptions
  readonly #signal: AbortSignal | undefined
  #values: number = SEARCH_GRAPH_LIMITS.values
  #bytes: number = SEARCH_GRAPH_LIMITS.bytes

  constructor(
    plan: SearchPlan,
    release: Release,
    options: SearchesOptions,
    signal: AbortSignal | undefined,
  ) {
    this.#plan = plan
    this.#release = release
    this.#options = options
    this.#signal = signal
  }

  /**
   * Returns the response in chunks.
   * @throws EngineError too_many; any error of loading
   */
  async json(): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const chunks = await this.#chunks()
    return this.#options.turns.run(jsonOf(['{"data":', ...chunks, '}']))
  }

  async #chunks(): Promise<readonly Chunk[]> {
    this.#checkCost()
    const running: Promise<Found>[] = []
    for (const request of this.#plan.requests) {
      const finding = findRequest(request, this.#release, this.#options, this.#signal)
      finding.catch(() => {})
      running.push(finding)
      // Cheap searches run on the calling thread.
      await this.#options.turns.pause()
    }
    // Waits for all searches even if one fails, because they read arrays that are freed afterwards.
    await Promise.allSettled(running)
    const found = await Promise.all(running)
    return this.#slot(this.#plan.root, found)
  }

  /**
   * Throws if the total cost of all searches is too high.
   * @throws EngineError too_many if it exceeds SEARCH_GRAPH_LIMITS
   */
  #checkCost(): void {
    const layouts = layoutsOf(this.#release.manifest)
    let cost = 0
    for (const request of this.#plan.requests) cost += costOfRequest(request, layouts)
    for (const plan of nodePlansOf(this.#plan.root)) {
      for (const { table, filter } of needsOf(plan).filters) {
        cost += filterCost(table, filter, layouts)
      }
    }
    if (cost <= SEARCH_GRAPH_LIMITS.cost) return
    const message = `the query would look at about ${cost} values; the limit is ${SEARCH_GRAPH_LIMITS.cost}; request less in one document`
    throw new EngineError('too_many', message)
  }

  async #slot(slot: Slot, found: readonly Found[]): Promise<readonly Chunk[]> {
    await this.#options.turns.pause()
    switch (slot.kind) {
      case 'text':
        return [slot.text]
      case 'object': {
        const chunks: Chunk[] = []
        for (const [i, { as, slot: member }] of slot.members.entries()) {
          chunks.push(`${i > 0 ? ',' : '{'}${JSON.stringify(as)}:`)
          chunks.push(...(await this.#slot(member, found)))
        }
        return [...chunks, '}']
      }
      case 'hits':
        return this.#hits(slot, found[slot.request] as Answer | ScoredPage)
      case 'counts': {
        const { aggregations = NOTHING } = found[slot.request] as Answer
        const input = { aggregations, plans: [slot.plan], characters: this.#bytes }
        const isShort = aggregations.length * widthOfCounts(slot.plan) < INLINE_COUNTS
        if (isShort) return this.#within(showCounts(input))
        const signal = this.#signal
        return this.#within(await this.#options.executor.run(countsJob, input, { signal }))
      }
      case 'cart': {
        const { fs, buckets } = found[slot.request] as Cart
        const lists = CART_FIELDS.map(
          ({ name, field }) => [name, { buckets: buckets[field] ?? [] }] as const,
        )
        const value = { fs, ...Object.fromEntries(lists) }
        const input = { value, picks: slot.picks, characters: this.#bytes }
        const signal = this.#signal
        return this.#within([await this.#options.executor.run(pickJob, input, { signal })])
      }
    }
  }

  async #hits(
    { offset, members }: Extract<Slot, { kind: 'hits' }>,
    page: Answer | ScoredPage,
  ): Promise<readonly Chunk[]> {
    const chunks: Chunk[] = []
    for (const [i, member] of members.entries()) {
      chunks.push(`${i > 0 ? ',' : '{'}${JSON.stringify(member.as)}:`)
      chunks.push(...(await this.#part(member, offset, page)))
    }
    return [...chunks, '}']
  }

  async #part(
    part: HitsPart,
    offset: number,
    page: Answer | ScoredPage,
  ): Promise<readonly Chunk[]> {
    const { total, rows } = page
    switch (part.kind) {
      case 'text':
        return [part.text]
      case 'total':
        return [String(total)]
      case 'pageInfo':
        return [pageInfoText(pageInfoOf(total, offset, rows.length), part.members)]
      case 'edges':
        return this.#edges(part.plan, offset, page)
    }
  }

  async #edges(
    plan: NodePlan,
    offset: number,
    page: Answer | ScoredPage,
  ): Promise<readonly Chunk[]> {
    const { rows } = page
    const scores = 'scores' in page ? page.scores : undefined
    if (rows.length === 0) return ['[]']
    // This is checked before any record is read.
    if (rows.length * widthOf(plan.edges) > this.#values) throw tooManyValues()
    const release = this.#release
    const signal = this.#signal
    const { keys, documents: names } = needsOf(plan)
    const loaded = await release.load(keys, { signal })
    const documents = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await release.documents(name)] as const)),
    )
    const chunks: Chunk[] = []
    for (let from = 0; from < rows.length; from += NODES_AT_ONCE) {
      const end = Math.min(from + NODES_AT_ONCE, rows.length)
      const part = { rows: rows.slice(from, end), scores: scores?.slice(from, end) }
      const input = {
        plan,
        ...part,
        offset: offset + from,
        values: this.#values,
        characters: this.#bytes,
        loaded,
        documents,
      }
      const shown = await this.#options.executor.run(nodesJob, input, { signal })
      this.#values -= shown.values
      chunks.push(from > 0 ? ',' : '[', ...this.#within([shown.bytes]))
    }
    return [...chunks, ']']
  }

  /**
   * Charges the chunks against the maximum size of the response. Returns the chunks.
   * @throws EngineError too_many if it is exceeded
   */
  #within<C extends Chunk>(chunks: readonly C[]): readonly C[] {
    for (const { length } of chunks) this.#bytes -= length
    if (this.#bytes >= 0) return chunks
    throw tooLong()
  }
}

/** Minimum length of text that is encoded at once. */
const PIECE_CHARACTERS = 64 << 10

function* jsonOf(chunks: readonly Chunk[]): Generator<void, readonly Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  const end = () => {
    if (text !== '') pieces.push(Buffer.from(text))
    text = ''
  }
  for (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      end()
      pieces.push(chunk)
    } else {
      text += chunk
      if (text.length > PIECE_CHARACTERS) {
        end()
        yield
      }
    }
  }
  end()
  return pieces
}

const NOTHING = Buffer.from('{}')

function* nodePlansOf(slot: Slot): Generator<NodePlan> {
  if (slot.kind === 'object')
    for (const { slot: member } of slot.members) yield* nodePlansOf(member)
  if (slot.kind !== 'hits') return
  for (const part of slot.members) if (part.kind === 'edges') yield part.plan
}
