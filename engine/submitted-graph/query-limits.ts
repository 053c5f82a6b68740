import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { EngineError } from '../errors.ts'

/** What the text of a query may be, before anything of it is done. */
export const QUERY_LIMITS = Object.freeze({
  characters: 1 << 20,
  tokens: 20_000,
  /** Fields of one name, or one alias: whether they can be told together is seen pair by pair. */
  alike: 400,
  depth: 16,
  /** With fragments in place of their names. */
  fields: 10_000,
  /** Lists and counts: each is at least one statement. */
  lists: 250,
  /** Of what is told of the schema, roughly in values; usual clients ask for some millions. */
  schema: 20_000_000,
})

/**
 * Looks at what would make the validation itself long.
 * @throws EngineError `too_many`
 */
export function checkDocument(document: DocumentNode): void {
  const alike = new Map<string, number>()
  visit(document, {
    Field({ alias, name }) {
      const told = alias?.value ?? name.value
      const count = (alike.get(told) ?? 0) + 1
      if (count > QUERY_LIMITS.alike) {
        throw beyond(`has more than ${QUERY_LIMITS.alike} fields of the name ${told.slice(0, 100)}`)
      }
      alike.set(told, count)
    },
  })
}

interface Cost {
  readonly depth: number
  readonly fields: number
  readonly lists: number
  readonly schema: number
}

const NOTHING: Cost = Object.freeze({ depth: 0, fields: 0, lists: 0, schema: 0 })

/** How many elements lists of the schema have, roughly. */
const SCHEMA_LISTS: ReadonlyMap<string, number> = new Map([
  ['types', 100],
  ['fields', 50],
  ['args', 40],
  ['inputFields', 100],
  ['possibleTypes', 80],
  ['enumValues', 10],
  ['directives', 5],
])

/**
 * Looks at what a valid operation asks for: of the schema, or else of what was submitted.
 * @throws EngineError `too_many`
 */
export function checkOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isIntrospection: boolean,
): void {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
  }
  const { depth, fields, lists, schema } = new Costs(fragments).of(operation.selectionSet)
  const limits = QUERY_LIMITS
  if (isIntrospection) {
    if (schema > limits.schema) throw beyond('asks for too much of the schema')
    return
  }
  if (depth > limits.depth) throw beyond(`is deeper than ${limits.depth} levels`)
  if (fields > limits.fields) throw beyond(`has more than ${limits.fields} fields`)
  if (lists > limits.lists) throw beyond(`has more than ${limits.lists} lists and counts`)
}

class Costs {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #known = new Map<SelectionSetNode, Cost>()

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments
  }

  of(set: SelectionSetNode | undefined): Cost {
    if (set === undefined) return NOTHING
    const known = this.#known.get(set)
    if (known) return known
    const costs = set.selections.map((one) => {
      if (one.kind === Kind.FIELD) return this.#ofField(one)
      if (one.kind === Kind.INLINE_FRAGMENT) return this.of(one.selectionSet)
      return this.of(this.#fragments.get(one.name.value)?.selectionSet)
    })
    const sum = costs.reduce(
      (all, one) => ({
        depth: Math.max(all.depth, one.depth),
        fields: all.fields + one.fields,
        lists: all.lists + one.lists,
        schema: all.schema + one.schema,
      }),
      NOTHING,
    )
    this.#known.set(set, sum)
    return sum
  }

  #ofField({ name, selectionSet }: FieldNode): Cost {
    const below = this.of(selectionSet)
    const isList = selectionSet !== undefined || /^_.*_count$/.test(name.value)
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      lists: below.lists + (isList ? 1 : 0),
      schema: 1 + below.schema * (SCHEMA_LISTS.get(name.value) ?? 1),
    }
  }
}

/** Names of fields at the root of an operation, fragments in place of their names. */
export function rootFields(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): ReadonlySet<string> {
  const names = new Set<string>()
  const waiting: (SelectionSetNode | undefined)[] = [selectionSet]
  const seen = new Set<unknown>()
  for (const set of waiting) {
    if (set === undefined || seen.has(set)) continue
    seen.add(set)
    for (const one of set.selections) {
      if (one.kind === Kind.FIELD) names.add(one.name.value)
      else if (one.kind === Kind.INLINE_FRAGMENT) waiting.push(one.selectionSet)
      else waiting.push(fragmentOf(document, one.name.value)?.selectionSet)
    }
  }
  return names
}

function fragmentOf({ definitions }: DocumentNode, name: string) {
  return definitions.find(
    (one): one is FragmentDefinitionNode =>
      one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
  )
}

export function beyond(what: string): EngineError {
  return new EngineError('too_many', `the query ${what}`)
}
