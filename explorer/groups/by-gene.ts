import { caseFilters } from '../cohort/case-filters.ts'
import type { SearchAnswer } from '../cohort/count.ts'
import { bothOf, type Filter } from '../filter/filter.ts'
import { type Asked, notIn } from './asked.ts'
import { groupsOfScores, type Scored } from './by-score.ts'
import { type Made, NoGroupsError, type Source } from './made.ts'
import type { Split } from './split.ts'

interface Gene {
  readonly gene_id: string
  readonly symbol: string
}

const CHANGES = ['Homozygous Deletion', 'Loss', 'Gain', 'Amplification'] as const

const condition = (field: string, value: readonly string[]): Filter => ({
  op: 'in',
  content: { field, value },
})

/**
 * Makes two groups of the cases that were tested for mutations: those with a mutation of the gene, and those
 * without.
 * @throws NoGroupsError if the gene is unknown
 * @throws ServiceError
 */
export async function groupsByMutation(
  { gene: typed, change = '' }: Extract<Split, { readonly by: 'mutated' }>,
  { asked, active }: Source,
): Promise<Made> {
  const { gene_id, symbol } = await geneOf(typed, asked)
  const ofGene = condition('ssms.consequence.transcript.gene.gene_id', [gene_id])
  // Both conditions hold for the same consequence of the same mutation.
  const mutated = await asked.set(
    change === ''
      ? ofGene
      : {
          op: 'and',
          content: [ofGene, condition('ssms.consequence.transcript.aa_change', [change])],
        },
  )
  if (change !== '' && mutated.size === 0) {
    throw new NoGroupsError(
      `No case has the change ${change} of ${symbol}. It is written as R175H.`,
    )
  }
  const word = change === '' ? 'mutated' : change
  const tested = bothOf(active.filter, condition('available_variation_data', ['ssm']))
  return {
    groups: [
      { name: `${symbol} ${word}`, filter: bothOf(active.filter, mutated.filter) },
      { name: `${symbol} not ${word}`, filter: bothOf(tested, notIn(mutated.filter)) },
    ],
    leftOut: await untested('Not tested for mutations', tested, { asked, active }),
    method: 'Only cases with data on simple mutations are in the second group.',
  }
}

/**
 * Makes a group of each copy-number change of a gene, and one of the tested cases without a change.
 * @throws NoGroupsError if the gene is unknown
 * @throws ServiceError
 */
export async function groupsByCopies(
  { gene: typed }: { readonly gene: string },
  { asked, active }: Source,
): Promise<Made> {
  const { gene_id, symbol } = await geneOf(typed, asked)
  const changed = await Promise.all(
    CHANGES.map(async (change) => {
      const ofGene = condition('cnvs.consequence.gene.gene_id', [gene_id])
      const ofChange = condition('cnvs.cnv_change_5_category', [change])
      const filter: Filter = { op: 'and', content: [ofGene, ofChange] }
      return { change, ...(await asked.set(filter)) }
    }),
  )
  const found = changed.filter(({ size }) => size > 0)
  const tested = bothOf(active.filter, condition('available_variation_data', ['cnv']))
  const groups = found.map(({ change, filter }) => ({
    name: `${symbol} ${change.toLowerCase()}`,
    filter: bothOf(active.filter, filter),
  }))
  const same = bothOf(tested, ...found.map(({ filter }) => notIn(filter)))
  // Deletion and loss come before cases without a change, gain and amplification after them.
  const losses = found.filter(({ change }) => CHANGES.indexOf(change) < 2).length
  return {
    groups: groups.toSpliced(losses, 0, { name: `${symbol} no change`, filter: same }),
    leftOut: await untested('Not tested for copy-number changes', tested, { asked, active }),
    method: 'Only cases with data on copy-number changes count as without a change.',
  }
}

/**
 * Makes groups by the expression of a gene: quantiles of the cases with a value, or ranges between given cuts.
 * @throws NoGroupsError if the gene is unknown, or no case has a value
 * @throws ServiceError
 */
export async function groupsByExpression(
  { gene: typed, parts, cuts: given }: Extract<Split, { readonly by: 'expression' }>,
  { asked, active }: Source,
): Promise<Made> {
  const { gene_id, symbol } = await geneOf(typed, asked)
  const table = await asked.askShown<string>({
    path: '/gene_expression/values',
    body: {
      case_filters: caseFilters(active.filter),
      gene_ids: [gene_id],
      tsv_units: 'uqfpkm',
    },
    isTable: true,
  })
  const known = expressionOf(table)
  if (known.length === 0) {
    throw new NoGroupsError(`No case of ${active.name} has an expression value of ${symbol}.`)
  }
  const ranges = { name: symbol, parts, cuts: given, shown: (cut: number) => cut.toFixed(2) }
  const { groups, method } = await groupsOfScores(known, ranges, asked)
  const total = await asked.count(active.filter)
  const lacking = total - known.length
  return {
    groups,
    leftOut: lacking > 0 ? [{ name: 'Without an expression value', cases: lacking }] : [],
    method: `Expression of ${symbol} as log2(uqfpkm + 1). ${method}`,
  }
}

/** Parses the table of one gene's values. Cases without a value are left out. */
function expressionOf(table: string): readonly Scored[] {
  const [header = '', line = ''] = table.trimEnd().split('\n')
  const cells = line.split('\t').slice(1)
  return header
    .split('\t')
    .slice(1)
    .flatMap((id, place) => {
      const cell = cells[place] ?? ''
      return cell === '' ? [] : [{ id, value: Math.log2(Number(cell) + 1) }]
    })
}

async function untested(
  name: string,
  tested: Filter | undefined,
  { asked, active }: Pick<Source, 'asked' | 'active'>,
) {
  const [total, counted] = await Promise.all([asked.count(active.filter), asked.count(tested)])
  return total > counted ? [{ name, cases: total - counted }] : []
}

/** Finds a gene by its symbol or id. */
async function geneOf(typed: string, asked: Asked): Promise<Gene> {
  const name = typed.trim()
  if (name === '') throw new NoGroupsError('Type the symbol of a gene, such as TP53.')
  const field = /^ENSG\d+$/i.test(name) ? 'gene_id' : 'symbol'
  const { data } = await asked.ask<SearchAnswer<Gene>>({
    path: '/genes',
    query: { fields: 'gene_id,symbol', size: 1 },
    filters: condition(field, [field === 'gene_id' ? name.toUpperCase() : name]),
  })
  const [gene] = data.hits
  if (gene === undefined) {
    throw new NoGroupsError(`No gene has the symbol or id ${name}. Symbols are those of HGNC.`)
  }
  return gene
}
