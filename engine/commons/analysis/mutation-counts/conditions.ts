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
   * The same condition split into one on cases and one on genes, if possible, since there are far fewer of
   * them.
   */
  readonly sides?: Sides | undefined
  /** Additional condition on the cases or genes themselves. */
  readonly records?: Filter | undefined
  /** Whether pairs need a simple mutation, because no condition refers to mutations (data-commons.md 6.9). */
  readonly withSsm: boolean
}

/**
 * Reads the conditions of a list of cases or genes.
 * @throws EngineError bad_input with the place of the error
 */
export async function readPairConditions(
  given: GivenFilters,
  by: Bare,
  turns?: LoopTurns,
): Promise<PairConditions> {
  const pairs = await readFor('pair', given, by, turns)
  const leaves = pairs ? leavesOf(pairs) : []
  // `excludeifany` applies to a record as a whole, not to one of its pairs (data-commons.md 1.1).
  const isWhole = leaves.some(({ op }) => op === 'excludeifany')
  return {
    pairs,
    sides: pairs && (await readSides(pairs, given, by, turns)),
    records: isWhole ? await readFor(by, given, by, turns) : undefined,
    withSsm: !leaves.some(isOnMutations),
  }
}

/**
 * Reads conditions on cases (data-commons.md 6.1).
 * @throws EngineError bad_input with the place of the error
 */
export function readCaseConditions(
  given: GivenFilters,
  turns?: LoopTurns,
): Promise<Filter | undefined> {
  return readFor('case', given, 'case', turns)
}

/** Reads both filters of a request for one root. */
async function readFor(
  root: Root,
  given: GivenFilters,
  by: Bare,
  turns: LoopTurns | undefined,
): Promise<Filter | undefined> {
  const { filters, caseFilters } = given
  const budget = new FilterBudget()
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
  // An `or` shares no element with other conditions. It is used for every root, because sides are compared
  // part by part.
  return joinFilters(filter, filter && chosen ? { kind: 'or', parts: [chosen] } : chosen)
}

async function readSides(
  pairs: Filter,
  given: GivenFilters,
  by: Bare,
  turns: LoopTurns | undefined,
): Promise<Sides | undefined> {
  const asCase = await readFor('case', given, by, turns)
  const asGene = await readFor('gene', given, by, turns)
  return asCase && asGene && sidesOf(pairs, { case: asCase, gene: asGene })
}

const isOnMutations = ({ field }: Leaf): boolean =>
  field.steps.some((step) => step.kind === 'level' && step.dataset === 'case_genes')
