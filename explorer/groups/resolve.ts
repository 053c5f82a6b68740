import type { Cohort } from '../address/address.ts'
import { bothOf, eitherOf, type Filter } from '../filter/filter.ts'
import type { Service } from '../service/service.ts'
import { Asked, notIn } from './asked.ts'
import { groupsByQuantile, groupsByRange, groupsByValue } from './by-field.ts'
import { groupsByCopies, groupsByExpression, groupsByMutation } from './by-gene.ts'
import { groupsByBurden, groupsByGeneSet } from './by-score.ts'
import type { Grouping, LeftOut } from './group.ts'
import type { Made, Source } from './made.ts'
import { MAX_GROUPS, type Split } from './split.ts'

/** Choice of groups in the address, with the cohorts of which they are made. */
export interface Given {
  readonly split: Split
  readonly cohorts: readonly Cohort[]
  readonly active: Cohort
  /** Whether cases of several groups are taken out of all of them. */
  readonly isParted: boolean
}

/**
 * Makes groups of cases, counts them, and finds the cases that several of them share.
 * @throws NoGroupsError if the split fits no cases
 * @throws ServiceError
 */
export async function resolveGroups(
  service: Service,
  { split, cohorts, active, isParted }: Given,
  signal: AbortSignal,
): Promise<Grouping> {
  const asked = new Asked(service, signal)
  const made = await makeGroups(split, { asked, cohorts, active })
  const named = withUniqueNames(made.groups)
  const filters = named.map(({ filter }) => filter)
  const isOfAll = split.by === 'cohorts' || split.by === 'others'
  const [counts, inGroups, total] = await Promise.all([
    Promise.all(filters.map((filter) => asked.count(filter))),
    asked.count(eitherOf(filters)),
    isOfAll ? undefined : asked.count(active.filter),
  ])
  const sum = counts.reduce((all, count) => all + count, 0)
  const isOverlapping = sum > inGroups
  const several = isOverlapping ? await sharedCases(filters, asked) : undefined
  const sharedCounts = several
    ? await Promise.all(filters.map((filter) => asked.count(bothOf(filter, several.filter))))
    : []
  const parts = several && isParted ? several : undefined
  return {
    groups: named.map(({ name, filter }, index) => {
      const shared = sharedCounts[index] ?? 0
      const cases = counts[index] ?? 0
      return parts
        ? { name, filter: bothOf(filter, notIn(parts.filter)), cases: cases - shared, shared }
        : { name, filter, cases, shared }
    }),
    leftOut: made.leftOut ?? [],
    total: total ?? inGroups,
    inGroups,
    shared: several?.size ?? 0,
    isParted: parts !== undefined,
    method: made.method ?? '',
    requests: asked.requests,
  }
}

async function makeGroups(split: Split, source: Source): Promise<Made> {
  switch (split.by) {
    case 'cohorts':
      return groupsOfCohorts(source)
    case 'others':
      return cohortAndOthers(source)
    case 'values':
      return groupsByValue(split, source)
    case 'ranges':
      return groupsByRange(split, source)
    case 'quantiles':
      return groupsByQuantile(split, source)
    case 'expression':
      return groupsByExpression(split, source)
    case 'burden':
      return groupsByBurden(split, source)
    case 'gene-set':
      return groupsByGeneSet(split, source)
    case 'mutated':
      return groupsByMutation(split, source)
    case 'copies':
      return groupsByCopies(split, source)
  }
}

async function groupsOfCohorts({ cohorts, asked }: Source): Promise<Made> {
  const leftOut = await Promise.all(
    cohorts
      .slice(MAX_GROUPS)
      .map(
        async ({ name, filter }): Promise<LeftOut> => ({ name, cases: await asked.count(filter) }),
      ),
  )
  return { groups: cohorts.slice(0, MAX_GROUPS), leftOut }
}

async function cohortAndOthers({ active, asked }: Source): Promise<Made> {
  // Without a filter, the cohort has all cases, and the other group is empty.
  const { filter } = await asked.set(active.filter)
  return { groups: [active, { name: `Not ${active.name}`, filter: notIn(filter) }] }
}

/** Makes a set of the cases that are in at least two groups. */
async function sharedCases(filters: readonly (Filter | undefined)[], asked: Asked) {
  const sets = await Promise.all(filters.map((filter) => asked.set(filter)))
  const pairs = sets.flatMap((one, index) =>
    sets
      .slice(index + 1)
      .map((other): Filter => ({ op: 'and', content: [one.filter, other.filter] })),
  )
  return asked.set({ op: 'or', content: pairs })
}

/** Returns groups with distinct names, because curves and bars are told apart by them. */
function withUniqueNames(groups: readonly Cohort[]): readonly Cohort[] {
  const used = new Set<string>()
  return groups.map(({ name, filter }) => {
    let unique = name
    for (let count = 2; used.has(unique); count++) unique = `${name} (${count})`
    used.add(unique)
    return { name: unique, filter }
  })
}
