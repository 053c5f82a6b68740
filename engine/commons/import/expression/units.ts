/** What values of expression are. FPKM-UQ alone are served. */
export type Unit = 'uqfpkm' | 'tpm' | 'fpkm' | 'counts'

/** Whether values are as measured, or log2(x + 1) of that. */
export type Scale = 'linear' | 'log2p1'

/** What somebody says of the values of a file. */
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

/** Units in names of files; the first one that fits counts. */
const IN_NAMES: readonly (readonly [RegExp, Unit])[] = [
  [/fpkm[-_.]?uq/i, 'uqfpkm'],
  [/tpm/i, 'tpm'],
  [/fpkm/i, 'fpkm'],
  [/counts?([-_.]|$)/i, 'counts'],
]
const IS_LOGARITHM = /log2|log10|log1p/i
/** Matrices of a public hub, which are all log2(x + 1) and do not say so in their names. */
const IS_HUB = /(^|[.])star_(fpkm-uq|fpkm|tpm|counts)[.]tsv/i

/** The scale of a file's values, or why they cannot be served as FPKM-UQ. */
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

/** The value behind log2(x + 1). */
export const fromLog2p1 = (value: number) => 2 ** value - 1

/** The highest of the values read, and whether all were whole numbers. */
export interface ValueFacts {
  readonly count: number
  readonly most: number
  readonly areWhole: boolean
}

export const NO_VALUES: ValueFacts = { count: 0, most: 0, areWhole: true }

export const addFacts = (one: ValueFacts, other: ValueFacts): ValueFacts => ({
  count: one.count + other.count,
  most: Math.max(one.most, other.most),
  areWhole: one.areWhole && other.areWhole,
})

/** Fewer values tell nothing. */
const MIN_VALUES = 1000
/** Some gene of any sample has more FPKM-UQ, and none has so many bits of them. */
const LEAST_MAXIMUM = 40

/** What makes it doubtful that values are FPKM-UQ as measured; `undefined` if nothing does. */
export function doubtOf({ count, most, areWhole }: ValueFacts): string | undefined {
  if (count < MIN_VALUES) return undefined
  if (areWhole) return 'all values are whole numbers, as counts are'
  if (most >= LEAST_MAXIMUM) return undefined
  return `no value is above ${most}, as if they were logarithms; --scale log2p1 converts log2(x + 1)`
}
