import type { Address } from '../address/address.ts'
import { MAX_SET_GENES } from './gene-set.ts'

/** How cases are put into groups. All but `cohorts` split the active cohort. */
export type Split =
  /** The cohorts of the address. */
  | { readonly by: 'cohorts' }
  /** The active cohort, and all cases that are not in it. */
  | { readonly by: 'others' }
  /** The values of a field: those that were chosen, by default all or the largest. */
  | {
      readonly by: 'values'
      readonly field: string
      readonly values?: readonly string[]
      /** Whether the other values make one more group. */
      readonly rest?: boolean
    }
  /** Ranges of a number between cuts, in the unit of the field. A cut belongs to the range above it. */
  | { readonly by: 'ranges'; readonly field: string; readonly cuts: readonly number[] }
  /** Ranges of a number with about the same number of cases in each. `parts` is their number. */
  | { readonly by: 'quantiles'; readonly field: string; readonly parts: number }
  /** Quantiles of a gene's expression, or ranges between cuts of log2(uqfpkm + 1). */
  | {
      readonly by: 'expression'
      readonly gene: string
      readonly parts: number
      readonly cuts?: readonly number[]
    }
  /** Tested cases with and without a mutation of a gene, or with one change of its protein, such as `R175H`. */
  | { readonly by: 'mutated'; readonly gene: string; readonly change?: string }
  /** Quantiles of the number of simple mutations, or ranges between cuts. */
  | { readonly by: 'burden'; readonly parts: number; readonly cuts?: readonly number[] }
  /** Quantiles of the mean expression of a gene set, or ranges between cuts of it. */
  | {
      readonly by: 'gene-set'
      /** Symbols or ids. */
      readonly genes: readonly string[]
      /** Name of the set. */
      readonly set?: string
      readonly parts: number
      readonly cuts?: readonly number[]
    }
  /** Tested cases by the copy-number change of a gene. */
  | { readonly by: 'copies'; readonly gene: string }

/** Maximum number of groups, which have a colour each. */
export const MAX_GROUPS = 12
/** Numbers of quantiles that are offered. */
export const PARTS: readonly (readonly [number, string])[] = [
  [2, 'halves'],
  [3, 'thirds'],
  [4, 'quarters'],
  [5, 'fifths'],
]

const COHORTS: Split = { by: 'cohorts' }

/** Pages whose links had a field alone. */
const WITH_FIELD = ['survival', 'expression']

/** Returns how the address splits cases. What cannot be read is as if it were not there. */
export function splitOf({ page, cohorts, query }: Omit<Address, 'at'>): Split {
  const text = query.get('groups')
  if (text !== undefined) return readSplit(text) ?? COHORTS
  const field = WITH_FIELD.includes(page) ? query.get('by') : undefined
  if (field !== undefined) return { by: 'values', field }
  // One box of a gene's expression says little.
  const isOne = page === 'expression' && cohorts.length === 1
  return isOne ? { by: 'values', field: 'primary_site' } : COHORTS
}

/** Formats a split for the address. */
export const splitText = (split: Split): string => JSON.stringify(split)

function readSplit(text: string): Split | undefined {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof given !== 'object' || given === null) return undefined
  const { by, field, gene, genes, set, change, values, rest, cuts, parts } = given as Readonly<
    Record<string, unknown>
  >
  const isField = typeof field === 'string'
  const isGene = typeof gene === 'string'
  switch (by) {
    case 'cohorts':
    case 'others':
      return { by }
    case 'values':
      if (!isField) return undefined
      return {
        by,
        field,
        ...(isTexts(values) && { values }),
        ...(typeof rest === 'boolean' && { rest }),
      }
    case 'ranges':
      return isField && isNumbers(cuts) ? { by, field, cuts } : undefined
    case 'quantiles':
      return isField ? { by, field, parts: partsOf(parts) } : undefined
    case 'expression':
      if (!isGene) return undefined
      return { by, gene, parts: partsOf(parts), ...(isNumbers(cuts) && { cuts }) }
    case 'burden':
      return { by, parts: partsOf(parts), ...(isNumbers(cuts) && { cuts }) }
    case 'gene-set':
      if (!isTexts(genes)) return undefined
      return {
        by,
        genes: genes.slice(0, MAX_SET_GENES),
        ...(typeof set === 'string' && { set }),
        parts: partsOf(parts),
        ...(isNumbers(cuts) && { cuts }),
      }
    case 'mutated':
      if (!isGene) return undefined
      return { by, gene, ...(typeof change === 'string' && { change }) }
    case 'copies':
      return isGene ? { by, gene } : undefined
    default:
      return undefined
  }
}

const isTexts = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string')

const isNumbers = (given: unknown): given is readonly number[] =>
  Array.isArray(given) && given.every((one) => Number.isFinite(one))

const partsOf = (given: unknown): number =>
  PARTS.find(([count]) => count === given)?.[0] ?? PARTS[1]?.[0] ?? 3

/** Parses cuts as they are typed, such as `40, 60`: each once, in ascending order. */
export function cutsOf(text: string): readonly number[] {
  const numbers = text
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
    .map(Number)
    .filter(Number.isFinite)
  return [...new Set(numbers)].toSorted((one, other) => one - other).slice(0, MAX_GROUPS - 1)
}
