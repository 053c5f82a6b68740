import type { DatasetName } from '../datasets/define.ts'
import type { SetType } from '../sets/set-store.ts'

/** Where the schema has a dataset (portal.md 1.3, 2). */
export interface Place {
  /** Names of the fields that lead to the place from the root, or from `viewer`. */
  readonly path: readonly string[]
  readonly dataset: DatasetName
  /** Name of the dataset's type, such as `ExploreCases`. Names of nested types start with it. */
  readonly typeName: string
  /** Whether fields of related records can be counted: those of genes for cases, and those of cases for genes. */
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

/** Types of sets that mutations can change, by the index that has their members. */
export const SETS_BY_INDEX: Readonly<Record<string, readonly SetType[]>> = Object.freeze({
  explore: ['case', 'gene', 'ssm'] as const,
  repository: ['case', 'file'] as const,
})
