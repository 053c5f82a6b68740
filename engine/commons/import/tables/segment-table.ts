import { lastBaseOf } from '../../datasets/chromosome-lengths.ts'
import { chromosome, count, number, text, whole } from '../columns.ts'
import {
  categoryOfCopies,
  categoryOfLog2Ratio,
  segmentChangeDocument,
} from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf, SAMPLE_COLUMN, samplesIn } from '../copy-number-table.ts'
import { CopyNumberWriter } from '../copy-number-writer.ts'
import { defined } from '../defined.ts'
import type { Intake } from '../intake.ts'
import { BEHIND_END } from '../json-place.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { type Place, placeIn } from '../span.ts'
import { declareTable } from '../table-kind.ts'

/** Maximum log2 ratio, far beyond what any program writes for a lost or amplified segment. */
const MAX_RATIO = 100

const OVERLAP = 'segments overlap the one before in the same sample'

const RATIO = number('Segment_Mean', 'Seg.CN', 'seg.mean')

/** A table of genome segments with total copy numbers or with mean log2 ratios relative to two copies. */
export const segmentTable = declareTable({
  name: COPY_NUMBER_TABLE,
  needsCases: true,
  // Column names used by segmentation programs and by tables derived from their results.
  columns: {
    chromosome: chromosome('Chromosome', 'chromosome', 'chrom', 'chr'),
    start: whole('Start', 'start', 'Start.bp', 'loc.start', 'Start_Position'),
    end: whole('End', 'end', 'End.bp', 'loc.end', 'End_Position'),
    copies: count('Copy_Number'),
    ratio: RATIO,
    sample: SAMPLE_COLUMN,
    major: count('Major_Copy_Number'),
    minor: count('Minor_Copy_Number'),
    probes: text('Num_Probes', 'Num.Markers', 'num.mark'),
  },
  needs: ['chromosome', 'start', 'end', ['copies', 'ratio']],
  open(table) {
    const { header, intake } = table
    const samples = samplesIn(table)
    const hasCopies = header.includes('Copy_Number')
    const ratioColumn = RATIO.names.find((each) => header.includes(each))
    const origin = originOf(table)
    // Whether the column has ids of the commons. The commons publishes such tables for GRCh38 only.
    const isOfCommons = samples.column?.startsWith('GDC_') ?? false
    const build = referenceIn(table.fileName) ?? (isOfCommons ? 'GRCh38' : undefined)
    const writer = new CopyNumberWriter(intake, 'segment_cnvs')
    const overlaps = new Overlaps(intake)
    return (row) => {
      const sample = samples.of(row.sample)
      const place = placeIn(row, build)
      // Programs round the ends of segments up to their bins.
      const last = lastBaseOf(place.chromosome, build)
      if (place.end > last) intake.doubt(BEHIND_END, `${place.chromosome}:${place.end}`)
      if (build !== undefined) intake.noteBuild(build)
      overlaps.judge(row.sample ?? '', place)
      const measured = hasCopies ? row.copies : row.ratio
      if (measured === undefined) {
        intake.unchanged({ neutral: 0, missing: 1 })
        return
      }
      if (!hasCopies && ratioColumn !== undefined) {
        if (Math.abs(measured) > MAX_RATIO) {
          throw new RowError(`${ratioColumn} is ${measured}, no log2 ratio to two copies`)
        }
        intake.noteMeasure(ratioColumn, 'ratio', measured)
      }
      if (hasCopies && measured < 0)
        throw new RowError(`Copy_Number is ${measured}; give 0 or more`)
      const category = hasCopies ? categoryOfCopies(measured) : categoryOfLog2Ratio(measured)
      writer.measured(sample)
      if (category === 'Neutral') {
        intake.unchanged({ neutral: 1, missing: 0 })
        return
      }
      const document = segmentChangeDocument({ build, ...place, category })
      const copies = hasCopies ? measured : undefined
      writer.add(document, sample, defined({ copy_number: copies, ...origin }))
    }
  },
})

/** Finds overlapping segments. A sample has one copy number at each position, so one of them is wrong. */
class Overlaps {
  readonly #intake: Intake
  #last: { readonly sample: string; readonly place: Place } | undefined

  constructor(intake: Intake) {
    this.#intake = intake
  }

  /** Compares a segment with the segment before it. Segments of some programs share one base, which is accepted. */
  judge(sample: string, place: Place): void {
    const last = this.#last
    this.#last = { sample, place }
    if (last?.sample !== sample || last.place.chromosome !== place.chromosome) return
    if (place.start >= last.place.end || place.end <= last.place.start) return
    this.#intake.doubt(OVERLAP, `${place.chromosome}:${place.start}-${place.end}`)
  }
}
