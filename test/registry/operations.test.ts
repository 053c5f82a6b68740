import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { areaOf, registryOperations } from './support/area-operations.ts'

// Each area of the registry has a test file that reaches every status of every operation; see support/area-tests.ts.

const OPERATIONS = await registryOperations()
const AREAS = [...new Set(OPERATIONS.map(areaOf))]

test('the operations are found at all', () => {
  expect(OPERATIONS.length).toBeGreaterThan(30)
  expect(AREAS).toContain('staging')
})

test.each(AREAS)('the operations of %s are tested', (area) => {
  expect(existsSync(join(import.meta.dirname, `${area}-operations.test.ts`))).toBe(true)
})

test('every operation needs a key, and says what is answered without one', () => {
  expect(OPERATIONS.filter(({ has }) => !has(401)).map(({ name }) => name)).toEqual([])
})

/**
 * Statuses in the service description that this interface never sends (registry.md 2.5): 200 and 201 have a
 * body, 204 has none, and 404 means that a code does not exist.
 */
const NEVER_SENT: Readonly<Record<string, readonly number[]>> = {
  'POST /rest/hcpcs/code': [200],
  'DELETE /rest/hcpcs/code/{code}': [200],
  'PUT /rest/rx/{version}/reset/{id}': [201],
  'POST /rest/rx/{version}/hide/{id}': [201],
  'POST /rest/rx/{version}/unhide/{id}': [201],
  'POST /rest/rx/{version}/publish': [201],
  'PUT /rest/glossary/{version}/reset/{id}': [201],
  'POST /rest/glossary/{version}/unhide/{id}': [201],
  'POST /rest/glossary/{version}/publish': [201],
  'PUT /rest/disease/{version}/reset/{id}': [201],
}

const DESCRIPTION = join(import.meta.dirname, '../../docs/interfaces/registry-service.md')

/** The rows of tables 4.1 to 4.3, and the only operation of 4.4. */
function describedOperations(): (readonly [name: string, statuses: number[]])[] {
  const rows = readFileSync(DESCRIPTION, 'utf8').matchAll(
    /^\| (GET|POST|PUT|DELETE) \| (\S+) \|(.*)$/gm,
  )
  const listed = [...rows].map(([, method, path, rest = '']) => {
    const statuses = [...rest.matchAll(/\b([2-5]\d\d)\b/g)].map(([code]) => Number(code))
    return [`${method} ${path}`, statuses] as const
  })
  return [...listed, ['POST /rest/mph', [200, 400]]]
}

test('every operation of the service description is there with its statuses', () => {
  const operations = describedOperations()
  expect(operations).toHaveLength(23 + 13 + 6 + 1)
  const missing = operations.flatMap(([name, statuses]) => {
    const operation = OPERATIONS.find((one) => one.name === name)
    const sent = statuses.filter((status) => !NEVER_SENT[name]?.includes(status))
    return sent.filter((status) => !operation?.has(status)).map((status) => `${name} ${status}`)
  })
  expect(missing).toEqual([])
})
