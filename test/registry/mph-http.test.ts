import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MultiplePrimaries } from '../../engine/registry/index.ts'
import type { PatientResult } from '../../engine/registry/multiple-primaries/patient.ts'
import type { MphGroup, MphResult } from '../../engine/registry/multiple-primaries/result.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { available } from '../available.ts'
import { SHARED } from '../commons/import/support/shared-data.ts'
import { BREAST, HODGKIN, LATER_HODGKIN, LUNG, OTHER_RANGES, on } from './support/made-tumours.ts'
import { type MphVector, readMphVectors } from './support/mph-vectors.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { readExpectations } from './support/staging-vectors.ts'

// The comparison over HTTP: the public client's expectations, and every recorded comparison.

const MPH = '/rest/mph'
const PUBLISHED = join(SHARED, 'mph')

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = async (operation: string, body?: unknown) =>
  successOf(await world.ask(operation, { who: 'reader', body }), 200)
const compare = async (input1: unknown, input2: unknown) =>
  (await ask(`POST ${MPH}`, { input1, input2 })) as MphResult

/** Posts all lines at once and returns an answer for each. */
async function answersTo(pairs: readonly unknown[]): Promise<MphResult[]> {
  const response = await world.ask(`POST ${MPH}/batch`, {
    who: 'reader',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''),
  })
  expect(response.status).toBe(200)
  return (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MphResult)
}

describe.skipIf(!available.shared)('the public client', () => {
  test('expects 400 without tumours, and INVALID_INPUT without a site', async () => {
    expect(readExpectations('mph').map(({ expect: wanted }) => wanted)).toEqual([
      { status: 400 },
      { status: 200, result: 'INVALID_INPUT' },
    ])
    await failureOf(await world.ask(`POST ${MPH}`, { who: 'reader', body: {} }), 400, MPH)
    const { primary_site: _site, ...rest } = BREAST
    expect(await compare(rest, BREAST)).toMatchObject({ result: 'INVALID_INPUT' })
  })
})

const factsOf = ({ result, group_id, step, applied_rules }: MphResult) => ({
  result,
  group_id: group_id ?? null,
  step: step ?? null,
  applied_steps: applied_rules.map((rule) => rule.step),
})

describe.skipIf(!available.shared)('recorded comparisons', () => {
  test.each([
    ['unit', 1],
    ['csv-2000-2022', 2],
    ['peer-random', 5],
  ])('%s agree as a batch, and some of them alone', async (name, step) => {
    // mph-vectors.test.ts compares all of them within the process.
    const vectors = readMphVectors(name).filter((_, i) => i % step === 0)
    const answers = await answersTo(vectors.map(({ input1, input2 }) => ({ input1, input2 })))
    const others = vectors.filter(
      ({ expected }, i) =>
        JSON.stringify(factsOf(answers[i] as MphResult)) !== JSON.stringify(told(expected)),
    )
    expect(others).toEqual([])
    for (let i = 0; i < vectors.length; i += 31) {
      const { input1, input2 } = vectors[i] as MphVector
      const { warnings: _, ...answer } = answers[i] as MphResult & { readonly warnings?: unknown }
      expect(await compare(input1, input2)).toEqual(answer)
    }
  })
})

const told = ({ result, group_id, step, applied_steps }: MphVector['expected']) => ({
  result,
  group_id,
  step,
  applied_steps,
})

test('every group is reported with its rules, under the name that results have', async () => {
  const ids = (await ask(`GET ${MPH}/groups`)) as string[]
  expect(ids).toHaveLength(25)
  for (const id of ids) {
    const group = (await ask(`GET ${MPH}/group/${id}`)) as MphGroup
    expect(group.id).toBe(id)
    expect(group.rules.length).toBeGreaterThan(0)
  }
  const { group_id, group_name } = await compare(BREAST, { ...BREAST, ...on('2020', '04', '01') })
  const group = (await ask(`GET ${MPH}/group/${group_id}`)) as MphGroup
  expect(group.name).toBe(group_name)
})

