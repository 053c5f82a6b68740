import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Leased, LeasedCache } from './leased-cache.ts'

/** A value that the cache opened, and what happened to it. */
interface Opened {
  readonly key: string
  bytes: number
  disposals: number
}

/** Waits until all callbacks that are ready have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function cacheOf({ entries = 9, bytes = 9999 } = {}) {
  const opened: Opened[] = []
  const cache = new LeasedCache<string, Opened>({
    entries,
    bytes,
    bytesOf: (value) => value.bytes,
    dispose: async (value) => {
      value.disposals++
    },
  })
  const open = (key: string, size = 1) => {
    const value = { key, bytes: size, disposals: 0 }
    opened.push(value)
    return value
  }
  const acquire = (key: string, size?: number) => cache.acquire(key, async () => open(key, size))
  const kept = () => opened.filter(({ disposals }) => disposals === 0).map(({ key }) => key)
  return { cache, opened, open, acquire, kept }
}

describe('opening', () => {
  test('those that ask while it is opened share one value, and those that come later', async () => {
    const { opened, acquire, cache } = cacheOf()
    const [a, b] = await Promise.all([acquire('x'), acquire('x')])
    a.release()
    b.release()
    const c = await acquire('x')
    expect(opened).toEqual([{ key: 'x', bytes: 1, disposals: 0 }])
    expect([a.value, b.value]).toEqual([c.value, c.value])
    expect(cache.opened).toBe(1)
  })

  test('a failure reaches all who wait for it and is not kept', async () => {
    const { cache, acquire, opened } = cacheOf()
    const { promise, reject } = Promise.withResolvers<Opened>()
    const both = [cache.acquire('x', () => promise), cache.acquire('x', () => promise)]
    reject(new Error('broken'))
    for (const one of both) await expect(one).rejects.toThrow('broken')
    expect([cache.opened, cache.peek('x'), cache.take('x')]).toEqual([0, undefined, undefined])
    const { value } = await acquire('x')
    expect(value).toBe(opened[0])
    await cache.close()
  })

  test('what is being opened cannot be taken or looked at; a look is no use', async () => {
    const { cache, open, acquire, kept } = cacheOf({ entries: 2 })
    const { promise, resolve } = Promise.withResolvers<Opened>()
    const first = cache.acquire('a', () => promise)
    expect([cache.peek('a'), cache.take('a')]).toEqual([undefined, undefined])
    resolve(open('a'))
    ;(await first).release()
    for (const key of ['b', 'c']) {
      expect(cache.peek('a')?.key).toBe('a')
      ;(await acquire(key)).release()
    }
    await settle()
    expect(kept()).toEqual(['b', 'c'])
    cache.take('b')?.release()
    ;(await acquire('d')).release()
    await settle()
    expect(kept()).toEqual(['b', 'd'])
  })
})

describe('giving back', () => {
  test('of too many the longest unused goes, none that is in use', async () => {
    const { acquire, kept } = cacheOf({ entries: 2 })
    const used = await acquire('a')
    for (const key of ['b', 'c', 'd']) (await acquire(key)).release()
    await settle()
    expect(kept()).toEqual(['a', 'd'])
    used.release()
    ;(await acquire('e')).release()
    await settle()
    // 'a' was requested before 'd'.
    expect(kept()).toEqual(['d', 'e'])
  })

  test('what a value has come to take is counted when one is given back', async () => {
    const { acquire, kept } = cacheOf({ bytes: 10 })
    ;(await acquire('a', 4)).release()
    const grown = await acquire('b', 4)
    await settle()
    expect(kept()).toEqual(['a', 'b'])
    grown.value.bytes = 8
    grown.release()
    await settle()
    expect(kept()).toEqual(['b'])
    ;(await acquire('c', 11)).release()
    await settle()
    expect(kept()).toEqual([])
  })

  test('giving back twice counts once', async () => {
    const { cache, acquire, kept } = cacheOf()
    const [a, b] = [await acquire('x'), await acquire('x')]
    a.release()
    a.release()
    cache.forget('x')
    await settle()
    expect(kept()).toEqual(['x'])
    b.release()
    await settle()
    expect(kept()).toEqual([])
  })
})

describe('forgetting', () => {
  test('a holder keeps an evicted value, while later callers get a new one', async () => {
    const { cache, acquire, opened } = cacheOf()
    const before = await acquire('x')
    cache.forget('x')
    const after = await acquire('x')
    expect(after.value).not.toBe(before.value)
    // The first lease forgets only its own value.
    before.forget()
    expect(cache.peek('x')).toBe(after.value)
    expect(cache.opened).toBe(2)
    before.release()
    after.release()
    await settle()
    expect(opened.map(({ disposals }) => disposals)).toEqual([1, 0])
    const again = await acquire('x')
    again.forget()
    again.forget()
    again.release()
    await settle()
    expect(opened.map(({ disposals }) => disposals)).toEqual([1, 1])
  })

  test('what is forgotten while it is opened reaches who waits, and is disposed of then', async () => {
    const { cache, open } = cacheOf()
    const { promise, resolve } = Promise.withResolvers<Opened>()
    const waiting = cache.acquire('x', () => promise)
    cache.forget('x')
    const value = open('x')
    resolve(value)
    const lease = await waiting
    expect([lease.value, value.disposals]).toEqual([value, 0])
    lease.release()
    await settle()
    expect(value.disposals).toBe(1)
  })
})

describe('closing', () => {
  test('waits for what nobody uses; the rest goes as it is given back', async () => {
    const { cache, acquire, kept } = cacheOf()
    const used = await acquire('a')
    ;(await acquire('b')).release()
    await cache.close()
    expect(kept()).toEqual(['a'])
    used.release()
    await settle()
    expect(kept()).toEqual([])
    expect(cache.opened).toBe(0)
  })

  test('a value that cannot be disposed of stops nothing', async () => {
    const cache = new LeasedCache<string, string>({
      entries: 1,
      bytes: 1,
      bytesOf: () => 1,
      dispose: () => Promise.reject(new Error('no')),
    })
    for (const key of ['a', 'b']) (await cache.acquire(key, async () => key)).release()
    await cache.close()
    expect(cache.opened).toBe(0)
  })
})

/**
 * A model of the cache as a list, with the value that was unused for longest first. A value is opened when it is
 * requested and not in the list; it is closed when it is neither in the list nor in use.
 */
