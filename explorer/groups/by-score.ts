import { caseFilters } from '../cohort/case-filters.ts'
import type { SearchAnswer } from '../cohort/count.ts'
import type { Filter } from '../filter/filter.ts'
import { type NamedGene, unknownOf } from '../genes/named-genes.ts'
import { counted } from '../parts/counted.ts'
import { type Asked, setOfIds } from './asked.ts'
import { rangeName, rangesOf } from './by-field.ts'
import { type Made, NoGroupsError, type Source } from './made.ts'
import { quantileCuts, rangeOf } from './quantiles.ts'
import type { Split } from './split.ts'

/** Number of a case. */
export interface Scored {
  readonly id: string
  readonly value: number
}

interface Ranges {
  /** Name of the number, which precedes the range in the name of a group. */
  readonly name: string
  readonly parts: number
  /** Cuts between ranges. Without them, cuts are quantiles. */
  readonly cuts?: readonly number[] | undefined
  readonly shown: (cut: number) => string
}

/** Makes a group of each range of a number that the service computes of each case. */
export async function groupsOfScores(
  known: readonly Scored[],
  { name, parts, cuts: given, shown }: Ranges,
  asked: Asked,
): Promise<Required<Pick<Made, 'groups' | 'method'>>> {
  const cuts =
    given ??
    quantileCuts(
      known.map(({ value }) => value),
      parts,
    )
  const groups = await Promise.all(
    rangesOf(cuts).map(async ([from, to], index) => {
      const ids = known.flatMap(({ id, value }) => (rangeOf(value, cuts) === index ? [id] : []))
      const range = rangeName(from, to, shown, { word: 'to', above: 'above' })
      return { name: `${name} ${range}`, filter: await setOfIds(ids, asked) }
    }),
  )
  const made = given
    ? 'Cuts were typed'
    : `Cuts are quantiles (R's type 7) over ${counted(known.length, 'case')} with a value`
  return { groups, method: `${made}, and belong to the range below them.` }
}

/** Maximum number of cases per answer. */
const PAGE = 10_000

interface Burden {
  readonly tested: number
  readonly cases: readonly { readonly case_id: string; readonly mutations: number }[]
}

/**
 * Makes groups by the number of simple mutations of the tested cases: quantiles, or ranges between given cuts.
 * @throws NoGroupsError if no case was tested
 * @throws ServiceError
 */
export async function groupsByBurden(
  { parts, cuts }: Extract<Split, { readonly by: 'burden' }>,
  { asked, active }: Source,
): Promise<Made> {
  const known: Scored[] = []
  for (let from = 0; ; from += PAGE) {
    const found = await asked.askShown<Burden>({
      path: '/analysis/mutation_burden',
      body: { case_filters: caseFilters(active.filter), size: PAGE, from },
    })
    for (const { case_id: id, mutations: value } of found.cases) known.push({ id, value })
    if (from + PAGE >= found.tested) break
  }
  if (known.length === 0) throw new NoGroupsError(`No case of ${active.name} was tested.`)
  const shown = (cut: number) => cut.toLocaleString('en', { maximumFractionDigits: 1 })
  const ranges = { name: 'Mutations', parts, cuts, shown }
  const { groups, method } = await groupsOfScores(known, ranges, asked)
  const lacking = (await asked.count(active.filter)) - known.length
  return {
    groups,
    leftOut: lacking > 0 ? [{ name: 'Not tested for mutations', cases: lacking }] : [],
    method: `All simple mutations of a case count. ${method}`,
  }
}

interface Scores {
  readonly genes: number
  readonly cases: readonly { readonly case_id: string; readonly score: number | null }[]
}

/**
 * Makes groups by the mean expression of a gene set: quantiles, or ranges between given cuts.
 * @throws NoGroupsError if no gene of the set is known, or no case has a value
 * @throws ServiceError
 */
export async function groupsByGeneSet(
  { genes: names, set = 'Gene set', parts, cuts }: Extract<Split, { readonly by: 'gene-set' }>,
  { asked, active }: Source,
): Promise<Made> {
  if (names.length === 0) throw new NoGroupsError('Paste the symbols or ids of genes.')
  const genes = await genesOf(names, asked)
  if (genes.length === 0) throw new NoGroupsError('No gene of the set is known here.')
  const found = await asked.askShown<Scores>({
    path: '/gene_expression/set_scores',
    body: {
      case_filters: caseFilters(active.filter),
      gene_ids: genes.map(({ gene_id }) => gene_id),
      method: 'mean',
    },
  })
  const known = found.cases.flatMap(({ case_id: id, score }) =>
    score === null ? [] : [{ id, value: score }],
  )
  if (known.length === 0) {
    throw new NoGroupsError(`No case of ${active.name} has expression values of these genes.`)
  }
  const ranges = { name: set, parts, cuts, shown: (cut: number) => cut.toFixed(2) }
  const { groups, method } = await groupsOfScores(known, ranges, asked)
  const lacking = (await asked.count(active.filter)) - known.length
  const unknown = unknownOf(names, genes)
  return {
    groups,
    leftOut: lacking > 0 ? [{ name: 'Without an expression value', cases: lacking }] : [],
    method: `Mean of log2(uqfpkm + 1) over ${counted(found.genes, 'gene')} with values, of ${names.length.toLocaleString('en')} given${unknown.length > 0 ? ` (unknown: ${unknown.join(', ')})` : ''}. ${method}`,
  }
}

/** Finds genes by their symbols or ids. */
async function genesOf(names: readonly string[], asked: Asked): Promise<readonly NamedGene[]> {
  const among = (field: string): Filter => ({ op: 'in', content: { field, value: names } })
  const { data } = await asked.ask<SearchAnswer<NamedGene>>({
    path: '/genes',
    query: { fields: 'gene_id,symbol', size: 2 * names.length },
    filters: { op: 'or', content: [among('symbol'), among('gene_id')] },
  })
  return data.hits
}
