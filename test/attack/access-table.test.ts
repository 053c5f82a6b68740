import { expect, test } from 'vitest'
import { fakeApp, WITH_LOGIN } from '../commons/contract/fake-engine.ts'
import { LOGIN_RULE_OF, RULE_OF } from './access-table.ts'
import { operationsOf } from './support/described-operations.ts'

// Whether the rows are correct is tested with requests in rights.ci.test.ts.

const operationsIn = async ({ app }: ReturnType<typeof fakeApp>) => {
  const document = await (await app.request('/openapi.json')).json()
  return operationsOf(document).map(({ method, path }) => `${method} ${path}`)
}

test('every operation has its row in the access table, and every row its operation', async () => {
  const operations = await operationsIn(fakeApp())
  expect(operations.toSorted()).toEqual([...RULE_OF.keys()].sort())
  expect(operations.length).toBeGreaterThan(250)
})

test('log-in at an institution adds its operations, and only if it is set up', async () => {
  const operations = await operationsIn(fakeApp(WITH_LOGIN))
  const rules = [...RULE_OF.keys(), ...LOGIN_RULE_OF.keys()]
  expect(operations.toSorted()).toEqual(rules.toSorted())
  const { app } = fakeApp()
  for (const operation of LOGIN_RULE_OF.keys()) {
    const [method = '', path = ''] = operation.split(' ')
    const { status } = await app.request(path, { method })
    expect([operation, status]).toEqual([operation, 404])
  }
})

test('without log-in no page mentions it', async () => {
  const { app } = fakeApp()
  for (const path of ['/', '/auth', '/docs', '/openapi.json']) {
    const text = await (await app.request(path)).text()
    const found = text.match(/.{0,40}(institution|\/auth\/(login|tokens|device)).{0,40}/i)?.[0]
    expect([path, found]).toEqual([path, undefined])
  }
})
