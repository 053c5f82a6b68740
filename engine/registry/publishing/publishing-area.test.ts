import { describe, expect, test } from 'vitest'
import { eagerTurns, turnsDuring } from '../../shared/support/eager-turns.ts'
import {
  callerOf,
  DEV,
  drug,
  EDITOR,
  openMade,
  publishedArea,
  READER,
  refusal,
} from './support/made-area.ts'

describe('visibility', () => {
  test('an ordinary caller sees exactly one version, without its type', async () => {
    const { area } = await publishedArea(2)
    await area.create(EDITOR, DEV, drug('new', 'New'))
    await area.createVersion(EDITOR, 'trial')
    const [one, ...others] = await area.versions(READER)
    expect(others).toEqual([])
    expect(Object.keys(one ?? {}).sort()).toEqual([
      ...['count', 'first_published', 'last_modified', 'version'],
    ])
    expect(one).toMatchObject({ version: 'latest', count: 2 })
    expect((await area.versions(EDITOR)).map(({ version, type }) => [version, type])).toEqual([
      [DEV, 'DEVELOPMENT'],
      ['latest', 'PRODUCTION'],
      ['trial', 'BETA'],
    ])
  })

  test("editors' notes are on no record that an ordinary caller reads or finds", async () => {
    const { area } = await openMade()
    const noted = { status: 'REVIEW', assigned_to: 'ann', note: 'n', field_notes: { name: 'f' } }
    await area.create(EDITOR, DEV, drug('a', 'Alpha', noted))
    await area.publish(EDITOR, DEV, { ids: ['a'] })
    const shown = ['fingerprint', 'first_published', 'id', 'last_modified', 'name', 'type']
    const { record } = await area.record(READER, 'latest', 'a')
    expect(Object.keys(record).sort()).toEqual([...shown, 'version'])
    const { results = [] } = await area.search(READER, 'latest', { q: 'alpha' })
    expect(Object.keys(results[0] ?? {}).sort()).toEqual([...shown, 'score', 'version'].sort())
    expect((await area.record(EDITOR, 'latest', 'a')).record).toMatchObject(noted)
  })

  test('an editor of another area is an ordinary caller', async () => {
    const { area } = await publishedArea(1)
    const other = callerOf('GLOSSARY_EDITOR')
    expect(await area.versions(other)).toHaveLength(1)
    expect(await refusal(() => area.record(other, DEV, 'id-0'))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(() => area.hide(other, DEV, 'id-0'))).toMatchObject({ code: 'forbidden' })
    expect(await area.versions(callerOf('ADMIN'))).toHaveLength(2)
  })

  test('statuses neither select, nor order, nor count for an ordinary caller', async () => {
    const { area } = await publishedArea(2)
    await area.update(EDITOR, DEV, drug('id-0', 'Name 0', { status: 'REVIEW' }))
    await area.publish(EDITOR, DEV, { ids: ['id-0'] })
    const total = async (request: object) => (await area.search(READER, 'latest', request)).total
    expect(await total({ status: ['REVIEW'] })).toBe(0)
    expect(await total({ assigned_to: 'ann' })).toBe(0)
    expect(await total({ been_published: true, hidden: false })).toBe(2)
    const { results } = await area.search(READER, 'latest', { order: '-status' })
    expect(results?.map(({ id }) => id)).toEqual(['id-0', 'id-1'])
    expect((await area.statusSummary(READER, 'latest')).status_summary).toEqual([
      { type: 'DRUG', count: 2 },
    ])
  })
})

