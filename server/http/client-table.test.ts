import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ClientTable } from './client-table.ts'

const PLACES = 100_000

/** Checks a client and, if it is admitted, counts its request, as a server does. */
function ask(table: ClientTable, key: string, now: number) {
  const excess = table.excess(key, now)
  if (excess === undefined) table.take(key, now)
  return excess
}

test('the burst passes at once, then one request per share of the minute', () => {
  const table = new ClientTable({ perMinute: 60, burst: 3, concurrent: 0 }, PLACES)
  expect([0, 0, 0].map((now) => ask(table, 'a', now))).toEqual([undefined, undefined, undefined])
  expect(ask(table, 'a', 0)).toEqual({ limit: 'rate', seconds: 1 })
  expect(ask(table, 'a', 999)).toEqual({ limit: 'rate', seconds: 1 })
  expect(ask(table, 'a', 1000)).toBeUndefined()
  expect(ask(table, 'a', 1000)).toEqual({ limit: 'rate', seconds: 1 })
  expect(ask(table, 'b', 1000)).toBeUndefined()
})

test('the wait is given in whole seconds, rounded up, and is enough', () => {
  const table = new ClientTable({ perMinute: 7, burst: 1, concurrent: 0 }, PLACES)
  expect(ask(table, 'a', 0)).toBeUndefined()
  // 60/7 = 8.57 seconds, rounded up.
  expect(ask(table, 'a', 0)).toEqual({ limit: 'rate', seconds: 9 })
  expect(ask(table, 'a', 600)).toEqual({ limit: 'rate', seconds: 8 })
  expect(ask(table, 'a', 8600)).toBeUndefined()
})

const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5000 })), {
  minLength: 1,
  maxLength: 200,
})

test('no time window passes more than its share plus the burst, and a retry after the stated wait passes', () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 5000 }),
    fc.integer({ min: 1, max: 20 }),
    gaps,
    (perMinute, burst, steps) => {
      const table = new ClientTable({ perMinute, burst, concurrent: 0 }, PLACES)
      const passed: number[] = []
      let now = 0
      for (const step of steps) {
        now += step
        const excess = ask(table, 'a', now)
        if (excess === undefined) passed.push(now)
        else {
          const later = now + (excess.seconds ?? 0) * 1000
          expect(table.excess('a', later)).toBeUndefined()
          // The wait is at most the time that one request takes to become available.
          expect(excess.seconds).toBeLessThanOrEqual(Math.ceil(60 / perMinute))
        }
      }
      for (const [i, from] of passed.entries()) {
        for (const [k, to] of passed.slice(i).entries()) {
          // The first request of a window belongs to the burst.
          expect(k + 1).toBeLessThanOrEqual(burst + ((to - from) * perMinute) / 60_000 + 1e-6)
        }
      }
    },
  )
  fc.assert(property, { seed: 4, numRuns: 200 })
})

test('never are more under way than allowed, others are not touched, and all counts end at none', () => {
  const moves = fc.array(fc.record({ client: fc.nat(3), ends: fc.boolean() }), { maxLength: 300 })
  const property = fc.property(fc.integer({ min: 1, max: 5 }), moves, (concurrent, given) => {
    const table = new ClientTable({ perMinute: 0, burst: 1, concurrent }, PLACES)
    const underWay = [0, 0, 0, 0]
    for (const { client, ends } of given) {
      const count = underWay[client] ?? 0
      if (ends && count > 0) {
        table.giveBack(String(client), 0)
        underWay[client] = count - 1
      } else if (!ends) {
        const excess = ask(table, String(client), 0)
        expect(excess).toEqual(count < concurrent ? undefined : { limit: 'concurrency' })
        if (excess === undefined) underWay[client] = count + 1
      }
      expect(table.size).toBe(underWay.filter((n) => n > 0).length)
    }
    for (const [client, count] of underWay.entries()) {
      for (let i = 0; i < count; i++) table.giveBack(String(client), 0)
    }
    expect(table.size).toBe(0)
  })
  fc.assert(property, { seed: 5, numRuns: 300 })
})

test('the table is bounded, and never drops a client with open requests', () => {
  const table = new ClientTable({ perMinute: 1, burst: 1, concurrent: 1 }, 100)
  table.take('busy', 0)
  for (let i = 0; i < 10_000; i++) {
    table.take(`other ${i}`, 0)
    table.giveBack(`other ${i}`, 0)
    expect(table.size).toBeLessThanOrEqual(101)
  }
  expect(table.excess('busy', 0)).toEqual({ limit: 'concurrency' })
  expect(table.excess('other 9999', 0)).toEqual({ limit: 'rate', seconds: 60 })
  table.giveBack('busy', 0)
  expect(table.excess('busy', 0)).toEqual({ limit: 'rate', seconds: 60 })
})

test('a client that keeps sending stays refused, for any number of other clients', () => {
  const table = new ClientTable({ perMinute: 1, burst: 1, concurrent: 0 }, 100)
  ask(table, 'eager', 0)
  for (let i = 0; i < 10_000; i++) {
    table.take(`other ${i}`, 0)
    table.giveBack(`other ${i}`, 0)
    // Between two requests of this client come forty-nine others, one less than half the table's places.
    if (i % 49 === 0) expect(ask(table, 'eager', 0)).toMatchObject({ limit: 'rate' })
  }
})

test('a client with all its allowance back is removed from the table', () => {
  const table = new ClientTable({ perMinute: 60, burst: 2, concurrent: 0 }, PLACES)
  ask(table, 'a', 0)
  table.giveBack('a', 500)
  expect(table.size).toBe(1)
  ask(table, 'a', 600)
  table.giveBack('a', 5000)
  expect(table.size).toBe(0)
})
