import {
  type ArgumentNode,
  type FieldNode,
  Kind,
  parse,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { PLACES, type Place } from '../../../../engine/commons/graphql/places.ts'

/** A connection or the aggregations of a dataset in a document, with the answer. */
export interface AskedPlace {
  readonly place: Place
  /** The path of aliases from the root of the answer, separated by dots. */
  readonly at: string
  readonly kind: 'hits' | 'aggregations'
  readonly args: Readonly<Record<string, unknown>>
  /** Names in the schema of the members of aggregations, by alias. */
  readonly members: ReadonlyMap<string, string>
  readonly answered: unknown
}

/** Lists the connections and aggregations of whole datasets in a document of queries without fragments. */
export function askedPlaces(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  data: unknown,
): readonly AskedPlace[] {
  const operation = parse(query).definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return []
  const defaults = Object.fromEntries(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  )
  const values = { ...defaults, ...variables }
  return fieldsOf(operation.selectionSet).flatMap((field) =>
    below(field, { values, path: [], at: [], data }),
  )
}

interface Where {
  readonly values: Readonly<Record<string, unknown>>
  readonly path: readonly string[]
  readonly at: readonly string[]
  readonly data: unknown
}

function below(field: FieldNode, { values, path, at, data }: Where): readonly AskedPlace[] {
  const name = field.name.value
  const alias = field.alias?.value ?? name
  const answered = (data as Record<string, unknown>)[alias]
  const deeper = { values, at: [...at, alias], data: answered }
  const place = PLACES.find((one) => one.path.join() === path.join())
  if (place && (name === 'hits' || name === 'aggregations')) {
    const args = argumentsOf(field.arguments ?? [], values)
    const members = new Map(
      fieldsOf(field.selectionSet).map((one) => [
        one.alias?.value ?? one.name.value,
        one.name.value,
      ]),
    )
    return [{ place, at: deeper.at.join('.'), kind: name, args, members, answered }]
  }
  if (place || path.length > 1) return []
  const next = name === 'viewer' ? path : [...path, name]
  return fieldsOf(field.selectionSet).flatMap((one) => below(one, { ...deeper, path: next }))
}

const fieldsOf = (set: SelectionSetNode | undefined): readonly FieldNode[] =>
  (set?.selections ?? []).filter((one): one is FieldNode => one.kind === Kind.FIELD)

const argumentsOf = (given: readonly ArgumentNode[], values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, values)]),
  )
