import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { fieldsOf, nodeAt } from '../datasets/tree.ts'
import { compileProjection, type Projection } from '../render/projection.ts'
import { CASE_FIELDS, ID_FIELDS } from './columns.ts'
import type { TableKind } from './tables.ts'

const NAME: DatasetName = 'cases'

/** Groups of a case to load, each with everything inside it. */
const GROUPS: Readonly<Record<TableKind, readonly string[]>> = {
  clinical: ['demographic', 'diagnoses', 'exposures', 'family_histories', 'follow_ups'],
  biospecimen: ['samples'],
}

/** Returns the projection for a kind of table: all known fields, including those of earlier dictionaries. */
export function shownCase(kind: TableKind): Projection {
  const own = kind === 'clinical' ? CASE_FIELDS : ID_FIELDS
  const { fields, hidden } = DATASETS[NAME]
  const inGroups = GROUPS[kind].flatMap((group) =>
    [fields, hidden].flatMap((tree) => {
      const node = nodeAt(tree, group)
      return typeof node === 'object' ? [...fieldsOf(node, `${group}.`)].map(([path]) => path) : []
    }),
  )
  const paths = new Set([...own, 'project.project_id', ...inGroups])
  const leaves = [...paths].map((path) => ({ path, as: path }))
  return compileProjection(DATASETS[NAME], { leaves, withId: false })
}
