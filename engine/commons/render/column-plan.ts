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
 * How records are written from arrays alone, as plain data: it crosses to threads. The same tree that
 * documents make (data-commons.md 3.1), with nothing in it that no record has.
 */
export interface ColumnPlan {
  readonly members: readonly PlannedMember[]
  /** What has to be loaded. */
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
  /** The value is the id of the record that this link leads to; `path` and `dataset` are that id's. */
  readonly link?: { readonly dataset: DatasetName; readonly at: string }
}

/** An object that has its members from the element around it. */
export interface PlannedObject {
  readonly kind: 'object'
  readonly as: string
  readonly members: readonly PlannedMember[]
}

/** An array of the elements of a level. */
export interface PlannedList {
  readonly kind: 'list'
  readonly as: string
  readonly dataset: DatasetName
  readonly level: string
  readonly members: readonly PlannedMember[]
}

/** Members of the record that a link leads to, in the object around it. */
export interface PlannedLinked {
  readonly kind: 'linked'
  readonly dataset: DatasetName
  readonly at: string
  readonly members: readonly PlannedMember[]
}

/** An array of the records that name the one around it. */
export interface PlannedReverse {
  readonly kind: 'reverse'
  readonly as: string
  readonly dataset: DatasetName
  readonly through: string
  readonly level: string
  readonly members: readonly PlannedMember[]
}

export type DatasetLayouts = Readonly<Partial<Record<TableName, DatasetLayout>>>

/** What is printed that columns do not say. */
class NotInColumns extends Error {}

/** The plan of a projection; `undefined` when its documents have to be read. */
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
    // No record has it.
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

  /** The id that a link names is that of the record that it leads to, written in the same way. */
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

/** Where members lie in the own documents of a dataset. */
interface Place {
  readonly dataset: DatasetName
  /** With a dot at its end. */
  readonly prefix: string
  readonly level: string
}
