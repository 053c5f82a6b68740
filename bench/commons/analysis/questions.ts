import { readFile } from 'node:fs/promises'
import { scatteredRows } from '../search/questions.ts'
import { type InputName, LAYOUTS, SELECTIONS, TABLES } from './layout.ts'
import { readNames } from './matrix.ts'

// What is asked, in words that every party is given its own translation of. Ids ascend.

const UNITS = ['median_centered_log2_uqfpkm', 'uqfpkm'] as const
type Units = (typeof UNITS)[number]

export type Question =
  | {
      readonly kind: 'values'
      readonly genes: readonly string[]
      readonly cases: readonly string[]
      readonly units: Units
    }
  | {
      readonly kind: 'selection'
      readonly genes: readonly string[]
      readonly cases: readonly string[]
      readonly size: number
    }
  /** How genes differ between cases and others, by Wilcoxon's test. */
  | {
      readonly kind: 'differential'
      readonly genes: readonly string[]
      readonly cases: readonly string[]
      readonly others: readonly string[]
    }
  /** How genes go with one of them, by the correlations of Pearson and Spearman. */
  | {
      readonly kind: 'coexpression'
      readonly gene: string
      readonly genes: readonly string[]
      readonly cases: readonly string[]
    }
  /** Two curves of all cases, by sex, and their comparison. */
  | { readonly kind: 'survival' }
  /** The ten genes that are mutated in most cases of a project; `impacts` restricts the mutations. */
  | {
      readonly kind: 'top-genes'
      readonly project: string
      readonly impacts?: readonly string[]
    }
  /** The ten cases of a project in which most of the genes are mutated. */
  | { readonly kind: 'top-cases'; readonly project: string; readonly genes: readonly string[] }
  /** By project, cases in which one of the genes is mutated. */
  | { readonly kind: 'cases-of-genes'; readonly genes: readonly string[] }
  /** By project, cases, and those that have mutations. */
  | { readonly kind: 'mutated-cases' }
  /** Numbers of genes in all cells. */
  | { readonly kind: 'cells'; readonly genes: readonly string[] }

export type Kind = Question['kind']
export type Of<K extends Kind> = Extract<Question, { readonly kind: K }>

export const WORKLOADS = [
  ...TABLES,
  ...SELECTIONS,
  'differential',
  'coexpression',
  'survival',
  'top-genes',
  'top-genes-impact',
  'top-cases',
  'cases-of-genes',
  'mutated-cases',
  'cells',
] as const
export type WorkloadName = (typeof WORKLOADS)[number]
export type Questions = Readonly<Record<WorkloadName, readonly Question[]>>

/** The single-cell file and the case that it is of. */
export const CELLS_FILE = '5ce11000-0000-4000-8000-000000000001'

/** How often small questions are varied, so that nobody can have an answer at hand. */
const VARIANTS = 20
const CELL_VARIANTS = 5
const CELL_GENES = 10
const PROJECTS = ['DEMO-LUNG', 'DEMO-BRAIN', 'DEMO-COLON', 'DEMO-BREAST', 'DEMO-KIDNEY'] as const

/** So many of them, evenly spread, in their order. */
function spread<Item>(items: readonly Item[], wanted: number): Item[] {
  return Array.from({ length: wanted }, (_, i) => items[Math.floor((i * items.length) / wanted)]!)
}

/** So many of them, in their order, others for every seed; somewhat fewer where some are met twice. */
function scattered<Item>(items: readonly Item[], wanted: number, seed: number): Item[] {
  const rows = new Set(scatteredRows(items.length, wanted, seed))
  return [...rows].sort((a, b) => a - b).map((row) => items[row]!)
}

/**
 * The questions of every workload.
 * @param matrix folder of the matrix
 * @param mutated ids of genes that are mutated often, in their order
 */
