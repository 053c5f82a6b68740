import { expect, test } from 'vitest'
import { byKeys, PLACES } from './by-keys.ts'
import type { Rows } from './database.ts'
import type { Parameters } from './values.ts'

const SQL = `SELECT id FROM files WHERE id IN (${PLACES})`

async function askedOf(keys: readonly string[]): Promise<readonly Parameters[]> {
  const asked: Parameters[] = []
  const all = async (_: string, parameters: Parameters = []) => {
    asked.push(parameters)
    return []
  }
  await byKeys({ all } as unknown as Rows, SQL, [], keys)
  return asked
}

test('places that no key needs are filled by the last one', async () => {
  const [parameters = []] = await askedOf(['a', 'b'])
  expect(parameters).toHaveLength(500)
  expect(new Set(parameters.slice(1))).toEqual(new Set(['b']))
})

test('a key of any length goes to the database once', async () => {
  const long = 'x'.repeat(1 << 20)
  const [parameters = []] = await askedOf([long])
  expect(parameters).toHaveLength(500)
  expect(parameters.filter((one) => one !== null)).toEqual([long])
})
