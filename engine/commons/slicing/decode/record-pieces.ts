import { blockLength, MAX_BLOCK_BYTES } from '../../../shared/formats/bgzf.ts'
import { checkEnded, type RecordBytes } from './walk.ts'

/** Inflated bytes per job. A job takes a few milliseconds, so that small requests are not delayed. */
export const PIECE_BYTES = 16 * MAX_BLOCK_BYTES
/** Maximum number of blocks per job, because a tiny block costs more than its bytes suggest. */
const PIECE_BLOCKS = 1024

/** Output of a job for a piece, and the beginning of the next record. */
interface Walked {
  readonly rest: Uint8Array
}

/**
 * Runs `make` on the blocks of a slice, one piece after the other, because the start of a record is only known
 * at the end of the record before. Stops when `isEnough` returns true.
 * @throws EngineError corrupt_source if the last record is truncated
 */
export async function* walkBody<Output extends Walked>(
  body: AsyncIterable<Uint8Array>,
  make: (bytes: RecordBytes) => Promise<Output>,
  isEnough?: () => boolean,
): AsyncGenerator<Output> {
  checkEnded(yield* walkPieces(body, make, isEnough))
}

/** Runs as walkBody does, but allows an incomplete last record and returns its bytes. */
export async function* walkPieces<Output extends Walked>(
  body: AsyncIterable<Uint8Array>,
  make: (bytes: RecordBytes) => Promise<Output>,
  isEnough: () => boolean = () => false,
): AsyncGenerator<Output, Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      // Pieces grow with the size of the incomplete record, so that a long record is not copied too often.
      const end = pieceEnd(chunk, at, PIECE_BYTES + rest.length)
      // A Buffer would arrive at the job as another type, so plain arrays are passed.
      const blocks = new Uint8Array(chunk.buffer, chunk.byteOffset + at, end - at)
      const isShared = chunk.buffer instanceof SharedArrayBuffer
      const output = await make({ blocks: isShared ? blocks : blocks.slice(), rest })
      yield output
      if (isEnough()) return new Uint8Array(0)
      rest = output.rest
      at = end
    }
  }
  return rest
}

/** Returns the end of the blocks from `start` that inflate to at most `most` bytes. Includes at least one block. */
function pieceEnd(chunk: Uint8Array, start: number, most: number): number {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  let at = start
  let inflated = 0
  for (let blocks = 0; blocks < PIECE_BLOCKS && at < chunk.length; blocks++) {
    const next = at + blockLength(chunk, at, chunk.length)
    inflated += view.getUint32(next - 4, true)
    if (inflated > most && blocks > 0) break
    at = next
  }
  return at
}
