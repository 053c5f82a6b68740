import { expect, test, vi } from 'vitest'
import { Retries } from './retries.ts'

test('what fails is done again until it succeeds, and no more', async () => {
  const retries = new Retries(1)
  let tries = 0
  retries.add(async () => {
    if (++tries < 3) throw new Error('the disk is full')
  })
  let others = 0
  retries.add(async () => {
    others++
  })
  expect(retries.count).toBe(2)
  await vi.waitFor(() => expect(retries.count).toBe(0), { timeout: 60_000 })
  expect([tries, others]).toEqual([3, 1])
  await retries.close()
})

test('an end waits for a try that is under way, and there is none after it', async () => {
  const retries = new Retries(1)
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = 0
  let ended = 0
  retries.add(async () => {
    begun++
    await promise
    ended++
    throw new Error('still full')
  })
  await vi.waitFor(() => expect(begun).toBe(1), { timeout: 60_000 })
  const closed = retries.close()
  resolve()
  await closed
  retries.add(async () => {
    begun++
  })
  expect([begun, ended]).toEqual([1, 1])
})
