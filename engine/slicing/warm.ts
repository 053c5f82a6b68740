import type { Executor } from '../executor.ts'
import { compressBlock, WRITE_BLOCK_BYTES } from '../formats/bgzf.ts'
import { verifyJob } from './verify.ts'

/** Behind everything else. */
const WARM_PRIORITY = 10
const BLOCKS_PER_JOB = 16
/** V8 collects a thread's inflated blocks when they have come to about 64 MB. */
const INFLATED_BYTES_PER_THREAD = 160 << 20

/** Has every thread inflate made-up blocks, in small jobs that give way to all others. */
export async function warmThreads(executor: Executor, signal: AbortSignal): Promise<void> {
  const block = compressBlock(madeUpBytes(), 1)
  const bytes = new Uint8Array(new SharedArrayBuffer(block.length))
  bytes.set(block)
  const input = {
    bytes,
    starts: new Uint32Array(BLOCKS_PER_JOB),
    lengths: new Uint32Array(BLOCKS_PER_JOB).fill(block.length),
  }
  const jobs = INFLATED_BYTES_PER_THREAD / (BLOCKS_PER_JOB * WRITE_BLOCK_BYTES)
  const keepBusy = async () => {
    for (let i = 0; i < jobs && !signal.aborted; i++) {
      await executor.run(verifyJob, input, { priority: WARM_PRIORITY })
    }
  }
  await Promise.all(Array.from({ length: executor.parallelism }, keepBusy))
}

/** Bytes that deflate to about a third, as alignments do. */
function madeUpBytes(): Uint8Array {
  let state = 1
  return Uint8Array.from({ length: WRITE_BLOCK_BYTES }, (_, i) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return i % 3 === 0 ? state >>> 23 : 65
  })
}
