import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { beyond, placeOf } from '../../shared/graphql/document-limits.ts'
import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import { chiSquareUpperTail } from '../analysis/statistics/chi-square.ts'
import type { Dataset } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { DATASETS } from '../datasets/index.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { FacetCount } from '../query/query.ts'
import { joinFilters } from '../query/shape.ts'
import { isNumberType } from '../release/fold.ts'
import { CART_FIELDS } from './cart-fields.ts'
import type { Constant, CountPart, CountPlan } from './counts.ts'
import { type ElementNames, elementNames } from './element-names.ts'
import { FilterReader, type WithSets } from './filter-reading.ts'
import { SEARCH_DOCUMENT_LIMITS } from './limits.ts'
import type { SearchModel, SearchPlace } from './model.ts'
import type {
  ConnectionMember,
  EdgeMember,
  ElementFilter,
  HitsMember,
  LinkPlan,
  NodeMember,
  PageInfoMember,
  PageMember,
} from './node-plan.ts'
import { numberFrom, pageOf } from './page.ts'
import type { PickedMember } from './picks.ts'
import type { HitsPart, Member, SearchPlan, Slot } from './plan.ts'
import { readRanges } from './ranges.ts'
import { type RequestedRecords, SearchRequests } from './search-requests.ts'
import { type RequestedField, Selection } from './selection.ts'
import type { LinkedRecord, NodeField, NodeShape } from './shapes.ts'

type Connection = Extract<NodeField, { kind: 'connection' }>

export interface Compiling {
  readonly model: SearchModel
  readonly schema: GraphQLSchema
  readonly turns: LoopTurns | undefined
  readonly withSets: WithSets | undefined
}

export interface ValidOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Values of the variables, converted to their types. */
  readonly variables: Readonly<Record<string, unknown>>
}

// A document is a tree. Groups (`viewer`, `repository`) contain datasets (`cases`), and a dataset contains
// `hits`, `facets` or `aggregations`. Below `hits` are `edges`, `node` and the fields of the record. A list in a
// record is a connection, whose own `hits` are elements of the list. A Slot defines how to make the value of a
// RequestedField. A place is a position in the schema at which a dataset can be searched.

/**
 * Compiles a valid document to the searches that it requires.
 * @throws EngineError bad_input, too_many; QueryError
 */
export async function compile(valid: ValidOperation, context: Compiling): Promise<SearchPlan> {
  return new Compiler(valid, context).plan()
}

class Compiler {
  readonly #valid: ValidOperation
  readonly #context: Compiling
  readonly #selection: Selection
  readonly #reader: FilterReader
  readonly #requests: SearchRequests
  /** Parsing of the connections' filters. It runs after everything else has been validated. */
  readonly #later: (() => Promise<void>)[] = []
  #lists = 0

  constructor(valid: ValidOperation, context: Compiling) {
    this.#valid = valid
    this.#context = context
    this.#selection = new Selection(valid.document, valid.variables)
    this.#reader = new FilterReader(context)
    this.#requests = new SearchRequests(this.#reader)
  }

  async plan(): Promise<SearchPlan> {
    const root = this.#root()
    const requests = await this.#requests.read(this.#context.turns)
    for (const read of this.#later) await read()
    const { refersToSets, warnings } = this.#reader
    return { requests, root, refersToSets, warnings }
  }

  #root(): Slot {
    const { schema } = this.#context
    const { operation } = this.#valid
    const type = schema.getQueryType()
    if (!type) throw new Error('the schema has no root')
    return this.#group(this.#selection.of(type, [operation.selectionSet], 1), type.name, [])
  }

