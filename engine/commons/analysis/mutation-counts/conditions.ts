import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { type Bare, type Root, resolverOf } from '../../datasets/case-gene.ts'
import { nearestOn } from '../../datasets/near-case-gene.ts'
import { readFilter } from '../../query/filter.ts'
import { FilterBudget } from '../../query/filter-budget.ts'
import type { Filter, Leaf } from '../../query/filter-tree.ts'
import { leavesOf } from '../../query/keys.ts'
import { joinFilters } from '../../query/shape.ts'
import { type Sides, sidesOf } from './sides.ts'

/** Filters of a request, each an object or JSON text. Absent, null and empty mean no condition. */
export interface GivenFilters {
  readonly filters?: unknown
  /** Additional filter on cases. */
  readonly caseFilters?: unknown
}

/** Conditions on pairs of a case and a gene. */
export interface PairConditions {
  /** Condition on pairs. */
  readonly pairs?: Filter | undefined
  /**
   * The same condition together with `cohort`, split into one on cases and one on genes, if possible, since there
   * are far fewer of them.
   */
  readonly sides?: Sides | undefined
  /** Additional condition on the cases or genes themselves. */
  readonly records?: Filter | undefined
  /** Condition on cases: pairs of the cases that pass count, whatever their gene (data-commons.md 11.35). */
  readonly cohort?: Filter | undefined
  /** Whether pairs need a simple mutation, because no condition refers to mutations (data-commons.md 6.9). */
  readonly withSsm: boolean
}

/**
 * Reads the conditions of a list of cases or genes. `filters` apply to pairs. `caseFilters` select cases as a
 * search of cases would, independently of the pair that is counted.
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
  // `excludeifany` applies to a record as a whole, not to one of its pairs (data-commons.md 1.1).
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
 * Adds a cohort to the sides of a condition on pairs. Returns `undefined` where the condition cannot be split into
 * sides; then the cohort has to be asked of each pair.
 */
export function inCohort(
  { pairs, sides }: Pick<PairConditions, 'pairs' | 'sides'>,
  cohort: Filter | undefined,
): Sides | undefined {
  if (pairs && !sides) return undefined
  // An `or` shares no element with other conditions.
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

/** Reads both filters of a request for one root. */
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
  // An `or` shares no element with other conditions.
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
