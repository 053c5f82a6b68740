import { type Directory, lowerBlock } from './directory.ts'
import type { EdgeStep } from './edge.ts'
import type { Range } from './extent.ts'
import type { WalkOutput } from './walk.ts'

/** Bytes of a slice that no file has: its header, an edge, the end marker. */
export interface MadePiece {
  readonly kind: 'made'
  readonly bytes: Uint8Array
  /** Of an edge, for who indexes the slice: what it was made of, and where that is in it. */
  readonly edge?: EdgeOrigin | undefined
}

export interface EdgeOrigin {
  readonly steps: readonly EdgeStep[]
  /** As the job of edges tells them. */
  readonly places: Float64Array
}

/** Bytes of a slice that are the stored file's own, from `start` to `end`: whole blocks of it. */
export interface CopiedPiece extends Range {
  readonly kind: 'copy'
  /**
   * File offsets of blocks, ascending, among them all from `start` to `end`, each of which holds
   * something. Absent where that is not known: an empty block among them is no part of the slice.
   */
  readonly blocks?: Float64Array | undefined
}

/**
 * Part of a slice. All pieces in their order are the slice, byte for byte, if each copied one knows
 * its blocks.
 */
export type Piece = MadePiece | CopiedPiece

export const lengthOf = (piece: Piece): number =>
  piece.kind === 'made' ? piece.bytes.length : piece.end - piece.start

/** Pieces that are sure, and where each of them starts in the slice. */
export class Layout {
  readonly pieces: readonly Piece[]
  /** One more for the end of the last. */
  readonly starts: Float64Array

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
    this.starts = new Float64Array(pieces.length + 1)
    for (const [i, piece] of pieces.entries()) {
      this.starts[i + 1] = this.starts[i]! + lengthOf(piece)
    }
  }

  get length(): number {
    return this.starts.at(-1)!
  }

  /**
   * What is to be made and read for some bytes of the slice: pieces of whole blocks, since a block
   * is proved as a whole, and how many bytes of theirs come before the first that is wanted.
   * @param span within the slice, at least one byte
   */
  piecesFor({ start, end }: Range): { readonly pieces: readonly Piece[]; readonly skip: number } {
    const first = this.#at(start)
    const last = this.#at(end - 1)
    const pieces = this.pieces.slice(first, last + 1)
    let skip = start - this.starts[first]!
    // The last before the first: they may be one, whose end is counted from its start.
    const lastPiece = pieces.at(-1)!
    if (lastPiece.kind === 'copy') {
      const reached = lastPiece.start + (end - 1 - this.starts[last]!)
      pieces[pieces.length - 1] = { ...lastPiece, end: blockAt(lastPiece, reached).end }
    }
    const firstPiece = pieces[0]!
    if (firstPiece.kind === 'copy') {
      const block = blockAt(firstPiece, firstPiece.start + skip)
      skip -= block.start - firstPiece.start
      pieces[0] = { ...firstPiece, start: block.start }
    }
    return { pieces, skip }
  }

  /** The piece that holds a byte. */
  #at(offset: number): number {
    return lowerBlock(this.starts, offset + 1) - 1
  }
}

function blockAt({ start, end, blocks }: CopiedPiece, offset: number): Range {
  if (!blocks) return { start, end }
  const row = lowerBlock(blocks, offset + 1) - 1
  return { start: blocks[row]!, end: Math.min(blocks[row + 1] ?? end, end) }
}

/** The blocks in a range that hold something, in as few pieces as there are empty ones between. */
export function piecesByDirectory(
  { blockOffset, blockLength, afterGap }: Directory,
  { start, end }: Range,
): CopiedPiece[] {
  const pieces: CopiedPiece[] = []
  // A range that was located by the index may reach behind the last block that holds something.
  const limit = Math.min(lowerBlock(blockOffset, end), blockLength.length)
  let row = lowerBlock(blockOffset, start)
  for (let gap = lowerBlock(afterGap, row + 1); row < limit; gap++) {
    const next = Math.min(afterGap[gap] ?? limit, limit)
    const pieceEnd = blockOffset[next - 1]! + blockLength[next - 1]!
    pieces.push({ kind: 'copy', start: blockOffset[row]!, end: pieceEnd, blocks: blockOffset })
    row = next
  }
  return pieces
}

/** The same of blocks that were walked. */
export function piecesByWalk({ starts, ends }: WalkOutput): CopiedPiece[] {
  const pieces: CopiedPiece[] = []
  for (let row = 0; row < starts.length; ) {
    let next = row + 1
    while (next < starts.length && starts[next] === ends[next - 1]) next++
    pieces.push({ kind: 'copy', start: starts[row]!, end: ends[next - 1]!, blocks: starts })
    row = next
  }
  return pieces
}
