import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ParquetOptions } from '../render/parquet.ts'
import { ParquetFiles } from './parquet-files.ts'

const PIECE = new Uint8Array(1 << 19)
const PIECES = 4

/** Files of 2 MiB that are made as far as they are let, and how many are made. */
class HeldFiles {
  readonly #held = Promise.withResolvers<void>()
  begun = 0
  now = 0

  release(): void {
    this.#held.resolve()
  }

  source(key: string, signal?: AbortSignal) {
    const write = (options: ParquetOptions) => this.#write(options, signal)
    return { key, write, isSized: true, signal }
  }

  async *#write(
    { layout, onLayout }: ParquetOptions,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, undefined> {
    if (layout) return
    this.begun++
    this.now++
    try {
      for (let i = 0; i < PIECES; i++) {
        if (i === 3) await this.#held.promise
        signal?.throwIfAborted()
        yield PIECE
      }
    } finally {
      this.now--
    }
    onLayout?.({
      columns: [],
      offsets: [4],
      starts: [],
      footer: new Uint8Array(8),
      size: PIECES << 19,
    })
  }
}

const settle = async () => {
  for (let i = 0; i < 20; i++) await setImmediate()
}

test('equal requests for a length make one file', async () => {
  const [files, held] = [new ParquetFiles(), new HeldFiles()]
  const opened = Array.from({ length: 20 }, () => files.open(held.source('a')))
  await settle()
  expect(held.begun).toBe(1)
  held.release()
  expect((await Promise.all(opened)).map(({ length }) => length)).toEqual(
    Array(20).fill(PIECES << 19),
  )
  expect(held.begun).toBe(1)
})

test('a request that leaves hands the file on to one that waits', async () => {
  const [files, held] = [new ParquetFiles(), new HeldFiles()]
  const [first, second] = [new AbortController(), new AbortController()]
  const left = expect(files.open(held.source('a', first.signal))).rejects.toThrow('left')
  const alsoLeft = expect(files.open(held.source('a', second.signal))).rejects.toThrow('gone')
  const stays = files.open(held.source('a'))
  await settle()
  second.abort(new Error('gone'))
  await alsoLeft
  first.abort(new Error('left'))
  held.release()
  await left
  expect(await stays).toMatchObject({ length: PIECES << 19 })
  expect(held.begun).toBe(2)
})

test('few large files are made for their length at a time, and few requests wait', async () => {
  const [files, held] = [new ParquetFiles(), new HeldFiles()]
  const opened = Array.from({ length: 80 }, (_, i) =>
    files.open(held.source(String(i))).then(
      () => 'made',
      ({ code }: { readonly code: string }) => code,
    ),
  )
  await settle()
  expect(held.now).toBe(2)
  held.release()
  const results = await Promise.all(opened)
  expect(results.filter((result) => result === 'made')).toHaveLength(66)
  expect(results.filter((result) => result === 'busy')).toHaveLength(14)
  expect(held.now).toBe(0)
})
