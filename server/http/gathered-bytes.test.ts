import { expect, test } from 'vitest'
import { GatheredBytes } from './gathered-bytes.ts'

const chunksOf = (lengths: readonly number[]) =>
  lengths.map((length, i) => new Uint8Array(length).fill(i + 1))

test.each([
  [[]],
  [[5]],
  [[0, 3]],
  [[1, 2, 3]],
  [[262_144, 1]],
  [[100_000, 262_144, 300_000, 337_756]],
])('chunks of %j bytes come back as they were added, once', (lengths) => {
  const gathered = new GatheredBytes(1_000_000)
  const chunks = chunksOf(lengths)
  for (const chunk of chunks) gathered.add(chunk)
  expect(gathered.length).toBe(lengths.reduce((sum, length) => sum + length, 0))
  expect(Buffer.from(gathered.take()).equals(Buffer.concat(chunks))).toBe(true)
  expect(gathered.take()).toHaveLength(0)
})

test('drop removes all chunks', () => {
  const gathered = new GatheredBytes(10)
  for (const chunk of chunksOf([2, 3])) gathered.add(chunk)
  gathered.drop()
  expect(gathered.length).toBe(0)
  expect(gathered.take()).toHaveLength(0)
})