describe('hidden records', () => {
  test('a hidden record stays hidden when it is published again', async () => {
    const { area } = await publishedArea(1)
    await area.hide(EDITOR, DEV, 'id-0')
    await area.update(EDITOR, DEV, drug('id-0', 'Better'))
    await area.publish(EDITOR, DEV, { ids: ['id-0'] })
    expect(await refusal(() => area.record(READER, 'latest', 'id-0'))).toMatchObject({
      code: 'not_found',
    })
    expect((await area.record(EDITOR, 'latest', 'id-0')).record).toMatchObject({
      name: 'Better',
      hidden: true,
    })
    await area.unhide(EDITOR, DEV, 'id-0')
    expect((await area.record(READER, 'latest', 'id-0')).record.name).toBe('Better')
  })

  test('the public changelog leads to exactly the visible records', async () => {
    const { area } = await publishedArea(3)
    await area.hide(EDITOR, DEV, 'id-1', { description: 'withdrawn' })
    await area.update(EDITOR, DEV, drug('id-1', 'Hidden name'))
    await area.publish(EDITOR, DEV, { ids: ['id-1'] })
    await area.delete(EDITOR, DEV, 'id-2')
    const { changelogs, total } = await area.changelog(READER, 'latest', { order: 'ASC' })
    const seen = new Map<string, string>()
    for (const { adds = [], mods = [], deletes = [] } of changelogs) {
      for (const { id, name } of [...adds, ...mods]) seen.set(id, name)
      for (const { id } of deletes) seen.delete(id)
    }
    expect([...seen]).toEqual([['id-0', 'Name 0']])
    expect(total).toBe(3)
    expect(JSON.stringify(changelogs)).not.toContain('Hidden name')
    expect(changelogs[1]).toMatchObject({ description: 'withdrawn', deletes: [{ id: 'id-1' }] })
    expect((await area.changelog(EDITOR, 'latest')).total).toBe(4)
  })

  test('contents of hidden records are in no changelog of an ordinary caller', async () => {
    const { area } = await publishedArea(1)
    await area.update(EDITOR, DEV, drug('id-0', 'Second'))
    await area.publish(EDITOR, DEV, { ids: ['id-0'] })
    const modsOf = async () =>
      (await area.changelog(READER, 'latest')).changelogs.flatMap(({ mods = [] }) => mods)
    expect(await modsOf()).toMatchObject([{ old: { name: 'Name 0' }, new: { name: 'Second' } }])
    await area.hide(EDITOR, DEV, 'id-0')
    expect(await modsOf()).toEqual([])
  })
})

describe('versions', () => {
  test('a snapshot stays as production was, with its history', async () => {
    const { area } = await publishedArea(2)
    await area.createVersion(EDITOR, 'trial')
    await area.update(EDITOR, DEV, drug('id-0', 'Later'))
    await area.publish(EDITOR, DEV, { ids: ['id-0'] })
    await area.delete(EDITOR, DEV, 'id-1')
    const { record } = await area.record(EDITOR, 'trial', 'id-0')
    expect(record).toMatchObject({
      name: 'Name 0',
      version: 'trial',
      history: [{ user: 'loader' }],
    })
    expect((await area.search(EDITOR, 'trial', { q: 'name' })).total).toBe(2)
    expect((await area.search(EDITOR, 'latest', { q: 'name' })).total).toBe(0)
    expect((await area.changelog(EDITOR, 'trial')).total).toBe(1)
  })

  test('a version that is made again has nothing of the deleted one', async () => {
    const { area } = await publishedArea(1)
    await area.createVersion(EDITOR, 'trial')
    expect((await area.search(EDITOR, 'trial', { q: 'name' })).total).toBe(1)
    await area.deleteVersion(EDITOR, 'trial')
    expect(await refusal(() => area.search(EDITOR, 'trial'))).toMatchObject({ code: 'not_found' })
    await area.delete(EDITOR, DEV, 'id-0')
    await area.createVersion(EDITOR, 'trial')
    expect((await area.search(EDITOR, 'trial', { q: 'name' })).total).toBe(0)
  })

  test.each(['latest', 'development', 'versions', 'reportability', '', 'a b', 'x'.repeat(65)])(
    'no version can be called "%s"',
    async (name) => {
      const { area } = await openMade()
      const create = () => area.createVersion(EDITOR, name)
      expect(await refusal(create)).toEqual({ code: 'bad_input', at: 'name' })
    },
  )
})

test('contents are those that the caller may see, and their key changes when they do', async () => {
  const { area } = await publishedArea(2)
  const before = await area.contents(READER, 'latest')
  await area.hide(EDITOR, DEV, 'id-0')
  const after = await area.contents(READER, 'latest')
  const items: string[][] = []
  for await (const { id, content } of after.items) items.push([id, content.name])
  expect(items).toEqual([['id-1', 'Name 1']])
  const keys = [before.key, after.key, (await area.contents(EDITOR, 'latest')).key]
  expect(new Set(keys).size).toBe(3)
  expect((await area.contents(READER, 'latest')).key).toBe(after.key)
})

