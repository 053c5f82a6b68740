import type { Dataset } from '../datasets/define.ts'
import type { Selection } from '../datasets/select.ts'
import { handlesFor, type RenderContext } from '../render/context.ts'
import { compileProjection } from '../render/projection.ts'
import { type Hit, Projector } from '../render/projector.ts'
import { openRecords } from '../render/records.ts'

/** Some few records as they are printed, read on the calling thread. */
export async function readRecords(
  dataset: Dataset,
  selection: Selection,
  rows: Uint32Array,
  release: RenderContext['release'],
): Promise<readonly Hit[]> {
  const projection = compileProjection(dataset, selection)
  const handles = await handlesFor(projection, { release })
  return [...new Projector(openRecords(handles)).hits(projection, rows)]
}
