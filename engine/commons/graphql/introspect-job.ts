import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { Job } from '../../shared/executor.ts'
import {
  type FoundInSchema,
  introspect,
  type SchemaQuery,
} from '../../shared/graphql/introspection.ts'
import { searchModel } from './model.ts'
import { makeSearchSchema } from './schema.ts'

/** Answers an introspection query of the search schema, which has five thousand fields. */
export const introspectSearchJob: Job<SchemaQuery, FoundInSchema> = {
  name: 'search-graph.introspect',
  run: (asked) => introspect(makeSearchSchema(atOnce(searchModel())), asked),
}