test('a page of a changelog is not too large to be sent, and says what would be', async () => {
  const { area } = await openMade()
  const ids = Array.from({ length: 9 }, (_, i) => `id-${i}`)
  const fill = (letter: string) =>
    area.load(
      ids.map((id) => drug(id, 'Name', { text: letter.repeat(4e5) })),
      { user: 'loader' },
    )
  await fill('a')
  expect((await area.changelog(READER, 'latest')).changelogs).toHaveLength(1)
  await fill('b')
  await fill('c')
  const large = await refusal(() => area.changelog(READER, 'latest'))
  expect(large).toEqual({ code: 'too_many', at: 'count' })
  expect((await area.changelog(READER, 'latest', { count: 1 })).changelogs).toHaveLength(1)
  expect((await area.changelog(READER, 'latest', { id: 'id-0' })).total).toBe(3)
})

test('a record that is too large for one edit is refused', async () => {
  const { area } = await openMade()
  const tooLarge = { code: 'too_large', at: undefined }
  const long = drug('long', 'Name', { text: 'x'.repeat((2 << 20) + 1) })
  expect(await refusal(() => area.create(EDITOR, DEV, long))).toEqual(tooLarge)
  const wide = drug('wide', 'Name', { tags: Array(100_001).fill('x') })
  expect(await refusal(() => area.create(EDITOR, DEV, wide))).toEqual(tooLarge)
  const ids = Array.from({ length: 5001 }, (_, i) => `id-${i}`)
  const tooMany = { code: 'bad_input', at: 'ids' }
  expect(await refusal(() => area.publish(EDITOR, DEV, { ids }))).toEqual(tooMany)
})

test('records that are too large together are refused, and read with a lower count', async () => {
  const { area } = await openMade()
  const bodies = Array.from({ length: 15 }, (_, i) =>
    drug(`id-${i}`, 'Name', { text: `${i}`.repeat(1_900_000 / `${i}`.length) }),
  )
  await area.load(bodies, { user: 'loader' })
  const tooMany = { code: 'too_many', at: 'count' }
  expect(await refusal(() => area.search(READER, 'latest'))).toEqual(tooMany)
  expect((await area.search(READER, 'latest', { count: 10 })).results).toHaveLength(10)
})

test('searches, changelogs and histories let other work in between records', async () => {
  const { area } = await openMade(undefined, undefined, eagerTurns())
  const load = (text: string) => {
    const bodies = Array.from({ length: 20 }, (_, i) => drug(`id-${i}`, 'Name', { text }))
    return area.load(bodies, { user: 'loader' })
  }
  await load('first')
  for (let i = 0; i < 20; i++) {
    await area.update(EDITOR, DEV, drug('id-0', 'Name', { text: `edit ${i}` }))
  }
  await load('last')
  expect(await turnsDuring(() => area.search(READER, 'latest'))).toBeGreaterThan(15)
  expect(await turnsDuring(() => area.changelog(READER, 'latest'))).toBeGreaterThan(15)
  expect(await turnsDuring(() => area.record(EDITOR, DEV, 'id-0'))).toBeGreaterThan(15)
  const filters = { type: ['DRUG'] }
  expect(await turnsDuring(() => area.matching(READER, 'latest', filters))).toBeGreaterThan(15)
})

test('a check names the records that no edit has left so', async () => {
  const { area, state } = await publishedArea(4)
  await area.hide(EDITOR, DEV, 'id-3')
  const findings = async () => {
    const found: string[] = []
    for await (const { subject, problem } of area.check()) found.push(`${subject}: ${problem}`)
    return found
  }
  expect(await findings()).toEqual([])
  const change = (sql: string) =>
    state.write((transaction) => transaction.run(`UPDATE publishing_${sql}`))
  await change("items SET hidden = 1 WHERE version = 'latest' AND id = 'id-0'")
  await change("items SET id = 'id-9' WHERE version = 'development' AND id = 'id-1'")
  await change("contents SET document = '{}' WHERE document LIKE '%Name 2%'")
  expect(await findings()).toEqual([
    'rx development id-2: its content is not what was stored',
    'rx latest id-0: one copy is hidden, the other is not',
    'rx latest id-1: it is published, but not in development',
    'rx latest id-2: its content is not what was stored',
  ])
})
