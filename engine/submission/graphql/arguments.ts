import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql'
import { SPECIAL_ARGUMENTS } from './conditions.ts'
import type { GraphModel, GraphType, ValueKind } from './model.ts'

const TEXTS = new GraphQLList(GraphQLString)

/** GraphQL types of property values. */
export const SCALARS: Readonly<Record<ValueKind, GraphQLScalarType>> = Object.freeze({
  text: GraphQLString,
  texts: GraphQLString,
  number: GraphQLFloat,
  boolean: GraphQLBoolean,
})

/** GraphQL list types of property values. They also accept single values. */
const LISTS = Object.freeze({
  text: TEXTS,
  texts: TEXTS,
  number: new GraphQLList(GraphQLFloat),
  boolean: new GraphQLList(GraphQLBoolean),
})

/** Arguments of lists (ten elements by default) and of counts (of all elements) (submission.md 15.1). */
export interface ArgumentPair {
  readonly ofLists: GraphQLFieldConfigArgumentMap
  readonly ofCounts: GraphQLFieldConfigArgumentMap
}

const LIST_FIRST = { type: GraphQLInt, defaultValue: 10, description: '0 for all.' }

function pairOf(args: GraphQLFieldConfigArgumentMap): ArgumentPair {
  return {
    ofLists: { ...args, first: LIST_FIRST },
    ofCounts: { ...args, first: { type: GraphQLInt } },
  }
}

const SHARED: GraphQLFieldConfigArgumentMap = Object.freeze({
  id: { type: GraphQLString },
  ids: { type: TEXTS },
  quick_search: { type: GraphQLString },
  offset: { type: GraphQLInt },
  created_before: { type: GraphQLString },
  created_after: { type: GraphQLString },
  updated_before: { type: GraphQLString },
  updated_after: { type: GraphQLString },
  order_by_asc: { type: GraphQLString },
  order_by_desc: { type: GraphQLString },
})

/** Arguments of lists with entities of any type. */
export const NODE_ARGUMENTS: ArgumentPair = pairOf({
  ...SHARED,
  of_type: { type: TEXTS },
  project_id: { type: GraphQLString },
  category: { type: GraphQLString },
})

/** Returns a function that returns the arguments for a type. It creates them once per type. */
export function typeArguments(model: GraphModel): (type: GraphType) => ArgumentPair {
  const paths = { type: new GraphQLList(pathType(model)) }
  const links = { type: TEXTS }
  const made = new Map<string, ArgumentPair>()
  return (type) => {
    const known = made.get(type.name)
    if (known) return known
    const pair = pairOf({
      ...propertyArguments(type),
      ...SHARED,
      with_links: links,
      with_links_any: links,
      without_links: links,
      with_path_to: paths,
      with_path_to_any: paths,
      without_path_to: paths,
      not: { type: new GraphQLList(notType(type)) },
    })
    made.set(type.name, pair)
    return pair
  }
}

function propertyArguments({ properties }: GraphType): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(
    [...properties]
      .filter(([name]) => !SPECIAL_ARGUMENTS.has(name))
      .map(([name, kind]) => [name, { type: LISTS[kind] }]),
  )
}

function notType(type: GraphType): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: `NotPropertiesInput_${type.name}`,
    fields: Object.fromEntries(
      [...type.properties].map(([name, kind]) => [name, { type: LISTS[kind] }]),
    ),
  })
}

/** Returns an input with the properties of all types. A property with different kinds is text. */
function pathType({ types }: GraphModel): GraphQLInputObjectType {
  const kinds = new Map<string, ValueKind>()
  for (const { properties } of types.values()) {
    for (const [name, kind] of properties) {
      const known = kinds.get(name) ?? kind
      kinds.set(name, LISTS[known] === LISTS[kind] ? known : 'text')
    }
  }
  return new GraphQLInputObjectType({
    name: 'WithPathToInput',
    fields: {
      ...Object.fromEntries([...kinds].map(([name, kind]) => [name, { type: LISTS[kind] }])),
      id: { type: TEXTS },
      type: { type: new GraphQLNonNull(GraphQLString) },
    },
  })
}
