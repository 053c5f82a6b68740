import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isExhaustive } from '../../../test/depth.ts'
import { type ComposedSource, composeObject, type Piece, planPieces } from './compose-object.ts'
import { ObjectClient } from './object-client.ts'
import { madeBytes } from './support/made-bytes.ts'
import { type S3Server, startS3 } from './support/s3-server.ts'

const MIB = 1 << 20
const GIB = 2 ** 30
const TIB = 2 ** 40

const lengthOf = (piece: Piece) => piece.reduce((sum, { start, end }) => sum + end - start, 0)

/** Checks that the parts respect the limits of S3, and that all bytes come once and in order. */
function expectPlanned(sizes: readonly number[]): readonly Piece[] {
  const pieces = planPieces(sizes)
  expect(pieces.length).toBeLessThanOrEqual(10_000)
  const lengths = pieces.map(lengthOf)
  expect(lengths.slice(0, -1).filter((length) => length < 5 * MIB)).toEqual([])
  expect(lengths.filter((length) => length > 5 * GIB)).toEqual([])
  const ends = new Map<number, number>()
  let last = 0
  const gaps = pieces.flat().filter(({ source, start, end }) => {
    const isNext = start === (ends.get(source) ?? 0) && end > start
    ends.set(source, end)
    const isBack = source < last
    last = source
    return !isNext || isBack
  })
  expect(gaps).toEqual([])
  expect(sizes.map((_, source) => ends.get(source) ?? 0)).toEqual(sizes)
  return pieces
}

describe('parts of a new object', () => {
  test('are what was sent, where that is large enough', () => {
    expect(expectPlanned([100 * MIB, 100 * MIB, 3])).toEqual([
      [{ source: 0, start: 0, end: 100 * MIB }],
      [{ source: 1, start: 0, end: 100 * MIB }],
      [{ source: 2, start: 0, end: 3 }],
    ])
  })

  test('join what is small with what follows', () => {
    expect(expectPlanned([3, 6 * MIB, 20 * MIB])).toEqual([
      [
        { source: 0, start: 0, end: 3 },
        { source: 1, start: 0, end: 5 * MIB - 3 },
      ],
      [
        { source: 1, start: 5 * MIB - 3, end: 6 * MIB },
        { source: 2, start: 0, end: 4 * MIB - 3 },
      ],
      [{ source: 2, start: 4 * MIB - 3, end: 20 * MIB }],
    ])
  })

  test.each([
    { what: 'nothing', sizes: [] },
    { what: 'empty parts', sizes: [0, 0, 0] },
    { what: 'empty parts between', sizes: [0, 6 * MIB, 0, 1, 0] },
    { what: 'single bytes', sizes: Array<number>(10_000).fill(1) },
    { what: 'least parts', sizes: Array<number>(10_000).fill(5 * MIB) },
    { what: 'parts of 5 GiB', sizes: Array<number>(1000).fill(5 * GIB) },
    { what: 'one of all', sizes: [5 * TIB] },
    { what: 'many, and some very large', sizes: [...Array<number>(9000).fill(6 * MIB), 3 * TIB] },
    { what: 'one below the least', sizes: Array<number>(2000).fill(5 * MIB - 1) },
  ])('are such as S3 takes: $what', ({ sizes }) => void expectPlanned(sizes))

  test('are such as S3 takes, whatever the sizes are', () => {
    let state = 7
    const random = (most: number) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % most
    }
    for (let round = 0; round < 300; round++) {
      const most = [10, 2 * MIB, 12 * MIB, 400 * MIB][round % 4] ?? 1
      expectPlanned(Array.from({ length: random(40) }, () => random(most)))
    }
  })

  test('are refused where S3 would refuse them', () => {
    expect(() => planPieces([5 * TIB, 1])).toThrow('5 TiB in 10,000 parts')
    const many = [...Array<number>(9999).fill(5 * MIB), 4 * TIB]
    expect(() => planPieces(many)).toThrow('send fewer, larger parts')
  })
})

