import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
  valueFromASTUntyped,
} from 'graphql'

/** Types of arguments and values that the portal's documents call by these names (portal.md 1.4). */
export interface SearchScalars {
  /** A filter: an object, null, or JSON text. It is read like a filter of REST. */
  readonly filters: GraphQLScalarType
  /** JSON in a string. */
  readonly jsonText: GraphQLScalarType
  readonly sort: GraphQLInputObjectType
}

export function searchScalars(): SearchScalars {
  const filters = new GraphQLScalarType({
    name: 'FiltersArgument',
    description: 'A filter as REST has it: an object with op and content, or its JSON text.',
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  })
  const jsonText = new GraphQLScalarType({ name: 'JSONString', description: 'JSON in a string.' })
  const enumOf = (name: string, ...words: readonly string[]) =>
    new GraphQLEnumType({ name, values: Object.fromEntries(words.map((word) => [word, {}])) })
  const sort = new GraphQLInputObjectType({
    name: 'Sort',
    fields: {
      field: { type: new GraphQLNonNull(GraphQLString) },
      order: { type: enumOf('Order', 'asc', 'desc') },
      mode: { type: enumOf('Mode', 'avg', 'max', 'min', 'sum') },
      missing: { type: enumOf('Missing', 'first', 'last') },
    },
  })
  return { filters, jsonText, sort }
}
