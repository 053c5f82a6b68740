import {
  GraphQLEnumType,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
  valueFromASTUntyped,
} from 'graphql'
import { SET_KINDS } from '../sets/set-store.ts'

/** Scalar and input types that the portal's documents refer to by name (portal.md 1.4). */
interface SearchScalars {
  /** A filter as an object, null or JSON text, parsed like a REST filter. */
  readonly filters: GraphQLScalarType
  /** JSON as a string. */
  readonly jsonText: GraphQLScalarType
  readonly sort: GraphQLInputObjectType
  /** Input for creating a set: its members and its lifetime. */
  readonly createSet: GraphQLInputObjectType
  readonly appendSet: GraphQLInputObjectType
  readonly removeFromSet: GraphQLInputObjectType
}

export function searchScalars(): SearchScalars {
  const filters = new GraphQLScalarType({
    name: 'FiltersArgument',
    description: 'A filter as REST has it: an object with op and content, or its JSON text.',
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  })
  const jsonText = new GraphQLScalarType({ name: 'JSONString', description: 'JSON in a string.' })
  const sort = new GraphQLInputObjectType({
    name: 'Sort',
    fields: {
      field: { type: new GraphQLNonNull(GraphQLString) },
      order: { type: enumOf('Order', ['asc', 'desc']) },
      mode: { type: enumOf('Mode', ['avg', 'max', 'min', 'sum']) },
      missing: { type: enumOf('Missing', ['first', 'last']) },
    },
  })
  return { filters, jsonText, sort, ...inputsOfSets(filters, sort) }
}

const enumOf = (name: string, words: readonly string[]) =>
  new GraphQLEnumType({ name, values: Object.fromEntries(words.map((word) => [word, {}])) })

/** Creates the input types for creating and changing sets (portal.md 7.1). */
function inputsOfSets(
  filters: GraphQLScalarType,
  sort: GraphQLInputObjectType,
): Pick<SearchScalars, 'appendSet' | 'createSet' | 'removeFromSet'> {
  const records = { filters: { type: filters }, case_filters: { type: filters } }
  const first = {
    size: { type: GraphQLInt, description: 'Most records to take; all when it is left out.' },
    score: { type: GraphQLString },
    sort: { type: new GraphQLList(sort) },
  }
  const set_id = { type: new GraphQLNonNull(GraphQLString) }
  const inputOf = (name: string, fields: GraphQLInputFieldConfigMap) =>
    new GraphQLInputObjectType({ name, fields })
  return {
    createSet: inputOf('CreateSetInput', {
      ...records,
      ...first,
      set_id: { type: GraphQLString, description: 'A set whose members are replaced.' },
      set_type: { type: enumOf('SetType', SET_KINDS) },
      intent: { type: GraphQLString },
    }),
    appendSet: inputOf('AppendSetInput', { set_id, ...records, ...first }),
    removeFromSet: inputOf('RemoveFromSetInput', { set_id, ...records }),
  }
}
