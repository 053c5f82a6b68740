import { type FieldNode, type OperationDefinitionNode, valueFromASTUntyped } from 'graphql'

interface ArgumentCost {
  /** Number of conditions that the arguments add to the SQL statement of the list or count. */
  readonly conditions: number
  /** Number of scalar values, including those in lists and objects. */
  readonly values: number
}

type Variables = Readonly<Record<string, unknown>>

/** Number of conditions that the subquery of a path argument counts as, in addition to its members. */
export const PATH_CONDITIONS = 10
const PATHS: ReadonlySet<string> = new Set(['with_path_to', 'with_path_to_any', 'without_path_to'])
/**
 * Arguments that add one condition for each element of their list, or for each field of an element that is an
 * object. Any other argument adds one condition, even if its value is a list.
 */
const LISTED: ReadonlySet<string> = new Set([
  'not',
  'with_links',
  'with_links_any',
  'without_links',
  'related_cases',
])

/** Computes the cost of arguments before GraphQL coerces their values. */
export class ArgumentCosts {
  readonly #variables: Variables
  /** Costs of variables, which may be used many times. */
  readonly #known = new Map<object, number>()

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables) {
    const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
    )
    this.#variables = { ...Object.fromEntries(defaults), ...given }
  }

  of({ arguments: given = [] }: FieldNode): ArgumentCost {
    let conditions = 0
    let values = 0
    for (const { name, value: node } of given) {
      const value = valueFromASTUntyped(node, this.#variables)
      conditions += conditionsOf(name.value, value)
      values += this.#valuesOf(value)
    }
    return { conditions, values }
  }

  #valuesOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1
    const known = this.#known.get(value)
    if (known !== undefined) return known
    let sum = 0
    for (const one of Object.values(value)) sum += this.#valuesOf(one)
    this.#known.set(value, sum)
    return sum
  }
}

function conditionsOf(name: string, value: unknown): number {
  const isPath = PATHS.has(name)
  if (!isPath && !LISTED.has(name)) return 1
  let sum = 0
  for (const one of Array.isArray(value) ? value : [value]) {
    const members = typeof one === 'object' && one !== null ? Object.keys(one).length : 0
    sum += isPath ? PATH_CONDITIONS + members : Math.max(1, members)
  }
  return sum
}
