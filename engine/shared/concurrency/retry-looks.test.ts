import { expect, test } from 'vitest'
import { RetryLooks } from './retry-looks.ts'

const due = (retry: RetryLooks, id: string, looks: number) =>
  Array.from({ length: looks }, (_, look) => (retry.isDue(id) ? [look] : [])).flat()

test('what fails is tried again ever more seldom, at last every 65 looks', () => {
  const retry = new RetryLooks()
  expect(due(retry, 'one', 20)).toEqual([0, 2, 5, 10, 19])
  expect(due(retry, 'one', 1000).length).toBeLessThan(20)
  expect(due(retry, 'one', 65)).toHaveLength(1)
})

test('something else is tried at once, and so is what there is new reason to try', () => {
  const retry = new RetryLooks()
  due(retry, 'one', 100)
  expect(due(retry, 'two', 3)).toEqual([0, 2])
  retry.reset()
  expect(due(retry, 'two', 3)).toEqual([0, 2])
})
