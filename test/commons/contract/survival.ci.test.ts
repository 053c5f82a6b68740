import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ThreadPool } from '../../../workers/pool.ts'
import { eventually } from '../../eventually.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'
import { listenFor } from './support/listen.ts'

// Tests data-commons-service.md 4.4 and data-commons.md 6.8 over HTTP and with threads. Numbers are compared
// with R in test/commons/survival.

interface Donor {
  readonly time: number
  readonly censored: boolean
  readonly survivalEstimate: number
  readonly id: string
  readonly submitter_id: string | null
  readonly project_id: string | null
  readonly n_at_risk?: number
  readonly lower_95?: number | null
  readonly upper_95?: number | null
}
interface Curves {
  readonly results: readonly { readonly meta: { readonly id: number }; donors: readonly Donor[] }[]
  readonly overallStats: Readonly<Record<string, number>>
}

const PATH = '/analysis/survival'
const id = (n: number) => `${String(n).padStart(8, '0')}-00c5-4000-8000-00000000cafe`
const died = (days?: number) => ({
  demographic: { vital_status: 'Dead', ...(days === undefined ? {} : { days_to_death: days }) },
})
const lives = (seen: object) => ({ demographic: { vital_status: 'aLIVE' }, ...seen })
const inProject = (project: string) => ({ project: { project_id: project } })

/** One case for each sentence of the derivation. */
const SMALL = [
  { case_id: id(1), submitter_id: 'dead', ...died(10), ...inProject('A') },
  { case_id: id(2), submitter_id: 'dead without a day', ...died(), ...inProject('A') },
  {
    case_id: id(3),
    submitter_id: 'latest of all',
    ...inProject('A'),
    ...lives({
      diagnoses: [{ days_to_last_follow_up: 3 }, { days_to_last_follow_up: 12.5 }, {}],
      follow_ups: [{ days_to_follow_up: 20 }, { days_to_follow_up: -4 }],
    }),
  },
  {
    case_id: id(4),
    submitter_id: 'dead is not seen later',
    ...inProject('B'),
    ...died(0),
    diagnoses: [{ days_to_last_follow_up: 500 }],
  },
  {
    case_id: id(5),
    submitter_id: 'before the index',
    ...inProject('B'),
    ...lives({ diagnoses: [{ days_to_last_follow_up: -31 }] }),
  },
  { case_id: id(6), submitter_id: 'never seen', ...lives({}), ...inProject('B') },
  {
    case_id: id(7),
    submitter_id: 'of unknown fate',
    ...inProject('B'),
    demographic: { vital_status: 'Unknown', days_to_death: 5 },
  },
  { case_id: id(8), submitter_id: 'no demographic', diagnoses: [{ days_to_last_follow_up: 9 }] },
  { case_id: id(9), submitter_id: 'quo"te \u00fc', ...died(10.5), ...inProject('B') },
  { case_id: id(10), ...died(10), project: { project_id: 'GONE' } },
]
const PROJECTS = [{ project_id: 'A' }, { project_id: 'B' }, { project_id: 'C' }]

let pool: ThreadPool
let world: DownloadWorld
let address = ''
let stop: () => Promise<void>

beforeAll(async () => {
  pool = new ThreadPool({ threads: 2 })
  world = await openWorld({ projects: PROJECTS, cases: SMALL }, { executor: pool })
  const server = await listenFor(world.engine)
  address = server.address
  stop = () => server.close()
})
afterAll(async () => {
  await stop()
  await world.close()
  await pool.close()
})

const on = (field: string, value: unknown) => ({ op: 'in', content: { field, value } })
const [A, B, C] = ['A', 'B', 'C'].map((project) => on('project.project_id', project))
const urlOf = (query: Readonly<Record<string, string>>) =>
  `${address}${PATH}?${new URLSearchParams(query)}`
