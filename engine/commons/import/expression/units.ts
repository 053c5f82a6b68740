import { ABSENT, FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'

/** Unit of expression values. Only FPKM-UQ is served. */
export type Unit = 'uqfpkm' | 'tpm' | 'fpkm' | 'counts'

/** Whether values are linear or log2(x + 1). */
export type Scale = 'linear' | 'log2p1'

/** Unit and scale of a file's values as stated by the user. */
export interface Stated {
  readonly unit?: Unit | undefined
  readonly scale?: Scale | undefined
}

export const SOURCE_UNITS: readonly Unit[] = ['uqfpkm', 'tpm', 'fpkm', 'counts']
export const SOURCE_SCALES: readonly Scale[] = ['linear', 'log2p1']

const NAMES: Readonly<Record<Unit, string>> = {
  uqfpkm: 'FPKM-UQ',
  tpm: 'TPM',
  fpkm: 'FPKM',
  counts: 'counts',
}

/** Patterns of file names for each unit. The first match counts. */
const IN_NAMES: readonly (readonly [RegExp, Unit])[] = [
  [/fpkm[-_.]?uq/i, 'uqfpkm'],
  [/tpm/i, 'tpm'],
  [/fpkm/i, 'fpkm'],
  [/counts?([-_.]|$)/i, 'counts'],
]
const IS_LOGARITHM = /log2|log10|log1p/i
/** Matches matrices of a public hub. All are log2(x + 1), but their names do not say so. */
const IS_HUB = /(^|[.])star_(fpkm-uq|fpkm|tpm|counts)[.]tsv/i

/** Returns the scale of a file's values. If they cannot be served as FPKM-UQ, returns the reason. */
export function scaleOf(
  name: string,
  { unit: statedUnit, scale }: Stated,
): { readonly scale: Scale } | { readonly reason: string } {
  const unit = statedUnit ?? IN_NAMES.find(([pattern]) => pattern.test(name))?.[1]
  if (unit === undefined) {
    return {
      reason: 'its name does not say that its values are FPKM-UQ; if they are, give --unit uqfpkm',
    }
  }
  if (unit !== 'uqfpkm') {
    const given = NAMES[unit]
    return { reason: `its values are ${given}, which cannot be converted to FPKM-UQ exactly` }
  }
  if (scale !== undefined) return { scale }
  if (!IS_LOGARITHM.test(name) && !IS_HUB.test(name)) return { scale: 'linear' }
  return {
    reason:
      'files of this name have values that are logarithms; give --scale log2p1 if they are log2(x + 1), or --scale linear',
  }
}

/** Computes x from log2(x + 1). */
export const fromLog2p1 = (value: number) => 2 ** value - 1

/** Statistics of a file's values that may cast doubt on their unit. */
export interface ValueFacts {
  /** Number of values that are not missing. */
  readonly count: number
  /** The greatest value. */
  readonly most: number
  /** Whether all values are integers. */
  readonly areWhole: boolean
  /** Sum of the values of each sample. */
  readonly sums: Float64Array
}

/** Collects statistics of values, row by row. */
export class FactsTally {
  #count = 0
  #most = 0
  #areWhole = true
  readonly #sums: Float64Array

  constructor(samples: number) {
    this.#sums = new Float64Array(samples)
  }

  get facts(): ValueFacts {
    return { count: this.#count, most: this.#most, areWhole: this.#areWhole, sums: this.#sums }
  }

  /**
   * Adds the values of one gene.
   * @returns the number of values that are not missing
   */
  add(values: Uint32Array | Float64Array): number {
    const isFixed = values instanceof Uint32Array
    const one = isFixed ? FIXED_SCALE : 1
    const none = isFixed ? ABSENT : Number.NaN
    const sums = this.#sums
    let [count, most, areWhole] = [0, 0, this.#areWhole]
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (value === none || Number.isNaN(value)) continue
      count++
      if (value > most) most = value
      if (areWhole && value % one !== 0) areWhole = false
      sums[i]! += value / one
    }
    this.#areWhole = areWhole
    this.#count += count
    this.#most = Math.max(this.#most, most / one)
    return count
  }

  absorb({ count, most, areWhole, sums }: ValueFacts): void {
    this.#count += count
    this.#most = Math.max(this.#most, most)
    this.#areWhole &&= areWhole
    for (let i = 0; i < sums.length; i++) this.#sums[i]! += sums[i]!
  }
}

/** Returns the statistics of one sample's values. */
export function factsOfSample(values: Uint32Array | Float64Array): ValueFacts {
  const tally = new FactsTally(values.length)
  tally.add(values)
  const { sums, ...facts } = tally.facts
  return { ...facts, sums: Float64Array.of(sums.reduce((all, each) => all + each, 0)) }
}

/** Number of values below which their unit cannot be doubted. */
const MIN_VALUES = 1000
/** Some gene of every sample exceeds this value in FPKM-UQ. In log2(x + 1), no gene does. */
const LEAST_MAXIMUM = 40
/** Sum of the TPM values of all genes of a sample, apart from rounding. */
const TPM_SUM = 1_000_000
const TPM_ROUNDED = 100

/** Returns why values may not be FPKM-UQ on their stated scale. Undefined if nothing suggests it. */
export function doubtOf(
  { count, most, areWhole, sums }: ValueFacts,
  scale: Scale,
): string | undefined {
  if (count < MIN_VALUES) return undefined
  if (scale === 'log2p1') {
    return most > fromLog2p1(LEAST_MAXIMUM)
      ? `log2(x + 1) has values above ${LEAST_MAXIMUM}, as if they were no logarithms`
      : undefined
  }
  if (areWhole) return 'all values are whole numbers, as counts are'
  if (sums.every((sum) => Math.abs(sum - TPM_SUM) < TPM_ROUNDED)) {
    return 'the values of each sample add up to 1000000, as TPM do'
  }
  if (most >= LEAST_MAXIMUM) return undefined
  return `no value is above ${most}, as if they were logarithms; --scale log2p1 converts log2(x + 1)`
}
