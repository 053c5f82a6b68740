import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../../shared/executor.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { filterCost, withinLimit } from '../../query/cost.ts'
import { joinCost, type Layouts, layoutsOf } from '../../query/field-cost.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfField, keysOfFilter } from '../../query/keys.ts'
import { columnKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import { jsonOf } from '../../render/values.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { warnOfValues } from '../../search/value-warnings.ts'
import type { Expression } from '../expression/expression.ts'
import { adjustedPValues } from '../statistics/adjusted-p-values.ts'
import { type CurveFilters, readCurves } from '../survival/curves.ts'
import type { DonorTables } from '../survival/donor-tables.ts'
import { type CaseGroups, caseGroupsJob } from './case-groups.ts'
import {
  type CaseVariable,
  keysOfVariable,
  type ReadableVariable,
  readVariable,
} from './case-variables.ts'
import { clinicalFields, namedFields } from './clinical-fields.ts'
import { compareFieldsJob } from './compare-fields.ts'
import { compareSurvival, type SurvivalField } from './compare-survival.ts'
import type { ComparedField, LeftOutField } from './compared-field.ts'
import { ENRICHMENT_KEYS, type EnrichmentQuery, enrichmentJob } from './enrichment.ts'
import { relateVariablesJob } from './relate-variables.ts'

export interface CompareFieldsRequest extends CurveFilters {
  /** Names of fields of cases. Undefined or empty compares all clinical fields that have values, and survival. */
  readonly fields?: readonly string[] | undefined
  readonly pretty: boolean
}

export interface EnrichmentRequest extends CurveFilters, EnrichmentQuery {
  readonly pretty: boolean
}

export interface VariablesRequest {
  /** Filter on cases. Undefined selects all. */
  readonly filters?: unknown
  readonly caseFilters?: unknown
  /**
   * Names of the variables: fields of cases, `ssm:` or `cnv:` and the id of a gene, `expression:` and up to 500 ids
   * with commas between, or `burden`.
   */
  readonly x: string
  readonly y: string
  /** Secret of the client's access token. Needed only for the expression of controlled cases. */
  readonly token?: string | undefined
  /** Maximum number of points of a scatter plot. */
  readonly size: number
  readonly pretty: boolean
}

interface ComparisonContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly donors: DonorTables
  readonly expression: Pick<Expression, 'meansOf'>
  readonly turns?: LoopTurns | undefined
}

/** Groups of one comparison. Each adds a column to every table of counts. */
const GROUPS = { most: 12, noun: 'groups' }

/** Estimated cost of visiting a pair of a case and a gene, and of testing the gene. */
const PAIR_COST = 4

/** Number of fields per job. */
const FIELDS_AT_ONCE = 8

const JSON_TYPE = 'application/json'

/**
 * Compares groups of cases, each selected by a filter. All methods throw EngineError: bad_input with the place in a
 * filter; too_many groups or fields; unavailable without a release; busy; corrupt_source.
 */
export class Comparison {
  readonly #context: ComparisonContext

  constructor(context: ComparisonContext) {
    this.#context = context
  }