describe('objects of others', () => {
  let s3: S3Server
  let client: ObjectClient
  const begun: string[] = []
  beforeAll(async () => {
    s3 = await startS3()
    client = new ObjectClient(s3.options)
  })
  afterAll(async () => {
    await client?.close()
    await s3?.stop()
  })

  let made = 0
  async function sourceOf(bytes: Uint8Array): Promise<ComposedSource> {
    const key = `sources/ä ${++made}.bam`
    await client.put(key, bytes)
    const entityTag = (await client.identity(key))?.inode ?? ''
    return { key, entityTag, size: bytes.length }
  }

  const compose = (key: string, sources: readonly ComposedSource[], signal?: AbortSignal) =>
    composeObject(client, key, sources, {
      signal: signal ?? new AbortController().signal,
      onBegun: async (uploadId) => void begun.push(uploadId),
    })

  async function md5Of(key: string): Promise<string> {
    const hash = createHash('md5')
    const { size = 0, inode = '' } = (await client.identity(key)) ?? {}
    const range = { key, entityTag: inode, start: 0, end: size }
    if (size > 0) await client.fetch(range, (bytes) => void hash.update(bytes))
    return hash.digest('hex')
  }

  const SIZES: readonly (readonly number[])[] = [
    [0],
    [1000],
    [9 * MIB],
    [3, 1000, 0, 70_000],
    [6 * MIB, 6 * MIB, 17],
    // The test server takes seconds to compose the larger sizes.
    isExhaustive ? [100, 11 * MIB, 5 * MIB - 1, 8 * MIB, 1] : [100, 5 * MIB, 1],
  ]

  describe.each([
    { can: 'copies', copiesParts: true },
    { can: 'cannot copy', copiesParts: false },
  ])('of a server that $can', ({ copiesParts }) => {
    test.each(SIZES.map((sizes) => ({ sizes })))('have all bytes: $sizes', async ({ sizes }) => {
      s3.copiesParts = copiesParts
      const bytes = sizes.map((size, i) => madeBytes(i + 1, size))
      const sources: ComposedSource[] = []
      for (const one of bytes) sources.push(await sourceOf(one))
      await compose('made', sources)
      const hash = createHash('md5')
      for (const one of bytes) hash.update(one)
      expect(await md5Of('made')).toBe(hash.digest('hex'))
      expect(await s3.uploads()).toEqual([])
    })
  })

  test('pass through here only as far as they are small', async () => {
    s3.copiesParts = true
    const sources = [await sourceOf(madeBytes(1, 9 * MIB)), await sourceOf(madeBytes(2, 9 * MIB))]
    const before = s3.bytesSent()
    await compose('copied', sources)
    expect(s3.bytesSent() - before).toBeLessThan(10_000)
  })

  test.each([{ sizes: [9 * MIB] }, { sizes: [9 * MIB, 9 * MIB] }])(
    'are not copied if one was replaced: $sizes',
    async ({ sizes }) => {
      s3.copiesParts = true
      const sources: ComposedSource[] = []
      for (const [i, size] of sizes.entries()) sources.push(await sourceOf(madeBytes(i, size)))
      await client.put(sources[0]?.key ?? '', madeBytes(7, 9 * MIB))
      await expect(compose('replaced', sources)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/ was replaced while it was read$/),
      })
      expect(await client.identity('replaced')).toBeUndefined()
      expect(await s3.uploads()).toEqual([])
    },
  )

  test('are there as a whole or not at all, and leave no upload', async () => {
    s3.copiesParts = true
    const sources = [await sourceOf(madeBytes(1, 9 * MIB)), await sourceOf(madeBytes(2, 9 * MIB))]
    begun.length = 0
    s3.intercept = (request, response) => {
      if (!request.url?.includes('partNumber=2')) return false
      response.writeHead(403).end()
      return true
    }
    await expect(compose('broken', sources)).rejects.toMatchObject({ code: 'unavailable' })
    s3.intercept = () => false
    expect(begun).toHaveLength(1)
    expect(await s3.uploads()).toEqual([])
    expect(await client.identity('broken')).toBeUndefined()
    const over = AbortSignal.abort(new Error('over'))
    await expect(compose('broken', sources, over)).rejects.toThrow('over')
  })
})
