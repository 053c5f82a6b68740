import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLFieldResolver,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isInputObjectType,
} from 'graphql'
import { type ArgumentPair, NODE_ARGUMENTS, SCALARS, typeArguments } from './arguments.ts'
import type { Arguments } from './conditions.ts'
import { entryField } from './entry-field.ts'
import { type GraphModel, type GraphType, NODE_PROPERTIES, type ValueKind } from './model.ts'
import { type NodeRow, propertyOf } from './node-row.ts'
import type { Reading, Related, Wanted } from './reading.ts'
import { alongLink, toAncestors, toNeighbours } from './relations.ts'
import { transactionTypes } from './transaction-types.ts'

type Fields<Source> = GraphQLFieldConfigMap<Source, Reading>
type Resolver<Source> = GraphQLFieldResolver<Source, Reading, Arguments>

/**
 * Builds the GraphQL schema of the submitted data (submission.md 15.1). A test validates the schema. Validating
 * it at run time would double the time.
 */
export function makeSchema(model: GraphModel): GraphQLSchema {
  return new SchemaMaker(model).schema()
}

/** Builds the same schema as makeSchema, but yields between steps, because the first build takes 80 ms. */
export function* schemaSteps(model: GraphModel): Generator<void, GraphQLSchema> {
  const maker = new SchemaMaker(model)
  yield
  yield* maker.defineFields()
  return maker.schema()
}

class SchemaMaker {
  readonly #model: GraphModel
  readonly #types: readonly GraphType[]
  readonly #files: readonly GraphType[]
  readonly #argumentsOf: (type: GraphType) => ArgumentPair
  readonly #transactions = transactionTypes()
  readonly #node: GraphQLInterfaceType
  readonly #dataNode: GraphQLInterfaceType
  readonly #objects: ReadonlyMap<string, GraphQLObjectType<NodeRow, Reading>>

  constructor(model: GraphModel) {
    this.#model = model
    this.#types = [...model.types.values()]
    this.#files = this.#types.filter(isFile)
    this.#argumentsOf = typeArguments(model)
    const resolveType = ({ type }: NodeRow) => type
    this.#node = new GraphQLInterfaceType({ name: 'Node', fields: nodeFields(), resolveType })
    this.#dataNode = new GraphQLInterfaceType({
      name: 'DataNode',
      fields: sharedFields(this.#files),
      resolveType,
      interfaces: [this.#node],
    })
    this.#objects = new Map(this.#types.map((type) => [type.name, this.#objectFor(type)]))
  }

