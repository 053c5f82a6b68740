import { requireSigned, type TicketTerms } from '../../shared/access/tickets.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import { EngineError } from '../../shared/errors.ts'
import type { NamedInterval } from '../../shared/input/region.ts'
import type { ByteStream } from '../../shared/streams/byte-stream.ts'
import type { Alignment } from '../slicing/alignment.ts'
import { intervalsOf } from '../slicing/select.ts'
import type { Slicing } from '../slicing/slicing.ts'
import { mustBeProved } from './cut-proved.ts'
import type { CutRun } from './cutters.ts'
import { type HtsgetFormat, unknownReference } from './formats.ts'

/** The records of a file to send as blocks: those of one part of a ticket, or of a piece of a part. */
export interface BlocksRequest {
  readonly regions: readonly NamedInterval[]
  /** Whether to append the reads without a position after all regions. */
  readonly unplaced: boolean
  /**
   * Records of the first region that start below this position are skipped. It is the end of the preceding
   * region, whose piece already contains them.
   */
  readonly floor?: number | undefined
}

export interface BlocksRun extends CutRun {
  /** Terms of the ticket that the client has sent. The stored bytes must still be those for which it was issued. */
  readonly terms?: TicketTerms | undefined
}

/**
 * Streams the records of regions as BGZF blocks, without header and end marker.
 * @throws EngineError not_found for an unknown reference, precondition_failed if the bytes are not those of
 * the ticket, unsupported_type if the format cannot be sliced, no_index, busy, corrupt_source, unavailable
 */
export function blocksOf(
  slicing: Pick<Slicing, 'recordsOf'>,
  { file, format }: { readonly file: StoredFile; readonly format: HtsgetFormat },
  { regions, unplaced, floor }: BlocksRequest,
  { signal, terms }: BlocksRun,
): Promise<ByteStream> {
  if (format === 'CRAM') {
    const message =
      'containers of CRAM are not made anew; request a ticket, which has them as ranges'
    throw new EngineError('unsupported_type', message)
  }
  if (format !== 'BAM') mustBeProved(file)
  const select = (alignment: Alignment) => {
    requireSigned(terms, alignment.identity)
    const place = regions.findIndex(({ reference }) => !alignment.numberOf.has(reference))
    if (place !== -1) throw unknownReference(regions[place]!.reference, `region[${place}]`)
    return { intervals: atOnce(intervalsOf(alignment, regions)), unplaced, floor }
  }
  return slicing.recordsOf(file, select, { signal })
}
