import { EngineError } from '../errors.ts'
import type { GeneSpan } from '../store/genes.ts'
import type { Alignment } from './alignment.ts'
import {
  chromosomeSpellings,
  mergeIntervals,
  type NamedInterval,
  parseRegion,
  referenceOfChromosome,
} from './region.ts'
import type { Selection } from './slicer.ts'

/** A request for regions and genes, checked as far as it can be without the file. */
export interface Wanted {
  readonly intervals: readonly NamedInterval[]
  readonly unplaced: boolean
  readonly genes: readonly { readonly spans: readonly GeneSpan[]; readonly at: string }[]
}

/**
 * Reads region texts and looks up gene symbols.
 * @throws EngineError bad_region for a malformed region, bad_input for an unknown gene
 */
export function readWanted(
  regions: readonly string[],
  genes: readonly string[],
  bySymbol: (symbol: string) => readonly GeneSpan[],
): Wanted {
  const parsed = regions.map((text, i) => parseRegion(text, `regions[${i}]`))
  return {
    intervals: parsed.filter((region) => region !== 'unmapped'),
    unplaced: parsed.includes('unmapped'),
    genes: genes.map((symbol, i) => {
      const at = `geneannot[${i}]`
      const spans = bySymbol(symbol)
      if (spans.length === 0) {
        throw new EngineError(
          'bad_input',
          `gene "${symbol.slice(0, 80)}" is not in the gene model; give a symbol of it, in its case`,
          { at },
        )
      }
      return { spans, at }
    }),
  }
}

/**
 * Turns names into the file's references. Regions on references that the file does not have are
 * empty; a gene none of whose chromosomes the file has is an error (contract 11.3).
 * @throws EngineError bad_input
 */
export function selectFrom(alignment: Alignment, wanted: Wanted): Selection {
  const { numberOf } = alignment
  const intervals: NamedInterval[] = [...wanted.intervals]
  for (const { spans, at } of wanted.genes) {
    let found = false
    for (const { chromosome, start, end } of spans) {
      const reference = referenceOfChromosome(chromosome, numberOf)
      if (reference === undefined) continue
      found = true
      intervals.push({ reference, start: start - 1, end })
    }
    if (!found) throw missingChromosome(spans, at)
  }
  return { intervals: mergeIntervals(intervals, numberOf), unplaced: wanted.unplaced }
}

function missingChromosome(spans: readonly GeneSpan[], at: string): EngineError {
  const tried = [...new Set(spans.flatMap(({ chromosome }) => chromosomeSpellings(chromosome)))]
  return new EngineError(
    'bad_input',
    `gene "${spans[0]?.symbol}" is on a reference that the file does not have; tried ${tried.join(', ')}`,
    { at },
  )
}
