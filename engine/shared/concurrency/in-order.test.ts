import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('results come in the order of their starts, with so many under way and no more', async () => {
  const delays = [9, 1, 5, 0, 7, 2]
  let next = 0
  let running = 0
  let most = 0
  const start = () => {
    if (next === delays.length) return undefined
    const number = next++
    most = Math.max(most, ++running)
    return sleep(delays[number]).then(() => {
      running--
      return number
    })
  }
  expect(await gather(inOrder(start, { ahead: 3 }))).toEqual([0, 1, 2, 3, 4, 5])
  expect(most).toBe(3)
})

test('a consumer that stops early aborts pending calls and waits for running ones', async () => {
  let running = 0
  let signals: AbortSignal | undefined
  const start = async (signal: AbortSignal) => {
    signals = signal
    running++
    await sleep(running === 1 ? 0 : 20)
    running--
  }
  for await (const _ of inOrder(start, { ahead: 4 })) break
  expect(running).toBe(0)
  expect(signals?.aborted).toBe(true)
})

test('an error ends it when all others have settled', async () => {
  let running = 0
  let started = 0
  const start = async () => {
    const fails = started++ === 1
    running++
    await sleep(fails ? 0 : 10)
    running--
    if (fails) throw new Error('broken')
  }
  await expect(gather(inOrder(start, { ahead: 4 }))).rejects.toThrow('broken')
  expect(running).toBe(0)
})

test('nothing is started once the signal is aborted', async () => {
  const stop = new AbortController()
  let started = 0
  const start = () => Promise.resolve(started++)
  const items = inOrder(start, { ahead: 2, signal: stop.signal })
  await items.next()
  stop.abort(new Error('gone'))
  await expect(items.next()).rejects.toThrow('gone')
  expect(started).toBe(2)
})