class Model {
  kept: Opened[] = []
  readonly users = new Map<Opened, number>()
  readonly #entries: number
  readonly #bytes: number

  constructor(entries: number, bytes: number) {
    this.#entries = entries
    this.#bytes = bytes
  }

  acquire(value: Opened): void {
    this.kept = [...this.kept.filter((one) => one !== value), value]
    this.users.set(value, this.usersOf(value) + 1)
  }

  release(value: Opened): void {
    this.users.set(value, this.usersOf(value) - 1)
    for (const one of [...this.kept]) {
      const bytes = this.kept.reduce((sum, kept) => sum + kept.bytes, 0)
      if (this.kept.length <= this.#entries && bytes <= this.#bytes) return
      if (this.usersOf(one) === 0) this.kept = this.kept.filter((kept) => kept !== one)
    }
  }

  forget(key: string): void {
    this.kept = this.kept.filter((one) => one.key !== key)
  }

  usersOf(value: Opened): number {
    return this.users.get(value) ?? 0
  }

  isOpen(value: Opened): boolean {
    return this.kept.includes(value) || this.usersOf(value) > 0
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('acquire'), key: keys }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail'), key: keys }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget'), key: keys }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('grow'), key: keys }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('release'), at: fc.nat() }) },
  ),
  { maxLength: 60 },
)

test('after any steps, the values that are open are those of the model', async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 12 }),
    steps,
    async (entries, bytes, all) => {
      const { cache, opened, acquire } = cacheOf({ entries, bytes })
      const model = new Model(entries, bytes)
      const leases: Leased<Opened>[] = []
      for (const step of all) {
        if ('at' in step) {
          const [lease] = leases.splice(step.at % Math.max(1, leases.length), 1)
          if (lease) model.release(lease.value)
          lease?.release()
        } else if (step.do === 'acquire') {
          const known = model.kept.find(({ key }) => key === step.key)
          const count = opened.length
          const lease = await acquire(step.key, 1 + (count % 3))
          expect(lease.value).toBe(known ?? opened[count])
          leases.push(lease)
          model.acquire(lease.value)
        } else if (step.do === 'forget') {
          cache.forget(step.key)
          model.forget(step.key)
        } else if (step.do === 'grow') {
          const value = cache.peek(step.key)
          if (value) value.bytes += 2
        } else if (!cache.peek(step.key)) {
          const failing = cache.acquire(step.key, () => Promise.reject(new Error('broken')))
          await expect(failing).rejects.toThrow('broken')
        }
        await settle()
        const expected = opened.map((value) => (model.isOpen(value) ? 0 : 1))
        expect(opened.map(({ disposals }) => disposals)).toEqual(expected)
        expect(cache.opened).toBe(opened.filter((value) => model.isOpen(value)).length)
      }
      await cache.close()
      for (const { release } of leases) release()
      await settle()
      expect(opened.map(({ disposals }) => disposals)).toEqual(opened.map(() => 1))
    },
  )
  await fc.assert(property, { seed: 14, numRuns: 200 })
})

test('in any order of completion, each value is opened once, shared, and disposed of once', async () => {
  const property = fc.asyncProperty(fc.scheduler(), fc.array(keys), async (scheduler, asked) => {
    const { cache, opened, open } = cacheOf({ entries: 2 })
    const users = new Map<Opened, number>()
    const using = asked.map(async (key, i) => {
      const lease = await cache.acquire(key, () =>
        scheduler.schedule(Promise.resolve(), key).then(() => open(key)),
      )
      users.set(lease.value, (users.get(lease.value) ?? 0) + 1)
      expect(lease.value).toMatchObject({ key, disposals: 0 })
      await scheduler.schedule(Promise.resolve(), `use ${i}`)
      expect(lease.value.disposals).toBe(0)
      lease.release()
    })
    await scheduler.waitFor(Promise.all(using))
    expect([...users.values()].reduce((sum, count) => sum + count, 0)).toBe(asked.length)
    await cache.close()
    expect(opened.map(({ disposals }) => disposals)).toEqual(opened.map(() => 1))
  })
  await fc.assert(property, { seed: 15, numRuns: 100 })
})
