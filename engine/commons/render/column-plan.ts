import type { DatasetName, FieldType, TableName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import {
  columnKey,
  type DatasetLayout,
  IN_DOCUMENTS,
  levelKey,
  linkKey,
  type PrintedLayout,
} from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { GroupMember, LeafMember, Projection, ReverseMember } from './projection.ts'

/**
 * Plan for writing records from columns alone, as plain data for worker threads. The records have the same
 * structure as in documents (data-commons.md 3.1), without fields that no record has.
 */
export interface ColumnPlan {
  readonly members: readonly PlannedMember[]
  readonly keys: readonly ArrayKey[]
}

export type PlannedMember =
  | PlannedLeaf
  | PlannedObject
  | PlannedList
  | PlannedLinked
  | PlannedReverse

export interface PlannedLeaf {
  readonly kind: 'leaf'
  readonly as: string
  readonly type: FieldType
  readonly printed: PrintedLayout
  readonly dataset: DatasetName
  readonly path: string
  /** Set if the value is the id of a linked record. `path` and `dataset` then refer to the id of that record. */
  readonly link?: { readonly dataset: DatasetName; readonly at: string }
}

/** An object whose fields are stored with the surrounding element. */
interface PlannedObject {
  readonly kind: 'object'
  readonly as: string
  readonly members: readonly PlannedMember[]
}

/** An array of the elements of a nested level. */
interface PlannedList {
  readonly kind: 'list'
  readonly as: string
  readonly dataset: DatasetName
  readonly level: string
  readonly members: readonly PlannedMember[]
}

/** Fields of a linked record that are printed in the surrounding object. */
interface PlannedLinked {
  readonly kind: 'linked'
  readonly dataset: DatasetName
  readonly at: string
  readonly members: readonly PlannedMember[]
}

/** An array of the records that link to the record around it. */
interface PlannedReverse {
  readonly kind: 'reverse'
  readonly as: string
  readonly dataset: DatasetName
  readonly through: string
  readonly level: string
  readonly members: readonly PlannedMember[]
}

type DatasetLayouts = Readonly<Partial<Record<TableName, DatasetLayout>>>

/** Thrown if columns do not contain all printed fields. */
class NotInColumns extends Error {}

/** Plans how to write a projection from columns. Returns undefined if documents have to be read. */
export function planColumns(
  projection: Projection,
  layouts: DatasetLayouts,
): ColumnPlan | undefined {
  const planner = new Planner(layouts)
  try {
    const members = planner.record(projection)
    return { members, keys: [...planner.keys] }
  } catch (error) {
    if (error instanceof NotInColumns) return undefined
    throw error
  }
}

class Planner {
  readonly #layouts: DatasetLayouts
  readonly keys = new Set<ArrayKey>()

  constructor(layouts: DatasetLayouts) {
    this.#layouts = layouts
  }

  record({ dataset, id, members }: Projection): PlannedMember[] {
    const place = { dataset, prefix: '', level: '' }
    const planned = members.flatMap((member) => this.#member(member, place))
    if (id === undefined) return planned
    if (members.some(({ as }) => as === 'id')) throw new NotInColumns()
    const first: LeafMember = { kind: 'leaf', from: id, as: 'id', type: 'keyword' }
    return [...this.#leaf(first, place), ...planned]
  }

  #member(member: Projection['members'][number], place: Place): readonly PlannedMember[] {
    switch (member.kind) {
      case 'leaf':
        return this.#leaf(member, place)
      case 'group':
        return this.#group(member, place)
      case 'reverse':
        return this.#reverse(member, place)
    }
  }

  #leaf({ from, as, type }: LeafMember, place: Place): readonly PlannedLeaf[] {
    const { dataset } = place
    const path = place.prefix + from
    const { columns, printed: fields } = this.#layoutOf(dataset)
    const printed = fields[path]
    // No record has this field, so nothing is printed.
    if (!printed) return []
    if (printed === IN_DOCUMENTS) throw new NotInColumns()
    const mount = datasetOf(dataset).mounts.find(
      (one) => one.kind === 'link' && `${one.at}.${one.by}` === path,
    )
    if (mount && !columns[path]) return this.#linkedId({ as, type, printed, at: mount.at }, place)
    const column = columns[path]
    if (column && column.level !== place.level) throw new NotInColumns()
    if (column) this.keys.add(columnKey(dataset, path))
    return [{ kind: 'leaf', as, type, printed, dataset, path }]
  }

  /** Plans to print the id in a link as the id of the linked record, provided that both have the same spelling. */
  #linkedId(
    {
      as,
      type,
      printed,
      at,
    }: Pick<PlannedLeaf, 'as' | 'type' | 'printed'> & { readonly at: string },
    { dataset, level }: Place,
  ): readonly PlannedLeaf[] {
    const link = this.#layoutOf(dataset).links[at]
    if (!link || link.dangling > 0 || link.level !== level) throw new NotInColumns()
    const target = link.dataset as DatasetName
    const path = datasetOf(target).idField
    const id = this.#layoutOf(target).printed[path]
    if (!id || id === IN_DOCUMENTS || id.upper || id.kind !== 'text') throw new NotInColumns()
    const { kind, list, missing, upper } = printed
    if (kind !== 'text' || list || upper || missing) throw new NotInColumns()
    this.keys.add(linkKey(dataset, at))
    this.keys.add(columnKey(target, path))
    return [{ kind: 'leaf', as, type, printed: id, dataset: target, path, link: { dataset, at } }]
  }

  #group({ from, as, members, link }: GroupMember, place: Place): readonly PlannedMember[] {
    const { dataset } = place
    const path = place.prefix + from
    const { levels } = this.#layoutOf(dataset)
    const isLevel = datasetOf(dataset).nested.includes(path)
    if (isLevel && !levels[path]) return []
    if (isLevel && levels[path]?.parent !== place.level) throw new NotInColumns()
    const inside = { dataset, prefix: `${path}.`, level: isLevel ? path : place.level }
    const planned = members.flatMap((member) => this.#member(member, inside))
    if (link) planned.push(...this.#linked(link, inside))
    if (planned.length === 0) return []
    if (!isLevel) return [{ kind: 'object', as, members: planned }]
    this.keys.add(levelKey(dataset, path))
    return [{ kind: 'list', as, dataset, level: path, members: planned }]
  }

  #linked(
    { at, level, target }: NonNullable<GroupMember['link']>,
    place: Place,
  ): readonly PlannedLinked[] {
    const { dataset } = place
    if (!this.#layoutOf(dataset).links[at]) return []
    if (level !== place.level) throw new NotInColumns()
    const members = this.record(target)
    if (members.length === 0) return []
    this.keys.add(linkKey(dataset, at))
    return [{ kind: 'linked', dataset, at, members }]
  }

  #reverse({ as, through, level, target }: ReverseMember, place: Place): readonly PlannedReverse[] {
    const { dataset } = target
    const { links, levels } = this.#layoutOf(dataset)
    if (place.level !== '') throw new NotInColumns()
    if (!links[through] || (level !== '' && !levels[level])) return []
    const members = this.record(target)
    if (members.length === 0) return []
    this.keys.add(linkKey(dataset, through))
    if (level !== '') this.keys.add(levelKey(dataset, level))
    return [{ kind: 'reverse', as, dataset, through, level, members }]
  }

  #layoutOf(dataset: DatasetName): PrintedDataset {
    const layout = this.#layouts[dataset]
    if (!layout || !isPrinted(layout)) throw new NotInColumns()
    return layout
  }
}

type PrintedDataset = DatasetLayout & Required<Pick<DatasetLayout, 'printed'>>

const isPrinted = (layout: DatasetLayout): layout is PrintedDataset => layout.printed !== undefined

/** Position of members within a dataset's own documents. */
interface Place {
  readonly dataset: DatasetName
  /** Path prefix with a trailing dot. */
  readonly prefix: string
  readonly level: string
}
