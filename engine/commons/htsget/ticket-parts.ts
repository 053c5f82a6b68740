import type { FileIdentity } from '../../shared/blobs/identity.ts'
import type { Piece } from '../slicing/pieces.ts'
import type { NamedInterval } from '../slicing/region.ts'

/** Part of what a ticket is for: bytes of the ticket itself, a range of the stored file, or what is made when it is asked for. */
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

/** The records of regions as blocks, without header and end marker: as Htsget.blocks gives them. */
export interface BlocksPart {
  readonly kind: 'blocks'
  readonly isHeader: boolean
  /** In the order of the file; none overlaps another. */
  readonly regions: readonly NamedInterval[]
  /** Reads without a place besides, behind all others. */
  readonly unplaced: boolean
}

/** Parts whose bytes, one after the other, are a whole file of the format. */
export interface CutParts {
  readonly parts: readonly TicketPart[]
  /** Of the bytes that ranges are of. */
  readonly identity: FileIdentity
}

/** Bytes within one ticket, without the header: clients hold the text of a ticket in memory. */
export const MAX_INLINE_BYTES = 4 << 20

/** A client fetches a part again from its start when it breaks off. */
export const MAX_RANGE_BYTES = 256 << 20

/**
 * The parts of pieces whose first is the header and whose last is the end marker; nothing where more
 * would have to be in the ticket than clients can be sent.
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
