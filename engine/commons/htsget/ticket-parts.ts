import type { FileIdentity } from '../../shared/blobs/identity.ts'
import type { NamedInterval } from '../../shared/input/region.ts'
import type { Piece } from '../slicing/pieces.ts'

/** A part of a ticket: bytes within the ticket, a range of the stored file, or blocks generated on request. */
export type TicketPart = MadePart | RangePart | BlocksPart

export interface MadePart {
  readonly kind: 'made'
  readonly isHeader: boolean
  readonly bytes: Uint8Array
}

export interface RangePart {
  readonly kind: 'range'
  readonly isHeader: boolean
  readonly start: number
  readonly end: number
}

/** Part with the records of regions as blocks, without header and end marker. Htsget.blocks returns them. */
export interface BlocksPart {
  readonly kind: 'blocks'
  readonly isHeader: boolean
  /** Regions in file order, without overlaps. */
  readonly regions: readonly NamedInterval[]
  /** Whether the reads without a position follow the regions. */
  readonly unplaced: boolean
}

/** Parts whose concatenated bytes are a complete file of the format. */
export interface CutParts {
  readonly parts: readonly TicketPart[]
  /** Identity of the bytes that ranges refer to. */
  readonly identity: FileIdentity
}

/** Maximum number of bytes in a ticket besides the header, because clients keep a ticket in memory. */
const MAX_INLINE_BYTES = 4 << 20

/** Maximum number of bytes per range, because a client restarts an interrupted range from its beginning. */
export const MAX_RANGE_BYTES = 256 << 20

/**
 * Converts pieces to parts. The first piece is the header, the last the end marker. Returns undefined if the
 * ticket would have to contain more bytes than clients can take.
 */
export function partsOfPieces(pieces: readonly Piece[]): TicketPart[] | undefined {
  const parts: TicketPart[] = []
  let inline = 0
  let waiting: Uint8Array[] = []
  const flush = () => {
    if (waiting.length === 0) return
    const [first] = waiting
    const bytes = waiting.length === 1 && first ? first : Buffer.concat(waiting)
    parts.push({ kind: 'made', isHeader: parts.length === 0, bytes })
    waiting = []
  }
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind === 'made') {
      waiting.push(piece.bytes)
      if (i === 0) flush()
      else inline += piece.bytes.length
      continue
    }
    flush()
    for (let start = piece.start; start < piece.end; start += MAX_RANGE_BYTES) {
      const end = Math.min(start + MAX_RANGE_BYTES, piece.end)
      parts.push({ kind: 'range', isHeader: false, start, end })
    }
  }
  flush()
  return inline <= MAX_INLINE_BYTES ? parts : undefined
}
