import { blockLength, MAX_BLOCK_BYTES } from '../../../shared/formats/bgzf.ts'
import { checkEnded, type RecordBytes } from './walk.ts'

/** Blocks that one job inflates: some milliseconds, so that small answers get their turn. */
export const PIECE_BLOCKS = 16

/** What a job made of a piece: what it is for, and the beginning of the next record. */
interface Walked {
  readonly rest: Uint8Array
}

/**
 * Has `make` walk over the blocks of a slice's bare body, piece after piece, since where a record begins
 * shows when the one before it has ended. Ends early when `isEnough`.
 * @throws EngineError corrupt_source where the last record is cut off
 */
export async function* walkBody<Output extends Walked>(
  body: AsyncIterable<Uint8Array>,
  make: (bytes: RecordBytes) => Promise<Output>,
  isEnough?: () => boolean,
): AsyncGenerator<Output> {
  checkEnded(yield* walkPieces(body, make, isEnough))
}

/** As walkBody, for records whose last one may lack its end; returns what there is of it. */
export async function* walkPieces<Output extends Walked>(
  body: AsyncIterable<Uint8Array>,
  make: (bytes: RecordBytes) => Promise<Output>,
  isEnough: () => boolean = () => false,
): AsyncGenerator<Output, Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      // A long record is not carried on and on: what is taken grows with it, and no faster.
      const carried = Math.floor(rest.length / MAX_BLOCK_BYTES)
      const end = pieceEnd(chunk, at, PIECE_BLOCKS + carried)
      // A plain view: a Buffer would arrive as something else.
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

function pieceEnd(chunk: Uint8Array, start: number, blocks: number): number {
  let at = start
  for (let seen = 0; seen < blocks && at < chunk.length; seen++) {
    at += blockLength(chunk, at, chunk.length)
  }
  return at
}
