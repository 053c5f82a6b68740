import type { Job } from '../../shared/executor.ts'
import {
  type FoundInSchema,
  introspect,
  type SchemaQuery,
} from '../../shared/graphql/introspection.ts'
import type { GraphModel } from './model.ts'
import { makeSchema } from './schema.ts'

/**
 * Answers an introspection query of the schema on a worker thread, because making the schema with its 50,000
 * arguments would block the event loop.
 */
export const introspectJob: Job<SchemaQuery & { readonly model: GraphModel }, FoundInSchema> = {
  name: 'submitted-graph.introspect',
  run: ({ model, ...asked }) => introspect(makeSchema(model), asked),
}
