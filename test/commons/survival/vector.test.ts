import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../available.ts'
import { type DownloadWorld, openWorld } from '../contract/support/download-world.ts'
import { appOf } from '../search/support/app.ts'

// Compares the interface's published example, which has the survival just before each donor's day, as the
// service did before release 8.5.0 of its interface; data-commons.md 6.8 says what it shows since.

const FOLDER = publicData('contract/examples')

interface Donor {
  readonly time: number
  readonly censored: boolean
  readonly survivalEstimate: number
  readonly id: string
  readonly submitter_id: string
  readonly project_id: string
}
interface Curves {
  readonly results: readonly { readonly donors: readonly Donor[] }[]
}

/** The corrected steps by day (data-commons.md 6.8). */
const CORRECTED = new Map([
  [58, 0.9777777777777777],
  [248, 0.9539295392953929],
  [313, 0.929469807518588],
  [391, 0.9043490019099776],
  [595, 0.8777505018538018],
  [708, 0.8503207986708705],
  [1252, 0.8003019281608192],
  [3553, 0.6402415425286554],
  [6425, 0],
])

/** The names of members, outermost first, followed by those of the first element of each list. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)])
}

/** The day of each donor as written. */
const timesIn = (text: string) =>
  new Map(
    [...text.matchAll(/"time": ([^,]+),[^}]*?"id": "([^"]+)"/g)].map(([, time, id]) => [id, time]),
  )

describe.skipIf(!available.shared)('the published example', () => {
  let world: DownloadWorld
  let text = ''
  let example = ''
  let donors: readonly Donor[] = []
  let expected: readonly Donor[] = []

  beforeAll(async () => {
    example = readFileSync(join(FOLDER, '55_analysis.json'), 'utf8')
    expected = (JSON.parse(example) as Curves).results[0]?.donors ?? []
    const cases = expected.map(({ id, submitter_id, project_id, time, censored }) => ({
      case_id: id,
      submitter_id,
      project: { project_id },
      demographic: {
        vital_status: censored ? 'Alive' : 'Dead',
        ...(censored ? {} : { days_to_death: time }),
      },
      ...(censored ? { follow_ups: [{ days_to_follow_up: time }] } : {}),
    }))
    const other = { case_id: 'ffffffff-0000-4000-8000-000000000000', project: { project_id: 'X' } }
    const projects = [{ project_id: 'TCGA-DLBC' }, { project_id: 'X' }]
    world = await openWorld({ projects, cases: [...cases, other] })
    const index = JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8'))
    const { path, query } = index.vectors.find(({ file }: { file: string }) =>
      file.startsWith('55_'),
    )
    const asked = new URLSearchParams({ ...query, filters: JSON.stringify(query.filters) })
    const answer = await appOf(world.engine).request(`${path}?${asked}`)
    text = await answer.text()
    donors = (JSON.parse(text) as Curves).results[0]?.donors ?? []
  })
  afterAll(() => world?.close())

  test('has the members of the answer in their order, on the same lines', () => {
    expect(shapeOf(JSON.parse(text))).toEqual(shapeOf(JSON.parse(example)))
    const first = (of: string) =>
      of
        .split('\n')
        .slice(0, 6)
        .map((line) => line.trim().replace(/\d+/, 'n'))
    expect(first(text)).toEqual(first(example))
    expect(text.split('\n')).toHaveLength(example.trimEnd().split('\n').length)
  })

  test('has the same donors in the order of their days, then of their ids', () => {
    const facts = ({ survivalEstimate: _, ...rest }: Donor) => rest
    const order = (a: Donor, b: Donor) => a.time - b.time || (a.id < b.id ? -1 : 1)
    expect(donors.map(facts)).toEqual(expected.toSorted(order).map(facts))
  })

  test('writes days as the service does: of death whole, all others with a point', () => {
    expect(timesIn(text)).toEqual(timesIn(example))
    expect(timesIn(text).size).toBe(47)
  })

  test('shows what held before each day', () => {
    const before = new Map<number, number>()
    let survival = 1
    for (const { time, survivalEstimate } of donors) {
      if (!before.has(time)) before.set(time, survival)
      survival = survivalEstimate
    }
    const told = (list: readonly Donor[], estimateOf: (donor: Donor) => number | undefined) =>
      new Map(list.map((donor) => [donor.id, estimateOf(donor)]))
    expect(told(donors, ({ time }) => before.get(time))).toEqual(
      told(expected, ({ survivalEstimate }) => survivalEstimate),
    )
  })

  test('answers the corrected steps', () => {
    const steps = donors.filter(({ censored }) => !censored)
    expect(new Map(steps.map(({ time, survivalEstimate }) => [time, survivalEstimate]))).toEqual(
      CORRECTED,
    )
  })
})
