import { expect, test } from 'vitest'
import { fakeApp, WITH_LOGIN } from '../commons/contract/fake-engine.ts'
import { operationsOfRow } from './access-table.ts'
import { COSTLY_FAMILIES } from './support/costly-table.ts'
import { operationsOf } from './support/described-operations.ts'

// The cost of the inputs is measured in costly-inputs.ci.test.ts.

test('every operation has a maker of its costliest inputs, or a reason why it needs none', async () => {
  const document = await (await fakeApp(WITH_LOGIN).app.request('/openapi.json')).json()
  const operations = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  const covered = COSTLY_FAMILIES.flatMap(({ rows }) => rows.flatMap(operationsOfRow))
  expect(covered.toSorted()).toEqual(operations.toSorted())
})
