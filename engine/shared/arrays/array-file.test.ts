import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArrays, writeArrays } from './array-file.ts'
import { type ArraySchema, typedFacts } from './array-schema.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-array-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ARRAYS = {
  bytes: Uint8Array.of(1, 2, 3),
  words: Uint16Array.of(65535, 7),
  numbers: Uint32Array.of(2 ** 32 - 1),
  signed: Int32Array.of(-1, 5, -(2 ** 31)),
  doubles: Float64Array.of(0.5, 2 ** 52, -0),
  none: new Float64Array(0),
}

const SCHEMA = {
  bytes: ['Uint8Array'],
  words: ['Uint16Array'],
  numbers: ['Uint32Array'],
  signed: ['Int32Array'],
  doubles: ['Float64Array'],
  none: ['Float64Array'],
} as const satisfies ArraySchema

test('arrays of every kind and facts come back, and nothing else is left in the folder', async () => {
  const path = join(folder, 'x.arrays')
  const facts = { size: 5, name: 'é', nested: { list: [1] } }
  await writeArrays(path, facts, ARRAYS)
  await writeArrays(path, facts, ARRAYS)
  expect(await readArrays(path, SCHEMA)).toEqual({ facts, arrays: ARRAYS })
  expect(await readdir(folder)).toEqual(['x.arrays'])
})

test('a view into a larger buffer is written as it is seen', async () => {
  const path = join(folder, 'view.arrays')
  const all = Uint32Array.from({ length: 100 }, (_, i) => i)
  await writeArrays(path, {}, { part: all.subarray(10, 13) })
  const { arrays } = await readArrays(path, { part: ['Uint32Array'] })
  expect(arrays).toEqual({ part: Uint32Array.of(10, 11, 12) })
})

test('a file without arrays is one', async () => {
  const path = join(folder, 'empty.arrays')
  await writeArrays(path, { a: 1 }, {})
  expect(await readArrays(path, {})).toEqual({ facts: { a: 1 }, arrays: {} })
})

