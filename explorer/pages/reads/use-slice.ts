import type { ServiceRequest } from '../../service/service.ts'
import { type Answer, useLoaded } from '../../service/use-answer.ts'
import { type Bam, readBam } from './bam.ts'

/** A slice as downloaded, and its parsed content. */
export interface Slice extends Bam {
  readonly file: Blob
}

/** Maximum size of a slice in bytes. The browser would take long to draw a larger one. */
const MAX_SLICE_BYTES = 24 << 20

/** Loads a slice of a file. Without regions, loads only the header. Aborts if the slice is too large. */
export function useSlice(request: ServiceRequest | undefined): Answer<Slice> {
  return useLoaded(request, async (service, given, signal) => {
    const bytes = await bytesOf(await service.fetch(given, signal))
    return { ...(await readBam(bytes)), file: new Blob([bytes]) }
  })
}

async function bytesOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = body?.getReader()
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    chunks.push(next.value)
    length += next.value.length
    if (length <= MAX_SLICE_BYTES) continue
    await reader?.cancel()
    const most = MAX_SLICE_BYTES >> 20
    throw new Error(`This region has more than ${most} MiB of reads. Choose a smaller region.`)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
