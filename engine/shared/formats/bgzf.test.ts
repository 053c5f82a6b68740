import { crc32, deflateRawSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import {
  blockFrame,
  blockLength,
  compressBlock,
  compressBlocks,
  END_MARKER,
  inflateBlock,
  MAX_BLOCK_BYTES,
  WRITE_BLOCK_BYTES,
} from './bgzf.ts'
import { FormatError } from './format-error.ts'

/** Inflates consecutive blocks. */
function inflateAll(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const frame = blockFrame(bytes, at, bytes.length)
    if (!frame) throw new Error('block is cut off')
    parts.push(inflateBlock(bytes, frame))
    at = frame.end
  }
  return Buffer.concat(parts)
}

/** Incompressible bytes: a multiplicative generator's high bits. */
function noise(length: number): Uint8Array {
  let state = 12345
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) | 0
    return state >>> 24
  })
}

test('the end marker is the one of the specification, and an empty block', () => {
  // SAM specification 4.1.2.
  expect(Buffer.from(END_MARKER).toString('hex')).toBe(
    '1f8b08040000000000ff0600424302001b0003000000000000000000',
  )
  expect(inflateAll(END_MARKER).length).toBe(0)
})

test('any bytes survive being compressed, and any gzip reader agrees', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 0, max: 200_000 }).map(noise),
    fc.integer({ min: 0, max: 200_000 }).map((length) => new Uint8Array(length)),
  )
  const blockBytes = fc.integer({ min: 1000, max: WRITE_BLOCK_BYTES })
  const property = fc.property(bytes, fc.constantFrom(0, 1, 6), blockBytes, (raw, level, size) => {
    const packed = Buffer.concat(compressBlocks(raw, level, size))
    expect(inflateAll(packed).equals(raw)).toBe(true)
    if (raw.length > 0) expect(gunzipSync(packed).equals(raw)).toBe(true)
  })
  fc.assert(property, { seed: 6, numRuns: depth(20, 100) })
})

test('a full block of incompressible bytes fits', () => {
  for (const level of [0, 1, 6, 9]) {
    const block = compressBlock(noise(WRITE_BLOCK_BYTES), level)
    expect(block.length).toBeLessThanOrEqual(MAX_BLOCK_BYTES)
    expect(inflateAll(block).equals(noise(WRITE_BLOCK_BYTES))).toBe(true)
  }
})

test('subfields before and behind BC are passed over', () => {
  const plain = compressBlock(noise(500), 1)
  const extra = [...Buffer.from('XY\x03\x00abc', 'latin1')]
  for (const [before, behind] of [
    [extra, []],
    [[], extra],
    [[...extra, ...extra], extra],
    // A BC subfield of another length is not the block's size.
    [[0x42, 0x43, 1, 0, 9], []],
  ] as const) {
    const head = [...plain.subarray(0, 12), ...before, ...plain.subarray(12, 18), ...behind]
    const block = Buffer.from([...head, ...plain.subarray(18)])
    block.writeUInt16LE(6 + before.length + behind.length, 10)
    block.writeUInt16LE(block.length - 1, 12 + before.length + 4)
    expect(blockLength(block, 0, block.length)).toBe(block.length)
    expect(inflateAll(block).equals(noise(500))).toBe(true)
  }
})

test('a block that is cut off anywhere is incomplete, not wrong', () => {
  const block = compressBlock(noise(200), 1)
  for (let length = 0; length < block.length; length++) {
    expect(blockFrame(block, 0, length)).toBe(undefined)
    // Bytes beyond the limit are not read.
    expect(blockFrame(block.subarray(0, length), 0, length)).toBe(undefined)
  }
})

test('every flipped bit that matters is noticed', () => {
  const raw = Buffer.from('some bytes that repeat, some bytes that repeat'.repeat(3))
  const block = compressBlock(raw, 6)
  let unnoticed = 0
  for (let bit = 0; bit < 8 * block.length; bit++) {
    const hurt = Buffer.from(block)
    hurt.writeUInt8(hurt.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    try {
      // The bytes are doubled so that a larger block length still lies within them.
      const bytes = Buffer.concat([hurt, hurt])
      const frame = blockFrame(bytes, 0, bytes.length)
      if (frame && raw.equals(inflateBlock(bytes, frame))) unnoticed++
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError)
    }
  }
  // Time (4 bytes), extra flags and system are not part of the content, and a bit of the deflate stream may be
  // unused.
  expect(unnoticed).toBeLessThanOrEqual(8 * 6 + 8)
})

test('a footer that says 0 does not make an empty block of a full one', () => {
  const block = compressBlock(noise(100), 1)
  for (const from of [block.length - 4, block.length - 8]) {
    const hurt = Buffer.from(block).fill(0, from)
    const frame = blockFrame(hurt, 0, hurt.length)!
    expect(frame.inflatedLength).toBe(0)
    expect(() => inflateBlock(hurt, frame)).toThrow(FormatError)
  }
})

test('a block that claims or inflates to more than 64 KiB is refused', () => {
  const bomb = deflateRawSync(new Uint8Array(10_000_000))
  const block = Buffer.concat([Buffer.from(END_MARKER.subarray(0, 18)), bomb, Buffer.alloc(8)])
  block.writeUInt16LE(block.length - 1, 16)
  block.writeUInt32LE(10_000_000, block.length - 4)
  expect(() => blockFrame(block, 0, block.length)).toThrow(/10000000 inflated bytes/)
  block.writeUInt32LE(65536, block.length - 4)
  block.writeUInt32LE(crc32(new Uint8Array(65536)), block.length - 8)
  expect(() => inflateBlock(block, blockFrame(block, 0, block.length)!)).toThrow(FormatError)
})

test.each([
  ['no gzip', [0x1f, 0x8c]],
  ['another method', [0x1f, 0x8b, 7]],
  ['no extra field', [0x1f, 0x8b, 8, 0]],
])('a block with %s is refused', (_, start) => {
  const bytes = Buffer.from(END_MARKER)
  bytes.set(start)
  expect(() => blockLength(bytes, 0, bytes.length)).toThrow(FormatError)
})

test('a block without BC, or shorter than its own header, is refused', () => {
  const other = Buffer.from(END_MARKER)
  other.write('XY', 12, 'latin1')
  expect(() => blockLength(other, 0, other.length)).toThrow('BC')
  const short = Buffer.from(END_MARKER)
  for (const length of [0, 17, 24]) {
    short.writeUInt16LE(length, 16)
    expect(() => blockLength(short, 0, short.length)).toThrow('shorter')
  }
})

test('any bytes are a block, incomplete, or refused with a format error', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, begins) => {
    if (begins) bytes.set(END_MARKER.subarray(0, Math.min(12, bytes.length)))
    try {
      const frame = blockFrame(bytes, 0, bytes.length)
      if (frame) inflateBlock(bytes, frame)
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError)
    }
  })
  fc.assert(property, { seed: 7, numRuns: depth(400, 2000) })
})