  schema(): GraphQLSchema {
    const fields = this.#rootFields()
    const viewer = new GraphQLObjectType({ name: 'Viewer', fields })
    const query = new GraphQLObjectType<unknown, Reading>({
      name: 'Root',
      fields: {
        ...fields,
        ...this.#transactions.roots,
        viewer: { type: viewer, resolve: () => ({}) },
      },
    })
    return new GraphQLSchema({ query, types: [...this.#objects.values()], assumeValid: true })
  }

  /** Defines the fields of one type per step, because defining all at once would block the event loop. */
  *defineFields(): Generator<void, void> {
    for (const object of this.#objects.values()) {
      for (const { args } of Object.values(object.getFields())) {
        for (const { type } of args) if (isInputObjectType(type)) type.getFields()
      }
      yield
    }
  }

  #rootFields(): Fields<unknown> {
    const fields: Fields<unknown> = {}
    for (const type of this.#types) {
      fields[type.name] = this.#list(type, listedBy(type))
      fields[`_${type.name}_count`] = this.#count(type, countedBy(type))
    }
    return {
      ...fields,
      node: nodeList(this.#node, listedBy(this.#types)),
      datanode: nodeList(this.#dataNode, listedBy(this.#files)),
      _node_type: entryField(this.#model),
    }
  }

  #objectFor(type: GraphType): GraphQLObjectType<NodeRow, Reading> {
    return new GraphQLObjectType<NodeRow, Reading>({
      name: type.name,
      description: type.description,
      interfaces: isFile(type) ? [this.#node, this.#dataNode] : [this.#node],
      // This is a function because types refer to each other.
      fields: () => ({
        ...this.#transactions.ofNodes,
        ...this.#linkFields(type),
        ...propertyFields(type),
      }),
    })
  }

  #linkFields(type: GraphType): Fields<NodeRow> {
    const fields: Fields<NodeRow> = {}
    for (const neighbour of type.neighbours.values()) {
      const wanted = this.#model.types.get(neighbour.type)
      if (!wanted) continue
      // Lists of children leave out superseded versions, lists of parents include them.
      const isCurrent = neighbour.side === 'children'
      const to = { wanted, by: alongLink(neighbour), isCurrent }
      fields[neighbour.field] = this.#list(wanted, relatedBy(to))
      fields[`_${neighbour.field}_count`] = this.#count(wanted, relatedCountBy(to))
    }
    const wanted = this.#model.types.get('case')
    if (wanted) {
      const to = { wanted, by: toAncestors, isCurrent: false }
      fields._related_cases = this.#list(wanted, relatedBy(to))
    }
    const to = { wanted: this.#types, by: toNeighbours, isCurrent: false }
    return { ...fields, _links: nodeList(this.#node, relatedBy(to)) }
  }

  #list<Source>(type: GraphType, resolve: Resolver<Source>): GraphQLFieldConfig<Source, Reading> {
    const object = this.#objects.get(type.name) as GraphQLObjectType
    return { type: new GraphQLList(object), args: this.#argumentsOf(type).ofLists, resolve }
  }

  #count<Source>(type: GraphType, resolve: Resolver<Source>): GraphQLFieldConfig<Source, Reading> {
    return { type: GraphQLInt, args: this.#argumentsOf(type).ofCounts, resolve }
  }
}

function nodeList<Source>(
  node: GraphQLInterfaceType,
  resolve: Resolver<Source>,
): GraphQLFieldConfig<Source, Reading> {
  return { type: new GraphQLList(node), args: NODE_ARGUMENTS.ofLists, resolve }
}

/** Returns whether a type's category is a kind of file. */
const isFile = ({ category }: GraphType) => category.endsWith('_file')

function nodeFields(): Fields<NodeRow> {
  const texts = NODE_PROPERTIES.map((name) => [name, { type: GraphQLString }])
  return { ...Object.fromEntries(texts), id: { type: GraphQLID } }
}

/** Returns the fields that all of these types share. */
function sharedFields([first, ...others]: readonly GraphType[]): Fields<NodeRow> {
  const shared = [...(first?.properties ?? [])].filter(([name, kind]) =>
    others.every(({ properties }) => properties.get(name) === kind),
  )
  const fields = shared.map(([name, kind]) => [name, { type: fieldType(kind) }])
  return { ...Object.fromEntries(fields), ...nodeFields() }
}

const fieldType = (kind: ValueKind) =>
  kind === 'texts' ? new GraphQLList(SCALARS.texts) : SCALARS[kind]

function propertyFields(type: GraphType): Fields<NodeRow> {
  const fields: Fields<NodeRow> = {}
  for (const [name, kind] of type.properties) {
    fields[name] = {
      type: name === 'id' ? GraphQLID : fieldType(kind),
      description: type.descriptions.get(name),
      resolve: (row) => propertyOf(type, name, row),
    }
  }
  return fields
}

const listedBy =
  (wanted: Wanted): Resolver<unknown> =>
  (_, given, reading, info) =>
    reading.list(wanted, given, info)

const countedBy =
  (wanted: Wanted): Resolver<unknown> =>
  (_, given, reading) =>
    reading.count(wanted, given)

const relatedBy =
  (to: Related): Resolver<NodeRow> =>
  (row, given, reading, info) =>
    reading.related(row, to, given, info)

const relatedCountBy =
  (to: Related): Resolver<NodeRow> =>
  (row, given, reading, info) =>
    reading.relatedCount(row, to, given, info)
