import type { Executor } from '../../shared/executor.ts'
import { compressBlock } from '../../shared/formats/bgzf.ts'
import { verifyJob } from './verify.ts'

const BLOCKS_PER_JOB = 64
/** Bytes per block. Small blocks create as much garbage on the heap as large ones, and less outside. */
const BLOCK_BYTES = 16 << 10
/** Bytes after which V8 has collected the garbage of a thread, which it does at about 64 MB outside the heap. */
const INFLATED_BYTES_PER_THREAD = 128 << 20

/** Warms up all threads by inflating generated blocks. This runs the same code as verifying and cutting real ones. */
export async function warmThreads(executor: Executor): Promise<void> {
  const block = compressBlock(madeUpBytes(), 1)
  const bytes = new Uint8Array(new SharedArrayBuffer(block.length))
  bytes.set(block)
  const input = {
    bytes,
    starts: new Uint32Array(BLOCKS_PER_JOB),
    lengths: new Uint32Array(BLOCKS_PER_JOB).fill(block.length),
  }
  const jobs = INFLATED_BYTES_PER_THREAD / (2 * BLOCKS_PER_JOB * BLOCK_BYTES)
  const keepBusy = async () => {
    for (let i = 0; i < jobs; i++) await executor.run(verifyJob, input)
  }
  // Twice as many chains as threads, since a thread prefetches its next job.
  await Promise.all(Array.from({ length: 2 * executor.parallelism }, keepBusy))
}

/** Returns bytes that compress to about a third, as alignments do. */
function madeUpBytes(): Uint8Array {
  let state = 1
  return Uint8Array.from({ length: BLOCK_BYTES }, (_, i) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return i % 3 === 0 ? state >>> 23 : 65
  })
}
