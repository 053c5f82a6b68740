import { expect, test } from 'vitest'
import type { PublishingArea } from './publishing-area.ts'
import {
  DEV,
  drug,
  EDITOR,
  type MadeContent,
  openMade,
  publishedArea,
  READER,
  refusal,
} from './support/made-area.ts'

type Area = PublishingArea<MadeContent>

test('two editors cannot overwrite each other unseen', async () => {
  const { area } = await publishedArea(1)
  const { revision } = await area.record(EDITOR, DEV, 'id-0')
  const held = [String(revision)]
  await area.update(EDITOR, DEV, drug('id-0', 'By the first'), { held })
  const late = () => area.update(EDITOR, DEV, drug('id-0', 'By the second'), { held })
  expect(await refusal(late)).toMatchObject({ code: 'precondition_failed' })
  expect((await area.record(EDITOR, DEV, 'id-0')).record.name).toBe('By the first')
})

test.each([
  ['hide', (a: Area) => a.hide(EDITOR, DEV, 'id-0')],
  ['publish', (a: Area) => a.publish(EDITOR, DEV, { ids: ['id-0'], status: 'DRAFT' })],
  ['reset', (a: Area) => a.reset(EDITOR, DEV, 'id-0')],
])('%s raises the revision that edits are held to', async (_, edit) => {
  const { area } = await publishedArea(1)
  const { revision } = await area.update(EDITOR, DEV, drug('id-0', 'Other'))
  await edit(area)
  const held = { held: [String(revision)] }
  const code = 'precondition_failed'
  expect(await refusal(() => area.delete(EDITOR, DEV, 'id-0', held))).toMatchObject({ code })
})

test('an edit without effect stores nothing', async () => {
  const { area } = await publishedArea(1)
  await area.hide(EDITOR, DEV, 'id-0')
  const before = [await area.record(EDITOR, DEV, 'id-0'), area.changelog(EDITOR, 'latest')]
  await area.hide(EDITOR, DEV, 'id-0')
  await area.reset(EDITOR, DEV, 'id-0')
  await area.publish(EDITOR, DEV, { ids: ['id-0', 'id-0'] })
  await area.load([drug('id-0', 'Name 0')], { user: 'loader' })
  expect([await area.record(EDITOR, DEV, 'id-0'), area.changelog(EDITOR, 'latest')]).toEqual(before)
})

test('publishing is all or nothing', async () => {
  const { area } = await openMade()
  for (const id of ['a', 'b']) await area.create(EDITOR, DEV, drug(id, 'Name'))
  const some = () => area.publish(EDITOR, DEV, { ids: ['a', 'b', 'nobody'] })
  expect(await refusal(some)).toEqual({ code: 'bad_input', at: 'ids' })
  expect(await area.versions(READER)).toEqual([{ version: 'latest', count: 0 }])
  await area.publish(EDITOR, DEV, { ids: ['a', 'b'] })
  expect((await area.changelog(READER, 'latest')).changelogs).toMatchObject([
    { adds: [{ id: 'a' }, { id: 'b' }] },
  ])
})

test('the revision of one record does not pass for that of another published with it', async () => {
  const { area } = await openMade()
  for (const id of ['a', 'b']) await area.create(EDITOR, DEV, drug(id, 'Name'))
  await area.publish(EDITOR, DEV, { ids: ['a', 'b'] })
  const revisions = await Promise.all(
    ['a', 'b'].map(async (id) => (await area.record(EDITOR, DEV, id)).revision),
  )
  expect(new Set(revisions).size).toBe(2)
})

test('an update without a status keeps it, and takes away the other notes', async () => {
  const { area } = await openMade()
  await area.create(
    EDITOR,
    DEV,
    drug('a', 'Alpha', { status: 'READY', note: 'n', assigned_to: 'ann' }),
  )
  const { record } = await area.update(EDITOR, DEV, drug('a', 'Alpha'))
  expect(record.status).toBe('READY')
  expect(Object.keys(record)).not.toContain('note')
  expect(Object.keys(record)).not.toContain('assigned_to')
  const { history } = (await area.record(EDITOR, DEV, 'a')).record
  expect(history?.[0]).toMatchObject({ old: { note: 'n' }, new: { status: 'READY' } })
})

test.each([
  ['latest', 'bad_input'],
  ['trial', 'bad_input'],
  ['unknown', 'not_found'],
])('version "%s" is not edited', async (version, code) => {
  const { area } = await publishedArea(1)
  await area.createVersion(EDITOR, 'trial')
  for (const edit of [
    () => area.create(EDITOR, version, drug('b', 'B')),
    () => area.update(EDITOR, version, drug('id-0', 'B')),
    () => area.publish(EDITOR, version, { ids: ['id-0'] }),
    () => area.reset(EDITOR, version, 'id-0'),
    () => area.hide(EDITOR, version, 'id-0'),
    () => area.unhide(EDITOR, version, 'id-0'),
    () => area.delete(EDITOR, version, 'id-0'),
  ]) {
    expect(await refusal(edit)).toMatchObject({ code })
  }
})

test.each([
  ['id', { id: 'a/b' }],
  ['name', { name: undefined }],
  ['status', { status: 'DONE' }],
  ['field_notes.name', { field_notes: { name: 1 } }],
])('a body with a wrong %s is refused', async (at, wrong) => {
  const { area } = await openMade()
  const create = () => area.create(EDITOR, DEV, { ...drug('a', 'Alpha'), ...wrong })
  expect(await refusal(create)).toEqual({ code: 'bad_input', at })
})

test('a description has a longest', async () => {
  const { area } = await publishedArea(1)
  const description = 'x'.repeat(10_001)
  const code = 'bad_input'
  expect(await refusal(() => area.hide(EDITOR, DEV, 'id-0', { description }))).toMatchObject({
    code,
  })
  const publish = () => area.publish(EDITOR, DEV, { ids: ['id-0'], description })
  expect(await refusal(publish)).toMatchObject({ code })
})
