import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BAI, CSI } from '@gmod/bam'
import { LocalFile } from 'generic-filehandle2'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { sample } from '../../../test/depth.ts'
import {
  type BinIndex,
  chunksAt,
  endLeftOf,
  floorAt,
  parseIndex,
  placedEnd,
  referenceBegin,
} from './bam-index.ts'
import { FormatError } from './format-error.ts'

const SHARED = publicData('data/bam')

const names = (available.shared ? readdirSync(SHARED, { recursive: true, encoding: 'utf8' }) : [])
  .filter((name) => /\.(bai|csi)$/.test(name))
  .sort()

/** This one is for a reference that is longer than a BAI can address. */
const TOO_LONG = 'bam-js/needs_csi.bai'

function read(name: string): Buffer {
  const bytes = readFileSync(join(SHARED, name))
  return bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
}

/** The bins of one reference with their chunks. */
function binsOf(index: BinIndex, reference: number) {
  const bins: Record<string, bigint[]> = {}
  for (let bin = index.binStart[reference]!; bin < index.binStart[reference + 1]!; bin++) {
    const [from, to] = [index.chunkStart[bin]!, index.chunkStart[bin + 1]!]
    bins[index.binId[bin]!] = [...index.chunks.subarray(2 * from, 2 * to)]
  }
  return bins
}

test.skipIf(!available.shared)('there are real indexes of both kinds', () => {
  expect(names.filter((name) => name.endsWith('.bai')).length).toBeGreaterThan(25)
  expect(names.filter((name) => name.endsWith('.csi')).length).toBeGreaterThan(10)
})

describe.skipIf(!available.shared)('real indexes', () => {
  const packed = ({
    blockPosition,
    dataPosition,
  }: {
    blockPosition: number
    dataPosition: number
  }) => (BigInt(blockPosition) << 16n) | BigInt(dataPosition)

  // @gmod/bam 7.1.17 is the second reader.
  test.each(
    sample(
      names.filter((name) => name !== TOO_LONG),
      8,
    ),
  )('%s has the bins, chunks and windows that another reader finds', async (name) => {
    const index = parseIndex(read(name))
    const filehandle = new LocalFile(join(SHARED, name))
    const other = name.endsWith('.csi') ? new CSI({ filehandle }) : new BAI({ filehandle })
    const { refCount, indices } = await other.parse()
    expect(index.referenceCount).toBe(refCount)
    let chunks = 0
    // Some indexes have 28,751 references, nearly all of them empty.
    for (let reference = 0; reference < Math.min(refCount, 2000); reference++) {
      const theirs = indices(reference)!
      const expected: Record<string, bigint[]> = {}
      for (const [bin, list] of Object.entries(theirs.binIndex)) {
        expected[bin] = list.flatMap(({ minv, maxv }) => [packed(minv), packed(maxv)])
        chunks += list.length
      }
      expect(binsOf(index, reference)).toEqual(expected)
      if ('linearIndex' in theirs) {
        const [from, to] = [index.linearStart[reference]!, index.linearStart[reference + 1]!]
        const linear = theirs.linearIndex as { blockPosition: number; dataPosition: number }[]
        expect([...index.linear.subarray(from, to)]).toEqual(linear.map(packed))
      }
    }
    if (refCount <= 2000) expect(index.chunks.length).toBe(2 * chunks)
  })

  test('a BAI of a reference that is too long for it is refused', () => {
    expect(() => parseIndex(read(TOO_LONG))).toThrow(FormatError)
  })

  test.each(
    sample(
      names.filter((name) => name !== TOO_LONG),
      8,
    ),
  )('%s cut off anywhere is refused with a format error', (name) => {
    const bytes = read(name)
    // The references are followed by the number of unplaced reads, which is optional.
    const body = endOfReferences(bytes)
    const step = Math.max(1, Math.floor(body / 400))
    for (let length = 0; length < body; length += step) {
      expect(() => parseIndex(bytes.subarray(0, length)), `${length}`).toThrow(FormatError)
    }
    expect(() => parseIndex(bytes.subarray(0, body - 1))).toThrow(FormatError)
    const whole = parseIndex(bytes)
    for (let length = body; length <= bytes.length; length++) {
      expect(parseIndex(bytes.subarray(0, length))).toEqual(whole)
    }
  })

  test('any changed byte gives an index or a format error, quickly', () => {
    for (const name of ['bam-js/volvox-sorted.bam.bai', 'bam-js/paired.bam.csi']) {
      const bytes = read(name)
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [0, 0x7f, 0x80, 0xff]) {
          const hurt = Buffer.from(bytes)
          hurt.writeUInt8(value, at)
          try {
            parseIndex(hurt)
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError)
          }
        }
      }
    }
  })
})

