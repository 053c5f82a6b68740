import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineExecutor, Scratch } from '../../../shared/executor.ts'
import { ABSENT } from './matrix-format.ts'
import { partOf, rowValues } from './matrix-part.ts'
import { type Matrix, matrixIn, openMatrix } from './open-matrix.ts'
import { caseId, geneId, madeMatrix, matrixBytes, placesOf } from './support/made-matrix.ts'

const VALUES = [
  [1, 2, 3, 4],
  [5, ABSENT, 7, 8],
  [9, 10, 11, 12],
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-open-matrix-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const ALL = Number.POSITIVE_INFINITY

function valuesOf(matrix: Matrix, columns: readonly number[], rows: readonly number[]) {
  const { signal } = new AbortController()
  return matrix.values.use(Uint32Array.from(rows), signal, (placed) => {
    const part = partOf(matrix, placesOf(columns), placed)
    return Array.from(part.offsets, (offset) => [...rowValues(part, offset, new Scratch())])
  })
}

async function opened(bytes: Buffer, facts: { readonly crc32?: number; bytes?: number } = {}) {
  const path = join(folder, 'expression.arrow')
  await writeFile(path, bytes)
  const file = await open(path, 'r')
  try {
    const whole = { bytes: bytes.length, crc32: crc32(bytes), ...facts }
    return await openMatrix({ descriptor: file.fd, ...whole }, inlineExecutor, ALL)
  } finally {
    await file.close()
  }
}

test('a file is read in parts, and its values stay where they were read to', async () => {
  // A file that is read in four parts.
  const wide = Array.from({ length: 7 }, (_, gene) =>
    Array.from({ length: 1_000_000 }, (_, column) => gene * 1_000_000 + column),
  )
  const matrix = await opened(await matrixBytes('fixed', wide))
  expect([...matrix.rows.keys()]).toEqual(wide.map((_, i) => geneId(i)))
  expect(matrix.columns.get(caseId(999_999))).toBe(999_999)
  expect(await valuesOf(matrix, [3, 999_999], [0, 6])).toEqual([
    [3, 999_999],
    [6_000_003, 6_999_999],
  ])
})

test('doubles and symbols are found, too', async () => {
  const matrix = await madeMatrix('double', [[0.5, Number.NaN]])
  const part = partOf(matrix, placesOf([0, 1]), matrix.values.placed(Uint32Array.of(0)))
  expect(part.columns).toBeUndefined()
  const values = rowValues(part, part.offsets[0] ?? -1, new Scratch())
  expect([...values]).toEqual([0.5, Number.NaN])
  expect(values.buffer).toBe(matrix.values.memory)
  expect(matrix.symbols).toEqual(['S0'])
})

test('what is not what was written is damage, which names the file', async () => {
  const bytes = await matrixBytes('fixed', VALUES)
  const damage = { code: 'corrupt_source', at: 'expression.arrow' }
  const changed = Buffer.from(bytes)
  changed[bytes.length >> 1]! ^= 1
  await expect(opened(changed, { crc32: crc32(bytes) })).rejects.toMatchObject(damage)
  const short = opened(bytes, { bytes: bytes.length + 1 })
  await expect(short).rejects.toMatchObject(damage)
  for (const other of [Buffer.from('no Arrow file'), Buffer.alloc(0), bytes.subarray(0, 500)]) {
    await expect(opened(other)).rejects.toMatchObject(damage)
  }
  const text = bytes.toString('latin1').replaceAll('"genes":3', '"genes":4')
  await expect(opened(Buffer.from(text, 'latin1'))).rejects.toMatchObject(damage)
})

test('values that lie beyond four gibibytes are read', async () => {
  const hole = 2 ** 32 + 2 ** 31 + 64
  const bytes = await matrixBytes('fixed', VALUES)
  // The record batch follows the 8 bytes of magic. It begins with a continuation mark and the length of its
  // metadata. The footer has the batch's offset and both lengths.
  const batch = 8
  const footer = bytes.length - 10 - bytes.readUInt32LE(bytes.length - 10)
  const place = Buffer.alloc(12)
  place.writeBigUInt64LE(BigInt(batch))
  place.writeUInt32LE(8 + bytes.readUInt32LE(batch + 4), 8)
  const at = bytes.indexOf(place, footer)
  expect(at).toBeGreaterThan(footer)
  bytes.writeBigUInt64LE(BigInt(batch + hole), at)
  // The operating system allocates no memory for pages that are never written.
  const memory = new SharedArrayBuffer(bytes.length + hole)
  new Uint8Array(memory).set(bytes.subarray(0, batch))
  new Uint8Array(memory, batch + hole).set(bytes.subarray(batch))
  const matrix = matrixIn(memory)
  expect(Math.min(...matrix.values.offsets)).toBeGreaterThan(hole)
  expect(await valuesOf(matrix, [1, 3], [1, 2])).toEqual([
    [ABSENT, 8],
    [10, 12],
  ])
})
