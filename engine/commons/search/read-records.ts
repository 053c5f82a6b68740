import { handlesFor, type RenderContext } from '../render/context.ts'
import type { Hit } from '../render/hit.ts'
import type { Projection } from '../render/projection.ts'
import { Projector } from '../render/projector.ts'
import { openRecords } from '../render/records.ts'

/** Reads a few records in their printed form, on the calling thread. */
export async function readRecords(
  projection: Projection,
  rows: Uint32Array,
  { release, scratch }: Pick<RenderContext, 'release' | 'scratch'>,
): Promise<readonly Hit[]> {
  const handles = await handlesFor(projection, { release })
  return [...new Projector(openRecords(handles, scratch)).hits(projection, rows)]
}
