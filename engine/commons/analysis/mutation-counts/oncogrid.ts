import { countBits } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { rowsOf, type Selection } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { type GeneName, geneNameOf, geneRows } from './gene-names.ts'
import { PAIR_LINK_KEYS, type Pair, type PairLinks, pairLinks, pairsOfGene } from './gene-pairs.ts'
import { PAIR_CHANGE_KEYS, type PairChanges, pairChangesOf } from './pair-changes.ts'
import { TESTED_KEYS, testedCases } from './tested-cases.ts'

/** Query for a grid of genes by cases. */
interface OncogridQuery {
  readonly cases?: Filter | undefined
  /** Gene ids. If empty, the genes with mutations in the most cases are used. */
  readonly geneIds: readonly string[]
  readonly geneSize: number
  readonly caseSize: number
}

interface GridGene extends GeneName {
  /** Number of cases with a simple mutation in the gene, and with a copy-number change of the gene. */
  readonly ssm_cases: number
  readonly cnv_cases: number
}

/**
 * Cell of the grid: index of the gene, index of the case, number of mutations, indices of their consequence
 * types, and indices of copy-number changes.
 */
type Cell = readonly [
  gene: number,
  case_: number,
  mutations: number,
  consequences: readonly number[],
  copies: readonly number[],
]

/** A grid of genes by cases, both in drawing order. */
interface Oncogrid {
  /** Number of cases that match. */
  readonly total: number
  /** Number of matching cases that were tested for simple mutations. */
  readonly ssm_tested: number
  /** Number of matching cases that were tested for copy numbers. */
  readonly cnv_tested: number
  /** Number of genes with a simple mutation in a matching case. */
  readonly genes_total: number
  readonly genes: readonly GridGene[]
  /** Number of matching cases with a change of a gene in the grid. */
  readonly cases_total: number
  readonly cases: readonly string[]
  readonly consequence_types: readonly string[]
  readonly copy_numbers: readonly string[]
  readonly cells: readonly Cell[]
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfOncogrid({ cases }: Pick<OncogridQuery, 'cases'>): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...PAIR_CHANGE_KEYS,
    ...TESTED_KEYS,
    ...PAIR_LINK_KEYS,
    columnKey('cases', 'case_id'),
    columnKey('genes', 'gene_id'),
    columnKey('genes', 'symbol'),
  ]
}

/**
 * Builds a grid of genes by cases (data-commons.md 11.44). Genes are sorted by their number of mutated cases,
 * descending. Cases are compared by the first gene in which they differ: a case with a mutation sorts first,
 * then one with a copy-number change, then one without a change.
 */
export function oncogridOf(query: OncogridQuery, arrays: ReleaseArrays): Oncogrid {
  const selected = selectRows('cases', query.cases, [], arrays).rows
  const changes = pairChangesOf(arrays)
  const links = pairLinks(arrays)
  const mutated = links && mutatedCases(selected, links, changes)
  const rows = mutated ? geneRows(query, mutated, arrays) : []
  const found = links ? rows.map((row) => pairsOfGene(row, selected.bits, links)) : []
  const order = orderOf(found, changes)
  const shown = order.slice(0, query.caseSize)
  const words = {
    consequence: new Words(changes.consequenceTypes),
    copy: new Words(changes.copyNumbers),
  }
  const counted = (kind: 'ssm' | 'cnv') => {
    const tested = testedCases(kind, selected, arrays)
    return tested ? countBits(tested) : 0
  }
  const ids = arrays.column('cases', 'case_id')?.dictionary
  const cells = cellsOf(found, shown, changes, words)
  return {
    total: selected.count,
    ssm_tested: counted('ssm'),
    cnv_tested: counted('cnv'),
    genes_total: mutated ? mutated.reduce((sum, count) => sum + Number(count > 0), 0) : 0,
    genes: rows.map((row, i) => geneOf(row, found[i] ?? [], changes, arrays)),
    cases_total: order.length,
    cases: shown.map((row) => ids?.text(row + 1) ?? ''),
    consequence_types: words.consequence.names,
    copy_numbers: words.copy.names,
    cells,
  }
}

