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

/** A query that can be answered. */
export interface Operation {
  readonly document: DocumentNode
  /** Whether it asks for the schema, and not for what was submitted. */
  readonly isIntrospection: boolean
}

const RULES = Object.freeze(
  specifiedRules.map((rule) => (rule === VariablesInAllowedPositionRule ? VariablesFitRule : rule)),
)

/**
 * Parses and checks a query.
 * @throws QueryError for what is no query, or none of this schema; EngineError `too_many` beyond a
 *   limit, `bad_input`
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