/** Finds the end of the references, as a reader must, without checking the contents. */
function endOfReferences(bytes: Buffer): number {
  const csi = bytes.toString('latin1', 0, 3) === 'CSI'
  let at = csi ? 16 + bytes.readInt32LE(12) : 4
  const references = bytes.readInt32LE(at)
  at += 4
  for (let reference = 0; reference < references; reference++) {
    const bins = bytes.readInt32LE(at)
    at += 4
    for (let bin = 0; bin < bins; bin++) {
      at += csi ? 12 : 4
      at += 4 + 16 * bytes.readInt32LE(at)
    }
    if (!csi) at += 4 + 8 * bytes.readInt32LE(at)
  }
  return at
}

/** Writes a BAI with one reference. */
function baiOf(bins: readonly (readonly [number, ...bigint[]])[], linear: readonly bigint[] = []) {
  const parts: Buffer[] = [Buffer.from('BAI\x01', 'latin1'), int32(1), int32(bins.length)]
  for (const [bin, ...offsets] of bins) {
    parts.push(int32(bin), int32(offsets.length / 2), ...offsets.map(int64))
  }
  return Buffer.concat([...parts, int32(linear.length), ...linear.map(int64)])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

describe('looking up a position', () => {
  // Bins 4681 and 4682 are the first two windows of 16 kb, 585 is the first of 128 kb, and 37450 holds the counts.
  const index = parseIndex(
    baiOf(
      [
        [4682, 300n, 400n, 500n, 600n],
        [37450, 1n, 2n, 3n, 4n],
        [4681, 100n, 200n],
        [585, 200n, 300n],
        [0, 600n, 700n],
      ],
      [100n, 200n],
    ),
  )

  test('bins are in order and the one that counts is not among them', () => {
    expect([...index.binId]).toEqual([0, 585, 4681, 4682])
    expect(referenceBegin(index, 0)).toBe(100n)
    expect(placedEnd(index)).toBe(700n)
  })

  test.each([
    [0, 0n],
    [16383, 0n],
    [16384, 200n],
    [32767, 200n],
    [32768, 600n],
    [131071, 600n],
    [131072, 600n],
    [2 ** 29, 700n],
    [Infinity, 700n],
  ])('left of %d the last bin that lies wholly there ends at %d', (position, end) => {
    expect(endLeftOf(index, 0, position)).toBe(end)
  })

  test.each([
    [0, [100n, 200n, 600n]],
    [16384, [200n, 300n, 500n, 600n]],
    [32768, [200n, 600n]],
    [131072, [600n]],
    [2 ** 29, []],
    [Infinity, []],
  ])('the chunks at %d begin at %o', (position, begins) => {
    expect(chunksAt(index, 0, position).map(([begin]) => begin)).toEqual(begins)
  })

  test('windows that are not there say nothing', () => {
    expect([0, 16383, 16384, 32768, 2 ** 31].map((at) => floorAt(index, 0, at))).toEqual([
      100n,
      100n,
      200n,
      0n,
      0n,
    ])
  })

  test('a reference without bins has no begin', () => {
    expect(referenceBegin(parseIndex(baiOf([])), 0)).toBe(undefined)
  })
})
