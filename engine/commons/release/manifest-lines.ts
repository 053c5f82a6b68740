import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { ArraySchema, ArraysOf } from '../../shared/arrays/array-schema.ts'
import type { BufferLease, BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { leasedChunks } from '../../shared/concurrency/leased-chunks.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor, Job, Scratch } from '../../shared/executor.ts'

/** Members of a file's record that make up its download-manifest line, in order. */
export const LINE_MEMBERS = ['file_id', 'file_name', 'md5sum', 'file_size', 'state'] as const

export const LINES_KEY = 'lines/files'

/** Rows whose lines are read and verified together: about 32 KiB. */
export const GROUP_ROWS = 256

export const LINE_ARRAYS = {
  /** Bytes of each row's line, including its line break. */
  lengths: ['Uint16Array', 'Uint32Array'],
  /** Start of the lines of each group of GROUP_ROWS rows, and the end. */
  starts: ['Float64Array'],
  /** CRC32 of each group's text. */
  checksums: ['Uint32Array'],
} as const satisfies ArraySchema

export type LineArrays = ArraysOf<typeof LINE_ARRAYS>

/** The lines as plain data over shared memory, for jobs. Valid while the release is open. */
export interface LinesHandle {
  readonly descriptor: number
  readonly path: string
  readonly rows: number
  readonly arrays: LineArrays
}

interface LinesInput {
  readonly handle: LinesHandle
  /** Row numbers, ascending. */
  readonly rows: Uint32Array
  /** Shared memory to write the lines to, if they fit. Without it, they get memory of their own. */
  readonly target: Uint8Array | undefined
}

/** Cuts the lines of some rows out of the text. */
export const linesJob: Job<LinesInput, Uint8Array> = {
  name: 'release.lines',
  run: cutLines,
  transfer: ({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []),
}

/** Rows per job: about a megabyte of text. */
const SLICE_ROWS = 8192

export interface LinesRun {
  readonly signal?: AbortSignal | undefined
  /** Buffers for the chunks. They are reused. */
  readonly buffers: BufferPool
}

/**
 * Yields one line per row, in chunks of about a megabyte: id, name, MD5, size and state, separated by tabs. The
 * memory of a chunk may be reused when the next chunk is requested.
 * @param rows ascending and distinct
 * @throws EngineError corrupt_source if the stored text has changed; busy
 */
export async function* manifestLines(
  handle: LinesHandle,
  rows: Uint32Array,
  executor: Executor,
  { signal, buffers: pool }: LinesRun,
): AsyncGenerator<Uint8Array> {
  let at = 0
  const start = (stop: AbortSignal, buffers: BufferLease) => {
    if (at >= rows.length) return undefined
    const target = buffers.takeKept()
    const input = { handle, rows: rows.slice(at, at + SLICE_ROWS), target }
    at += SLICE_ROWS
    return executor.run(linesJob, input, { signal: stop }).then((chunk) => ({ chunk, target }))
  }
  yield* leasedChunks(pool, start, { ahead: executor.parallelism + 1, signal })
}

/** Bytes per read, unless a single group is larger. */
const READ_BYTES = 1 << 20

function cutLines({ handle, rows, target }: LinesInput, scratch: Scratch): Uint8Array {
  const { lengths, starts } = handle.arrays
  let total = 0
  for (const row of rows) total += lengths[row]!
  const text =
    target && total <= target.length ? target.subarray(0, total) : Buffer.allocUnsafeSlow(total)
  let filled = 0
  for (let at = 0; at < rows.length; ) {
    // Reads as many of the wanted groups as are close together and fit in one read.
    const first = Math.floor(rows[at]! / GROUP_ROWS)
    let last = first
    let next = at
    while (next < rows.length) {
      const group = Math.floor(rows[next]! / GROUP_ROWS)
      const length = starts[group + 1]! - starts[first]!
      if (group > last + 1 || (group > first && length > READ_BYTES)) break
      last = group
      next++
    }
    const bytes = readGroups(handle, first, last, scratch)
    let row = first * GROUP_ROWS
    let from = 0
    while (at < next) {
      const wanted = rows[at]!
      for (; row < wanted; row++) from += lengths[row]!
      let to = from
      // Adjacent lines are copied together.
      while (at < next && rows[at] === row) {
        to += lengths[row++]!
        at++
      }
      bytes.copy(text, filled, from, to)
      filled += to - from
      from = to
    }
  }
  return text
}

function readGroups(handle: LinesHandle, first: number, last: number, scratch: Scratch): Buffer {
  const { starts, checksums } = handle.arrays
  const start = starts[first]!
  const length = starts[last + 1]! - start
  const bytes = scratch.bytes('release.lines', Math.max(length, READ_BYTES)).subarray(0, length)
  let filled = 0
  while (filled < length) {
    const read = readSync(handle.descriptor, bytes, filled, length - filled, start + filled)
    if (read === 0) throw damage(handle, 'it is cut off')
    filled += read
  }
  for (let group = first; group <= last; group++) {
    const from = starts[group]! - start
    const to = starts[group + 1]! - start
    if (crc32(bytes.subarray(from, to)) !== checksums[group]) {
      throw damage(handle, `the CRC32 of its part ${group} is wrong`)
    }
  }
  return bytes
}

const damage = ({ path }: LinesHandle, why: string) =>
  new EngineError('corrupt_source', `"${path}" is damaged: ${why}; import the release again`, {
    at: path,
  })
