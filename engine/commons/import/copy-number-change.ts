import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { Place, Span } from './span.ts'
import { defined } from './tables/download-manifest.ts'

/** The five categories of a copy number, in the order of copies; `Neutral` is no change. */
export type Category = 'Homozygous Deletion' | 'Loss' | 'Neutral' | 'Gain' | 'Amplification'

/** Copies from which on a gain is an amplification (ADR 29). */
const AMPLIFIED_COPIES = 5

/** The category of a whole number of copies, of two that are expected. */
export function categoryOfCopies(copies: number): Category {
  if (copies === 0) return 'Homozygous Deletion'
  if (copies === 1) return 'Loss'
  if (copies === 2) return 'Neutral'
  return copies < AMPLIFIED_COPIES ? 'Gain' : 'Amplification'
}

/** The category of a log2 ratio to two copies: that of the nearest whole number of copies. */
export function categoryOfLog2Ratio(ratio: number): Category {
  return categoryOfCopies(Math.round(2 * 2 ** ratio))
}

const CALLS: Readonly<Record<string, Category>> = {
  '-2': 'Homozygous Deletion',
  '-1': 'Loss',
  '0': 'Neutral',
  '1': 'Gain',
  '2': 'Amplification',
}

/** The category of a thresholded call, -2 to 2; `undefined` for another text. */
export function categoryOfCall(call: string): Category | undefined {
  return Object.hasOwn(CALLS, call) ? CALLS[call] : undefined
}

/** The three-way word; vectors 39 and 46 show it for four of the five categories. */
export function changeOf(category: Category): 'Loss' | 'Neutral' | 'Gain' {
  if (category === 'Neutral') return 'Neutral'
  return category === 'Gain' || category === 'Amplification' ? 'Gain' : 'Loss'
}

export interface GeneChange {
  readonly build: string | undefined
  /** One of them at least. */
  readonly geneId: string | undefined
  readonly symbol: string | undefined
  /** Where the table has the gene; tables that leave it to the gene model say nothing. */
  readonly place: Place | undefined
  readonly category: string
}

/** The same for a change of one gene, however often it is given. */
export function geneChangeId({ build, geneId, symbol, place, category }: GeneChange): string {
  const { chromosome = '', start = '', end = '' } = place ?? {}
  const gene = geneId ?? symbol ?? ''
  return nameUuid('cnvs', build ?? '', gene, chromosome, `${start}`, `${end}`, category)
}

/** An own document of `cnvs`. */
export function geneChangeDocument(change: GeneChange & { readonly category: Category }) {
  const { build, geneId, symbol, place, category } = change
  const id = geneChangeId(change)
  return defined({
    cnv_id: id,
    chromosome: place?.chromosome,
    start_position: place?.start,
    end_position: place?.end,
    cnv_change: changeOf(category),
    cnv_change_5_category: category,
    gene_level_cn: true,
    agency_build: build,
    consequence: [
      {
        consequence_id: nameUuid(id, geneId ?? symbol ?? ''),
        gene: defined({ gene_id: geneId, symbol }),
      },
    ],
  })
}

export interface SegmentChange extends Span {
  readonly build: string | undefined
  readonly chromosome: string
  readonly category: Category
}

/** An own document of `segment_cnvs`; the reference is in its id alone, for want of a field. */
export function segmentChangeDocument(change: SegmentChange): JsonObject {
  const { build, chromosome, start, end, category } = change
  return {
    segment_cnv_id: nameUuid(
      'segment_cnvs',
      ...[build ?? '', chromosome, String(start), String(end), category],
    ),
    chromosome,
    start_position: start,
    end_position: end,
    length: end - start + 1,
    cnv_change: changeOf(category),
    cnv_change_5_category: category,
  }
}
