import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { END_MARKER } from '../../shared/formats/bgzf.ts'
import type { NamedInterval } from '../../shared/input/region.ts'
import type { Alignment } from '../slicing/alignment.ts'
import type { Selection } from '../slicing/cuts.ts'
import { intervalsOf } from '../slicing/select.ts'
import type { Slicing } from '../slicing/slicing.ts'
import type { Cut, CutRun, HtsgetRegion } from './cutters.ts'
import { unknownReference } from './formats.ts'
import { type CutParts, partsOfPieces, type TicketPart } from './ticket-parts.ts'

/** Reference name that stands for reads without a position. */
const UNPLACED = '*'

/**
 * Cuts files of sorted records along the plan of a slice, so that the parts of a ticket give the same bytes as
 * /slicing/view. If the plan has no known end, or its edges exceed a ticket, everything between the header and
 * the end marker is generated when it is requested (ADR 101).
 */
export function bamCutter(slicing: Pick<Slicing, 'planFile'>, turns: LoopTurns): Cut {
  return async (file: StoredFile, regions: readonly HtsgetRegion[], run: CutRun) => {
    const found: { opened?: Opened } = {}
    const select = async (alignment: Alignment) => {
      const selection = await turns.run(selected(alignment, regions))
      found.opened = { alignment, selection }
      return selection
    }
    await using plan = await slicing.planFile(file, select, run).catch((error: unknown) => {
      throw isUncut(error) ? uncuttable(file) : error
    })
    const { opened } = found
    if (!opened) throw new Error('what is planned was selected')
    const parts = plan.pieces && partsOfPieces(plan.pieces)
    const { identity } = opened.alignment
    return { parts: parts ?? partsToMake(opened), identity } satisfies CutParts
  }
}

interface Opened {
  readonly alignment: Alignment
  readonly selection: Selection
}

function partsToMake({ alignment: { header }, selection }: Opened): readonly TicketPart[] {
  const regions = Array.from(selection.intervals, ({ reference, start, end }) => {
    return { reference: header.names[reference] ?? '', start, end }
  })
  return [
    { kind: 'made', isHeader: true, bytes: header.packed },
    { kind: 'blocks', isHeader: false, regions, unplaced: selection.unplaced },
    { kind: 'made', isHeader: false, bytes: END_MARKER },
  ]
}

const isUncut = (error: unknown) => error instanceof EngineError && error.code === 'no_index'

function uncuttable({ id }: StoredFile): EngineError {
  const message = `file ${id} has neither block directory nor index and cannot be cut; request the whole file, or import it with its index`
  return new EngineError('unsupported_type', message)
}

/**
 * Converts the regions to a selection, in steps.
 * @throws EngineError not_found for a reference that the file does not have
 */
function* selected(
  alignment: Alignment,
  regions: readonly HtsgetRegion[],
): Generator<void, Selection> {
  const intervals: NamedInterval[] = []
  let unplaced = false
  for (const [i, { referenceName, start = 0, end = Infinity }] of regions.entries()) {
    yield
    if (referenceName === UNPLACED) {
      unplaced = true
      continue
    }
    if (!alignment.numberOf.has(referenceName)) {
      throw unknownReference(referenceName, `regions[${i}].referenceName`)
    }
    if (start < end) intervals.push({ reference: referenceName, start, end })
  }
  return { intervals: yield* intervalsOf(alignment, intervals), unplaced }
}
