import { resolverOf } from '../datasets/case-gene.ts'
import { merge } from '../datasets/compose.ts'
import type { Dataset, FieldTree, FieldType, LinkMount, TableName } from '../datasets/define.ts'
import type { Step } from '../datasets/field-path.ts'
import { DATASETS } from '../datasets/index.ts'
import { isOwnMember, namesOf, resolveField } from '../datasets/resolve.ts'
import { fieldsOf } from '../datasets/tree.ts'

/** The record from which a member is read: the current record, or the record to which it links. */
export type Source = 'own' | 'linked'

export type NodeField =
  | {
      readonly kind: 'value'
      readonly source: Source
      /** Name in the stored document. */
      readonly from: string
      readonly type: FieldType
      readonly isList: boolean
    }
  | {
      /** An object in the document, or a record to which it links. */
      readonly kind: 'object'
      readonly source: Source
      readonly from: string
      readonly shape: NodeShape
    }
  | {
      readonly kind: 'connection'
      readonly source: Source
      readonly from: string
      readonly shape: NodeShape
      /** The last step from the holder's row or element. */
      readonly step: Step
      /** All steps from the rows of the place's dataset. */
      readonly steps: readonly Step[]
    }

/** A link to the record whose id an object has. */
export interface LinkedRecord {
  readonly table: TableName
  readonly at: string
  /** Level whose elements each have a link. Empty if each record of the table has one. */
  readonly level: string
  readonly target: Dataset
}

/** Members of records, or of objects in records, that a query can select. */
export interface NodeShape {
  /** End of the name of the GraphQL type. Empty for records, otherwise a path such as `SamplesPortions`. */
  readonly suffix: string
  /** Path from the records of the place's dataset. Empty for the records themselves. */
  readonly path: string
  /** Dataset of the records. Undefined for objects within records. */
  readonly records: Dataset | undefined
  /** Whether each element belongs to one case. Conditions on cases can then select single elements. */
  readonly hasCase: boolean
  readonly link: LinkedRecord | undefined
  /** Member that identifies an element in its list. Undefined if no member does. */
  readonly id: { readonly source: Source; readonly from: string } | undefined
  readonly fields: ReadonlyMap<string, NodeField>
}

/** Members with lists of values, which the definitions of fields do not state. */
const LISTS: ReadonlySet<string> = new Set([
  'acl',
  'catalog_id',
  'cytoband',
  'entrez_gene',
  'hgnc',
  'omim_gene',
  'synonyms',
  'tags',
  'uniprotkb_swissprot',
])
const IDS = /_ids$/
/** Fields of which a project may have several values, but a case has only one. */
const OF_PROJECTS: ReadonlySet<string> = new Set(['disease_type', 'primary_site'])

/** Returns the fields of a dataset's records, without the autocomplete fields. */
export function treeOf({ fields, hidden }: Dataset): FieldTree {
  const all = merge(fields, hidden)
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.endsWith('_autocomplete')))
}

/** Returns the shape of a dataset's records. With `isJoined`, genes have the additional field `case`. */
export function shapeOf(dataset: Dataset, isJoined = false): NodeShape {
  const shape = new ShapeMaker(dataset).records()
  if (!isJoined || dataset.name !== 'genes') return shape
  return { ...shape, fields: new Map([...shape.fields, ['case', casesOfGenes()]]) }
}

interface Stored {
  readonly dataset: Dataset
  /** Path in the dataset's own documents. */
  readonly path: string
}

class ShapeMaker {
  readonly #root: Dataset

  constructor(root: Dataset) {
    this.#root = root
  }

  records(): NodeShape {
    const root = this.#root
    return this.#shape(treeOf(root), '', { dataset: root, path: '' })
  }

