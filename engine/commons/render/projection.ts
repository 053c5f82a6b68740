import type {
  Dataset,
  DatasetName,
  FieldType,
  LinkMount,
  Mount,
  ReverseMount,
} from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import type { Selection } from '../datasets/select.ts'
import { nodeAt } from '../datasets/tree.ts'
import { columnKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'

/**
 * Fields of a dataset's records to print. It is plain data that can be sent to worker threads. Members are in
 * the order in which they were selected.
 */
export interface Projection {
  readonly dataset: DatasetName
  /** Field of the record's id, which is printed first, under the name `id`. Absent if the id is not printed. */
  readonly id?: string
  readonly members: readonly Member[]
  /** All links and reverse links in `members`. Links within linked records are not included. */
  readonly parts: readonly Part[]
  /** Set if only ids of further linked records are printed of a linked record. Its document then need not be read. */
  readonly ids?: readonly LinkedId[]
}

/** Id of a record to which a linked record refers, such as `project.project_id` in the case of a file. */
interface LinkedId {
  /** Field path of the link to the other record. */
  readonly at: string
  /** Dataset of the other record, and field of its id. */
  readonly dataset: DatasetName
  readonly idField: string
  /** Names of the object and of the id in it, as printed. */
  readonly as: readonly [group: string, id: string]
}

type Part = LinkPart | ReverseMember

export type Member = LeafMember | GroupMember | ReverseMember

/** A value that is printed as stored. */
export interface LeafMember {
  readonly kind: 'leaf'
  /** Name in the stored document. */
  readonly from: string
  /** Printed name: the name that the client used. */
  readonly as: string
  readonly type: FieldType
}

/** An object or an array of objects in the record's own document. */
export interface GroupMember {
  readonly kind: 'group'
  readonly from: string
  readonly as: string
  readonly members: readonly Member[]
  /** Link from each object to a record of another dataset, whose fields are printed in the object. */
  readonly link?: LinkPart
}

export interface LinkPart {
  /** Field path of the link. */
  readonly at: string
  /** Nested level whose elements have the link. Empty if the record itself has it. */
  readonly level: string
  readonly target: Projection
}

export interface ReverseMember {
  readonly kind: 'reverse'
  readonly as: string
  /** Field path of the link in the other dataset. */
  readonly through: string
  /** Nested level whose elements have the link. Empty if the other record itself has it. */
  readonly level: string
  readonly target: Projection
}

interface Leaf {
  readonly from: readonly string[]
  readonly as: readonly string[]
  readonly type: FieldType
}

/** Compiles selected fields into a tree over documents, links and reverse links. */
export function compileProjection(dataset: Dataset, selection: Selection): Projection {
  const leaves = selection.leaves.map(({ path, as }): Leaf => {
    const type = nodeAt(dataset.fields, path) ?? nodeAt(dataset.hidden, path)
    const from = path.split('.')
    return { from, as: as.split('.'), type: typeof type === 'string' ? type : 'keyword' }
  })
  const members = compileMembers(dataset, '', leaves)
  return {
    dataset: dataset.name,
    ...(selection.withId ? { id: dataset.idField } : {}),
    ...withParts(members),
  }
}

/** @param prefix path of the members within the document, with a trailing dot */
function compileMembers(dataset: Dataset, prefix: string, leaves: readonly Leaf[]): Member[] {
  const groups = Map.groupBy(leaves, ({ from, as }) => `${from[0]} ${as[0]}`)
  return [...groups.values()].map((group): Member => {
    const [{ from: names, as: printed, type } = NO_LEAF] = group
    const [from = '', as = ''] = [names[0], printed[0]]
    const below = group
      .filter((leaf) => leaf.from.length > 1)
      .map((leaf) => ({ ...leaf, from: leaf.from.slice(1), as: leaf.as.slice(1) }))
    if (below.length === 0) return { kind: 'leaf', from, as, type }
    const at = prefix + from
    const mount = dataset.mounts.find((one) => one.at === at)
    if (mount?.kind === 'reverse') return compileReverse(mount, as, below)
    const isOwn = ({ from: [name = ''] }: Leaf) =>
      mount === undefined || mount.by === name || mount.own.includes(name)
    const members = compileMembers(dataset, `${at}.`, below.filter(isOwn))
    const others = below.filter((leaf) => !isOwn(leaf))
    const link = mount && others.length > 0 ? { link: compileLink(dataset, mount, others) } : {}
    return { kind: 'group', from, as, members, ...link }
  })
}

function compileLink(dataset: Dataset, mount: LinkMount, leaves: readonly Leaf[]): LinkPart {
  const target = datasetOf(mount.dataset)
  const members = compileMembers(target, '', leaves)
  const ids = linkedIds(target, members)
  return {
    at: mount.at,
    level: levelOf(dataset, mount),
    target: { dataset: target.name, ...withParts(members), ...(ids && { ids }) },
  }
}

/** Returns the members as ids of linked records, or undefined if not all are. */
function linkedIds(dataset: Dataset, members: readonly Member[]): readonly LinkedId[] | undefined {
  const ids = members.map((member): LinkedId | undefined => {
    if (member.kind !== 'group' || member.link || member.members.length !== 1) return undefined
    const mount = dataset.mounts.find((one) => one.kind === 'link' && one.at === member.from)
    const [leaf] = member.members
    if (mount?.kind !== 'link' || leaf?.kind !== 'leaf' || leaf.from !== mount.by) return undefined
    const { name, idField } = datasetOf(mount.dataset)
    // Columns have ids of type `exact` in the spelling of documents. Other ids may differ in case.
    if (leaf.type !== 'exact' || levelOf(dataset, mount) !== '') return undefined
    return { at: mount.at, dataset: name, idField, as: [member.as, leaf.as] }
  })
  return ids.every((id) => id !== undefined) ? ids : undefined
}

function compileReverse(mount: ReverseMount, as: string, leaves: readonly Leaf[]): ReverseMember {
  const target = datasetOf(mount.dataset)
  const renamed = leaves.map((leaf) => {
    const [name = '', ...rest] = leaf.from
    return { ...leaf, from: [mount.names[name] ?? name, ...rest] }
  })
  const link = target.mounts.find(({ at }) => at === mount.through)
  return {
    kind: 'reverse',
    as,
    through: mount.through,
    level: link ? levelOf(target, link) : '',
    target: { dataset: target.name, ...withParts(compileMembers(target, '', renamed)) },
  }
}

/** Returns the nested level whose elements have a link. Empty if the record itself has it. */
const levelOf = ({ nested }: Dataset, { at }: Mount) => (nested.includes(at) ? at : '')

const NO_LEAF: Leaf = { from: [], as: [], type: 'keyword' }

/** Yields a projection, followed by the projections of all records to which it links. */
export function* projectionsOf(projection: Projection): Generator<Projection> {
  yield projection
  for (const part of projection.parts) yield* projectionsOf(part.target)
}

/** Returns the arrays to load before records can be projected. */
export function projectionKeys(projection: Projection): ArrayKey[] {
  const keys = new Set<ArrayKey>()
  for (const { dataset, parts, ids = [] } of projectionsOf(projection)) {
    for (const { at, dataset: other, idField } of ids) {
      keys.add(linkKey(dataset, at))
      keys.add(columnKey(other, idField))
    }
    for (const part of parts) {
      const [owner, at] =
        'at' in part ? [dataset, part.at] : ([part.target.dataset, part.through] as const)
      keys.add(linkKey(owner, at))
      if (part.level !== '') keys.add(levelKey(owner, part.level))
    }
  }
  return [...keys]
}

const withParts = (members: readonly Member[]) => ({ members, parts: [...partsOf(members)] })

function* partsOf(members: readonly Member[]): Generator<Part> {
  for (const member of members) {
    if (member.kind === 'reverse') yield member
    if (member.kind !== 'group') continue
    if (member.link) yield member.link
    yield* partsOf(member.members)
  }
}

/** Returns the types of the printed fields, keyed by dotted name. */
export function printedTypes(projection: Projection): Map<string, FieldType> {
  const types = new Map<string, FieldType>()
  if (projection.id !== undefined) types.set('id', 'keyword')
  const visit = (members: readonly Member[], prefix: string) => {
    for (const member of members) {
      const name = prefix + member.as
      if (member.kind === 'leaf') types.set(name, member.type)
      else {
        if (member.kind === 'group') visit(member.members, `${name}.`)
        const target = member.kind === 'group' ? member.link?.target : member.target
        if (target) visit(target.members, `${name}.`)
      }
    }
  }
  visit(projection.members, '')
  return types
}