const post = (body: unknown) =>
  fetch(`${address}${PATH}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  })

async function curves(body: unknown): Promise<Curves> {
  const response = await post(body)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return (await response.json()) as Curves
}

const namesIn = ({ results }: Curves) =>
  results.map(({ donors }) => donors.map(({ submitter_id }) => submitter_id))

describe('a donor', () => {
  test('is whoever died on a known day or lives and was seen, at the latest day', async () => {
    const { results } = await curves({})
    expect(results[0]?.donors.map(({ time, censored, id: one }) => [time, censored, one])).toEqual([
      [-31, true, id(5)],
      [0, false, id(4)],
      [10, false, id(1)],
      [10, false, id(10)],
      [10.5, false, id(9)],
      [20, true, id(3)],
    ])
  })

  test('has these members and no others', async () => {
    const text = await (await fetch(urlOf({ filters: JSON.stringify([A]) }))).text()
    const donor = (time: string, censored: boolean, survival: string, n: number, name: string) =>
      `{"time":${time},"censored":${censored},"survivalEstimate":${survival},"id":"${id(n)}",` +
      `"submitter_id":"${name}","project_id":"A"}`
    expect(text).toBe(
      '{"results":[{"meta":{"id":1},"donors":[' +
        `${donor('10', false, '0.5', 1, 'dead')},${donor('20.0', true, '0.5', 3, 'latest of all')}` +
        ']}],"overallStats":{}}',
    )
  })

  test('may have a name of any letters, and none', async () => {
    const found = await curves({})
    const { donors = [] } = found.results[0] ?? {}
    expect(donors.find((one) => one.id === id(9))?.submitter_id).toBe('quo"te \u00fc')
    expect(donors.find((one) => one.id === id(10))).toMatchObject({
      submitter_id: null,
      project_id: null,
    })
  })

  test('tells its interval when that is asked for', async () => {
    const { results } = await curves({ filters: B, intervals: true })
    // R: summary(survfit(Surv(c(-31, 0, 10.5), c(0, 1, 1)) ~ 1, conf.type = 'log'))
    const [first, second, last] = results[0]?.donors ?? []
    expect(first).toMatchObject({ n_at_risk: 3, lower_95: 1, upper_95: 1 })
    expect(second).toMatchObject({ n_at_risk: 2, survivalEstimate: 0.5, upper_95: 1 })
    expect(second?.lower_95).toBeCloseTo(0.125048826629953, 12)
    expect(last).toMatchObject({ n_at_risk: 1, lower_95: null, upper_95: null })
    expect(Object.keys(last ?? {})).toEqual([
      ...['time', 'censored', 'survivalEstimate', 'id', 'submitter_id', 'project_id'],
      ...['n_at_risk', 'lower_95', 'upper_95'],
    ])
  })
})

describe('curves', () => {
  test('are one per filter, in their order, with numbers that no other has', async () => {
    const found = await curves({ filters: [B, C, {}, A] })
    expect(found.results.map(({ donors }) => donors.length)).toEqual([3, 0, 6, 2])
    expect(new Set(found.results.map(({ meta }) => meta.id)).size).toBe(4)
  })

  test('are the same in every form of the request', async () => {
    const expected = await (await post({ filters: [A, B] })).text()
    const filters = JSON.stringify([A, B])
    const form = await fetch(`${address}${PATH}`, {
      method: 'POST',
      body: new URLSearchParams({ filters }),
    })
    const repeated = new URLSearchParams(
      [A, B].map((one): [string, string] => ['filters', JSON.stringify(one)]),
    )
    for (const response of [
      await fetch(urlOf({ filters })),
      await fetch(`${address}/v0${PATH}/?${new URLSearchParams({ filters })}`),
      await fetch(`${address}${PATH}?${repeated}`),
      await fetch(urlOf({ filters, fields: 'case_id', format: 'json', size: '1' })),
      await post({ filters }),
      form,
    ]) {
      expect(await response.text()).toBe(expected)
    }
  })

  test('are indented on request, and else the same', async () => {
    const plain = await (await post({ filters: [A, C, B] })).json()
    const pretty = await (await post({ filters: [A, C, B], pretty: true })).text()
    expect(JSON.parse(pretty)).toEqual(plain)
    expect(pretty).toBe(JSON.stringify(plain, null, 2).replace(/: (-31|20),/g, ': $1.0,'))
  })

  test('all have the filter on cases besides their own', async () => {
    const found = await curves({
      filters: [A, {}],
      case_filters: on('cases.case_id', [id(1), id(9)]),
    })
    expect(namesIn(found)).toEqual([['dead'], ['dead', 'quo"te \u00fc']])
  })

  test('may share donors, and one that has none is no group', async () => {
    const { overallStats } = await curves({ filters: [A, {}, C] })
    // R: s <- survdiff(Surv(c(10,20, -31,0,10,10,10.5,20), c(1,0, 0,1,1,1,1,0)) ~ c(1,1,2,2,2,2,2,2));
    // sum((s$obs - s$exp)^2 / s$exp)
    expect(overallStats.chiSquared).toBeCloseTo(0.350041425020713, 12)
    expect(overallStats.degreesFreedom).toBe(1)
    for (const filters of [[A], [A, C], [C, C], []]) {
      expect((await curves({ filters })).overallStats).toEqual({})
    }
  })

  test('are compared if they are at most 24', async () => {
    const [most, more] = [24, 25].map((count) => ({
      filters: Array.from({ length: count }, () => A),
      comparison: true,
    }))
    expect((await curves(most!)) as object).toMatchObject({
      comparison: { groups: { length: 24 } },
    })
    const refused = await post(more!)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('request at most 24')
  })

  test('may be 200', async () => {
    const some = Array.from({ length: 200 }, (_, i) => [A, B, {}, C][i % 4])
    const { results, overallStats } = await curves({ filters: some })
    expect(results.map(({ donors }) => donors.length)).toEqual(
      some.map((_, i) => [2, 3, 6, 0][i % 4]),
    )
    expect(overallStats.degreesFreedom).toBe(149)
  })
})

describe('a request that is not accepted says where', () => {
  test.each([
    [{ filters: [A, on('cases.no_such_field', 1)] }, 'filters[1].content.field', 'no field'],
    [{ filters: [A, A, { op: 'and', content: [{ op: 'x' }] }] }, 'filters[2].content[0].op', '"x"'],
    [{ filters: '[{"op":' }, 'filters', 'JSON'],
    [{ filters: [{ op: 'in' }] }, 'filters[0].content', 'object'],
    [{ case_filters: { op: 'in' } }, 'case_filters.content', 'object'],
    [{ intervals: 'perhaps' }, 'intervals', 'true or false'],
  ])('%j', async (body, at, told) => {
    const response = await post(body)
    const { error, message } = (await response.json()) as Record<string, string>
    expect([response.status, error]).toEqual([400, message])
    expect(message).toContain(at)
    expect(message).toContain(told)
  })

  test('by its method too', async () => {
    expect((await fetch(`${address}${PATH}`, { method: 'DELETE' })).status).toBe(405)
  })
})

test('a client that holds the answer is told so, until another release is served', async () => {
  const url = urlOf({ filters: JSON.stringify([A, B]) })
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const again = () => fetch(url, { headers: { 'If-None-Match': etag } })
  expect((await again()).status).toBe(304)
  expect((await fetch(urlOf({ filters: '[{}]' }))).headers.get('etag')).not.toBe(etag)
  await world.serve({ projects: PROJECTS, cases: SMALL.slice(0, 2) }, 'second')
  await eventually(async () => expect((await again()).status).toBe(200))
  const { results } = await curves({})
  expect(results[0]?.donors).toHaveLength(1)
  await world.serve({ projects: PROJECTS }, 'empty')
  await eventually(async () => {
    expect((await curves({ filters: [A, {}] })).results.map(({ donors }) => donors)).toEqual([
      [],
      [],
    ])
  })
  expect((await curves({})).overallStats).toEqual({})
})

describe('a large answer', () => {
  const MANY = 20_000
  const LONG = 'x'.repeat(400)
  const everybody = Array.from({ length: 16 }, () => ({}))

  beforeAll(async () => {
    const cases = Array.from({ length: MANY }, (_, i) => ({
      case_id: id(i),
      submitter_id: i % 5000 < 3000 ? `${i}` : `${i}${LONG}`,
      ...inProject(['A', 'B'][i % 2] ?? 'A'),
      // All deaths are on a few days, so that a day spans more than a piece.
      ...(i % 3 === 0 ? died(i % 4) : lives({ follow_ups: [{ days_to_follow_up: i % 4 }] })),
    }))
    await world.serve({ projects: PROJECTS, cases }, 'large')
    await eventually(async () => {
      expect((await curves({})).results[0]?.donors).toHaveLength(MANY)
    })
  })

  test('is whole and in order, however it is cut', async () => {
    const { results, overallStats } = await curves({ filters: [A, {}, B], intervals: true })
    const order = (a: Donor, b: Donor) => a.time - b.time || (a.id < b.id ? -1 : 1)
    for (const { donors } of results) {
      expect(donors).toEqual(donors.toSorted(order))
      expect(new Set(donors.map((one) => one.id)).size).toBe(donors.length)
      const days = new Map(donors.map((one) => [one.time, one]))
      for (const { time, survivalEstimate, n_at_risk, submitter_id, id: one } of donors) {
        const same = days.get(time)
        expect([same?.survivalEstimate, same?.n_at_risk]).toEqual([survivalEstimate, n_at_risk])
        if (Number.parseInt(submitter_id ?? '', 10) !== Number(one.slice(0, 8)))
          expect(one).toBe('')
      }
    }
    expect(results.map(({ donors }) => donors.length)).toEqual([MANY / 2, MANY, MANY / 2])
    expect(overallStats.degreesFreedom).toBe(2)
  })

  test('is indented over all its pieces', async () => {
    const filters = [A, {}, C]
    const plain = await (await post({ filters })).json()
    const pretty = await (await post({ filters, pretty: true })).text()
    const numbers = pretty.replace(/("time": \d+)\.0,/g, '$1,')
    // The texts are compared by `===`, because a failure would print megabytes.
    expect(numbers === JSON.stringify(plain, null, 2)).toBe(true)
  })

  test('frees its threads when the client leaves midway', async () => {
    const url = urlOf({ filters: JSON.stringify(everybody) })
    for (const leave of [0, 1]) {
      await new Promise<void>((resolve, reject) => {
        const request = get(url, (response) => {
          response.once('data', () => {
            response.destroy()
            resolve()
          })
        })
        request.on('error', leave === 0 ? () => resolve() : reject)
        // The client leaves before any data has arrived, or in the middle.
        if (leave === 0) setTimeout(() => request.destroy(), 5)
      })
      await eventually(() => expect([pool.queued, pool.running]).toEqual([0, 0]))
    }
    expect((await curves({ filters: [C] })).results[0]?.donors).toEqual([])
  })

  test('waits for a client that does not read', async () => {
    const url = urlOf({ filters: JSON.stringify(everybody) })
    const run = vi.spyOn(pool, 'run')
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, resolve).on('error', reject)
    })
    response.pause()
    await eventually(() => expect([pool.queued, pool.running]).toEqual([0, 0]))
    // Of more than a hundred pieces, only those for the system's buffers and those made ahead are made.
    expect(run.mock.calls.length).toBeLessThan(60)
    let bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length
    expect(run.mock.calls.length).toBeGreaterThan(100)
    run.mockRestore()
    expect(bytes).toBe((await (await post({ filters: everybody })).arrayBuffer()).byteLength)
  })
})
