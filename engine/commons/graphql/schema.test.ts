import { buildClientSchema, introspectionFromSchema, validateSchema } from 'graphql'
import { expect, test } from 'vitest'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import { searchModel } from './model.ts'
import { makeSearchSchema } from './schema.ts'

const schema = makeSearchSchema(atOnce(searchModel()))

test('the schema has nothing that GraphQL does not allow', () => {
  expect(validateSchema(schema)).toEqual([])
  expect(validateSchema(buildClientSchema(introspectionFromSchema(schema)))).toEqual([])
})
