import { expect, test } from 'vitest'
import { fakeApp } from '../commons/contract/fake-engine.ts'
import { RULE_OF } from './access-table.ts'
import { operationsOf } from './support/described-operations.ts'

// Whether the rows are correct is tested with requests in rights.ci.test.ts.

test('every operation has its row in the access table, and every row its operation', async () => {
  const document = await (await fakeApp().app.request('/openapi.json')).json()
  const operations = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  expect(operations.toSorted()).toEqual([...RULE_OF.keys()].sort())
  expect(operations.length).toBeGreaterThan(250)
})
