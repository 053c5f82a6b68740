import { expect, test } from 'vitest'
import { Events, type Setting, SMALL_CLUSTER, Station, simulate } from '../../bench/simulation.ts'
import { randomFrom } from '../../fixtures/random.ts'

/** Few and short requests, so that the tests are short. */
const LITTLE: Setting = {
  ...SMALL_CLUSTER,
  nodes: 4,
  cores: 2,
  threads: 2,
  clients: 200,
  warmMs: 3000,
  lastsMs: 12_000,
}

/** Mean time in a station with c servers, Poisson arrivals and exponential services, by Erlang's C formula. */
function erlang(arrivals: number, service: number, servers: number): number {
  const load = arrivals * service
  const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1))
  const terms = Array.from({ length: servers }, (_, k) => load ** k / factorial(k))
  const last = (load ** servers / factorial(servers)) * (servers / (servers - load))
  const waits = last / (terms.reduce((sum, term) => sum + term, 0) + last)
  return service + (waits * service) / (servers - load)
}

test.each([
  [1, 0.5],
  [1, 0.8],
  [2, 0.7],
  [8, 0.9],
])(
  'a station of %i servers that is busy for %f of the time is as queueing theory has it',
  (servers, busy) => {
    const random = randomFrom(servers, busy * 100)
    const events = new Events()
    const station = new Station(events, servers)
    const service = 10
    const arrivals = (busy * servers) / service
    let total = 0
    let count = 0
    const arrive = () => {
      const since = events.now
      station.do(random.gap(service), () => {
        total += events.now - since
        count++
      })
      events.after(random.gap(1 / arrivals), arrive)
    }
    arrive()
    events.run(400_000 / arrivals)
    expect(count).toBeGreaterThan(390_000)
    const theory = erlang(arrivals, service, servers)
    expect(Math.abs(total / count / theory - 1)).toBeLessThan(0.05)
  },
)

test('what is under way is what comes, times how long it takes', () => {
  const { underWay, refused, cut } = simulate(LITTLE)
  expect(underWay).toBeGreaterThan(0.97 * LITTLE.clients)
  expect([refused, cut]).toEqual([0, 0])
})

test('equal settings give equal outcomes, and another seed another', () => {
  const { slices, p99 } = simulate(LITTLE)
  expect(simulate(LITTLE)).toMatchObject({ slices, p99 })
  expect(simulate({ ...LITTLE, seed: 2 }).p99).not.toBe(p99)
})

test('a balancer that gives nodes more than they let in has clients refused', () => {
  const gate = { active: 4, waiting: 8 }
  const refusing = simulate({ ...LITTLE, gate })
  expect(refusing.refused).toBeGreaterThan(0)
  const balancer = { ...LITTLE.balancer, maxPerNode: gate.active + gate.waiting }
  const holding = simulate({ ...LITTLE, gate, balancer })
  expect(holding.refused).toBeLessThan(refusing.refused)
  expect(holding.perSecond).toBeGreaterThan(0.9 * refusing.perSecond)
})

test('nodes that die cut what they send, and all is as before when they are back', () => {
  const failures = [{ kind: 'nodes die', at: 3000, share: 0.5, lasts: 3000 }] as const
  const outcome = simulate({ ...LITTLE, failures })
  expect(outcome.cut).toBeGreaterThan(0)
  expect(outcome.recoveryMs).toBeLessThan(5000)
})

test('a database that is away refuses what nobody has kept an answer to', () => {
  const failures = [{ kind: 'database away', at: 3000, lasts: 3000 }] as const
  const kept = { ...LITTLE, failures, database: { ...LITTLE.database, hits: 1 } }
  expect(simulate(kept).refused).toBe(0)
  expect(simulate({ ...LITTLE, failures }).refused).toBeGreaterThan(0)
})
