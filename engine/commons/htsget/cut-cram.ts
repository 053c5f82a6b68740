import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { CRAM_END } from '../../shared/formats/cram.ts'
import { type ChosenContainers, chooseContainersJob } from '../containers/choose-containers.ts'
import { storedAlignment } from '../slicing/stored.ts'
import { ofProved } from './cut-proved.ts'
import type { Cut } from './cutters.ts'
import { unknownReference } from './formats.ts'
import { MAX_RANGE_BYTES, type TicketPart } from './ticket-parts.ts'

interface CramContext {
  readonly blobs: BlobStores
  readonly executor: Executor
}

/**
 * Cuts CRAM files into whole containers by their index: the header, every container that overlaps a region,
 * and the end marker. Containers may include further records, which htsget allows.
 * @throws EngineError from the returned function: `unavailable` if the stored file has lost its index; `not_found`
 * for a reference that the file does not have
 */
export function cramCutter({ blobs, executor }: CramContext): Cut {
  return ofProved(async (file, regions, { signal }) => {
    const { open, indexPath: given } = storedAlignment(blobs, file)
    const indexPath = typeof given === 'function' ? await given() : given
    if (indexPath === undefined)
      throw new EngineError('unavailable', 'index is not where it was put')
    const blob = await open()
    try {
      const spans = regions.map(({ referenceName: name, start = 0, end = Infinity }) => {
        return { name, start, end }
      })
      const input = { indexPath, spans }
      const chosen = await blob.run(executor, chooseContainersJob, input, { signal })
      const { unknown } = chosen
      if (unknown !== undefined) {
        const name = regions[unknown]?.referenceName ?? ''
        throw unknownReference(name, `regions[${unknown}].referenceName`)
      }
      return { parts: partsOf(chosen), identity: blob.identity }
    } finally {
      await blob.close()
    }
  })
}

function partsOf({ header, ranges }: ChosenContainers): TicketPart[] {
  const parts: TicketPart[] = [{ kind: 'made', isHeader: true, bytes: header }]
  for (const range of ranges) {
    for (let { start } = range; start < range.end; start += MAX_RANGE_BYTES) {
      const end = Math.min(start + MAX_RANGE_BYTES, range.end)
      parts.push({ kind: 'range', isHeader: false, start, end })
    }
  }
  parts.push({ kind: 'made', isHeader: false, bytes: CRAM_END })
  return parts
}