test('every flipped bit and every missing or added byte is noticed', async () => {
  const path = join(folder, 'hurt.arrays')
  await writeArrays(path, { size: 5 }, ARRAYS)
  const bytes = await readFile(path)
  const refused = async (hurt: Uint8Array, what: string) => {
    await writeFile(path, hurt)
    await expect(readArrays(path, SCHEMA), what).rejects.toMatchObject({
      name: 'EngineError',
      code: 'corrupt_source',
    })
  }
  for (let at = 0; at < bytes.length; at++) {
    const hurt = Buffer.from(bytes)
    hurt.writeUInt8(hurt.readUInt8(at) ^ (1 << (at % 8)), at)
    await refused(hurt, `byte ${at}`)
    await refused(bytes.subarray(0, at), `cut at ${at}`)
  }
  // The head is small enough to damage every bit of it.
  for (let bit = 0; bit < 8 * 24; bit++) {
    const hurt = Buffer.from(bytes)
    hurt.writeUInt8(hurt.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    await refused(hurt, `bit ${bit}`)
  }
  for (const added of [1, 8, 64]) {
    await refused(Buffer.concat([bytes, new Uint8Array(added)]), `${added} bytes more`)
  }
})

test('arrays can be read into shared memory, all into one piece', async () => {
  const path = join(folder, 'shared.arrays')
  const { bytes } = await writeArrays(path, { a: 1 }, ARRAYS)
  const target = new Uint8Array(new SharedArrayBuffer(bytes + 64), 16, bytes)
  for (const options of [{ shared: true }, { target }]) {
    const { facts, arrays } = await readArrays(path, SCHEMA, options)
    expect({ facts, arrays }).toEqual({ facts: { a: 1 }, arrays: ARRAYS })
    const buffers = new Set(Object.values(arrays).map((array) => array.buffer))
    expect(buffers.size).toBe(1)
    expect([...buffers][0]).toBeInstanceOf(SharedArrayBuffer)
  }
  for (const wrong of [target.subarray(1), new Uint8Array(target.buffer)]) {
    await expect(readArrays(path, SCHEMA, { target: wrong })).rejects.toMatchObject({
      code: 'corrupt_source',
    })
  }
})

test('size and CRC32 of what was written are reported, and a file with another CRC32 is refused', async () => {
  const path = join(folder, 'told.arrays')
  const written = await writeArrays(path, {}, ARRAYS, { sync: false })
  const bytes = await readFile(path)
  expect(written).toEqual({ bytes: bytes.length, crc32: crc32(bytes) })
  expect((await readArrays(path, SCHEMA, written)).arrays).toEqual(ARRAYS)
  await expect(readArrays(path, SCHEMA, { crc32: written.crc32 ^ 1 })).rejects.toMatchObject({
    code: 'corrupt_source',
  })
})

test('a missing file is not a damaged one', async () => {
  await expect(readArrays(join(folder, 'missing'), SCHEMA)).rejects.toMatchObject({
    code: 'ENOENT',
  })
})

const ANY = {
  a: ['Uint8Array'],
  b: ['Uint16Array'],
  c: ['Int32Array'],
  d: ['Float64Array'],
} as const satisfies ArraySchema

test('arrays of any length come back', async () => {
  const path = join(folder, 'any.arrays')
  const property = fc.asyncProperty(
    fc.uint8Array(),
    fc.uint16Array(),
    fc.int32Array(),
    fc.float64Array(),
    async (a, b, c, d) => {
      await writeArrays(path, {}, { a, b, c, d })
      const { arrays } = await readArrays(path, ANY)
      expect(arrays).toEqual({ a, b, c, d })
    },
  )
  await fc.assert(property, { seed: 8, numRuns: 30 })
})

test('an array may be of one of several kinds, or missing where that is allowed', async () => {
  const path = join(folder, 'kinds.arrays')
  const schema = {
    codes: ['Uint8Array', 'Uint16Array'],
    order: ['Uint32Array', 'absent'],
  } as const satisfies ArraySchema
  for (const codes of [Uint8Array.of(1), Uint16Array.of(300)]) {
    await writeArrays(path, {}, { codes })
    expect((await readArrays(path, schema)).arrays).toEqual({ codes })
  }
  const both = { codes: Uint8Array.of(1), order: Uint32Array.of(0) }
  await writeArrays(path, {}, both)
  expect((await readArrays(path, schema)).arrays).toEqual(both)
})

test('arrays that the schema does not name are left out', async () => {
  const path = join(folder, 'more.arrays')
  await writeArrays(path, {}, ARRAYS)
  const { arrays } = await readArrays(path, { words: ['Uint16Array'] })
  expect(arrays).toEqual({ words: ARRAYS.words })
})

test('a file that has another array than the schema says is refused, and reported which', async () => {
  const path = join(folder, 'other.arrays')
  await writeArrays(path, {}, ARRAYS)
  const wrong: readonly (readonly [ArraySchema, string])[] = [
    [{ ...SCHEMA, codes: ['Uint8Array'] }, 'it has no array "codes"'],
    [{ words: ['Uint32Array'] }, 'its array "words" is of kind Uint16Array, not Uint32Array'],
    [
      { words: ['Uint8Array', 'Uint32Array', 'absent'] },
      'its array "words" is of kind Uint16Array, not Uint8Array or Uint32Array',
    ],
  ]
  for (const [schema, why] of wrong) {
    await expect(readArrays(path, schema)).rejects.toMatchObject({
      name: 'EngineError',
      code: 'corrupt_source',
      message: `array file is damaged: ${why}; build it again`,
    })
  }
})

test('facts are those of their schema, or it is told which one is not', () => {
  const schema = { size: 'number', name: 'string', state: { isEnded: 'boolean' } } as const
  const facts = { size: 5, name: 'a', state: { isEnded: false }, more: null }
  expect(typedFacts(facts, schema)).toEqual(facts)
  const wrong = [
    [{ ...facts, size: '5' }, 'its fact "size" is no number'],
    [{ ...facts, name: undefined }, 'its fact "name" is no string'],
    [{ ...facts, state: null }, 'its fact "state.isEnded" is no boolean'],
    [{ ...facts, state: { isEnded: 0 } }, 'its fact "state.isEnded" is no boolean'],
  ] as const
  for (const [given, why] of wrong) {
    expect(() => typedFacts(given, schema)).toThrow(
      expect.objectContaining({
        code: 'corrupt_source',
        message: `array file is damaged: ${why}; build it again`,
      }),
    )
  }
})
