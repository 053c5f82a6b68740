import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  type ValidationRule,
  validate,
} from 'graphql'
import { EngineError } from '../errors.ts'
import {
  checkDocument,
  checkSchemaQuery,
  checkText,
  type DocumentLimits,
  rootFields,
} from './document-limits.ts'

const MAX_ERRORS = 20
const OF_SCHEMA: ReadonlySet<string> = new Set(['__schema', '__type'])

/** Thrown for an invalid query. `reasons` has the errors to report. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  readonly reasons: readonly string[]

  constructor(reasons: readonly string[]) {
    super('a query is not valid')
    this.reasons = reasons
  }
}

interface DocumentRules {
  readonly schema: GraphQLSchema
  readonly limits: DocumentLimits
  /** Validation rules. By default those of the GraphQL specification. */
  readonly rules?: readonly ValidationRule[] | undefined
}

/** An operation of a valid document. */
export interface ReadOperation {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Whether the query asks for the schema instead of data. */
  readonly isIntrospection: boolean
}

/**
 * Parses and validates a query in steps.
 * @throws QueryError if the query is invalid for this schema
 * @throws EngineError `too_many` over a limit, `bad_input` for a query of both schema and data
 */
export function* readDocument(
  query: string,
  operationName: string | undefined,
  { schema, limits, rules }: DocumentRules,
): Generator<void, ReadOperation> {
  checkText(query, limits)
  yield
  const document = parsed(query)
  yield
  checkDocument(document, limits)
  yield
  const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS })
  if (errors.length > 0) throw new QueryError(errors.map(({ message }) => message))
  yield
  const operation = getOperationAST(document, operationName)
  if (!operation) throw noOperation(operationName)
  if (!schema.getRootType(operation.operation)) {
    // This is the message of the library, which would report the problem only when it executes the operation.
    const message = `Schema is not configured to execute ${operation.operation} operation.`
    throw new QueryError([message])
  }
  const isIntrospection = isAboutSchema(document, operation)
  if (isIntrospection) checkSchemaQuery(document, operation)
  return { document, operation, isIntrospection }
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
    const message = 'the query requests the schema and data; split it into two queries'
    throw new EngineError('bad_input', message)
  }
  return isAsked
}
