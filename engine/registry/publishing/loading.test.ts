import { expect, test } from 'vitest'
import { DEV, drug, EDITOR, openMade, publishedArea, READER, refusal } from './support/made-area.ts'

test('loading is one entry in the changelog, and the same again does nothing', async () => {
  const { area } = await publishedArea(300)
  const { changelogs } = await area.changelog(READER, 'latest')
  expect(changelogs).toHaveLength(1)
  expect(changelogs[0]).toMatchObject({ user: 'loader', description: 'Initial migration' })
  expect(changelogs[0]?.adds).toHaveLength(300)
  expect(Object.keys(changelogs[0]?.adds?.[0] ?? {})).toEqual(['id', 'name'])
  const bodies = [drug('id-0', 'Name 0'), drug('id-1', 'Other'), drug('more', 'More')]
  const done = { added: ['more'], changed: ['id-1'], same: ['id-0'] }
  const request = { user: 'loader' }
  expect(await area.load(bodies, { ...request, dryRun: true })).toEqual(done)
  expect((await area.changelog(EDITOR, 'latest')).total).toBe(1)
  expect(await area.load(bodies, request)).toEqual(done)
  expect(await area.load(bodies, request)).toEqual({
    added: [],
    changed: [],
    same: ['id-0', 'id-1', 'more'],
  })
})

test.each([
  ['without an id', '[1].id', { id: undefined }],
  ['with the id of another one', '[1].id', { id: 'a' }],
  ['with a wrong member', '[1].name', { name: 7 }],
])('nothing is loaded beside one %s', async (_, at, wrong) => {
  const { area } = await openMade()
  const bodies = [drug('a', 'Alpha'), { ...drug('b', 'Beta'), ...wrong }]
  expect(await refusal(() => area.load(bodies, { user: 'loader' }))).toEqual({
    code: 'bad_input',
    at,
  })
  expect((await area.versions(EDITOR)).map(({ count }) => count)).toEqual([0, 0])
})

test('records loaded without publishing stay in development', async () => {
  const { area } = await openMade()
  const bodies = [drug('a', 'Alpha')]
  expect((await area.load(bodies, { user: 'loader', publish: false })).added).toEqual(['a'])
  expect((await area.record(EDITOR, DEV, 'a')).record.status).toBe('READY')
  expect((await area.versions(READER))[0]?.count).toBe(0)
  expect((await area.load(bodies, { user: 'loader' })).changed).toEqual(['a'])
  expect((await area.versions(READER))[0]?.count).toBe(1)
})
