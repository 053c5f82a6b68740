import type { FileIdentity } from '../../shared/blobs/identity.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Alignment } from '../slicing/alignment.ts'
import type { Selection } from '../slicing/cuts.ts'
import { mergeIntervals, type NamedInterval } from '../slicing/region.ts'
import type { Slicing } from '../slicing/slicing.ts'
import type { Cut, CutRun, HtsgetRegion } from './cutters.ts'
import { type CutParts, partsOfPieces, tooManyEdges } from './ticket-parts.ts'

/** Reads without a place, as a region. */
const UNPLACED = '*'

/** Cuts BAM files by the plan of a slice: what a ticket's parts are is what /slicing/view sends. */
export function bamCutter(slicing: Pick<Slicing, 'planFile'>): Cut {
  return async (file: StoredFile, regions: readonly HtsgetRegion[], run: CutRun) => {
    const opened: { identity?: FileIdentity } = {}
    const select = (alignment: Alignment) => {
      opened.identity = alignment.identity
      return selected(alignment, regions)
    }
    await using plan = await slicing
      .planFile(file, select, { ...run, toTheEnd: true })
      .catch((error: unknown) => {
        throw isUncut(error) ? uncuttable(file) : error
      })
    if (!plan.pieces || !opened.identity) throw tooManyEdges()
    return { parts: partsOfPieces(plan.pieces), identity: opened.identity } satisfies CutParts
  }
}

const isUncut = (error: unknown) => error instanceof EngineError && error.code === 'no_index'

function uncuttable({ id }: StoredFile): EngineError {
  const message = `file ${id} has neither block directory nor index and cannot be cut; ask for the whole file, or import it with its index`
  return new EngineError('unsupported_type', message)
}

/** @throws EngineError not_found for a reference that the file does not have */
function selected({ numberOf }: Alignment, regions: readonly HtsgetRegion[]): Selection {
  const intervals: NamedInterval[] = []
  for (const [i, { referenceName, start = 0, end = Infinity }] of regions.entries()) {
    if (referenceName === UNPLACED) continue
    if (!numberOf.has(referenceName)) {
      const name = JSON.stringify(referenceName.slice(0, 80))
      const message = `the file has no reference ${name}; its header names those it has`
      throw new EngineError('not_found', message, { at: `regions[${i}].referenceName` })
    }
    if (start < end) intervals.push({ reference: referenceName, start, end })
  }
  return {
    intervals: mergeIntervals(intervals, numberOf),
    unplaced: regions.some(({ referenceName }) => referenceName === UNPLACED),
  }
}
