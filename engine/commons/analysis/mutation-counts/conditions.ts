import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { type Bare, type Root, resolverOf } from '../../datasets/case-gene.ts'
import { nearestOn } from '../../datasets/near-case-gene.ts'
import { readFilter } from '../../query/filter.ts'
import { FilterBudget } from '../../query/filter-budget.ts'
import type { Filter, Leaf } from '../../query/filter-tree.ts'
import { leavesOf } from '../../query/keys.ts'
import { joinFilters } from '../../query/shape.ts'
import { type Sides, sidesOf } from './sides.ts'

/** Filters of a request, each an object or JSON text. Undefined, null and {} mean no condition. */
export interface GivenFilters {
  readonly filters?: unknown
  /** Filter on cases, in addition to `filters`. */
  readonly caseFilters?: unknown
}

/** Conditions that decide which pairs of a case and a gene are counted. */
export interface PairConditions {
  /** Condition on the pair itself. */
  readonly pairs?: Filter | undefined
  /**
   * `pairs` and `cohort` as one condition on cases and one on genes. Undefined if they cannot be split in this
   * way. The two conditions are faster to evaluate, because there are far fewer cases and genes than pairs.
   */
  readonly sides?: Sides | undefined
  /** Condition on the listed records themselves, which are cases or genes. */
  readonly records?: Filter | undefined
  /** Condition on cases. All pairs of a matching case count, whichever the gene (data-commons.md 11.35). */
  readonly cohort?: Filter | undefined
  /** Whether pairs need a simple mutation: so if no condition refers to mutations (data-commons.md 6.9). */
  readonly withSsm: boolean
}

/**
 * Reads the filters of a request for a list of cases or genes. `filters` restrict the counted pairs.
 * `caseFilters` select cases like a search for cases, independently of the counted pair.
 * @throws EngineError bad_input with the place of the error
 */
export async function readPairConditions(
  { filters, caseFilters }: GivenFilters,
  by: Bare,
  turns?: LoopTurns,
): Promise<PairConditions> {
  const budget = new FilterBudget()
  const pairs = await readFor('pair', { filters }, by, { turns, budget })
  const leaves = pairs ? leavesOf(pairs) : []
  // `excludeifany` is a condition on the whole record, not on one of its pairs (data-commons.md 1.1).
  const isWhole = leaves.some(({ op }) => op === 'excludeifany')
  const cohort = await readFor('case', { caseFilters }, 'case', { turns, budget })
  const sides = pairs && (await readSides(pairs, { filters }, by, turns))
  return {
    pairs,
    sides: cohort ? inCohort({ pairs, sides }, cohort) : sides,
    records: isWhole ? await readFor(by, { filters }, by, { turns }) : undefined,
    cohort,
    withSsm: !leaves.some(isOnMutations),
  }
}

/**
 * Adds the cohort to a condition that is split into a condition on cases and one on genes. Returns undefined
 * if the condition cannot be split.
 */
export function inCohort(
  { pairs, sides }: Pick<PairConditions, 'pairs' | 'sides'>,
  cohort: Filter | undefined,
): Sides | undefined {
  if (pairs && !sides) return undefined
  // The cohort is wrapped in an `or`, so that it is not evaluated on the same nested element as other conditions.
  const chosen = cohort && ({ kind: 'or', parts: [cohort] } as const)
  return { case: joinFilters(sides?.case, chosen), gene: sides?.gene }
}

/**
 * Reads conditions on cases (data-commons.md 6.1).
 * @throws EngineError bad_input with the place of the error
 */
export function readCaseConditions(
  given: GivenFilters,
  turns?: LoopTurns,
): Promise<Filter | undefined> {
  return readFor('case', given, 'case', { turns })
}

interface Reading {
  readonly turns?: LoopTurns | undefined
  readonly budget?: FilterBudget
}

/** Reads `filters` and `caseFilters` for one type of record. */
async function readFor(
  root: Root,
  { filters, caseFilters }: GivenFilters,
  by: Bare,
  { turns, budget = new FilterBudget() }: Reading,
): Promise<Filter | undefined> {
  const own = {
    records: `${by}s`,
    resolve: resolverOf(root, by),
    nearest: nearestOn(root, by),
    budget,
    turns,
  }
  const nearest = nearestOn(root, 'case')
  const cohort = { records: 'cases', resolve: resolverOf(root, 'case'), nearest, budget, turns }
  const filter = await readFilter(filters, own)
  const chosen = await readFilter(caseFilters, cohort, 'case_filters')
  // The filter is wrapped in an `or`, so that it is not evaluated on the same nested element as other conditions.
  return joinFilters(filter, filter && chosen ? { kind: 'or', parts: [chosen] } : chosen)
}

async function readSides(
  pairs: Filter,
  given: GivenFilters,
  by: Bare,
  turns: LoopTurns | undefined,
): Promise<Sides | undefined> {
  const asCase = await readFor('case', given, by, { turns })
  const asGene = await readFor('gene', given, by, { turns })
  return asCase && asGene && sidesOf(pairs, { case: asCase, gene: asGene })
}

const isOnMutations = ({ field }: Leaf): boolean =>
  field.steps.some((step) => step.kind === 'level' && step.dataset === 'case_genes')
