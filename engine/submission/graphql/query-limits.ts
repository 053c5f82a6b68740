import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { beyond, type DocumentLimits, placeOf } from '../../shared/graphql/document-limits.ts'
import { ArgumentCosts, PATH_CONDITIONS } from './argument-cost.ts'

const TEXT_LIMITS: DocumentLimits = {
  characters: 512 * 1024,
  tokens: 20_000,
  nesting: 64,
  definitions: 200,
  // Each object is validated against the hundreds of fields of its input type.
  objects: 100,
  alike: 400,
}

/** Limits on a query, checked before it is executed. */
export const QUERY_LIMITS = Object.freeze({
  ...TEXT_LIMITS,
  depth: 16,
  /** Maximum number of fields, with fragments expanded. */
  fields: 10_000,
  /** Maximum number of lists and counts. Each takes at least one statement. */
  lists: 250,
  /** Maximum number of conditions per list or count, and in total. */
  conditions: 250,
  allConditions: 500,
  /** Maximum number of values in arguments. A variable counts each time that it is used. */
  values: 50_000,
})

interface Cost {
  readonly depth: number
  readonly fields: number
  readonly lists: number
  readonly conditions: number
  readonly values: number
}

const NOTHING: Cost = Object.freeze({
  depth: 0,
  fields: 0,
  lists: 0,
  conditions: 0,
  values: 0,
})

interface CheckedOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Readonly<Record<string, unknown>>
  /** Whether the query is an introspection. Its cost is checked when the document is read. */
  readonly isIntrospection: boolean
}

/**
 * Checks the cost of a valid operation.
 * @throws EngineError `too_many` if it exceeds a limit
 */
export function checkOperation({
  document,
  operation,
  variables,
  isIntrospection,
}: CheckedOperation): void {
  if (isIntrospection) return
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
  }
  const argumentCosts = new ArgumentCosts(operation, variables)
  const cost = new Costs(fragments, argumentCosts).of(operation.selectionSet)
  const limits = QUERY_LIMITS
  if (cost.depth > limits.depth) throw beyond(`is deeper than ${limits.depth} levels`)
  if (cost.fields > limits.fields) throw beyond(`has more than ${limits.fields} fields`)
  if (cost.lists > limits.lists) throw beyond(`has more than ${limits.lists} lists and counts`)
  if (cost.values > limits.values) {
    throw beyond(`has more than ${limits.values} values in arguments and variables`)
  }
  if (cost.conditions > limits.allConditions) {
    throw beyond(`has more than ${limits.allConditions} conditions ${PATHS_COUNT}`)
  }
}

const PATHS_COUNT = `(a path counts for ${PATH_CONDITIONS})`

class Costs {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #argumentCosts: ArgumentCosts
  readonly #known = new Map<SelectionSetNode, Cost>()

  constructor(
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    argumentCosts: ArgumentCosts,
  ) {
    this.#fragments = fragments
    this.#argumentCosts = argumentCosts
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
        conditions: all.conditions + one.conditions,
        values: all.values + one.values,
      }),
      NOTHING,
    )
    this.#known.set(set, sum)
    return sum
  }

  #ofField(field: FieldNode): Cost {
    const { name, selectionSet } = field
    const below = this.of(selectionSet)
    const isList = selectionSet !== undefined || /^_.*_count$/.test(name.value)
    const { conditions, values } = this.#argumentCosts.of(field)
    if (conditions > QUERY_LIMITS.conditions) {
      throw beyond(
        `has more than ${QUERY_LIMITS.conditions} conditions in one list ${placeOf(field)} ${PATHS_COUNT}`,
      )
    }
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      lists: below.lists + (isList ? 1 : 0),
      conditions: below.conditions + conditions,
      values: below.values + values,
    }
  }
}