test('the tumours of a patient in order of date, their groups, and what speaks against them', async () => {
  const tumours = [
    { ...BREAST, ...on('2026', '01', '10') },
    LUNG,
    { ...BREAST, laterality: '9', ...on('2022', '', '') },
    { ...BREAST, ...on('2022', '01', '10') },
    { ...BREAST, ...on('2018', '01', '10') },
    { ...BREAST, primary_site: 'breast' },
  ]
  const answer = (await ask(`POST ${MPH}/patient`, { tumours })) as PatientResult
  expect(answer.tumours.map(({ input }) => input)).toEqual([4, 1, 5, 3, 2, 0])
  const [S, M, Q, I] = [
    ...(['SINGLE_PRIMARY', 'MULTIPLE_PRIMARIES', 'QUESTIONABLE', 'INVALID_INPUT'] as const),
  ]
  expect(answer.matrix).toEqual([
    [S, M, I, S, Q, M],
    [M, S, I, M, M, M],
    [I, I, I, I, I, I],
    [S, M, I, S, Q, S],
    [Q, M, I, Q, S, Q],
    [M, M, I, S, Q, S],
  ])
  expect(answer.groups).toEqual([[0, 3, 5], [1], [2], [4]])
  expect(answer.tumours.map(({ group }) => group)).toEqual([0, 1, 2, 0, 3, 0])
  expect(answer.tumours.map(({ invalid }) => invalid !== undefined)).toEqual(
    answer.tumours.map(({ input }) => input === 5),
  )
  const alone = await compare(tumours[4], tumours[0])
  const { applied_rules: _, ...pair } = alone
  expect(answer.conflicts).toEqual([{ tumours: [0, 5], ...pair }])
  expect(answer.questionable.map(({ tumours }) => tumours)).toEqual([
    [0, 4],
    [3, 4],
    [4, 5],
  ])
})

test.skipIf(!available.shared)('the published tables are those that are shipped', async () => {
  const names = (await readdir(PUBLISHED)).filter((name) => name.endsWith('.csv'))
  const paths = names.map((name) => join(PUBLISHED, name))
  const { tables } = await world.engine.registry.multiplePrimaries.import(paths)
  expect(tables).toHaveLength(names.length)
  for (const { added, removed, isReordered } of tables) {
    expect({ added, removed, isReordered }).toEqual({ added: 0, removed: 0, isReordered: false })
  }
})

test('tables that another process imports count from the next request on', async () => {
  const state = sharedState(world.place)
  onTestFinished(() => state.close())
  const other = new MultiplePrimaries({ state })
  const file = join(world.engine.shared.dataFolder, 'ranges.csv')
  await writeFile(file, OTHER_RANGES)
  const pair = { input1: HODGKIN, input2: LATER_HODGKIN }
  const results = async () => [
    (await compare(HODGKIN, LATER_HODGKIN)).result,
    ...(await answersTo([pair])).map(({ result }) => result),
    ...(
      (await ask(`POST ${MPH}/patient`, { tumours: [HODGKIN, LATER_HODGKIN] })) as PatientResult
    ).matrix[0]!.slice(1),
  ]
  expect(await results()).toEqual(Array.from({ length: 3 }, () => 'SINGLE_PRIMARY'))
  await other.import([file], { dryRun: true })
  expect(await results()).toEqual(Array.from({ length: 3 }, () => 'SINGLE_PRIMARY'))
  await other.import([file])
  expect(await results()).toEqual(Array.from({ length: 3 }, () => 'MULTIPLE_PRIMARIES'))
  await other.useShipped()
  expect(await results()).toEqual(Array.from({ length: 3 }, () => 'SINGLE_PRIMARY'))
})

test('a year of two digits is taken as it stands, and said so', async () => {
  const later = { ...BREAST, ...on('2019', '06', '01') }
  const body = { input1: { ...BREAST, ...on('19', '06', '01') }, input2: later }
  const response = await world.ask(`POST ${MPH}`, { who: 'reader', body })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-warnings')).toContain(
    'input1.date_of_diagnosis_year does not have four',
  )
})

test('doubtful dates are reported in lines of a batch and of the tumours of a patient', async () => {
  const old = { ...BREAST, ...on('19', '06', '01') }
  const later = { ...BREAST, ...on('2019', '13', '01') }
  const [doubted, plain] = await answersTo([
    { input1: old, input2: later },
    { input1: BREAST, input2: BREAST },
  ])
  const year = 'does not have four digits, and is used as it is'
  const month = 'is not from 1 to 12, and counts as unknown'
  expect(doubted).toEqual({
    ...((await compare(old, later)) as object),
    warnings: [`input1.date_of_diagnosis_year ${year}`, `input2.date_of_diagnosis_month ${month}`],
  })
  expect(plain).not.toHaveProperty('warnings')
  const body = { tumours: [BREAST, later, old] }
  const response = await world.ask(`POST ${MPH}/patient`, { who: 'reader', body })
  expect(response.headers.get('x-warnings')).toBe(
    `body: tumours[1].date_of_diagnosis_month ${month}; tumours[2].date_of_diagnosis_year ${year}`,
  )
  const right = await world.ask(`POST ${MPH}/patient`, { body: { tumours: [BREAST] } })
  expect(right.headers.get('x-warnings')).toBeNull()
})

// This is the fourth departure of docs/interfaces/registry.md 7.8.
test('a benign tumour outside of the brain has no rule set', async () => {
  const tumour = (site: string, behavior: string, year: string) => ({
    primary_site: site,
    histology_icd_o3: '9530',
    behavior_icd_o3: behavior,
    date_of_diagnosis_year: year,
  })
  expect(await compare(tumour('C754', '0', '2004'), tumour('C753', '1', '2005'))).toMatchObject({
    result: 'QUESTIONABLE',
  })
})
