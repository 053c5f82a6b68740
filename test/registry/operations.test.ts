import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { areaOf, registryOperations } from './support/area-operations.ts'

// Each area of the registry has a file that reaches every status of every operation; see
// support/area-tests.ts.

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
