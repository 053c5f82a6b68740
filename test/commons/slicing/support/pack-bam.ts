import { crc32, deflateRawSync } from 'node:zlib'
import { MARKER } from './strict-bam.ts'

// Writes BGZF with blocks of any size, which no real writer does, so that edges occur everywhere.

/** One block, deflated. */
export function packBlock(content: Uint8Array): Buffer {
  const data = deflateRawSync(content)
  const block = Buffer.concat([MARKER.subarray(0, 18), data, Buffer.alloc(8)])
  block.writeUInt16LE(block.length - 1, 16)
  block.writeUInt32LE(crc32(content), block.length - 8)
  block.writeUInt32LE(content.length, block.length - 4)
  return block
}

/** The inflated bytes in blocks that end at the given offsets, and an end marker. */
export function packBam(inflated: Buffer, edges: readonly number[]): Buffer {
  const blocks: Buffer[] = []
  let from = 0
  for (const edge of [...edges, inflated.length]) {
    if (edge > from) blocks.push(packBlock(inflated.subarray(from, edge)))
    from = Math.max(from, edge)
  }
  return Buffer.concat([...blocks, MARKER])
}

/** Multiples of `bytes` below `length`. */
export function everyBytes(bytes: number, length: number): number[] {
  return Array.from({ length: Math.ceil(length / bytes) - 1 }, (_, i) => (i + 1) * bytes)
}
