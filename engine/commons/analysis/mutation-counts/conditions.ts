import { type Bare, type Root, resolveCaseCentric, resolverOf } from '../../datasets/case-gene.ts'
import { parseFilterOn } from '../../query/filter.ts'
import type { Filter, Leaf } from '../../query/filter-tree.ts'
import { leavesOf } from '../../query/keys.ts'
import { joinFilters } from '../../query/shape.ts'
import { type Sides, sidesOf } from './sides.ts'

/** Filters as a request has them: an object or JSON text; absent, null and empty are none. */
export interface GivenFilters {
  readonly filters?: unknown
  /** A filter on cases, asked besides. */
  readonly caseFilters?: unknown
}

/** Which pairs of a case and a gene count. */
export interface PairConditions {
  /** On pairs. */
  readonly pairs?: Filter | undefined
  /** The same, where it can be asked of cases and of genes: there are far fewer of them. */
  readonly sides?: Sides | undefined
  /** On the cases or genes themselves, besides. */
  readonly records?: Filter | undefined
  /** Pairs need a simple mutation, since nothing is said of mutations (data-commons.md 6.9). */
  readonly withSsm: boolean
}

/**
 * Reads the conditions of a list whose hits are cases or genes.
 * @throws EngineError bad_input naming the place of the fault
 */
export function readPairConditions(given: GivenFilters, by: Bare): PairConditions {
  const pairs = readFor('pair', given, by)
  const leaves = pairs ? leavesOf(pairs) : []
  // Asked of a record as a whole, and not of one of its pairs (data-commons.md 1.1).
  const isWhole = leaves.some(({ op }) => op === 'excludeifany')
  return {
    pairs,
    sides: pairs && readSides(pairs, given, by),
    records: isWhole ? readFor(by, given, by) : undefined,
    withSsm: !leaves.some(isOnMutations),
  }
}

/**
 * Reads conditions on cases (data-commons.md 6.1).
 * @throws EngineError bad_input naming the place of the fault
 */
export function readCaseConditions({ filters, caseFilters }: GivenFilters): Filter | undefined {
  return joinFilters(
    parseFilterOn('cases', resolveCaseCentric, filters),
    parseFilterOn('cases', resolveCaseCentric, caseFilters, 'case_filters'),
  )
}

function readFor(root: Root, given: GivenFilters, by: Bare): Filter | undefined {
  const { filters, caseFilters } = given
  return joinFilters(
    parseFilterOn(`${by}s`, resolverOf(root, by), filters),
    parseFilterOn('cases', resolverOf(root, 'case'), caseFilters, 'case_filters'),
  )
}

function readSides(pairs: Filter, given: GivenFilters, by: Bare): Sides | undefined {
  const asCase = readFor('case', given, by)
  const asGene = readFor('gene', given, by)
  return asCase && asGene && sidesOf(pairs, { case: asCase, gene: asGene })
}

const isOnMutations = ({ field }: Leaf): boolean =>
  field.steps.some((step) => step.kind === 'level' && step.dataset === 'case_genes')
