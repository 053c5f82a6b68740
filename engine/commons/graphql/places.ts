import type { DatasetName } from '../datasets/define.ts'
import type { SetType } from '../sets/set-store.ts'

/** The place of a dataset in the schema (portal.md 1.3, 2). */
export interface Place {
  /** Fields that lead to it from the root, or from `viewer`. */
  readonly path: readonly string[]
  readonly dataset: DatasetName
  /** The name of the dataset's type, with which the names of the types below begin. Clients ask for `ExploreCases`. */
  readonly typeName: string
  /** Whether fields of related records are counted, too: cases by their genes, genes by their cases. */
  readonly isJoined: boolean
}

const place = (path: string, dataset: DatasetName, isJoined = false): Place => {
  const names = path.split('.')
  const typeName = names.map((name) => name[0]?.toUpperCase() + name.slice(1)).join('')
  return Object.freeze({ path: names, dataset, typeName, isJoined })
}

export const PLACES: readonly Place[] = Object.freeze([
  place('repository.cases', 'cases'),
  place('repository.files', 'files'),
  place('explore.cases', 'cases', true),
  place('explore.genes', 'genes', true),
  place('explore.ssms', 'ssms', true),
  place('explore.cnvs', 'cnvs', true),
  place('projects', 'projects'),
  place('annotations', 'annotations'),
])

/** The sets that can be changed, by the index that holds their members. */
export const SETS_BY_INDEX: Readonly<Record<string, readonly SetType[]>> = Object.freeze({
  explore: ['case', 'gene', 'ssm'] as const,
  repository: ['case', 'file'] as const,
})
