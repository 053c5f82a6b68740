import { expect, test } from 'vitest'
import { FollowingIndex } from './following-index.ts'
import type { IndexedRecord, RecordChange, RecordSource } from './record.ts'
import type { RecordIndex } from './record-index.ts'

const recordOf = (id: string, text: string): IndexedRecord => ({
  id,
  texts: [{ text, weight: 1 }],
  filters: {},
  orders: {},
})

/** A store in memory. Undefined text stands for a record that was deleted. */
class MadeSource implements RecordSource {
  readonly asked: number[] = []
  fails: 'never' | 'at once' | 'halfway' = 'never'
  /** Changes keyed by record id. */
  readonly #changes = new Map<string, { readonly revision: number; readonly text?: string }>()
  #revision = 0

  change(id: string, text?: string): void {
    this.#revision++
    this.#changes.set(id, { revision: this.#revision, ...(text !== undefined && { text }) })
  }

  async revision(): Promise<number> {
    if (this.fails === 'at once') throw new Error('no store')
    return this.#revision
  }

  async *changesSince(revision: number): AsyncGenerator<RecordChange> {
    this.asked.push(revision)
    for (const [id, change] of [...this.#changes]) {
      if (change.revision <= revision) continue
      yield { id, record: change.text === undefined ? undefined : recordOf(id, change.text) }
      if (this.fails === 'halfway') throw new Error('broken off')
    }
  }
}

function sourceOf(texts: Readonly<Record<string, string>>): MadeSource {
  const source = new MadeSource()
  for (const [id, text] of Object.entries(texts)) source.change(id, text)
  return source
}

const found = (index: RecordIndex, q?: string) =>
  index
    .search({ q, mode: 'OR', filters: {}, offset: 0, count: 10 })
    .hits.map(({ id }) => id)
    .join(' ')

test('an index follows what is changed, and reads no more than that', async () => {
  const source = sourceOf({ a: 'one', b: 'two' })
  const following = new FollowingIndex(source)
  expect(found(await following.current(), 'one')).toBe('a')
  source.change('b', 'one')
  source.change('c', 'one')
  source.change('a')
  expect(found(await following.current(), 'one')).toBe('b c')
  await following.current()
  expect(source.asked).toEqual([0, 2])
})

test('a store without a record is followed too', async () => {
  const source = new MadeSource()
  const following = new FollowingIndex(source)
  expect((await following.current()).size).toBe(0)
  source.change('a', 'one')
  expect((await following.current()).size).toBe(1)
})

test('those who ask at the same time wait for one reading, and see what they have changed', async () => {
  const source = sourceOf({ a: 'one' })
  const following = new FollowingIndex(source)
  const first = [following.current(), following.current()]
  source.change('b', 'one')
  const seen = following.current()
  expect(found(await seen, 'one')).toBe('a b')
  await Promise.all(first)
  expect(source.asked).toEqual([0, 1])
})

test.each(['at once', 'halfway'] as const)(
  'a store that fails %s leaves the index alone',
  async (fails) => {
    const source = sourceOf({ a: 'one' })
    const following = new FollowingIndex(source)
    source.fails = fails
    const [one, other] = [following.current(), following.current()]
    await expect(one).rejects.toThrow()
    await expect(other).rejects.toThrow()
    source.fails = 'never'
    const index = await following.current()
    expect(found(index)).toBe('a')

    source.change('a', 'two')
    source.change('b', 'two')
    source.fails = fails
    await expect(following.current()).rejects.toThrow()
    expect(found(index)).toBe('a')
    expect(found(index, 'one')).toBe('a')
    source.fails = 'never'
    expect(found(await following.current(), 'two')).toBe('a b')
  },
)

test('a store whose revision went back is read again', async () => {
  let source = sourceOf({ a: 'one', b: 'one', c: 'one' })
  const following = new FollowingIndex({
    revision: () => source.revision(),
    changesSince: (revision) => source.changesSince(revision),
  })
  await following.current()
  source = sourceOf({ b: 'two', d: 'one' })
  expect(found(await following.current())).toBe('b d')
  expect(found(await following.current(), 'one')).toBe('d')
})

test('after very many changes all is read again, so that no more are held in memory', async () => {
  const source = sourceOf({ a: 'one' })
  const following = new FollowingIndex(source)
  const before = await following.current()
  for (let i = 0; i < 10_000; i++) source.change(`b${i}`, 'two')
  expect(await following.current()).toBe(before)
  for (let i = 0; i < 10_001; i++) source.change(`b${i}`, 'three')
  const after = await following.current()
  expect(found(after, 'one two')).toBe('a')
  expect(after.size).toBe(10_002)
  expect(source.asked).toEqual([0, 1, 10_001, 0])
})

test('other work goes on while many records are read', async () => {
  const source = new MadeSource()
  for (let i = 0; i < 20_000; i++) source.change(`${i}`, `word${i} and number ${i % 100}`)
  const following = new FollowingIndex(source)
  let isRead = false
  let turns = 0
  const count = () => {
    turns++
    if (!isRead) setImmediate(count)
  }
  setImmediate(count)
  expect((await following.current()).size).toBe(20_000)
  isRead = true
  // A time slice is 8 ms, and the whole work takes some hundred.
  expect(turns).toBeGreaterThan(3)
})
