import { join } from 'node:path'
import type { Job } from '../../shared/executor.ts'
import type { AssociationName, DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { readArrowArrays } from './arrow-reader.ts'
import { AssociationWriter } from './association-writer.ts'
import { gatherPairs, type Occurrences, type PairElements } from './case-genes.ts'
import {
  type Consequences,
  type GeneHits,
  genesOf,
  hitsOfGenes,
  hitsOfRuns,
  runsOf,
} from './gene-hits.ts'
import {
  ARROW_ENDING,
  CODED_COLUMN_ARRAYS,
  COLUMN_ARRAYS,
  columnKey,
  type DatasetLayout,
  LEVEL_ARRAYS,
  LINK_ARRAYS,
  levelKey,
  linkKey,
} from './layout.ts'
import { dictionaryOf, matchSorted } from './link.ts'
import type { WrittenFiles } from './written-files.ts'

/**
 * Associations of a release: tables without documents and columns, whose levels and links are derived from
 * those of the datasets, so that conditions on cases, genes and mutations can bind to one gene of one case
 * (data-commons.md 6.1).
 *
 * `case_genes` has a row for each pair of a case and a gene hit by a simple mutation or copy-number change of
 * the case, ordered by case, then gene. Genes without a record share one pair per case, which has no gene.
 * Its level `ssm` has an element for each occurrence and run of consequences that hits the gene; `cnv` has
 * one for each occurrence.
 *
 * `gene_effects` has a row for each run of consecutive consequences of a simple mutation with one gene. The
 * elements of its level `consequence` have the same numbers as those of that level in ssms, so that columns
 * of ssms can be read through it.
 */
export type Associations = Readonly<Record<AssociationName, DatasetLayout>>

interface AssociationInput {
  /** Folder of the release being built. The datasets and their links are already written. */
  readonly folder: string
  readonly datasets: Readonly<Record<DatasetName, DatasetLayout>>
}

interface WrittenAssociations {
  readonly associations: Associations
  readonly files: Readonly<WrittenFiles>
}

export const associationsJob: Job<AssociationInput, WrittenAssociations> = {
  name: 'release.associations',
  run: writeAssociations,
}

interface ChangeKind {
  /** Level of `case_genes`, which is also the path of the link from an occurrence to its change. */
  readonly level: 'ssm' | 'cnv'
  readonly changes: DatasetName
  readonly occurrences: DatasetName
  /** Field of a consequence that names its gene. */
  readonly gene: string
}

const SSM: ChangeKind = {
  level: 'ssm',
  changes: 'ssms',
  occurrences: 'ssm_occurrences',
  gene: 'consequence.transcript.gene.gene_id',
}

const CNV: ChangeKind = {
  level: 'cnv',
  changes: 'cnvs',
  occurrences: 'cnv_occurrences',
  gene: 'consequence.gene.gene_id',
}

async function writeAssociations(input: AssociationInput): Promise<WrittenAssociations> {
  const { folder, datasets } = input
  const files: WrittenFiles = {}
  const ssm = await readConsequences(SSM, input)
  const runs = ssm && runsOf(ssm)
  const ssmHits = ssm && runs && hitsOfRuns(ssm, runs)
  const effects = new AssociationWriter(folder, 'gene_effects', runs?.count ?? 0, files)
  if (runs) await effects.level('consequence', runs.runs)
  const effectRows = runs?.count ?? 0

  const cnv = await readConsequences(CNV, input)
  const cnvHits = cnv && hitsOfGenes(cnv, datasets.genes.rows)
  const kinds = [
    { kind: SSM, occurrences: await readOccurrences(SSM, ssmHits, input) },
    { kind: CNV, occurrences: await readOccurrences(CNV, cnvHits, input) },
  ]
  const given = kinds.map(({ occurrences }) => occurrences)
  const sizes = { cases: datasets.cases.rows, genes: datasets.genes.rows }
  const { cases, genes, elements } = gatherPairs(given, sizes)

  const pairs = new AssociationWriter(folder, 'case_genes', cases.length, files)
  // Each pair itself links to its case and its gene, so these links have no level. The second link replaces `to`.
  const record = { level: '', to: { table: 'cases', rows: sizes.cases } } as const
  await pairs.link({ ...record, at: 'case', targets: cases })
  await pairs.link({
    ...record,
    at: 'gene',
    to: { table: 'genes', rows: sizes.genes },
    targets: genes,
  })
  for (const [i, { kind }] of kinds.entries()) {
    const { parents, occurrences, effects: targets } = elements[i] as PairElements
    const to = { table: kind.occurrences, rows: datasets[kind.occurrences].rows }
    await pairs.level(kind.level, parents)
    await pairs.link({
      at: `${kind.level}.occurrence`,
      level: kind.level,
      to,
      targets: occurrences,
    })
    const toEffects = { table: 'gene_effects', rows: effectRows } as const
    await pairs.link({ at: `${kind.level}.effect`, level: kind.level, to: toEffects, targets })
  }
  return {
    associations: { case_genes: pairs.finish(), gene_effects: effects.finish() },
    files,
  }
}

const pathOf = (folder: string, key: string) => join(folder, `${key}${ARROW_ENDING}`)

/** Reads the consequences of all changes of a kind. Returns undefined if there are no such changes. */
async function readConsequences(
  { changes, gene }: ChangeKind,
  { folder, datasets }: AssociationInput,
): Promise<Consequences | undefined> {
  const { columns, levels } = datasets[changes]
  const layout = columns[gene]
  const genes = datasets.genes.rows
  if (!levels.consequence) return undefined
  const level = await readArrowArrays(
    pathOf(folder, levelKey(changes, 'consequence')),
    LEVEL_ARRAYS,
  )
  const { offsets } = level.arrays
  if (!layout || genes === 0)
    return { offsets, genes: new Uint32Array(levels.consequence.elements) }
  const column = await readArrowArrays(
    pathOf(folder, columnKey(changes, gene)),
    CODED_COLUMN_ARRAYS,
  )
  const { idField } = datasetOf('genes')
  const ids = await readArrowArrays(pathOf(folder, columnKey('genes', idField)), COLUMN_ARRAYS)
  const rowOfCode = new Uint32Array(layout.distinct + 1)
  matchSorted(dictionaryOf(column, layout.distinct), dictionaryOf(ids, genes), rowOfCode)
  return { offsets, genes: genesOf(column.arrays, rowOfCode) }
}

const NONE = new Uint32Array(0)

async function readOccurrences(
  { level, occurrences }: ChangeKind,
  hits: GeneHits | undefined,
  { folder, datasets }: AssociationInput,
): Promise<Occurrences> {
  const { links } = datasets[occurrences]
  if (!hits || !links.case || !links[level]) {
    const byCase = {
      reverseOffsets: new Uint32Array(datasets.cases.rows + 1),
      reverseElements: NONE,
    }
    return { byCase, changes: NONE, hits: { offsets: NONE, genes: NONE } }
  }
  const read = async (at: string) =>
    (await readArrowArrays(pathOf(folder, linkKey(occurrences, at)), LINK_ARRAYS)).arrays
  const { reverseOffsets, reverseElements } = await read('case')
  const { targets } = await read(level)
  return { byCase: { reverseOffsets, reverseElements }, changes: targets, hits }
}
