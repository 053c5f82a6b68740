import {
  type DocumentNode,
  type GraphQLSchema,
  specifiedRules,
  VariablesInAllowedPositionRule,
} from 'graphql'
import type { SchemaQuery } from '../../shared/graphql/introspection.ts'
import { readDocument } from '../../shared/graphql/read-document.ts'
import { checkOperation, QUERY_LIMITS } from './query-limits.ts'
import { VariablesFitRule } from './variable-rule.ts'

interface Operation {
  readonly document: DocumentNode
  /** Whether it queries the schema instead of submitted data. */
  readonly isIntrospection: boolean
}

const RULES = Object.freeze(
  specifiedRules.map((rule) => (rule === VariablesInAllowedPositionRule ? VariablesFitRule : rule)),
)

/**
 * Parses and validates a query.
 * @throws QueryError if the query is invalid for this schema
 * @throws EngineError `too_many` over a limit, `bad_input`
 */
export function* readOperation(
  schema: GraphQLSchema,
  { query, variables, operationName }: SchemaQuery,
): Generator<void, Operation> {
  const rules = { schema, limits: QUERY_LIMITS, rules: RULES }
  const { document, operation, isIntrospection } = yield* readDocument(query, operationName, rules)
  checkOperation({ document, operation, variables, isIntrospection })
  return { document, isIntrospection }
}
