import type {
  Dataset,
  DatasetName,
  FieldTree,
  Mount,
} from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import type { Document } from './simple-evaluator.ts'

export type { Document }

/** Own documents of all datasets. */
export type OwnDocuments = Readonly<Record<DatasetName, readonly Document[]>>

/** The documents of a dataset with everything mounted that its fields describe. */
export function wholeDocuments(all: OwnDocuments, name: DatasetName): Document[] {
  const dataset = DATASETS[name]
  return all[name].map((own) => whole(all, dataset, own, [dataset.fields, dataset.hidden]))
}

function whole(
  all: OwnDocuments,
  dataset: Dataset,
  own: Document,
  trees: readonly FieldTree[],
): Document {
  let document = own
  for (const mount of dataset.mounts) {
    const below = trees.map((tree) => tree[mount.at]).filter((node) => typeof node === 'object')
    if (below.length === 0) continue
    const part =
      mount.kind === 'link'
        ? linked(all, mount, document[mount.at], below)
        : linking(all, mount, dataset, own, below)
    document = { ...document, [mount.at]: part }
  }
  return document
}

function linked(
  all: OwnDocuments,
  mount: Extract<Mount, { kind: 'link' }>,
  part: unknown,
  below: readonly FieldTree[],
): unknown {
  if (Array.isArray(part)) return part.map((element) => linked(all, mount, element, below))
  if (typeof part !== 'object' || part === null) return part
  const target = DATASETS[mount.dataset]
  const { [mount.by]: id, ...own } = part as Document
  const other = all[mount.dataset].find((document) =>
    isSameId(target, document[target.idField], id),
  )
  // A link without a target shows only the record's own members.
  if (other === undefined) return own
  const theirs = { ...whole(all, target, other, below) }
  for (const name of mount.own) delete theirs[name]
  return { ...theirs, ...own }
}

function linking(
  all: OwnDocuments,
  mount: Extract<Mount, { kind: 'reverse' }>,
  dataset: Dataset,
  own: Document,
  below: readonly FieldTree[],
): Document[] {
  const source = DATASETS[mount.dataset]
  const link = source.mounts.find(({ at }) => at === mount.through)
  if (link?.kind !== 'link') throw new Error(`no link ${mount.through}`)
  const leadsHere = (document: Document) =>
    [document[link.at]]
      .flat()
      .some((part) => isSameId(dataset, (part as Document | null)?.[link.by], own[dataset.idField]))
  return all[mount.dataset].filter(leadsHere).map((document) => {
    const element = { ...whole(all, source, document, below) }
    for (const [here, there] of Object.entries(mount.names)) {
      if (there in element) element[here] = element[there]
    }
    return element
  })
}

/** Compares ids according to the id field's type. */
export function isSameId({ fields, idField }: Dataset, one: unknown, other: unknown): boolean {
  if (fields[idField] === 'exact') return one === other
  return String(one).toLowerCase() === String(other).toLowerCase()
}
