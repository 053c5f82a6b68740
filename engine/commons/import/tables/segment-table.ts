import {
  categoryOfCopies,
  categoryOfLog2Ratio,
  chromosomeIn,
  segmentChangeDocument,
} from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf, samplesIn } from '../copy-number-table.ts'
import { CopyNumberWriter } from '../copy-number-writer.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { spanIn } from '../span.ts'
import { readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

/** Columns by the names that segmentation programs, and tables made of their results, give them. */
const CHROMOSOME = ['Chromosome', 'chromosome', 'chrom', 'chr']
const START = ['Start', 'start', 'Start.bp', 'loc.start', 'Start_Position']
const END = ['End', 'end', 'End.bp', 'loc.end', 'End_Position']
const COPIES = ['Copy_Number']
const RATIO = ['Segment_Mean', 'Seg.CN', 'seg.mean']
const IGNORED = [
  ...['Major_Copy_Number', 'Minor_Copy_Number'],
  ...['Num_Probes', 'Num.Markers', 'num.mark'],
]

const oneOf = (columns: Iterable<string>, names: readonly string[]) =>
  [...columns].find((column) => names.includes(column))

/** Segments of a genome with copies of both alleles, or with the mean log2 ratio to two copies. */
export const segmentTable: TableKind = {
  name: COPY_NUMBER_TABLE,
  needsCases: true,
  needs: [CHROMOSOME, START, END, [...COPIES, ...RATIO]],
  open(table) {
    const { header, intake } = table
    const samples = samplesIn(table)
    const [chromosome = '', start = '', end = ''] = [CHROMOSOME, START, END].map((names) =>
      oneOf(header, names),
    )
    const copiesColumn = oneOf(header, COPIES)
    const ratioColumn = oneOf(header, RATIO)
    const origin = originOf(table)
    // A column of the commons' own ids: all that it publishes so is of one reference.
    const isOfCommons = samples.column?.startsWith('GDC_') ?? false
    const build = referenceIn(table.fileName) ?? (isOfCommons ? 'GRCh38' : undefined)
    const writer = new CopyNumberWriter(intake, 'segment_cnvs')
    const known = [chromosome, start, end, copiesColumn, ratioColumn, samples.column, ...IGNORED]
    const names = known.filter((name) => name !== undefined)
    return readByName(table, names, (cell) => {
      const sample = samples.of(cell)
      const place = {
        chromosome: chromosomeIn(cell(chromosome)),
        ...spanIn(wholeText(cell(start)), wholeText(cell(end))),
      }
      const text = cell(copiesColumn ?? ratioColumn ?? '')
      if (text === undefined) {
        intake.unchanged({ neutral: 0, missing: 1 })
        return
      }
      const copies = copiesColumn === undefined ? undefined : copiesIn(text)
      const category =
        copies === undefined ? categoryOfLog2Ratio(ratioIn(text)) : categoryOfCopies(copies)
      writer.measured(sample)
      if (category === 'Neutral') {
        intake.unchanged({ neutral: 1, missing: 0 })
        return
      }
      const document = segmentChangeDocument({ build, ...place, category })
      writer.add(document, sample, defined({ copy_number: copies, ...origin }))
    })
  },
}

function copiesIn(text: string): number {
  const copies = wholeNumber(text)
  if (copies === undefined || copies < 0) throw new RowError('the copies are no whole number')
  return copies
}

function ratioIn(text: string): number {
  const ratio = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(ratio)) throw new RowError('the mean of the segment is no number')
  return ratio
}

/** R writes round positions as `1e+08`. */
function wholeText(text: string | undefined): string | undefined {
  return text !== undefined && /^\d(\.\d+)?e\+\d+$/i.test(text) ? String(Number(text)) : text
}
