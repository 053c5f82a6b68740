import type { Change } from './mutation-place.ts'

type Alleles = Pick<Change, 'reference' | 'tumour'>

/** Returns whether a change replaces one base by another. */
export const isSubstitution = ({ reference, tumour }: Alleles): boolean =>
  /^[ACGT]$/.test(reference) && /^[ACGT]$/.test(tumour)

/**
 * Returns the three bases of the forward strand around a substitution. Programs give an odd number of bases with the
 * replaced one in the middle: the public commons 11, Oncotator 21. Returns undefined for other changes, and if the
 * middle is not the reference allele.
 */
export function contextIn(bases: string | undefined, change: Alleles): string | undefined {
  if (bases === undefined || !isSubstitution(change) || bases.length % 2 === 0) return undefined
  const middle = (bases.length - 1) / 2
  const around = bases.slice(middle - 1, middle + 2).toUpperCase()
  return /^[ACGT]{3}$/.test(around) && around[1] === change.reference ? around : undefined
}
