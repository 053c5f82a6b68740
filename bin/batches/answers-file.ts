import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../engine/shared/index.ts'
import type { Shard } from './shards.ts'

/** Name of the file that has the answers of a shard. */
export const ANSWERS = 'answers.ndjson'

/** Bytes read at a time when joining. */
const READ_BYTES = 1 << 20

/** Checks that a shard has its recorded size, before anything is written. */
export async function requireSize(shard: Shard | undefined, bytes: number): Promise<void> {
  if (!shard) return
  const { size } = await stat(join(shard.folder, ANSWERS)).catch(() => ({ size: -1 }))
  if (size !== bytes) throw otherContent(shard)
}

interface Span {
  readonly start: number
  readonly end: number
  /** Hash that is updated with everything read. */
  readonly sum: Hash
  readonly signal: AbortSignal
}

/** Yields a span of the answers of a shard. */
export async function* spanOf(
  { folder }: Shard,
  { start, end, sum, signal }: Span,
): AsyncGenerator<Uint8Array> {
  if (start === end) return
  const path = join(folder, ANSWERS)
  const range = { start, end: end - 1, highWaterMark: READ_BYTES, signal }
  for await (const chunk of createReadStream(path, range)) {
    sum.update(chunk)
    yield chunk
  }
}

/** Returns the error for answers that are not those of the marker. */
export const otherContent = ({ name, shard }: Shard) =>
  new EngineError(
    'conflict',
    `"${name}" does not match its marker; move it away, and run shard ${shard} again`,
  )
