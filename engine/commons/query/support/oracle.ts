import type { Dataset, DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { isOwnMember, typeOf } from '../../datasets/resolve.ts'
import { nodeAt } from '../../datasets/tree.ts'
import {
  compareUtf8,
  type Json,
  type MemoryRelease,
  objectsAt,
  scalarsAt,
  valueAs,
} from './memory-release.ts'

/** Filter as clients send it, with canonical operators, and field names without the dataset's prefix. */
export type Written =
  | { readonly op: 'and' | 'or'; readonly content: readonly Written[] }
  | { readonly op: string; readonly content: { readonly field: string; readonly value?: unknown } }

/** Which fields of a document are nested, and their types. */
export interface View {
  readonly nested: readonly string[]
  readonly typeOf: (field: string) => string | undefined
}

/**
 * Reference implementation of filters and facets on whole documents, record by record. Independent of the
 * engine, except for the names of datasets and mounts.
 */
export class Oracle {
  readonly #view: View
  readonly #documents: readonly Json[]

  constructor(name: DatasetName, release: Pick<MemoryRelease, 'documents'>)
  constructor(view: View, documents: readonly Json[])
  constructor(of: DatasetName | View, given: Pick<MemoryRelease, 'documents'> | readonly Json[]) {
    if (typeof of !== 'string') {
      this.#view = of
      this.#documents = given as readonly Json[]
      return
    }
    const dataset = DATASETS[of]
    const release = given as Pick<MemoryRelease, 'documents'>
    this.#view = { nested: dataset.nested, typeOf: (field) => typeOf(dataset, field) }
    this.#documents = release.documents[of].map((doc) => wholeOf(dataset, doc, release))
  }

  /** Returns the rows of matching documents. */
  rows(filter: Written | undefined): number[] {
    return this.#documents.flatMap((doc, row) => (this.#passes(filter, doc) ? [row] : []))
  }

  #passes(filter: Written | undefined, doc: Json): boolean {
    if (!filter) return true
    if (filter.op === 'or') {
      return (filter.content as readonly Written[]).some((part) => this.#passes(part, doc))
    }
    const parts = filter.op === 'and' ? joined(filter) : [filter]
    const leaves = parts.filter(isLeaf)
    const others = parts.filter((part) => !isLeaf(part))
    const wholes = leaves.filter(({ op }) => op === 'excludeifany')
    return (
      others.every((part) => this.#passes(part, doc)) &&
      wholes.every(
        ({ content }) => !this.#values(doc, '', content.field).some(this.#among(content)),
      ) &&
      this.#holds(
        leaves.filter(({ op }) => op !== 'excludeifany'),
        doc,
        '',
      )
    )
  }

  /** Returns whether all leaves are true for one element at the nested path `base`. */
  #holds(leaves: readonly WrittenLeaf[], element: Json, base: string): boolean {
    const groups = Map.groupBy(leaves, ({ content }) => this.#next(content.field, base) ?? '')
    return [...groups].every(([path, some]) =>
      path === ''
        ? some.every((leaf) => this.#holdsHere(leaf, element, base))
        : objectsAt(element, rest(path, base)).some((inner) => this.#holds(some, inner, path)),
    )
  }

  #holdsHere({ op, content }: WrittenLeaf, element: Json, base: string): boolean {
    const values = this.#values(element, base, content.field)
    const type = this.#view.typeOf(content.field) as string
    const bound = () => askedAs(type, [content.value].flat()[0])
    const compared = (test: (order: number) => boolean) =>
      values.some((value) => test(compare(value, bound())))
    switch (op) {
      case '=':
      case 'in':
        return values.some(this.#among(content))
      case '!=':
      case 'exclude':
        return !values.some(this.#among(content))
      case 'is':
        return values.length === 0
      case 'not':
        return values.some((value) => value !== '')
      case '<':
        return compared((order) => order < 0)
      case '<=':
        return compared((order) => order <= 0)
      case '>':
        return compared((order) => order > 0)
      case '>=':
        return compared((order) => order >= 0)
      default:
        throw new Error(op)
    }
  }

  #among({ field, value }: WrittenLeaf['content']): (value: string | number) => boolean {
    const type = this.#view.typeOf(field) as string
    const wanted = [value].flat().map((one) => askedAs(type, one))
    return (own) =>
      wanted.some((one) =>
        typeof one === 'string' && one.includes('*') ? like(one, String(own)) : one === own,
      )
  }

  #values(element: Json, base: string, field: string): readonly (string | number)[] {
    const type = this.#view.typeOf(field) as string
    return scalarsAt(element, rest(field, base))
      .map((value) => valueAs(type, value))
      .filter((value) => value !== undefined)
  }

  #next(field: string, base: string): string | undefined {
    return this.#view.nested
      .filter((path) => field.startsWith(`${path}.`) && path.length > base.length)
      .sort((a, b) => a.length - b.length)[0]
  }

  #bound(field: string): string {
    let base = ''
    for (let next = this.#next(field, ''); next !== undefined; next = this.#next(field, next))
      base = next
    return base
  }

  /** Returns the facet of a field over some rows. */
  facet(field: string, rows: readonly number[]): unknown {
    const type = this.#view.typeOf(field) as string
    const docs = rows.map((row) => this.#documents[row] as Json)
    if (type === 'long' || type === 'double' || type === 'float') {
      const all = docs.flatMap((doc) => this.#values(doc, '', field)) as number[]
      const sum = all.reduce((total, value) => total + value, 0)
      if (all.length === 0) return { stats: { count: 0, min: null, max: null, avg: null, sum: 0 } }
      const [min, max] = [Math.min(...all), Math.max(...all)]
      return { stats: { count: all.length, min, max, avg: sum / all.length, sum } }
    }
    const counts = new Map<string, number>()
    const base = this.#bound(field)
    let missing = 0
    for (const doc of docs) {
      for (const key of new Set(this.#values(doc, '', field).map(String))) {
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      const holders = base === '' ? [doc] : objectsAt(doc, base.split('.'))
      if (holders.some((holder) => this.#values(holder, base, field).length === 0)) missing++
    }
    const buckets = [...counts]
      .sort(([a, m], [b, n]) => n - m || compareUtf8(a, b))
      .map(([key, doc_count]) => ({ doc_count, key }))
    return {
      buckets: [...buckets, ...(missing > 0 ? [{ doc_count: missing, key: '_missing' }] : [])],
    }
  }

  sorted(
    rows: readonly number[],
    keys: readonly { field: string; descending: boolean }[],
  ): number[] {
    const placed = rows.map((row) => ({
      row,
      keys: keys.map(({ field, descending }) =>
        this.#values(this.#documents[row] as Json, '', field)
          .toSorted((a, b) => (descending ? -1 : 1) * compare(a, b))
          .at(0),
      ),
    }))
    placed.sort((one, other) => {
      for (const [i, { descending }] of keys.entries()) {
        const [a, b] = [one.keys[i], other.keys[i]]
        if (a === b) continue
        if (a === undefined || b === undefined) return a === undefined ? 1 : -1
        return (descending ? -1 : 1) * compare(a, b)
      }
      return one.row - other.row
    })
    return placed.map(({ row }) => row)
  }
}

/** Returns the filter that a facet of the field applies. Undefined matches all. */
export function withoutField(filter: Written, field: string): Written | undefined {
  if (isLeaf(filter)) {
    return filter.content.field === field && !/[<>]/.test(filter.op) ? undefined : filter
  }
  const parts = (filter.content as readonly Written[])
    .map((part) => withoutField(part, field))
    .filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : { op: filter.op as 'and' | 'or', content: parts }
}

type WrittenLeaf = Extract<Written, { readonly content: { readonly field: string } }>

const isLeaf = (filter: Written): filter is WrittenLeaf => filter.op !== 'and' && filter.op !== 'or'

const joined = (filter: Written): readonly Written[] =>
  filter.op === 'and' ? (filter.content as readonly Written[]).flatMap(joined) : [filter]

const rest = (path: string, base: string) =>
  (base === '' ? path : path.slice(base.length + 1)).split('.')

/** Converts a value of a filter to the form in which it is compared. */
function askedAs(type: string, value: unknown): string | number {
  if (type === 'boolean') return String(value).toLowerCase()
  return valueAs(type, value) as string | number
}

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' ? one - Number(other) : compareUtf8(one, String(other))
}

function like(pattern: string, text: string): boolean {
  const escaped = pattern.split('*').map((chunk) => chunk.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${escaped.join('.*')}$`, 'su').test(text)
}

export function wholeOf(
  root: Dataset,
  doc: Json,
  release: Pick<MemoryRelease, 'documents'>,
  at = root,
  prefix = '',
): Json {
  let whole = structuredClone(doc) as Record<string, unknown>
  for (const mount of at.mounts) {
    const path = prefix + mount.at
    if (!nodeAt(root.fields, path) && !nodeAt(root.hidden, path)) continue
    const other = DATASETS[mount.dataset]
    const expand = (found: Json) => wholeOf(root, found, release, other, `${path}.`)
    const idOf = (one: Json) => String(one[other.idField])
    if (mount.kind === 'link') {
      whole = replaced(whole, mount.at.split('.'), (part) => {
        const pick = (of: Json, isOwn: boolean) =>
          Object.entries(of).filter(([name]) => isOwnMember(mount, name) === isOwn)
        const own = Object.fromEntries(pick(part, true))
        const found = release.documents[other.name].find((one) => idOf(one) === part[mount.by])
        if (!found) return own
        const { [other.idField]: id, ...members } = expand(found)
        return { ...Object.fromEntries(pick(members, false)), ...own, [mount.by]: id }
      })
    } else {
      const through = other.mounts.find(({ at }) => at === mount.through)
      if (through?.kind !== 'link') throw new Error(mount.through)
      const naming = release.documents[other.name].filter((one) =>
        scalarsAt(one, [...mount.through.split('.'), through.by]).includes(doc[at.idField]),
      )
      const renamed = new Map(Object.entries(mount.names).map(([here, there]) => [there, here]))
      whole[mount.at] = naming.map((one) =>
        Object.fromEntries(
          Object.entries(expand(one)).map(([name, value]) => [renamed.get(name) ?? name, value]),
        ),
      )
    }
  }
  return whole
}

function replaced(node: unknown, path: readonly string[], change: (part: Json) => Json): never {
  const go = (at: unknown, [name, ...names]: readonly string[]): unknown => {
    if (Array.isArray(at))
      return at.map((one) => go(one, name === undefined ? [] : [name, ...names]))
    if (at === null || typeof at !== 'object') return at
    if (name === undefined) return change(at as Json)
    if (!Object.hasOwn(at, name)) return at
    return { ...at, [name]: go((at as Json)[name], names) }
  }
  return go(node, path) as never
}
