import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { blockOf } from './block-file.ts'
import { elementEnd, elementStart } from './element.ts'
import type { BodyRun, RequestedGenes } from './expression-body.ts'
import { extentsOf } from './gene-file.ts'
import { rowOfGene } from './gene-names.ts'
import { EXTENT_CELLS } from './number-block.ts'
import type { OpenGenes } from './open-genes.ts'
import { type Part, printGenesJob } from './print-genes.ts'

/** Number of bytes to print per job. A job takes a few milliseconds. */
const CHUNK_BYTES = 1 << 20
/** Approximate number of bytes printed per cell in addition to its name. */
const AROUND_BYTES = 30
/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1

/** Yields the response body (data-commons.md 6.5), made from the values sorted by gene. */
export async function* geneBody(
  requested: RequestedGenes,
  { directory, source, key }: OpenGenes,
  { executor, signal }: BodyRun,
): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(partsOf(requested, directory))
  let priority = 0
  const start = (stop: AbortSignal) => {
    const { value: parts } = chunks.next()
    if (!parts) return undefined
    const printed = executor.run(printGenesJob, { source, key, parts }, { signal: stop, priority })
    priority = LATER_PRIORITY
    return printed
  }
  yield* inOrder(start, { ahead: executor.parallelism, signal })
}

function* partsOf(
  { caseId, fileId, geneIds }: RequestedGenes,
  directory: OpenGenes['directory'],
): Generator<Part, undefined> {
  const { cells, numbers, cellNames } = directory
  const extents = extentsOf(cells)
  yield '{"data":['
  for (const [i, geneId] of geneIds.entries()) {
    yield `${i > 0 ? ',' : ''}${elementStart({ caseId, fileId, geneId })}`
    const row = rowOfGene(geneId, directory)
    for (let extent = 0; row !== undefined && extent < extents; extent++) {
      if (extent > 0) yield ','
      yield {
        numbers: blockOf(numbers, row * extents + extent),
        names: blockOf(cellNames, extent),
        cells: Math.min(EXTENT_CELLS, cells - extent * EXTENT_CELLS),
      }
    }
    yield elementEnd(geneId, row !== undefined)
  }
  yield ']}'
  return undefined
}

/** Groups the parts of a response into chunks. */
function* chunksOf(parts: Iterable<Part>): Generator<readonly Part[], undefined> {
  let chunk: Part[] = []
  let bytes = 0
  for (const part of parts) {
    const cells = typeof part === 'string' ? 0 : part.names.length + AROUND_BYTES * part.cells
    if (bytes + cells > CHUNK_BYTES && bytes > 0) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(part)
    bytes += cells
  }
  if (chunk.length > 0) yield chunk
  return undefined
}
