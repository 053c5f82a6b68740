import { expect, test } from 'vitest'
import { ArrayCache, type ReadInto } from './array-cache.ts'

const PAGE = 4096

interface Read {
  readonly bytes: Uint8Array
}

/** Returns a file that fills its memory with one byte. */
const filled =
  (byte: number, reads: number[] = []): ReadInto<Read> =>
  async (target) => {
    reads.push(byte)
    target.fill(byte)
    return { bytes: target }
  }

const bytesOf = async (loading: Promise<Read>) => (await loading).bytes

test('a file is read once for all who ask for it at the same time, and kept', async () => {
  const cache = new ArrayCache<Read>(100 * PAGE)
  const reads: number[] = []
  cache.lease()
  const both = [1, 2].map(() => bytesOf(cache.get('a', PAGE, filled(7, reads))))
  expect(await both[0]).toBe(await both[1])
  await cache.get('a', PAGE, filled(7, reads))
  expect(reads).toEqual([7])
  expect(cache.bytes).toBe(PAGE)
})

test('a failure is not remembered and keeps no memory', async () => {
  const cache = new ArrayCache<Read>(100 * PAGE)
  const failing = () => cache.get('a', PAGE, () => Promise.reject(new Error('damaged')))
  await expect(failing()).rejects.toThrow('damaged')
  await expect(failing()).rejects.toThrow('damaged')
  expect(cache.bytes).toBe(0)
  expect((await bytesOf(cache.get('a', PAGE, filled(1))))[0]).toBe(1)
})

test('what is in memory is there at once, and as new as what was waited for', async () => {
  const cache = new ArrayCache<Read>(16 * PAGE)
  const read = async (key: string) => {
    const end = cache.lease()
    const file = await cache.get(key, 4 * PAGE, filled(1))
    end()
    return file
  }
  const loading = read('a')
  expect(cache.ready('a')).toBeUndefined()
  const file = await loading
  await read('b')
  await read('c')
  const end = cache.lease()
  expect(cache.ready('a')).toBe(file)
  end()
  await read('d')
  expect(cache.ready('b')).toBeUndefined()
  expect(cache.ready('a')).toBe(file)
})

test('those longest unused give way', async () => {
  const cache = new ArrayCache<Read>(16 * PAGE)
  const reads: number[] = []
  const read = async (i: number) => {
    const end = cache.lease()
    const bytes = await bytesOf(cache.get(String(i), 4 * PAGE, filled(i, reads)))
    expect(bytes.every((byte) => byte === i)).toBe(true)
    end()
  }
  for (const i of [1, 2, 3, 1, 4, 1, 5, 1]) await read(i)
  expect(reads).toEqual([1, 2, 3, 4, 5])
  await read(2)
  expect(reads).toEqual([1, 2, 3, 4, 5, 2])
})

test('what was got under a lease stays as it is until the lease ends', async () => {
  const cache = new ArrayCache<Read>(16 * PAGE)
  const end = cache.lease()
  const held: Uint8Array[] = []
  for (let i = 1; i <= 20; i++) held.push(await bytesOf(cache.get(`${i}`, 4 * PAGE, filled(i))))
  held.forEach((bytes, i) => {
    expect(bytes.every((byte) => byte === i + 1)).toBe(true)
  })
  expect(cache.bytes).toBeLessThanOrEqual(16 * PAGE)
  const later = cache.lease()
  end()
  end()
  expect(cache.leases).toBe(1)
  // Memory has been freed at this point, so the next file is cached.
  const reads: number[] = []
  for (const _ of [1, 2]) await cache.get('x', 4 * PAGE, filled(99, reads))
  expect(reads).toEqual([99])
  later()
})

test('what somebody has without a lease is never written over', async () => {
  const cache = new ArrayCache<Read>(16 * PAGE)
  const held = await bytesOf(cache.get('held', 4 * PAGE, filled(1)))
  for (let i = 2; i < 20; i++) {
    const end = cache.lease()
    await cache.get(`${i}`, 4 * PAGE, filled(i))
    end()
  }
  expect(held.every((byte) => byte === 1)).toBe(true)
  const reads: number[] = []
  await cache.get('held', 4 * PAGE, filled(1, reads))
  expect(reads).toEqual([])
})

test('a file that is larger than all the memory is read for whoever asks', async () => {
  const cache = new ArrayCache<Read>(2 * PAGE)
  const reads: number[] = []
  for (const _ of [1, 2]) {
    expect(await bytesOf(cache.get('a', 3 * PAGE, filled(5, reads)))).toHaveLength(3 * PAGE)
  }
  expect(reads).toEqual([5, 5])
  expect(cache.bytes).toBe(0)
})

test('users of many files at once never see another file', async () => {
  const cache = new ArrayCache<Read>(40 * PAGE)
  let seed = 1
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const pause = () => new Promise<void>((done) => setTimeout(done, random(3)))
  const user = async () => {
    for (let round = 0; round < 30; round++) {
      const end = cache.lease()
      const names = Array.from({ length: 1 + random(3) }, () => random(24))
      const got = await Promise.all(
        names.map((name) =>
          cache.get(String(name), (1 + (name % 7)) * PAGE - name, async (target) => {
            await pause()
            return filled(name)(target)
          }),
        ),
      )
      await pause()
      got.forEach(({ bytes }, i) => {
        expect(bytes.every((byte) => byte === names[i])).toBe(true)
      })
      end()
    }
  }
  await Promise.all(Array.from({ length: 4 }, user))
  expect(cache.leases).toBe(0)
})
