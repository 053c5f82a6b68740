import { expect, test } from 'vitest'
import { Gate } from './gate.ts'

/** Waits until all callbacks that are ready have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Enters the gate and logs the name when it is admitted. */
function enter(gate: Gate, name: string, log: string[], signal?: AbortSignal) {
  return gate.enter(signal).then((leave) => {
    log.push(name)
    return leave
  })
}

test('as many as the gate is wide are inside, the rest wait in line', async () => {
  const gate = new Gate(2, 3, 'no room')
  const log: string[] = []
  const places = ['a', 'b', 'c', 'd', 'e'].map((name) => enter(gate, name, log))
  await settle()
  expect(log).toEqual(['a', 'b'])
  expect([gate.inside, gate.waiting]).toEqual([2, 3])
  await expect(gate.enter()).rejects.toMatchObject({ code: 'busy', message: 'no room' })

  for (const [i, expected] of [3, 4, 5, 5, 5].entries()) {
    const leave = await places[i]!
    leave()
    await settle()
    expect(log).toEqual(['a', 'b', 'c', 'd', 'e'].slice(0, expected))
  }
  expect([gate.inside, gate.waiting]).toEqual([0, 0])
})

test('leaving twice gives one place back', async () => {
  const gate = new Gate(1, 5, 'no room')
  const leave = await gate.enter()
  const log: string[] = []
  const second = enter(gate, 'b', log)
  const third = enter(gate, 'c', log)
  leave()
  leave()
  await settle()
  expect(log).toEqual(['b'])
  ;(await second)()
  ;(await third)()
  expect(gate.inside).toBe(0)
})

test('one that is aborted while it waits frees its place in line and takes none inside', async () => {
  const gate = new Gate(1, 2, 'no room')
  const leave = await gate.enter()
  const log: string[] = []
  const stop = new AbortController()
  const gone = enter(gate, 'b', log, stop.signal)
  const kept = enter(gate, 'c', log)
  await expect(gate.enter()).rejects.toMatchObject({ code: 'busy', message: 'no room' })
  stop.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  expect(gate.waiting).toBe(1)
  const last = enter(gate, 'd', log)
  leave()
  ;(await kept)()
  ;(await last)()
  expect(log).toEqual(['c', 'd'])
  expect([gate.inside, gate.waiting]).toEqual([0, 0])
})

test('one that is aborted before or after it waits changes nothing', async () => {
  const gate = new Gate(1, 1, 'no room')
  await expect(gate.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  const stop = new AbortController()
  const leave = await gate.enter(stop.signal)
  const log: string[] = []
  const next = enter(gate, 'b', log, stop.signal)
  leave()
  const leaveNext = await next
  stop.abort(new Error('late'))
  await settle()
  expect([gate.inside, gate.waiting]).toEqual([1, 0])
  leaveNext()
  expect(gate.inside).toBe(0)
})

test('no line at all is allowed', async () => {
  const gate = new Gate(1, 0, 'no room')
  const leave = await gate.enter()
  await expect(gate.enter()).rejects.toMatchObject({ code: 'busy', message: 'no room' })
  leave()
  ;(await gate.enter())()
})