/** Returns the number of selected cases with a simple mutation, by gene. */
function mutatedCases(selected: Selection, links: PairLinks, changes: PairChanges): Uint32Array {
  const { targets } = links.gene
  const counts = new Uint32Array(links.gene.reverseOffsets.length - 1)
  const see = (pair: number) => {
    const gene = targets[pair]! - 1
    if (gene >= 0 && changes.isMutated(pair)) counts[gene] = counts[gene]! + 1
  }
  if (!selected.bits) {
    for (let pair = 0; pair < targets.length; pair++) see(pair)
    return counts
  }
  const { reverseOffsets, reverseElements } = links.case
  for (const row of rowsOf(selected)) {
    const end = reverseOffsets[row + 1]!
    for (let i = reverseOffsets[row]!; i < end; i++) see(reverseElements[i]!)
  }
  return counts
}

const MUTATED = 2
const COPIED = 1

/** Returns the rows of all cases that have a pair with a gene of the grid, in drawing order. */
function orderOf(genes: readonly (readonly Pair[])[], changes: PairChanges): readonly number[] {
  const marks = new Map<number, Uint8Array>()
  for (const [gene, pairs] of genes.entries()) {
    for (const { pair, row } of pairs) {
      const own = marks.get(row) ?? new Uint8Array(genes.length)
      own[gene] = changes.isMutated(pair) ? MUTATED : COPIED
      marks.set(row, own)
    }
  }
  return [...marks]
    .sort(([row, own], [otherRow, other]) => Buffer.compare(other, own) || row - otherRow)
    .map(([row]) => row)
}

/** Assigns indices to names in the order of their first use. */
class Words {
  readonly #all: readonly string[]
  readonly #places = new Map<number, number>()
  readonly names: string[] = []

  constructor(all: readonly string[]) {
    this.#all = all
  }

  placeOf(code: number): number {
    const known = this.#places.get(code)
    if (known !== undefined) return known
    this.names.push(this.#all[code] ?? '')
    this.#places.set(code, this.names.length - 1)
    return this.names.length - 1
  }
}

function cellsOf(
  genes: readonly (readonly Pair[])[],
  shown: readonly number[],
  changes: PairChanges,
  words: { readonly consequence: Words; readonly copy: Words },
): readonly Cell[] {
  const places = new Map(shown.map((row, place) => [row, place]))
  const cells: Cell[] = []
  for (const [gene, pairs] of genes.entries()) {
    for (const { pair, row } of pairs) {
      const place = places.get(row)
      if (place === undefined) continue
      const [types, copies] = [new Set<number>(), new Set<number>()]
      changes.eachConsequence(pair, (type) => types.add(words.consequence.placeOf(type)))
      changes.eachCopyNumber(pair, (change) => copies.add(words.copy.placeOf(change)))
      cells.push([gene, place, mutationsOf(pair, changes), [...types], [...copies]])
    }
  }
  return cells
}

/** Returns the number of distinct mutations of a pair. Mutations without a record count as one. */
function mutationsOf(pair: number, changes: PairChanges): number {
  const found = new Set<number>()
  changes.eachMutation(pair, (ssm) => found.add(ssm))
  return found.size || Number(changes.isMutated(pair))
}

function geneOf(
  row: number,
  pairs: readonly Pair[],
  changes: PairChanges,
  arrays: ReleaseArrays,
): GridGene {
  const countOf = (has: (pair: number) => boolean) =>
    pairs.reduce((sum, { pair }) => sum + Number(has(pair)), 0)
  return {
    ...geneNameOf(row, arrays),
    ssm_cases: countOf(changes.isMutated),
    cnv_cases: countOf(changes.isCopied),
  }
}

interface OncogridInput {
  readonly query: OncogridQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const oncogridJob: Job<OncogridInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.oncogrid',
  run: ({ query, loaded, pretty }) => jsonOf(oncogridOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
