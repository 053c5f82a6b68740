import { countBits, membersOf } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { quantileOf } from '../statistics/quantile.ts'
import { CASE_NAME_KEYS, type CaseName, namesOfCases } from './case-names.ts'
import { projectsOf } from './projects.ts'
import {
  CONTEXTS,
  classesOfMutations,
  contextsOfMutations,
  MUTATION_CLASSES,
  UNKNOWN_CONTEXT,
} from './substitution-classes.ts'
import { TESTED_KEYS, testedCases } from './tested-cases.ts'

interface BurdenQuery {
  readonly cases?: Filter | undefined
  readonly from: number
  /** Maximum number of listed cases. */
  readonly size: number
  /** Whether to count substitutions by the bases around them. */
  readonly contexts: boolean
}

/** Distribution of the number of mutations per case. Null without cases. */
interface BurdenSummary {
  readonly least: number | null
  readonly lower_quartile: number | null
  readonly median: number | null
  readonly upper_quartile: number | null
  readonly most: number | null
}

/** Substitutions by the bases around them. */
interface ContextCounts {
  readonly contexts: readonly string[]
  /** Number of substitutions of all tested cases, by the order of `contexts`. */
  readonly context_counts: readonly number[]
  /** Number of substitutions of all tested cases whose context is unknown. */
  readonly unknown_contexts: number
}

/** Simple mutations per case, with the field names of the response. */
interface Burden extends BurdenSummary, Partial<ContextCounts> {
  /** Number of cases that match the filter, and of those that were tested for simple mutations. */
  readonly total: number
  readonly tested: number
  readonly classes: readonly string[]
  /** Number of mutations of all tested cases, by the order of `classes`. */
  readonly counts: readonly number[]
  readonly projects: readonly (BurdenSummary & {
    readonly project_id: string
    readonly tested: number
  })[]
  readonly cases: readonly (CaseName & {
    readonly mutations: number
    readonly counts: readonly number[]
    /** Substitutions by the order of `contexts`. */
    readonly context_counts?: readonly number[]
  })[]
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfBurden({
  cases,
  contexts,
}: Pick<BurdenQuery, 'cases' | 'contexts'>): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...TESTED_KEYS,
    linkKey('ssm_occurrences', 'case'),
    linkKey('ssm_occurrences', 'ssm'),
    ...CASE_NAME_KEYS,
    columnKey('ssms', 'reference_allele'),
    columnKey('ssms', 'tumor_allele'),
    ...(contexts ? [columnKey('ssms', 'reference_context')] : []),
  ]
}

/** Counts the simple mutations of each tested case, by class. */
function burdenOf(query: BurdenQuery, arrays: ReleaseArrays): Burden {
  const { cases, from, size } = query
  const selected = selectRows('cases', cases, [], arrays).rows
  const tested = testedCases('ssm', selected, arrays)
  const rows = tested ? membersOf(tested, 0, countBits(tested)) : new Uint32Array(0)
  const classes = classesOfMutations(arrays)
  const counts = countMutations(rows, classes, arrays)
  const contexts = query.contexts ? contextsOfMutations(classes, arrays) : undefined
  const width = MUTATION_CLASSES.length
  const sums = Float64Array.from(rows, (_, place) =>
    counts.subarray(place * width, (place + 1) * width).reduce((sum, count) => sum + count, 0),
  )
  // The sort is stable, so equal counts keep the order of ids.
  const order = Array.from(rows.keys()).sort((a, b) => sums[b]! - sums[a]!)
  const nameOf = namesOfCases(arrays)
  return {
    total: selected.count,
    tested: rows.length,
    classes: MUTATION_CLASSES,
    counts: MUTATION_CLASSES.map((_, i) =>
      rows.reduce((sum, _, place) => sum + counts[place * width + i]!, 0),
    ),
    ...(contexts && countContexts(rows, contexts, arrays)),
    ...summaryOf(sums),
    projects: byProject(rows, sums, arrays),
    cases: order.slice(from, from + size).map((place) => ({
      ...nameOf(rows[place]!),
      mutations: sums[place]!,
      counts: Array.from(counts.subarray(place * width, (place + 1) * width)),
      ...(contexts && {
        context_counts: countContexts(rows.subarray(place, place + 1), contexts, arrays)
          .context_counts,
      }),
    })),
  }
}

/** Returns the number of mutations of each case: all classes of the first case, then of the next. */
function countMutations(
  rows: Uint32Array,
  classes: Uint8Array,
  arrays: ReleaseArrays,
): Uint32Array {
  const width = MUTATION_CLASSES.length
  const counts = new Uint32Array(rows.length * width)
  const other = MUTATION_CLASSES.indexOf('other')
  eachMutation(rows, arrays, (place, mutation) => {
    counts[place * width + (mutation < 0 ? other : classes[mutation]!)]!++
  })
  return counts
}

function countContexts(
  rows: Uint32Array,
  contexts: Uint8Array,
  arrays: ReleaseArrays,
): ContextCounts {
  // The last two are substitutions without a known context, and other mutations.
  const counts = new Float64Array(CONTEXTS.length + 2)
  eachMutation(rows, arrays, (_, mutation) => {
    if (mutation >= 0) counts[contexts[mutation]!]!++
  })
  return {
    contexts: CONTEXTS,
    context_counts: Array.from(counts.subarray(0, CONTEXTS.length)),
    unknown_contexts: counts[UNKNOWN_CONTEXT]!,
  }
}

/** Visits the mutations of some cases: index of the case in `rows`, row of the mutation or -1 if it is unknown. */
function eachMutation(
  rows: Uint32Array,
  arrays: ReleaseArrays,
  visit: (place: number, mutation: number) => void,
): void {
  const byCase = arrays.link('ssm_occurrences', 'case')
  const mutations = arrays.link('ssm_occurrences', 'ssm')?.targets
  if (!byCase || !mutations) return
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place]!
    const end = byCase.reverseOffsets[row + 1]!
    for (let i = byCase.reverseOffsets[row]!; i < end; i++) {
      visit(place, mutations[byCase.reverseElements[i]!]! - 1)
    }
  }
}

function summaryOf(numbers: Float64Array): BurdenSummary {
  const sorted = numbers.slice().sort()
  return {
    least: sorted[0] ?? null,
    lower_quartile: quantileOf(sorted, 0.25),
    median: quantileOf(sorted, 0.5),
    upper_quartile: quantileOf(sorted, 0.75),
    most: sorted.at(-1) ?? null,
  }
}

function byProject(rows: Uint32Array, sums: Float64Array, arrays: ReleaseArrays) {
  const projects = projectsOf(arrays)
  const ids = arrays.column('projects', 'project_id')?.dictionary
  const own = Map.groupBy(rows.keys(), (place) => projects.of(rows[place]!))
  return [...own]
    .filter(([project]) => project > 0)
    .sort(([one], [other]) => one - other)
    .map(([project, places]) => ({
      project_id: ids?.text(project) ?? '',
      tested: places.length,
      ...summaryOf(Float64Array.from(places, (place) => sums[place]!)),
    }))
}

interface BurdenInput {
  readonly query: BurdenQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const burdenJob: Job<BurdenInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.burden',
  run: ({ query, loaded, pretty }) => jsonOf(burdenOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
