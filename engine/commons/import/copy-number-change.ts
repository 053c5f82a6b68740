import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { defined } from './defined.ts'
import type { Place, Span } from './span.ts'

/** Category of a copy number, in ascending order. `Neutral` means no change. */
export type Category = 'Homozygous Deletion' | 'Loss' | 'Neutral' | 'Gain' | 'Amplification'

/** Minimum number of copies of an amplification (ADR 29). */
const AMPLIFIED_COPIES = 5

/** Returns the category of a number of copies relative to two. */
export function categoryOfCopies(copies: number): Category {
  if (copies === 0) return 'Homozygous Deletion'
  if (copies === 1) return 'Loss'
  if (copies === 2) return 'Neutral'
  return copies < AMPLIFIED_COPIES ? 'Gain' : 'Amplification'
}

/** Returns the category of a log2 ratio to two copies, by the nearest whole number of copies. */
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

/** Returns the category of a thresholded call from -2 to 2. Undefined for any other text. */
export function categoryOfCall(call: string): Category | undefined {
  return Object.hasOwn(CALLS, call) ? CALLS[call] : undefined
}

/** Returns the three-way change of a category, according to test vectors 39 and 46. */
function changeOf(category: Category): 'Loss' | 'Neutral' | 'Gain' {
  if (category === 'Neutral') return 'Neutral'
  return category === 'Gain' || category === 'Amplification' ? 'Gain' : 'Loss'
}

interface GeneChange {
  readonly build: string | undefined
  /** Id of the gene. Either the id or the symbol is given. */
  readonly geneId: string | undefined
  readonly symbol: string | undefined
  /** Location of the gene, if the table has it. Otherwise it is taken from the gene model. */
  readonly place: Place | undefined
  readonly category: string
}

/** Returns an id generated from a gene's change, the same for equal changes. */
export function geneChangeId({ build, geneId, symbol, place, category }: GeneChange): string {
  const { chromosome = '', start = '', end = '' } = place ?? {}
  const gene = geneId ?? symbol ?? ''
  return nameUuid('cnvs', build ?? '', gene, chromosome, `${start}`, `${end}`, category)
}

/** Returns the `cnvs` document of a gene's change. */
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

interface SegmentChange extends Span {
  readonly build: string | undefined
  readonly chromosome: string
  readonly category: Category
}

/**
 * Returns the `segment_cnvs` document of a segment's change. The reference build is part of the id, but the
 * document has no field for it.
 */
export function segmentChangeDocument(change: SegmentChange): JsonObject {
  const { build, chromosome, start, end, category } = change
  return {
    segment_cnv_id: nameUuid(
      'segment_cnvs',
      build ?? '',
      chromosome,
      String(start),
      String(end),
      category,
    ),
    chromosome,
    start_position: start,
    end_position: end,
    length: end - start + 1,
    cnv_change: changeOf(category),
    cnv_change_5_category: category,
  }
}