export async function questionsOf(
  name: InputName,
  matrix: string,
  mutated: readonly string[],
): Promise<Questions> {
  const { tables, selections, cellGenes } = LAYOUTS[name]
  const { genes, cases } = await readNames(matrix)
  const geneIds = genes.map(({ id }) => id)
  const values = (table: (typeof TABLES)[number]): Question[] => {
    const [rows, columns] = tables[table]
    const ids = { genes: spread(geneIds, rows), cases: spread(cases, columns) }
    return UNITS.map((units) => ({ kind: 'values', ...ids, units }))
  }
  const selection = (what: (typeof SELECTIONS)[number]): Question[] => {
    const [rows, columns, size] = selections[what]
    return [
      { kind: 'selection', genes: spread(geneIds, rows), cases: spread(cases, columns), size },
    ]
  }
  const tested = () => {
    const [rows, columns] = selections.selection
    return { genes: spread(geneIds, rows), all: spread(cases, columns) }
  }
  const variants = <Item>(make: (seed: number) => Item) =>
    Array.from({ length: VARIANTS }, (_, i) => make(i))
  const project = (seed: number) => PROJECTS[seed % PROJECTS.length]!
  const impacts = ['HIGH', 'MODERATE']
  return {
    'values-few-genes': values('values-few-genes'),
    'values-square': values('values-square'),
    'values-all-genes': values('values-all-genes'),
    selection: selection('selection'),
    'selection-all': selection('selection-all'),
    differential: [differentialOf(tested())],
    coexpression: [coexpressionOf(tested())],
    survival: [{ kind: 'survival' }],
    'top-genes': PROJECTS.map((one) => ({ kind: 'top-genes', project: one })),
    'top-genes-impact': PROJECTS.map((one) => ({ kind: 'top-genes', project: one, impacts })),
    'top-cases': variants((seed) => ({
      kind: 'top-cases',
      project: project(seed),
      genes: scattered(mutated, 50, seed),
    })),
    'cases-of-genes': variants((seed) => ({
      kind: 'cases-of-genes',
      genes: scattered(mutated, 3, seed + 100),
    })),
    'mutated-cases': [{ kind: 'mutated-cases' }],
    cells: Array.from({ length: CELL_VARIANTS }, (_, seed) => ({
      kind: 'cells',
      genes: [...new Set(scatteredRows(cellGenes, CELL_GENES, seed))].map(cellGeneId),
    })),
  }
}

interface Tested {
  readonly genes: readonly string[]
  readonly all: readonly string[]
}

/** Every other case is in the first group. */
const differentialOf = ({ genes, all }: Tested): Question => ({
  kind: 'differential',
  genes,
  cases: all.filter((_, i) => i % 2 === 0),
  others: all.filter((_, i) => i % 2 === 1),
})

const coexpressionOf = ({ genes, all }: Tested): Question => ({
  kind: 'coexpression',
  gene: genes[0]!,
  genes: genes.slice(1),
  cases: all,
})

/** As python/make_cells.py names them. */
const cellGeneId = (row: number) => `ENSG${String(900_000_000 + row).padStart(11, '0')}`

/** How many genes count as mutated often. */
const OFTEN = 200

/** Ids of the genes with most cases, in order of ids, out of what pandas is given. */
export async function mutatedGenes(frames: string): Promise<string[]> {
  const table = async (name: string) => {
    const [, ...lines] = (await readFile(`${frames}/${name}.csv`, 'utf8')).trimEnd().split('\n')
    return lines
  }
  const counts = new Map<number, number>()
  for (const line of await table('pairs')) {
    const gene = Number(line.slice(0, line.indexOf(',')))
    counts.set(gene, (counts.get(gene) ?? 0) + 1)
  }
  const most = [...counts].sort(([a, n], [b, m]) => m - n || a - b).slice(0, OFTEN)
  const genes = (await table('genes')).map((line) => line.split(',')[1]!)
  return most.map(([row]) => genes[row]!).sort()
}