  #members(asked: RequestedField): readonly RequestedField[] {
    return this.#selection.of(asked.type, asked.sets, asked.depth)
  }

  /** @param path names of the groups above and including this one, except those up to `viewer` */
  #group(all: readonly RequestedField[], typeName: string, path: readonly string[]): Slot {
    const members = all.map((asked): Member => {
      const { as, name } = asked
      if (name === '__typename') return { as, slot: constant(typeName) }
      if (name === 'viewer')
        return { as, slot: this.#group(this.#members(asked), asked.type.name, []) }
      if (name === 'cart_summary') return { as, slot: this.#cart(asked) }
      if (name === 'analysis') return { as, slot: this.#analysis(asked) }
      const full = [...path, name]
      const place = this.#context.model.places.find((one) => isSamePath(one.path, full))
      const below = this.#members(asked)
      if (place) return { as, slot: this.#dataset(below, place) }
      return { as, slot: this.#group(below, asked.type.name, full) }
    })
    return { kind: 'object', members }
  }

  #dataset(all: readonly RequestedField[], place: SearchPlace): Slot {
    const members = all.map((asked): Member => {
      const { as, name } = asked
      if (name === '__typename') return { as, slot: constant(place.typeName) }
      this.#countList(asked)
      if (name === 'hits') return { as, slot: this.#hits(asked, place) }
      return {
        as,
        slot: name === 'facets' ? this.#facets(asked, place) : this.#aggregations(asked, place),
      }
    })
    return { kind: 'object', members }
  }

  #countList({ node }: RequestedField): void {
    this.#lists++
    const { lists } = SEARCH_DOCUMENT_LIMITS
    if (this.#lists > lists)
      throw beyond(`has more than ${lists} lists and counts ${placeOf(node)}`)
  }

  #hits(asked: RequestedField, place: SearchPlace): Slot {
    const records = recordsOf(asked, place.dataset)
    const page = pageOf(asked, DATASETS[place.dataset])
    const request = this.#requests.page(records, page)
    const members = this.#members(asked).map((one): HitsPart => {
      const { as, name } = one
      if (name === '__typename') return { kind: 'text', as, text: quoted(asked.type.name) }
      if (name === 'total') return { kind: 'total', as }
      if (name === 'pageInfo') return { kind: 'pageInfo', as, members: this.#pageInfo(one) }
      const root = DATASETS[place.dataset]
      const edges = this.#edges(one, place.shape, root)
      return { kind: 'edges', as, plan: { dataset: place.dataset, edges } }
    })
    const shown = page.first === 0 ? members.map(withoutEdges) : members
    return { kind: 'hits', request, offset: page.offset, members: shown }
  }

  #pageInfo(asked: RequestedField): readonly PageInfoMember[] {
    return this.#members(asked).map(({ as, name }) => ({
      as,
      from: name as PageInfoMember['from'],
    }))
  }

  #edges(asked: RequestedField, shape: NodeShape, root: Dataset): readonly EdgeMember[] {
    return this.#members(asked).map((one): EdgeMember => {
      const { as, name } = one
      if (name === '__typename') return { kind: 'text', as, text: quoted(asked.type.name) }
      if (name === 'cursor') return { kind: 'cursor', as }
      return { kind: 'node', as, members: this.#node(one, shape, root) }
    })
  }

  #node(asked: RequestedField, shape: NodeShape, root: Dataset): readonly NodeMember[] {
    const typeName = asked.type.name
    return this.#members(asked).map((one): NodeMember => {
      const { as, name } = one
      if (name === '__typename') return { kind: 'text', as, text: quoted(typeName) }
      const field = shape.fields.get(name)
      if (!field) {
        if (name === 'score') return { kind: 'score', as }
        return { kind: 'id', as, typeName, by: shape.id }
      }
      const { source } = field
      if (field.kind === 'value') {
        const { from, type, isList } = field
        return { kind: 'value', as, source, from, type: shownType(type), isList }
      }
      if (field.kind === 'object') {
        const { from } = field
        const link = linkOf(field.shape.link)
        return {
          kind: 'object',
          as,
          source,
          from,
          link,
          members: this.#node(one, field.shape, root),
        }
      }
      return this.#connection(one, field, root)
    })
  }

  #connection(asked: RequestedField, field: Connection, root: Dataset): ConnectionMember {
    const { as } = asked
    const { shape, from, source, step } = field
    const hits = this.#members(asked).map((one) =>
      one.name === '__typename'
        ? ({ kind: 'text', as: one.as, text: quoted(asked.type.name) } as const)
        : this.#elements(one, field, root),
    )
    const records = shape.records?.name
    return { kind: 'connection', as, source, from, step, records, link: linkOf(shape.link), hits }
  }

  #elements(asked: RequestedField, field: Connection, root: Dataset): HitsMember {
    const { as, args, node } = asked
    this.#countList(asked)
    const { shape } = field
    if (Array.isArray(args.sort) && args.sort.length > 0) {
      const message = `hits ${placeOf(node)} keep the order that they have in their record; only hits of a dataset can be sorted`
      throw new EngineError('bad_input', message, { at: 'sort' })
    }
    const first = numberFrom(args.first, 'first') ?? Number.MAX_SAFE_INTEGER
    const offset = numberFrom(args.offset, 'offset') ?? 0
    // Below a gene, fields of its cases are named as in the dataset of cases, so they are looked up there.
    const below = shape.link?.table === 'case_genes' ? DATASETS.cases : root
    const members = this.#members(asked).map((one): PageMember => {
      if (one.name === '__typename')
        return { kind: 'text', as: one.as, text: quoted(asked.type.name) }
      if (one.name === 'total') return { kind: 'total', as: one.as }
      if (one.name === 'pageInfo') {
        return { kind: 'pageInfo', as: one.as, members: this.#pageInfo(one) }
      }
      return { kind: 'edges', as: one.as, edges: this.#edges(one, shape, below) }
    })
    const hits: { -readonly [Name in keyof HitsMember]: HitsMember[Name] } = {
      kind: 'hits',
      as,
      first,
      offset,
      only: undefined,
      members,
    }
    this.#later.push(async () => {
      hits.only = await this.#elementFilter(args, field, root)
    })
    return hits
  }

  async #elementFilter(
    { filters, case_filters: caseFilters }: RequestedField['args'],
    field: Connection,
    root: Dataset,
  ): Promise<ElementFilter | undefined> {
    const names = elementNames(root, field)
    const key = `${root.name} ${field.shape.path} ${field.shape.link?.table ?? ''}`
    const records = `${field.shape.path} of ${root.name}`
    const read = (given: unknown, resolve: ElementNames['resolve'], role: string) =>
      this.#reader.read(`${key} ${role}`, given, { records, resolve }, role)
    const own = await read(filters, names.resolve, 'filters')
    const cohort = await this.#elementCohort(caseFilters, names, read, root)
    // An `or` is evaluated on its own, even if it has one part. A single case must satisfy all of
    // `case_filters`, but another case may satisfy `filters`.
    const filter = joinFilters(own, cohort && { kind: 'or', parts: [cohort] })
    return filter && { table: root.name, steps: field.steps, filter }
  }

  async #elementCohort(
    given: unknown,
    { resolveCase }: ElementNames,
    read: (
      given: unknown,
      resolve: ElementNames['resolve'],
      role: string,
    ) => Promise<Filter | undefined>,
    root: Dataset,
  ): Promise<Filter | undefined> {
    if (resolveCase) return read(given, resolveCase, 'case_filters')
    // An element without a case belongs to all cases of its record, so case filters do not restrict it. They are
    // parsed only to report errors.
    await this.#reader.cohort(root.name, given)
    return undefined
  }

  #aggregations(asked: RequestedField, place: SearchPlace): Slot {
    const records = recordsOf(asked, place.dataset)
    const isFiltered = asked.args.aggregations_filter_themselves !== false
    const { resolve } = this.#reader.resolverOf(place.dataset)
    // All counts over the same records use this request.
    const request = this.#requests.records(records)
    const members = this.#members(asked).map((one): CountPlan | Constant => {
      const { as, name } = one
      if (name === '__typename') return { as, text: quoted(asked.type.name) }
      const field = resolve(place.counted.get(name)?.name ?? '')
      if (!field) throw new Error(`${name} is no field`)
      const count = (counts: FacetCount) =>
        this.#requests.facet(records, field, isFiltered, counts).facet
      const parts = this.#members(one).map((part) => this.#part(part, one, field, count))
      return { as, parts }
    })
    return { kind: 'counts', request, plan: { kind: 'aggregations', members } }
  }

  #part(
    asked: RequestedField,
    { type }: RequestedField,
    field: FieldPath,
    count: (counts: FacetCount) => string,
  ): CountPart {
    const { as, name, args } = asked
    if (name === '__typename') return { kind: 'text', as, text: quoted(type.name) }
    const picks = this.#picks(asked)
    switch (name) {
      case 'buckets': {
        const facet = count({ kind: 'values' })
        return { kind: 'buckets', as, facet, isBoolean: field.type === 'boolean', picks }
      }
      case 'histogram': {
        const { interval } = args
        if (typeof interval !== 'number' || !(interval > 0) || !Number.isFinite(interval)) {
          const message = 'interval must be a number above 0, as in histogram(interval: 3652.5)'
          throw new EngineError('bad_input', message, { at: 'interval' })
        }
        return { kind: 'histogram', as, facet: count({ kind: 'intervals', interval }), picks }
      }
      case 'range': {
        const { ranges, keys } = readRanges(args.ranges)
        return { kind: 'range', as, facet: count({ kind: 'ranges', ranges }), keys, picks }
      }
      default: {
        const kind = name === 'stats' ? 'stats' : 'percentiles'
        return { kind, as, facet: count({ kind: 'summary' }), picks }
      }
    }
  }

  /** Returns the fields to copy from a result object, which has the field names of the GraphQL schema. */
  #picks(asked: RequestedField): readonly PickedMember[] {
    return this.#members(asked).map((one): PickedMember => {
      const { as, name } = one
      if (name === '__typename') return { as, from: '', text: quoted(asked.type.name) }
      return one.sets.length > 0 ? { as, from: name, picks: this.#picks(one) } : { as, from: name }
    })
  }

  #facets({ args }: RequestedField, place: SearchPlace): Slot {
    const { filters, case_filters: caseFilters, facets } = args
    const records = { dataset: place.dataset, filters, caseFilters }
    const { resolve, nearest } = this.#reader.resolverOf(place.dataset)
    const names = (Array.isArray(facets) ? facets : []).filter((name) => typeof name === 'string')
    const request = this.#requests.records(records)
    const all = [...new Set<string>(names)].map((name) => {
      const field = resolve(name)
      if (!field) {
        const meant = didYouMean([[name, nearest(name, new NearNames())]])
        const message = `${place.dataset} has no field ${quotedName(name)} to count${meant}`
        throw new EngineError('bad_input', message, { at: 'facets' })
      }
      const { facet } = this.#requests.facet(records, field, false, { kind: 'values' })
      return [name, facet] as const
    })
    return { kind: 'counts', request, plan: { kind: 'facets', names: all } }
  }

  #cart(asked: RequestedField): Slot {
    const members = this.#members(asked).map((one): Member => {
      const { as, name, args } = one
      if (name === '__typename') return { as, slot: constant(asked.type.name) }
      this.#countList(one)
      const { filters, case_filters: caseFilters } = args
      const names = this.#members(one).map((part) => part.name)
      const fields = CART_FIELDS.filter((field) => names.includes(field.name))
      const request = this.#requests.cart(
        { filters, caseFilters },
        fields.map((field) => field.name),
      )
      return { as, slot: { kind: 'cart', request, picks: this.#picks(one) } }
    })
    return { kind: 'object', members }
  }

  #analysis(asked: RequestedField): Slot {
    const members = this.#members(asked).map(({ as, name, args }): Member => {
      if (name === '__typename') return { as, slot: constant(asked.type.name) }
      return { as, slot: { kind: 'text', text: JSON.stringify(pValue(args.data)) } }
    })
    return { kind: 'object', members }
  }
}

