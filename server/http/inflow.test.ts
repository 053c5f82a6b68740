import { Socket } from 'node:net'
import { beforeEach, expect, test, vi } from 'vitest'
import { Inflow } from './inflow.ts'

const KiB = 1024
const MiB = 1024 * KiB

let now = 0
let inflow: Inflow

beforeEach(() => {
  now = 0
  inflow = new Inflow({ maxBytes: 10 * MiB, clock: () => now })
})

function begin() {
  const giveUp = vi.fn()
  const socket = new Socket()
  return { giveUp, socket, ...inflow.begin({ giveUp, socket }) }
}

test('held bytes count until they are released, and only once', () => {
  const [one, two] = [begin(), begin()]
  one.hold(3 * MiB)
  two.hold(4 * MiB)
  two.pass(MiB)
  expect(inflow.bytes).toBe(7 * MiB)
  one.end()
  expect(inflow.bytes).toBe(7 * MiB)
  one.release()
  one.release()
  expect(inflow.bytes).toBe(4 * MiB)
})

test('one body alone may be larger than the bound', () => {
  const large = begin()
  for (let i = 0; i < 20; i++) large.hold(MiB)
  expect(inflow.bytes).toBe(20 * MiB)
})

test('the slowest body is dropped, and its bytes are freed', () => {
  const [stopped, fast] = [begin(), begin()]
  stopped.hold(6 * MiB)
  for (now = 0; now < 20_000; now += 1000) fast.pass(100 * KiB)
  fast.hold(3 * MiB)
  const small = begin()
  small.hold(2 * MiB)
  expect(stopped.giveUp).toHaveBeenCalledOnce()
  expect(stopped.giveUp.mock.calls[0]?.[0]).toMatchObject({ code: 'busy', retryAfterSeconds: 5 })
  expect(fast.giveUp).not.toHaveBeenCalled()
  expect(inflow.bytes).toBe(5 * MiB)
})

test('a small body is accepted while others arrive byte by byte', () => {
  const dripping = Array.from({ length: 10 }, begin)
  for (const one of dripping) one.hold(MiB)
  for (now = 0; now < 60_000; now += 100) for (const one of dripping) one.hold(0)
  for (const one of dripping) one.pass(1000)
  begin().hold(100)
  expect(dripping.filter(({ giveUp }) => giveUp.mock.calls.length > 0)).toHaveLength(1)
})

test('fast bodies are not dropped for one that is no faster', () => {
  const honest = Array.from({ length: 10 }, begin)
  for (now = 0; now < 5000; now += 100) for (const one of honest) one.hold(20 * KiB)
  const next = begin()
  next.hold(100 * KiB)
  expect(() => next.hold(200 * KiB)).toThrow('bodies of all requests together')
  expect(honest.every(({ giveUp }) => giveUp.mock.calls.length === 0)).toBe(true)
})

test('new bodies and complete bodies are not dropped', () => {
  const whole = begin()
  whole.hold(5 * MiB)
  whole.end()
  now = 60_000
  const young = begin()
  young.hold(5 * MiB)
  now = 60_500
  expect(() => begin().hold(1)).toThrow('bodies of all requests together')
  expect(inflow.bytes).toBe(10 * MiB)
})

test('a connection is given up when its body has all but stopped, the slowest first', () => {
  const [older, newer] = [begin(), begin()]
  older.pass(2000)
  newer.pass(1000)
  expect(inflow.stalledSocket()).toBeUndefined()
  now = 20_000
  expect(inflow.stalledSocket()).toBe(newer.socket)
  newer.pass(100 * KiB)
  expect(inflow.stalledSocket()).toBe(older.socket)
  older.end()
  expect(inflow.stalledSocket()).toBeUndefined()
})
