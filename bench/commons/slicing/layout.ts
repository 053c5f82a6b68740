import { atOnce } from '../../../engine/shared/concurrency/at-once.ts'
import { mergeIntervals, type NamedInterval } from '../../../engine/shared/input/region.ts'
import type { ProfileName } from '../../../fixtures/bam/profiles.ts'
import { randomFrom } from '../../../fixtures/random.ts'

// What is asked of the bench file, for any size of it: the covered extents shrink with the file
// (fixtures/bam/profiles.ts, benchPlan), and the regions with them. Everything is seeded.

export type InputName = 'full' | 'quick' | 'test'

/** What is asked for together, and has one pin. */
export type SliceSet = 'small' | 'mid' | 'chromosomes' | 'genes'

export interface Layout {
  /** What to make the file of. */
  readonly scale: ProfileName | number
  /** Slices of the size of a gene, on the 30x extent, one request each. */
  readonly small: readonly NamedInterval[]
  readonly mid: NamedInterval
  /** Two whole references. */
  readonly chromosomes: readonly [NamedInterval, NamedInterval]
  /** Random genes on all covered extents, merged: one request. */
  readonly genes: readonly NamedInterval[]
}

/** A region without a read: what a program takes for it is its start-up. */
export const EMPTY_REGION = 'chrY:1-100'

const SMALL_SLICES = 50

const SCALES: Readonly<Record<InputName, { bytes: number; scale: ProfileName | number }>> = {
  full: { bytes: 1.37e9, scale: 'bench' },
  quick: { bytes: 1.5e8, scale: 1.5e8 },
  test: { bytes: 2e7, scale: 2e7 },
}

/** The covered extents of the full file that genes are drawn from. */
const EXTENTES = [
  { reference: 'chr1', start: 10_000_000, length: 38_400_000, genes: 0.75 },
  { reference: 'chr2', start: 30_000_000, length: 10_000_000, genes: 0.175 },
  { reference: 'chr17', start: 5_000_000, length: 5_000_000, genes: 0.075 },
] as const

export function layoutOf(input: InputName): Layout {
  const { bytes, scale } = SCALES[input]
  const share = bytes / SCALES.full.bytes
  const [first] = EXTENTES
  return {
    scale,
    small: smallSlices(first.start, first.length * share),
    // chr1:19999991-34999990 of the full file.
    mid: {
      reference: 'chr1',
      start: first.start + Math.round(9_999_990 * share),
      end: first.start + Math.round(24_999_990 * share),
    },
    chromosomes: [wholeReference('chr1'), wholeReference('chr2')],
    genes: mergedGenes(share),
  }
}

function wholeReference(reference: string): NamedInterval {
  return { reference, start: 0, end: Infinity }
}

function smallSlices(from: number, bases: number): NamedInterval[] {
  const random = randomFrom(7)
  return Array.from({ length: SMALL_SLICES }, () => {
    const length = 10_000 + random.below(90_001)
    const start = from + random.below(Math.floor(bases) - length)
    return { reference: 'chr1', start, end: start + length }
  })
}

function mergedGenes(share: number): NamedInterval[] {
  const random = randomFrom(1000)
  const genes: NamedInterval[] = []
  for (const { reference, start, length, genes: part } of EXTENTES) {
    for (let i = 0; i < Math.round(1000 * part * share); i++) {
      const from = start + random.below(Math.floor(length * share))
      genes.push({ reference, start: from, end: from + 5_000 + random.below(38_001) })
    }
  }
  const names = EXTENTES.map(({ reference }) => reference)
  const numberOf = new Map(names.map((name, number) => [name, number] as const))
  return Array.from(atOnce(mergeIntervals(genes, numberOf)), ({ reference, start, end }) => {
    return { reference: names[reference]!, start, end }
  })
}

/** The intervals of each request of a set. */
export function requestsOf(layout: Layout, set: SliceSet): (readonly NamedInterval[])[] {
  if (set === 'small') return layout.small.map((region) => [region])
  return [set === 'mid' ? [layout.mid] : layout[set]]
}

/** As samtools, sambamba and the service take it: 1-based inclusive. */
export function regionText({ reference, start, end }: NamedInterval): string {
  if (end === Infinity) return start === 0 ? reference : `${reference}:${start + 1}`
  return `${reference}:${start + 1}-${end}`
}

/** 0-based, one line per interval. */
export function bedText(intervals: readonly NamedInterval[]): string {
  return intervals.map(({ reference, start, end }) => `${reference}\t${start}\t${end}\n`).join('')
}
