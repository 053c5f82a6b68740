import { expect, test } from 'vitest'
import { LoopTurns } from './loop-turns.ts'

/** The time of one step by the clock of `madeTurns`. */
const STEP_MILLISECONDS = 1
const STEPS = 50

/** Counts steps in each turn of the event loop. */
function madeTurns() {
  let now = 0
  let turn = 0
  let isOver = false
  const steps: number[] = []
  const nextTurn = () => {
    turn += 1
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  const step = () => {
    now += STEP_MILLISECONDS
    steps[turn] = (steps[turn] ?? 0) + 1
  }
  return {
    turns: new LoopTurns(() => now),
    step,
    most: () => {
      isOver = true
      return Math.max(...Object.values(steps))
    },
  }
}

test.each([1, 8])('the steps of %i who run at once take 8 ms of a turn together', async (runs) => {
  const { turns, step, most } = madeTurns()
  let done = 0
  function* work() {
    for (let i = 0; i < STEPS; i++) {
      step()
      done += 1
      yield
    }
  }
  await Promise.all(Array.from({ length: runs }, () => turns.run(work())))
  expect(done).toBe(runs * STEPS)
  // Each run takes one step before it notices that the turn is used up.
  expect(most()).toBeLessThanOrEqual(8 + runs)
})

test('paused and running work share turns, and all of it ends', async () => {
  const { turns, step, most } = madeTurns()
  const pausing = async () => {
    for (let i = 0; i < STEPS; i++) {
      await turns.pause()
      step()
    }
    return 'paused'
  }
  function* work() {
    for (let i = 0; i < STEPS; i++) {
      step()
      yield
    }
    return 'ran'
  }
  const all = await Promise.all([pausing(), turns.run(work()), pausing(), turns.run(work())])
  expect(all).toEqual(['paused', 'ran', 'paused', 'ran'])
  expect(most()).toBeLessThanOrEqual(12)
})

test('each who asks for the next turn has one for itself, in the order of asking', async () => {
  const { turns, step, most } = madeTurns()
  const order: number[] = []
  const asked = Array.from({ length: 5 }, async (_, i) => {
    await turns.next()
    step()
    order.push(i)
  })
  await Promise.all(asked)
  expect([order, most()]).toEqual([[0, 1, 2, 3, 4], 1])
})
