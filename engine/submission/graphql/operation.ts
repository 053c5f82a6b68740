import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql'
import { EngineError } from '../../shared/errors.ts'
import type { SchemaQuery } from './introspection.ts'
import { checkDocument, checkOperation, checkText, rootFields } from './query-limits.ts'
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
const MAX_ERRORS = 20
const OF_SCHEMA: ReadonlySet<string> = new Set(['__schema', '__type'])

/** What is wrong with a query, all of it that is reported. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super('a query is not valid')
    this.reasons = reasons
  }
}

/**
 * Parses and checks a query.
 * @throws QueryError for what is no query, or none of this schema; EngineError `too_many` beyond a
 *   limit, `bad_input`
 */
export function* readOperation(
  schema: GraphQLSchema,
  { query, variables, operationName }: SchemaQuery,
): Generator<void, Operation> {
  checkText(query)
  yield
  const document = parsed(query)
  yield
  checkDocument(document)
  yield
  const errors = validate(schema, document, RULES, { maxErrors: MAX_ERRORS })
  if (errors.length > 0) throw new QueryError(errors.map(({ message }) => message))
  yield
  const operation = getOperationAST(document, operationName)
  if (!operation) throw noOperation(operationName)
  const isIntrospection = isAboutSchema(document, operation)
  checkOperation({ document, operation, variables, isIntrospection })
  return { document, isIntrospection }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { message, locations: [place] = [] } = error
    const where = place ? ` (line ${place.line}, column ${place.column})` : ''
    throw new QueryError([`${message}${where}`])
  }
}

function noOperation(name: string | undefined): QueryError {
  if (name !== undefined) return new QueryError([`Unknown operation named "${name}".`])
  return new QueryError(['Must provide operation name if query contains multiple operations.'])
}

function isAboutSchema(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const names = rootFields(document, operation)
  const isAsked = [...names].some((name) => OF_SCHEMA.has(name))
  if (isAsked && [...names].some((name) => !name.startsWith('__'))) {
    const message = 'the query asks for the schema and for data; make two queries of it'
    throw new EngineError('bad_input', message)
  }
  return isAsked
}
