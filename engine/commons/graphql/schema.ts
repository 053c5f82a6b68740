import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import type { FieldType } from '../datasets/define.ts'
import { isNumberType } from '../release/fold.ts'
import { CART_FIELDS } from './cart-fields.ts'
import type { SearchModel, SearchPlace } from './model.ts'
import { SETS_BY_INDEX } from './places.ts'
import { searchScalars } from './scalars.ts'
import type { NodeField, NodeShape } from './shapes.ts'

type Fields = GraphQLFieldConfigMap<unknown, unknown>

/**
 * Builds the schema of the search (portal.md 1.3 to 4.9) from the definitions of the datasets. It has no
 * resolvers, because compile.ts turns a document into searches. A test validates it; validation at run time
 * would double the time.
 */
export function makeSearchSchema(model: SearchModel): GraphQLSchema {
  return new SchemaMaker(model).schema()
}

class SchemaMaker {
  readonly #model: SearchModel
  readonly #scalars = searchScalars()
  readonly #pageInfo = object('PageInfo', {
    hasNextPage: required(GraphQLBoolean),
    hasPreviousPage: required(GraphQLBoolean),
    startCursor: { type: GraphQLString },
    endCursor: { type: GraphQLString },
  })
  readonly #aggregations: GraphQLObjectType
  readonly #numericAggregations: GraphQLObjectType

  constructor(model: SearchModel) {
    this.#model = model
    const bucket = object('Bucket', {
      doc_count: { type: GraphQLInt },
      key: { type: GraphQLString },
      key_as_string: { type: GraphQLString },
    })
    const buckets = { type: new GraphQLList(bucket) }
    this.#aggregations = object('Aggregations', { buckets })
    const counted = object('BucketList', { buckets })
    const bounds = object('StdDeviationBounds', numbers('upper lower'))
    const stats = object('Stats', {
      ...numbers('min max avg sum std_deviation sum_of_squares variance'),
      count: { type: GraphQLInt },
      std_deviation_bounds: { type: bounds },
    })
    const percentiles = object('Percentiles', numbers('median iqr quartile_1 quartile_3'))
    this.#numericAggregations = object('NumericAggregations', {
      stats: { type: stats },
      percentiles: { type: percentiles },
      histogram: { type: counted, args: { interval: { type: GraphQLFloat } } },
      range: { type: counted, args: { ranges: { type: this.#scalars.filters } } },
    })
  }

  schema(): GraphQLSchema {
    const fields = this.#rootFields()
    const viewer: GraphQLObjectType = new GraphQLObjectType({
      name: 'Root',
      fields: () => ({ viewer: { type: viewer }, ...fields }),
    })
    const mutation = this.#mutation()
    return new GraphQLSchema({ query: viewer, mutation, assumeValid: true })
  }

  #rootFields(): Fields {
    const fields: Fields = {}
    const groups = Map.groupBy(this.#model.places, ({ path: [first = ''] }) => first)
    for (const [first, places] of groups) {
      const [only] = places
      if (only?.path.length === 1) {
        fields[first] = { type: this.#dataset(only) }
        continue
      }
      const members = places.map((place): [string, { type: GraphQLObjectType }] => [
        place.path[1] ?? '',
        { type: this.#dataset(place) },
      ])
      fields[first] = { type: object(titled(first), Object.fromEntries(members)) }
    }
    return { ...fields, cart_summary: { type: this.#cart() }, analysis: { type: analysisType() } }
  }

  /** Creates the type of a dataset. Clients rely on the order of its fields (portal.md 2, 4.9). */
  #dataset(place: SearchPlace): GraphQLObjectType {
    const { typeName } = place
    const aggregations = new GraphQLObjectType({
      name: `${typeName}Aggregations`,
      fields: () => this.#countedFields(place),
    })
    const { filters, jsonText } = this.#scalars
    const names = new GraphQLNonNull(new GraphQLList(GraphQLString))
    return object(typeName, {
      facets: {
        type: jsonText,
        args: {
          filters: { type: filters },
          case_filters: { type: filters },
          facets: { type: names },
        },
      },
      aggregations: {
        type: aggregations,
        args: {
          ...this.#filterArguments(),
          aggregations_filter_themselves: { type: GraphQLBoolean, defaultValue: true },
        },
      },
      hits: {
        type: this.#connection(place.shape, typeName),
        args: { ...this.#hitsArguments(), score: { type: GraphQLString } },
      },
    })
  }

  #countedFields({ counted }: SearchPlace): Fields {
    const fields: Fields = {}
    for (const [name, { type }] of counted) {
      fields[name] = {
        type: isNumberType(type) ? this.#numericAggregations : this.#aggregations,
        description: '',
      }
    }
    return fields
  }

  /** @param prefix prefix of the type names */
  #connection(shape: NodeShape, prefix: string): GraphQLObjectType {
    const name = prefix + shape.suffix
    const node = new GraphQLObjectType({
      name: `${name}Node`,
      fields: () => this.#nodeFields(shape, prefix),
    })
    const edge = object(`${name}Edge`, { cursor: required(GraphQLString), node: { type: node } })
    return object(`${name}Connection`, {
      total: required(GraphQLInt),
      edges: { type: new GraphQLList(edge) },
      pageInfo: required(this.#pageInfo),
    })
  }

  #nodeFields({ fields, suffix }: NodeShape, prefix: string): Fields {
    const found: Fields = { id: required(GraphQLID) }
    if (suffix === '') found.score = { type: GraphQLInt }
    for (const [name, field] of fields) found[name] = this.#nodeField(field, prefix)
    return found
  }

  readonly #made = new Map<NodeShape, GraphQLObjectType>()

  #nodeField(field: NodeField, prefix: string): GraphQLFieldConfig<unknown, unknown> {
    if (field.kind === 'value') {
      const type = valueType(field.type)
      return { type: field.isList ? new GraphQLList(type) : type }
    }
    const { shape } = field
    const known = this.#made.get(shape)
    const type = known ?? this.#groupType(field, prefix)
    this.#made.set(shape, type)
    return { type }
  }

  #groupType({ kind, shape }: Exclude<NodeField, { kind: 'value' }>, prefix: string) {
    const name = prefix + shape.suffix
    if (kind === 'object') {
      return new GraphQLObjectType({ name, fields: () => this.#objectFields(shape, prefix) })
    }
    // Names of types below this one start with its name: `prefix`, then `Case`, then a suffix such as `Samples`.
    // Suffixes of groups in cases do not begin with `Case`.
    const below = shape.link?.table === 'case_genes' ? { ...shape, suffix: '' } : shape
    const under = below === shape ? prefix : name
    return new GraphQLObjectType({
      name,
      fields: () => ({
        hits: { type: this.#connection(below, under), args: this.#hitsArguments() },
      }),
    })
  }

  #objectFields({ fields }: NodeShape, prefix: string): Fields {
    const members = [...fields].map(([name, field]) => [name, this.#nodeField(field, prefix)])
    return Object.fromEntries(members) as Fields
  }

  #filterArguments(): GraphQLFieldConfigArgumentMap {
    const { filters } = this.#scalars
    return { filters: { type: filters }, case_filters: { type: filters } }
  }

  #hitsArguments(): GraphQLFieldConfigArgumentMap {
    return {
      ...this.#filterArguments(),
      first: { type: GraphQLInt },
      offset: { type: GraphQLInt },
      sort: { type: new GraphQLList(this.#scalars.sort) },
    }
  }

  /** Creates the type of mutations: an operation, then an index, then a type of members (portal.md 7.1). */
  #mutation(): GraphQLObjectType {
    const stored = object('StoredSet', {
      set_id: { type: GraphQLString, description: 'Without the prefix set_id:.' },
      size: { type: GraphQLInt, description: 'Members after the operation.' },
    })
    const operation = (name: string, input: GraphQLInputObjectType) => {
      const fields = Object.entries(SETS_BY_INDEX).map(([index, types]) => {
        const argument = { input: { type: input } }
        const members = types.map((type) => [type, { type: stored, args: argument }] as const)
        return [index, { type: object(name + titled(index), Object.fromEntries(members)) }] as const
      })
      return { type: object(name, Object.fromEntries(fields)) }
    }
    const { createSet, appendSet, removeFromSet } = this.#scalars
    const sets = object('Sets', {
      create: operation('CreateSet', createSet),
      append: operation('AppendSet', appendSet),
      remove_from: operation('RemoveFromSet', removeFromSet),
    })
    return object('Mutation', { sets: { type: sets } })
  }

  #cart(): GraphQLObjectType {
    const bucket = object('CartBucket', {
      case_count: { type: GraphQLInt },
      doc_count: { type: GraphQLInt },
      file_size: { type: GraphQLFloat },
      key: { type: GraphQLString },
    })
    const buckets = object('CartAggregations', { buckets: { type: new GraphQLList(bucket) } })
    const sum = object('CartSum', numbers('value'))
    const fields = CART_FIELDS.map(({ name }) => [name, { type: buckets }] as const)
    const aggregations = object('CartSummaryAggregations', {
      fs: { type: sum },
      ...Object.fromEntries(fields),
    })
    return object('CartSummary', {
      aggregations: { type: aggregations, args: this.#filterArguments() },
    })
  }
}

const titled = (name: string) => (name[0]?.toUpperCase() ?? '') + name.slice(1)

function analysisType(): GraphQLObjectType {
  const data = new GraphQLNonNull(new GraphQLList(new GraphQLList(GraphQLInt)))
  return object('Analysis', { pvalue: { type: GraphQLFloat, args: { data: { type: data } } } })
}

const object = (name: string, fields: Fields) => new GraphQLObjectType({ name, fields })

const required = (type: GraphQLOutputType & { readonly name: string }) => ({
  type: new GraphQLNonNull(type),
})

const numbers = (names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, { type: GraphQLFloat }]))

/** Returns the GraphQL type of a field. Numbers are `Float`, because `Int` has 32 bits. */
function valueType(type: FieldType) {
  if (isNumberType(type)) return GraphQLFloat
  return type === 'boolean' ? GraphQLBoolean : GraphQLString
}
