import type { GeneSpan } from '../../shared/catalogue/genes.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { IntervalList } from '../../shared/input/interval-list.ts'
import { didYouMean, MAX_NEAR_CHARACTERS } from '../../shared/input/near-name.ts'
import {
  chromosomeSpellings,
  mergeIntervals,
  type NamedInterval,
  parseRegion,
  referenceOfChromosome,
} from '../../shared/input/region.ts'
import { spellingsOf } from '../../shared/input/spellings.ts'
import type { Alignment } from './alignment.ts'
import type { Selection } from './cuts.ts'
import { mayBeEmpty } from './records/record-format.ts'

/** A request for regions and genes, validated as far as possible without the file. */
export interface Wanted {
  readonly intervals: Iterable<NamedInterval>
  readonly unplaced: boolean
  readonly genes: readonly { readonly spans: readonly GeneSpan[]; readonly at: string }[]
}

/** Returns genes by symbol. Unknown symbols have no entry. */
export type FindGenes = (
  symbols: readonly string[],
) => Promise<ReadonlyMap<string, readonly GeneSpan[]>>

/** Maximum number of regions and genes per request. Parsing more would block the event loop. */
const MAX_PARTS = 100_000

/**
 * Parses regions and looks up gene symbols.
 * @throws EngineError bad_region for a malformed region, bad_input for an unknown gene or too many of both
 */
export async function readWanted(
  regions: readonly string[],
  genes: readonly string[],
  bySymbols: FindGenes,
  turns = new LoopTurns(),
): Promise<Wanted> {
  const parts = regions.length + genes.length
  if (parts > MAX_PARTS) {
    throw new EngineError(
      'bad_input',
      `${parts} regions and genes were given; at most ${MAX_PARTS} are taken in one request`,
      { at: 'regions' },
    )
  }
  const parsed = await turns.run(parsedRegions(regions))
  return { ...parsed, genes: await knownGenes(genes, bySymbols, turns) }
}

function* parsedRegions(
  texts: readonly string[],
): Generator<void, Pick<Wanted, 'intervals' | 'unplaced'>> {
  const intervals = new IntervalList<string>()
  let unplaced = false
  for (const [i, text] of texts.entries()) {
    const region = parseRegion(text, `regions[${i}]`)
    if (region === 'unmapped') unplaced = true
    else intervals.push(region)
    yield
  }
  return { intervals, unplaced }
}

/** Number of gene symbols per database query. */
const BATCH_SYMBOLS = 500

/** Looks up each distinct symbol. Stops at the first unknown symbol. */
async function knownGenes(
  genes: readonly string[],
  bySymbols: FindGenes,
  turns: LoopTurns,
): Promise<Wanted['genes']> {
  const places = [...firstPlaces(genes)]
  const known: Wanted['genes'][number][] = []
  for (let start = 0; start < places.length; start += BATCH_SYMBOLS) {
    await turns.pause()
    const batch = places.slice(start, start + BATCH_SYMBOLS)
    const found = await bySymbols(batch.map(([symbol]) => symbol))
    for (const [symbol, place] of batch) {
      const at = `geneannot[${place}]`
      const spans = found.get(symbol)
      if (!spans) {
        const meant = didYouMean([[symbol, await nearestSymbol(symbol, bySymbols)]])
        const advice = 'give a symbol of it, in its case'
        throw new EngineError(
          'bad_input',
          `gene "${symbol.slice(0, 80)}" is not in the gene model; ${advice}${meant}`,
          { at },
        )
      }
      known.push({ spans, at })
    }
  }
  return known
}

/** Finds a symbol that was written in another case. Symbols of open reading frames have `orf` in lower case. */
async function nearestSymbol(symbol: string, bySymbols: FindGenes): Promise<string | undefined> {
  if (symbol.length > MAX_NEAR_CHARACTERS) return undefined
  const orf = symbol.toUpperCase().replace('ORF', 'orf')
  const others = [...new Set([...spellingsOf(symbol), orf])].filter((one) => one !== symbol)
  const found = await bySymbols(others)
  return others.find((one) => found.has(one))
}

function firstPlaces(texts: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const [place, text] of texts.entries()) if (!places.has(text)) places.set(text, place)
  return places
}

/**
 * Maps names to the file's references, yielding between steps. A region on an unknown reference is empty. A gene
 * is an error if the file has none of its chromosomes (data-commons.md 11.3).
 * @throws EngineError bad_input for a gene on none of the file's references
 */
export function* selectFrom(alignment: Alignment, wanted: Wanted): Generator<void, Selection> {
  const { numberOf } = alignment
  const ofGenes = new IntervalList<string>()
  for (const { spans, at } of wanted.genes) {
    yield
    let found = false
    for (const { chromosome, start, end } of spans) {
      const reference = referenceOfChromosome(chromosome, numberOf)
      if (reference === undefined) continue
      found = true
      ofGenes.push({ reference, start: start - 1, end })
    }
    if (!found) throw missingChromosome(spans, at)
  }
  const merged = yield* intervalsOf(alignment, both(wanted.intervals, ofGenes))
  return { intervals: merged, unplaced: wanted.unplaced }
}

function* both<Item>(first: Iterable<Item>, second: Iterable<Item>): Generator<Item> {
  yield* first
  yield* second
}

/** Maps named intervals to those of the file, merged as its format requires, in steps. */
export function intervalsOf(
  { numberOf, header }: Pick<Alignment, 'numberOf' | 'header'>,
  named: Iterable<NamedInterval>,
): Generator<void, IntervalList<number>> {
  return mergeIntervals(named, numberOf, mayBeEmpty(header.format))
}

function missingChromosome(spans: readonly GeneSpan[], at: string): EngineError {
  const tried = [...new Set(spans.flatMap(({ chromosome }) => chromosomeSpellings(chromosome)))]
  return new EngineError(
    'bad_input',
    `gene "${spans[0]?.symbol}" is on a reference that the file does not have; tried ${tried.join(', ')}`,
    { at },
  )
}
