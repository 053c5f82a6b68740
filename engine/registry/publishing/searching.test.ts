import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newStates } from '../../shared/support/new-state.ts'
import { PublishingArea } from './publishing-area.ts'
import {
  DEV,
  drug,
  EDITOR,
  MADE,
  openMade,
  publishedArea,
  READER,
  refusal,
} from './support/made-area.ts'

test.each([
  ['mode', { mode: 'or' }],
  ['order', { order: 'size' }],
  ['output_type', { output_type: 'ALL' }],
  ['count', { count: '1001' }],
  ['offset', { offset: '-1' }],
  ['modified_from', { modified_from: '2024-02-30' }],
  ['type', { filters: { type: ['PILL'] } }],
  ['size', { filters: { size: ['x'] } }],
])('a wrong %s is refused', async (at, request) => {
  const { area } = await openMade()
  for (const caller of [EDITOR, READER]) {
    expect(await refusal(() => area.search(caller, 'latest', request))).toEqual({
      code: 'bad_input',
      at,
    })
  }
})

test.each([
  ['of a filter of the definition', { filters: { tags: ['none'] } }],
  ['of a status that there is not', { status: ['DONE'] }],
])('a value %s finds nothing', async (_, request) => {
  const { area } = await publishedArea(1)
  for (const caller of [EDITOR, READER]) {
    const { total, results } = await area.search(caller, 'latest', request)
    expect([total, results]).toEqual([0, undefined])
  }
})

test('terms of the glossary are added where they are asked for', async () => {
  const { state, clock } = await openMade()
  const match = { id: 't', name: 'term', keyword: 'term', start: 0, end: 3 }
  const area = new PublishingArea({
    state,
    clock: clock.read,
    definition: MADE,
    glossary: async (texts) => (texts.includes('a term') ? [match] : []),
  })
  await area.load([drug('a', 'Alpha', { text: 'a term' })], { user: 'loader' })
  const request = { glossary: true }
  expect((await area.record(READER, 'latest', 'a', request)).record.glossary).toEqual([match])
  expect((await area.record(READER, 'latest', 'a')).record.glossary).toBeUndefined()
  const { results } = await area.search(READER, 'latest', request)
  expect(results?.map(({ glossary }) => glossary)).toEqual([[match]])
})

/** Opens the same area twice, as two processes would. */
async function openTwice() {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-publishing-'))
  const states = await newStates(folder)
  const [one, other] = [await openMade(states[0]), await openMade(states[1])]
  onTestFinished(async () => {
    for (const state of states) await state.close()
    await rm(folder, { recursive: true })
  })
  return [one.area, other.area] as const
}

test('records stored by another process are found at once', async () => {
  const [one, other] = await openTwice()
  const found = async (q: string) => (await one.search(EDITOR, DEV, { q })).total
  await other.create(EDITOR, DEV, drug('a', 'Alpha'))
  expect(await found('alpha')).toBe(1)
  await other.update(EDITOR, DEV, drug('a', 'Beta'))
  expect([await found('alpha'), await found('beta')]).toEqual([0, 1])
  await other.delete(EDITOR, DEV, 'a')
  expect(await found('beta')).toBe(0)
})

test('a version that another process has made again has nothing of the deleted one', async () => {
  const [one, other] = await openTwice()
  await other.load([drug('a', 'Alpha'), drug('b', 'Beta')], { user: 'loader' })
  await other.createVersion(EDITOR, 'trial')
  expect((await one.search(EDITOR, 'trial')).total).toBe(2)
  await other.deleteVersion(EDITOR, 'trial')
  await other.delete(EDITOR, DEV, 'a')
  await other.createVersion(EDITOR, 'trial')
  const { total, results } = await one.search(EDITOR, 'trial')
  expect([total, results?.map(({ id }) => id)]).toEqual([1, ['b']])
})

test('keywords are words of records that the caller sees, and how many have them', async () => {
  const { area } = await publishedArea(3)
  await area.hide(EDITOR, DEV, 'id-2')
  expect(await area.keywords(READER, 'latest', { q: 'NA' })).toEqual([
    { keyword: 'name', count: 2 },
  ])
  expect(await area.keywords(EDITOR, 'latest', { count: 2 })).toEqual([
    { keyword: 'name', count: 3 },
    { keyword: '0', count: 1 },
  ])
})