/**
 * Returns the p-value of Pearson's chi-square test of independence without continuity correction, or null if
 * a row or column is all zero (portal.md 5.3).
 * @throws EngineError bad_input if it is not a table of at least two rows and two columns
 */
function pValue(data: unknown): number | null {
  const rows = Array.isArray(data) ? (data as readonly unknown[]) : []
  const table = rows.map((row) => (Array.isArray(row) ? (row as readonly unknown[]) : []))
  const width = table[0]?.length ?? 0
  const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0
  const counts = table.map((row) => row.filter(isCount))
  if (table.length < 2 || width < 2 || counts.some((row) => row.length !== width)) {
    const message = 'data must be a table of counts, as in [[10, 20], [20, 10]]'
    throw new EngineError('bad_input', message, { at: 'data' })
  }
  const sums = counts.map((row) => row.reduce((sum, one) => sum + one, 0))
  const columns =
    counts[0]?.map((_, i) => counts.reduce((sum, row) => sum + (row[i] ?? 0), 0)) ?? []
  const total = sums.reduce((sum, one) => sum + one, 0)
  if (sums.includes(0) || columns.includes(0)) return null
  let statistic = 0
  for (const [i, row] of counts.entries()) {
    for (const [n, one] of row.entries()) {
      const expected = ((sums[i] ?? 0) * (columns[n] ?? 0)) / total
      statistic += (one - expected) ** 2 / expected
    }
  }
  return chiSquareUpperTail(statistic, (table.length - 1) * (width - 1))
}

function recordsOf(
  { args }: RequestedField,
  dataset: RequestedRecords['dataset'],
): RequestedRecords {
  return { dataset, filters: args.filters, caseFilters: args.case_filters }
}

function shownType(type: FieldPath['type']): 'text' | 'number' | 'boolean' {
  if (isNumberType(type)) return 'number'
  return type === 'boolean' ? 'boolean' : 'text'
}

const linkOf = (link: LinkedRecord | undefined): LinkPlan | undefined =>
  link && { table: link.table, at: link.at, target: link.target.name }

const withoutEdges = (part: HitsPart): HitsPart =>
  part.kind === 'edges' ? { kind: 'text', as: part.as, text: '[]' } : part

const isSamePath = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name, i) => name === other[i])

const quoted = (text: string) => JSON.stringify(text)
const constant = (text: string): Slot => ({ kind: 'text', text: quoted(text) })
