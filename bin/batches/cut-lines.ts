import { open } from 'node:fs/promises'
import { isGzipFile } from '../line-file.ts'
import type { Input, Piece } from './plan.ts'

const LINE_END = 10

/** Bytes to read at a time when looking for the end of a line. Most lines are shorter. */
const READ_BYTES = 64 << 10

/** Number of places in a file at which line lengths are sampled. */
const SAMPLES = 16

/** An input to split. Gzip files cannot be split. */
interface CutInput extends Input {
  readonly isGzip: boolean
}

/** Determines which inputs are gzip. */
export async function withGzipKnown(inputs: readonly Input[]): Promise<readonly CutInput[]> {
  const known: CutInput[] = []
  for (const input of inputs) known.push({ ...input, isGzip: await isGzipFile(input.path) })
  return known
}

/**
 * Divides files of lines into shards of about this many bytes. Cuts only at line ends, which are found by
 * seeking. A shard may contain the end of one file and the start of the next. A gzip file is not split: it
 * becomes a single shard.
 */
export async function cutLines(inputs: readonly CutInput[], bytes: number): Promise<Piece[][]> {
  const shards = new Filling(bytes)
  for (const [input, { path, size, isGzip }] of inputs.entries()) {
    if (isGzip) {
      shards.close()
      shards.add({ input, start: 0, end: size })
      shards.close()
      continue
    }
    await using file = await open(path, 'r')
    const read = async (into: Buffer, position: number) =>
      (await file.read(into, 0, into.length, position)).bytesRead
    for (let start = 0; start < size; ) {
      const end = await lineEnd(read, Math.min(size, start + shards.room), size)
      shards.add({ input, start, end })
      start = end
    }
  }
  shards.close()
  // Empty input gives one empty shard, because join needs at least one.
  return shards.full.length > 0 ? shards.full : [[]]
}

/** The shards that are filled one after the other. */
class Filling {
  readonly full: Piece[][] = []
  readonly #bytes: number
  #pieces: Piece[] = []
  #filled = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Number of bytes until the shard is full, at least one. */
  get room(): number {
    return this.#bytes - this.#filled
  }

  add(piece: Piece): void {
    this.#pieces.push(piece)
    this.#filled += piece.end - piece.start
    if (this.room <= 0) this.close()
  }

  close(): void {
    if (this.#pieces.length > 0) this.full.push(this.#pieces)
    this.#pieces = []
    this.#filled = 0
  }
}

type Read = (into: Buffer, position: number) => Promise<number>

/** Returns the offset after the line end at or after `from - 1`, or the end of the file. */
async function lineEnd(read: Read, from: number, size: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  for (let at = from - 1; at < size; ) {
    const length = await read(buffer, at)
    if (length === 0) break
    const found = buffer.subarray(0, length).indexOf(LINE_END)
    if (found >= 0) return Math.min(size, at + found + 1)
    at += length
  }
  return size
}

/** Estimates the bytes per line from samples of the largest input. */
export async function bytesOfLine(inputs: readonly CutInput[]): Promise<number> {
  const [largest] = inputs.filter(({ isGzip }) => !isGzip).sort((a, b) => b.size - a.size)
  if (!largest) return 1
  await using file = await open(largest.path, 'r')
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let bytes = 0
  let lines = 0
  for (let i = 0; i < SAMPLES; i++) {
    const position = Math.floor((largest.size / SAMPLES) * i)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    bytes += bytesRead
    for (const byte of buffer.subarray(0, bytesRead)) if (byte === LINE_END) lines++
  }
  return Math.max(1, bytes / Math.max(1, lines))
}
