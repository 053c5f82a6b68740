import {
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import { EngineError } from '../../shared/errors.ts'
import type { Arguments } from './conditions.ts'
import type { GraphModel } from './model.ts'
import { pageOf } from './page.ts'
import type { Reading } from './reading.ts'

type Entry = Readonly<Record<string, string>>

/** Field for the types of the dictionary, described as texts (submission.md 15.1). */
export function entryField({ entries }: GraphModel): GraphQLFieldConfig<unknown, Reading> {
  const names = [...new Set([...entries.values()].flatMap((entry) => Object.keys(entry)))]
  const texts = Object.fromEntries(names.map((name) => [name, { type: GraphQLString }]))
  return {
    type: new GraphQLList(new GraphQLObjectType({ name: 'NodeType', fields: texts })),
    args: {
      ...texts,
      order_by_asc: { type: GraphQLString },
      order_by_desc: { type: GraphQLString },
      first: { type: GraphQLInt, defaultValue: 10 },
    },
    resolve(_, given) {
      const { first } = pageOf(given)
      const found = ordered(
        [...entries.values()].filter((entry) => fits(entry, given, names)),
        given,
      )
      return first === 0 ? found : found.slice(0, first)
    },
  }
}

function fits(entry: Entry, given: Arguments, names: readonly string[]): boolean {
  return names.every((name) => {
    const wanted = given[name]
    return wanted === undefined || wanted === null || wanted === entry[name]
  })
}

function ordered(entries: Entry[], { order_by_asc: asc, order_by_desc: desc }: Arguments): Entry[] {
  for (const [key, sign] of [[desc, -1] as const, [asc, 1] as const]) {
    if (typeof key !== 'string') continue
    if (!entries.some((entry) => Object.hasOwn(entry, key))) {
      if (entries.length === 0) continue
      throw new EngineError('bad_input', `Cannot order by ${key.slice(0, 100)} on _node_type`)
    }
    entries.sort((a, b) => sign * compared(a[key] ?? '', b[key] ?? ''))
  }
  return entries
}

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