  /**
   * Compares the values of fields between groups of cases. Each field is tested by a test for its kind, and
   * p-values are adjusted for the number of fields by the Benjamini-Hochberg method. Fields are in ascending
   * order of their p-value, then of their name.
   */
  async fields(request: CompareFieldsRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { fields: names = [], pretty } = request
    const { current, turns } = this.#context
    const filters = await readCurves(request, turns, GROUPS)
    const named = names.length > 0 ? namedFields(names) : undefined
    const { warnings = new Warnings() } = run
    return leasedAnswer(current, JSON_TYPE, run, async (release, signal) => {
      await warnOfValues(filters, release, warnings, { signal })
      const layouts = layoutsOf(release.manifest)
      const fields = named ?? clinicalFields(layouts)
      withinLimit(fieldsCost(fields, layouts) + groupsCost(filters, layouts))
      const groups = await this.#groups(filters, release, signal)
      const found = await this.#compare(fields, groups, release, signal)
      const survival = named
        ? undefined
        : await compareSurvival(groups, release, this.#context, signal)
      const answer = fieldsAnswer(groups, survival ? [...found, survival] : found)
      return jsonOf(answer, { pretty })
    })
  }

  /**
   * Tests for each gene whether its changes are as frequent in all groups of cases, over the cases that were tested
   * for the changes. Genes are in ascending order of their p-value; q-values are over all genes with a change.
   */
  async enrichment(request: EnrichmentRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { filters: given, caseFilters, pretty, ...query } = request
    const { current, turns, executor } = this.#context
    const filters = await readCurves({ filters: given, caseFilters }, turns, GROUPS)
    const { warnings = new Warnings() } = run
    return leasedAnswer(current, JSON_TYPE, run, async (release, signal) => {
      await warnOfValues(filters, release, warnings, { signal })
      const layouts = layoutsOf(release.manifest)
      withinLimit(groupsCost(filters, layouts) + PAIR_COST * (layouts.case_genes?.rows ?? 0))
      const groups = await this.#groups(filters, release, signal)
      const loaded = await release.load(ENRICHMENT_KEYS, { signal })
      return executor.run(enrichmentJob, { loaded, groups, query, pretty }, { signal })
    })
  }

  /**
   * Relates two variables of cases: points, boxes or a table of counts, each with a test. An expression also throws
   * unauthenticated or forbidden if that of a selected case is controlled.
   */
  async variables(request: VariablesRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { filters: given, caseFilters, size, pretty, token } = request
    const { current, turns, executor, expression } = this.#context
    const [filter] = await readCurves({ filters: given, caseFilters }, turns)
    const [x, y] = [readVariable(request.x, 'x'), readVariable(request.y, 'y')]
    const { warnings = new Warnings() } = run
    const readable = async (
      variable: CaseVariable,
      release: Release,
      signal: AbortSignal,
    ): Promise<ReadableVariable> => {
      if (variable.kind !== 'expression') return variable
      const { name, geneIds } = variable
      const request = { filter, geneIds, token }
      return {
        kind: 'numbers',
        name,
        numbers: await expression.meansOf(request, release, { signal, warnings }),
      }
    }
    return leasedAnswer(current, JSON_TYPE, run, async (release, signal) => {
      await warnOfValues([filter], release, warnings, { signal })
      const layouts = layoutsOf(release.manifest)
      const fields = [x, y].flatMap((one) => (one.kind === 'field' ? one.field : []))
      const pairs = layouts.case_genes?.rows ?? 0
      // The means of each expression select the cases again.
      const selections = [
        filter,
        ...[x, y].flatMap(({ kind }) => (kind === 'expression' ? [filter] : [])),
      ]
      withinLimit(fieldsCost(fields, layouts) + groupsCost(selections, layouts) + pairs)
      const keys = [x, y].flatMap(keysOfVariable)
      const ids = columnKey('cases', 'case_id')
      const loaded = await release.load(new Set([...keysOfFilter(filter), ...keys, ids]), {
        signal,
      })
      const [first, second] = [
        await readable(x, release, signal),
        await readable(y, release, signal),
      ]
      const input = { loaded, filter, x: first, y: second, size, pretty }
      return executor.run(relateVariablesJob, input, { signal })
    })
  }

  async #groups(
    filters: readonly (Filter | undefined)[],
    release: Release,
    signal: AbortSignal,
  ): Promise<CaseGroups> {
    const loaded = await release.load(new Set(filters.flatMap(keysOfFilter)), { signal })
    return this.#context.executor.run(caseGroupsJob, { loaded, filters }, { signal })
  }

  async #compare(
    fields: readonly FieldPath[],
    groups: CaseGroups,
    release: Release,
    signal: AbortSignal,
  ): Promise<readonly (ComparedField | LeftOutField)[]> {
    const { executor } = this.#context
    let from = 0
    const start = (stop: AbortSignal) => {
      if (from >= fields.length) return undefined
      const some = fields.slice(from, from + FIELDS_AT_ONCE)
      from += some.length
      const keys = new Set(some.flatMap(keysOfField))
      return release
        .load(keys, { signal: stop })
        .then((loaded) =>
          executor.run(compareFieldsJob, { loaded, fields: some, groups }, { signal: stop }),
        )
    }
    const found: (ComparedField | LeftOutField)[] = []
    const ahead = executor.parallelism + 1
    for await (const some of inOrder(start, { ahead, signal })) found.push(...some)
    return found
  }
}

/** Estimated cost of reading some fields of all cases. */
const fieldsCost = (fields: readonly FieldPath[], layouts: Layouts): number =>
  fields.reduce((sum, field) => sum + joinCost(field, 'cases', layouts), 0)

const groupsCost = (filters: readonly (Filter | undefined)[], layouts: Layouts): number =>
  filters.reduce((sum, filter) => sum + filterCost('cases', filter, layouts), 0)

function fieldsAnswer(
  { counts, overlaps }: CaseGroups,
  found: readonly (ComparedField | LeftOutField | SurvivalField)[],
) {
  const compared = found.filter((one) => 'test' in one)
  const pValues = Float64Array.from(compared, ({ test }) => test?.p_value ?? Number.NaN)
  const adjusted = adjustedPValues(pValues)
  const fields = compared
    .map(({ test, ...rest }, i) => ({
      ...rest,
      test: test && { ...test, q_value: adjusted[i] },
    }))
    .sort(
      (one, other) =>
        (one.test?.p_value ?? 2) - (other.test?.p_value ?? 2) || (one.field < other.field ? -1 : 1),
    )
  return {
    groups: counts.map((cases) => ({ cases })),
    overlaps,
    fields,
    left_out: found.filter((one) => 'reason' in one),
  }
}
