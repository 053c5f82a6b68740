import { expect, test } from 'vitest'
import { LineNames } from './line-cursor.ts'

test('a name is compared with the last one, also where memory of a block is used again', () => {
  const numbers = [
    ['chr1', 0],
    ['chr2', 1],
  ] as const
  const names = new LineNames({ numbers })
  const block = Buffer.alloc(16)
  const numberOf = (name: string) => {
    block.write(name)
    return names.numberOf(block, { nameFrom: 0, nameTo: 4, start: 0, end: 0 })
  }
  expect(['chr1', 'chr2', 'chr2', 'chr1'].map(numberOf)).toEqual([0, 1, 1, 0])
})
