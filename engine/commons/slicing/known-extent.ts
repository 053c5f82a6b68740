import { damage } from '../../shared/blobs/source.ts'
import type { Alignment } from './alignment.ts'
import { EXTENT_BYTES } from './buffers.ts'
import { type Directory, lowerRow } from './directory.ts'
import {
  contiguous,
  type ExtentContext,
  type Item,
  itemOf,
  type Proven,
  type Range,
} from './extent.ts'
import { countMatching, type KnownBlocks, loadJob } from './verify.ts'

/** Copies of at least this length are read and verified by threads, if threads can read the file. */
const LONG_COPY_BYTES = 4 * EXTENT_BYTES
const LOAD_PRIORITY = 1

/**
 * Copies blocks that are in the directory. The directory has the end and checksum of each block, so any number
 * of extents can be read concurrently without parsing.
 */
export function* copyKnown(
  alignment: Alignment,
  directory: Directory,
  { start, end }: Range,
  context: ExtentContext,
): Generator<Item> {
  const { blockOffset, blockLength, checksum } = directory
  const { buffers, signal } = context
  const { isLocal } = alignment.blob
  const load = isLocal && end - start >= LONG_COPY_BYTES ? loadInThread : loadHere
  const limit = lowerRow(blockOffset, end)
  for (let row = lowerRow(blockOffset, start); row < limit; ) {
    signal.throwIfAborted()
    const position = blockOffset.at(row)!
    let next = row + 1
    // Rows skip empty blocks, so the next block may be far away.
    while (
      next < limit &&
      blockOffset.at(next)! + blockLength.at(next)! <= position + EXTENT_BYTES
    ) {
      next++
    }
    const count = next - row
    const blocks = {
      starts: new Uint32Array(count),
      lengths: new Uint32Array(count),
      expected: new Uint32Array(count),
    }
    for (let i = 0; i < count; i++) {
      blocks.starts[i] = blockOffset.at(row + i)! - position
      blocks.lengths[i] = blockLength.at(row + i)!
      blocks.expected[i] = checksum.at(row + i)!
    }
    const buffer = buffers.take()
    const length = blocks.starts.at(-1)! + blocks.lengths.at(-1)!
    const bytes = load(alignment, position, buffer.subarray(0, length), blocks, context).then(
      (sound) => provenOf(buffer, position, blocks, sound),
    )
    yield itemOf(bytes, buffer, buffers)
    row = next
  }
}

async function loadHere(
  { blob }: Alignment,
  position: number,
  target: Buffer,
  blocks: KnownBlocks,
  { signal }: ExtentContext,
): Promise<number> {
  return countMatching(target, await blob.read(target, position, { signal }), blocks)
}

function loadInThread(
  { blob }: Alignment,
  position: number,
  target: Buffer,
  blocks: KnownBlocks,
  { executor, signal }: ExtentContext,
): Promise<number> {
  // A Buffer would arrive at the job as another type, so plain arrays are passed.
  const view = new Uint8Array(target.buffer, target.byteOffset, target.length)
  const input = { position, target: view, ...blocks }
  return blob.run(executor, loadJob, input, { signal, priority: LOAD_PRIORITY })
}

function provenOf(buffer: Buffer, position: number, blocks: KnownBlocks, sound: number): Proven {
  const { starts } = blocks
  return {
    parts: contiguous(buffer, blocks, sound),
    failure:
      sound < starts.length ? damage('block is damaged', position + starts[sound]!) : undefined,
  }
}
