import { mustBeAsSigned, type TicketTerms } from '../../shared/access/tickets.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { ByteStream } from '../../shared/streams/byte-stream.ts'
import type { Alignment } from '../slicing/alignment.ts'
import type { NamedInterval } from '../slicing/region.ts'
import { intervalsOf } from '../slicing/select.ts'
import type { Slicing } from '../slicing/slicing.ts'
import { mustBeProved } from './cut-proved.ts'
import type { CutRun } from './cutters.ts'
import { type HtsgetFormat, unknownReference } from './formats.ts'

/** What of a file is to be made: what a part of a ticket says, or a piece of that. */
export interface BlocksRequest {
  readonly regions: readonly NamedInterval[]
  /** Reads without a place besides, behind all others. */
  readonly unplaced: boolean
  /**
   * Records of the first region's reference that start before are left out: where the region before it
   * ends, which another piece has.
   */
  readonly floor?: number | undefined
}

export interface BlocksRun extends CutRun {
  /** Of the ticket that was shown: the bytes have to be those that it was made for. */
  readonly terms?: TicketTerms | undefined
}

/**
 * The records of regions as blocks, without header and end marker.
 * @throws EngineError not_found for an unknown reference, precondition_failed for other bytes than the
 *   ticket's, unsupported_type where the format is not cut, no_index, busy, corrupt_source, unavailable
 */
export function blocksOf(
  slicing: Pick<Slicing, 'recordsOf'>,
  { file, format }: { readonly file: StoredFile; readonly format: HtsgetFormat },
  { regions, unplaced, floor }: BlocksRequest,
  { signal, terms }: BlocksRun,
): Promise<ByteStream> {
  if (format === 'CRAM') {
    const message =
      'containers of CRAM are not made anew; ask for a ticket, which has them as ranges'
    throw new EngineError('unsupported_type', message)
  }
  if (format !== 'BAM') mustBeProved(file)
  const select = (alignment: Alignment) => {
    mustBeAsSigned(terms, alignment.identity)
    const place = regions.findIndex(({ reference }) => !alignment.numberOf.has(reference))
    if (place !== -1) throw unknownReference(regions[place]!.reference, `region[${place}]`)
    return { intervals: intervalsOf(alignment, regions), unplaced, floor }
  }
  return slicing.recordsOf(file, select, { signal })
}
