import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { Job } from '../../shared/executor.ts'
import {
  type FoundInSchema,
  introspect,
  type SchemaQuery,
} from '../../shared/graphql/introspection.ts'
import { searchModel } from './model.ts'
import { makeSearchSchema } from './schema.ts'

/** Answers a query for the schema of the search: five thousand fields are named with their types. */
export const introspectSearchJob: Job<SchemaQuery, FoundInSchema> = {
  name: 'search-graph.introspect',
  run: (asked) => introspect(makeSearchSchema(atOnce(searchModel())), asked),
}