  #shape(tree: FieldTree, path: string, stored: Stored, mount?: LinkMount): NodeShape {
    const { dataset } = stored
    const link = mount && linkedBy(mount, dataset)
    const isRecord = stored.path === ''
    const fields = new Map<string, NodeField>()
    for (const [name, node] of Object.entries(tree)) {
      const isOwn = !mount || !link || mount.by === name || isOwnMember(mount, name)
      const source: Source = isOwn ? 'own' : 'linked'
      const where = isOwn
        ? { dataset, path: joined(stored.path, name) }
        : { dataset: link.target, path: name }
      const field =
        typeof node === 'string'
          ? this.#value(name, node, where, source)
          : this.#group({ name, path: joined(path, name), tree: node }, where, source)
      for (const one of namesOf(name)) fields.set(one, field)
    }
    const idField = isRecord ? dataset.idField : mount?.by
    return {
      suffix: pascal(path),
      path,
      records: isRecord ? dataset : undefined,
      hasCase: isRecord && dataset.caseAt !== '',
      link,
      id: idField === undefined ? undefined : { source: 'own', from: idField },
      fields,
    }
  }

  #value(name: string, type: FieldType, where: Stored, source: Source): NodeField {
    const { dataset } = where
    const isOfProject = dataset.name === 'projects' && OF_PROJECTS.has(where.path)
    const from = renamed(this.#root, where, name)
    const isList = LISTS.has(name) || IDS.test(name) || isOfProject
    return { kind: 'value', source, from, type, isList }
  }

  #group(
    {
      name,
      path,
      tree,
    }: { readonly name: string; readonly path: string; readonly tree: FieldTree },
    where: Stored,
    source: Source,
  ): NodeField {
    const mount = where.dataset.mounts.find(({ at }) => at === where.path)
    if (mount?.kind === 'reverse') {
      const shape = this.#shape(tree, path, { dataset: DATASETS[mount.dataset], path: '' })
      return { kind: 'connection', source, from: name, shape, ...this.#stepsTo(path, tree) }
    }
    const shape = this.#shape(tree, path, where, mount)
    if (!where.dataset.nested.includes(where.path)) {
      return { kind: 'object', source, from: name, shape }
    }
    return { kind: 'connection', source, from: name, shape, ...this.#stepsTo(path, tree) }
  }

  /** Returns the steps to a list. They are the first steps to all fields below the list. */
  #stepsTo(
    path: string,
    tree: FieldTree,
  ): { readonly step: Step; readonly steps: readonly Step[] } {
    for (const [name] of fieldsOf(tree)) {
      const all = resolveField(this.#root, `${path}.${name}`)?.steps ?? []
      const end = all.findIndex((step) => step.path === path) + 1
      const step = all[end - 1]
      if (step) return { step, steps: all.slice(0, end) }
    }
    throw new Error(`no steps lead to ${path} of ${this.#root.name}`)
  }
}

/** Returns the field of a gene with the cases in which it is changed. */
function casesOfGenes(): NodeField {
  const { cases } = DATASETS
  const steps = resolverOf('gene', 'gene')('case.case_id')?.steps.slice(0, 1) ?? []
  const [step] = steps
  if (!step) throw new Error('no step leads from genes to their cases')
  const link = { table: 'case_genes', at: 'case', level: '', target: cases } as const
  const fields = [...shapeOf(cases).fields].map(([name, field]): [string, NodeField] => [
    name,
    { ...field, source: 'linked' },
  ])
  const shape: NodeShape = {
    suffix: 'Case',
    path: 'case',
    records: undefined,
    hasCase: true,
    link,
    id: { source: 'linked', from: cases.idField },
    fields: new Map(fields),
  }
  return { kind: 'connection', source: 'own', from: 'case', shape, step, steps }
}

function linkedBy(mount: LinkMount, { name, nested }: Dataset): LinkedRecord {
  const level = nested.includes(mount.at) ? mount.at : ''
  return { table: name, at: mount.at, level, target: DATASETS[mount.dataset] }
}

/** Under some datasets, records call a member by another name. */
function renamed(root: Dataset, { dataset, path }: Stored, name: string): string {
  if (path !== name) return name
  const mount = root.mounts.find((one) => one.kind === 'reverse' && one.dataset === dataset.name)
  return (mount?.kind === 'reverse' && mount.names[name]) || name
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

/** @example pascal('samples.portions') // 'SamplesPortions' */
const pascal = (path: string) =>
  path
    .split('.')
    .map((name) =>
      name
        .split('_')
        .map((word) => (word[0]?.toUpperCase() ?? '') + word.slice(1))
        .join(''),
    )
    .join('')
