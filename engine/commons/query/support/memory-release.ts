import { newBits, setBit } from '../../../shared/arrays/bitset.ts'
import { DATASET_NAMES, type Dataset, type DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { physicalOf } from '../../datasets/physical.ts'
import { arraysOf } from '../../release/arrays.ts'
import {
  bitmapsKey,
  type Codes,
  type ColumnLayout,
  columnKey,
  type DatasetLayout,
  indexKey,
  type LevelLayout,
  type LinkLayout,
  levelKey,
  linkKey,
} from '../../release/layout.ts'
import type { LoadedArrays, LoadedPart, ReleaseArrays } from '../../release/loaded.ts'
import type { Layouts } from '../field-cost.ts'

export type Json = Readonly<Record<string, unknown>>
export type Documents = Partial<Record<DatasetName, readonly Json[]>>

export interface MemoryRelease {
  readonly documents: Readonly<Record<DatasetName, readonly Json[]>>
  readonly loaded: LoadedArrays
  readonly arrays: ReleaseArrays
  readonly layouts: Layouts
}

/** Returns all scalars at a path, descending into arrays. Nulls are left out. */
export function scalarsAt(node: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(node)) return node.flatMap((one) => scalarsAt(one, path))
  if (node === undefined || node === null) return []
  const [name, ...rest] = path
  if (name === undefined) return typeof node === 'object' ? [] : [node]
  return typeof node === 'object' ? scalarsAt((node as Json)[name], rest) : []
}

/** Returns all objects at a path, descending into arrays. */
export function objectsAt(node: unknown, path: readonly string[]): readonly Json[] {
  if (Array.isArray(node)) return node.flatMap((one) => objectsAt(one, path))
  if (node === undefined || node === null || typeof node !== 'object') return []
  const [name, ...rest] = path
  return name === undefined ? [node as Json] : objectsAt((node as Json)[name], rest)
}

export const compareUtf8 = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Converts a value to the form that a field type compares, or undefined if it is invalid for the type. */
export function valueAs(type: string, value: unknown): string | number | undefined {
  if (type === 'long' || type === 'double' || type === 'float') {
    const number = typeof value === 'boolean' || value === '' ? Number.NaN : Number(value)
    return Number.isFinite(number) ? number : undefined
  }
  const text = String(value)
  const folded = type === 'exact' ? text : text.toLowerCase()
  return type === 'boolean' && folded !== 'true' && folded !== 'false' ? undefined : folded
}

/** Optional arrays of a release. They affect only speed. */
interface Extras {
  /** Whether columns have a sorted order of rows. */
  readonly ordered: boolean
  /** Whether columns have a bitmap per code, and levels a bitmap of irregular parents. */
  readonly bitmapped: boolean
}

/** Builds the arrays of a release from documents in the simplest way. */
export function memoryRelease(
  given: Documents,
  extras: Extras = { ordered: true, bitmapped: true },
): MemoryRelease {
  const rows = {} as Record<DatasetName, number>
  const documents = {} as Record<DatasetName, readonly Json[]>
  const layouts = {} as Record<DatasetName, DatasetLayout>
  const parts: Record<string, LoadedPart> = {}
  for (const name of DATASET_NAMES) {
    const id = (doc: Json) => idOf(DATASETS[name], doc)
    documents[name] = (given[name] ?? []).toSorted((a, b) => compareUtf8(id(a), id(b)))
    rows[name] = documents[name].length
  }
  for (const name of DATASET_NAMES) {
    layouts[name] = encode(DATASETS[name], documents, extras, parts)
  }
  const loaded: LoadedArrays = {
    releaseId: 'memory',
    parts,
    rows: { ...rows, case_genes: 0, gene_effects: 0 },
  }
  return { documents, loaded, arrays: arraysOf(loaded), layouts }
}

const idOf = ({ idField, fields }: Dataset, doc: Json): string =>
  String(valueAs(String(fields[idField]), doc[idField]))

const below = (path: string, level: string) =>
  (level === '' ? path : path.slice(level.length + 1)).split('.')

function encode(
  dataset: Dataset,
  documents: MemoryRelease['documents'],
  { ordered, bitmapped }: Extras,
  parts: Record<string, LoadedPart>,
): DatasetLayout {
  const { name } = dataset
  const docs = documents[name]
  const physical = physicalOf(dataset)
  const elements = new Map<string, readonly Json[]>([['', docs]])
  const rowOf = new Map<string, readonly number[]>([['', docs.map((_, row) => row)]])
  const levels: Record<string, LevelLayout> = {}
  const columns: Record<string, ColumnLayout> = {}
  const links: Record<string, LinkLayout> = {}
  for (const { path, parent } of physical.levels) {
    const above = elements.get(parent) ?? []
    const lists = above.map((element) => objectsAt(element, below(path, parent)))
    const all = lists.flat()
    const parents = lists.flatMap((list, i) => list.map(() => i))
    elements.set(path, all)
    rowOf.set(
      path,
      parents.map((i) => rowOf.get(parent)?.[i] ?? -1),
    )
    if (all.length === 0) continue
    const oneToOne = lists.every(({ length }) => length === 1)
    const odd = lists.flatMap(({ length }, i) => (length === 1 ? [] : [i]))
    const sets = bitmapped ? { irregular: odd.length } : {}
    const layout = { parent, elements: all.length, oneToOne, ...sets }
    const arrays = {
      offsets: offsetsOf(lists),
      parents: Uint32Array.from(parents),
      ...(bitmapped && { irregular: bitsWith(odd, above.length) }),
    }
    levels[path] = layout
    parts[levelKey(name, path)] = { kind: 'level', layout, facts: {}, arrays }
  }

  for (const { path, type, level } of physical.fields) {
    const lists = (elements.get(level) ?? []).map((element) =>
      scalarsAt(element, below(path, level))
        .map((value) => valueAs(type, value))
        .filter((value) => value !== undefined),
    )
    const isNumber = type === 'long' || type === 'double' || type === 'float'
    const values = [...new Set(lists.flat())].sort((a, b) =>
      isNumber ? Number(a) - Number(b) : compareUtf8(String(a), String(b)),
    )
    if (values.length === 0) continue
    const places = new Map(values.map((value, i) => [value, i + 1]))
    const codes = lists.map((list) =>
      [...new Set(list.map((value) => places.get(value) as number))].sort((a, b) => a - b),
    )
    const multi = codes.some(({ length }) => length > 1)
    const identity = path === dataset.idField
    const counts = new Uint32Array(values.length + 1)
    const seen = new Set<string>()
    for (const [i, list] of codes.entries()) {
      for (const code of list.length === 0 ? [0] : list) {
        const pair = `${rowOf.get(level)?.[i]} ${code}`
        if (!seen.has(pair)) counts[code] = counts[code]! + 1
        seen.add(pair)
      }
    }
    const hasOrder = ordered && level === '' && !multi && !identity
    const hasBitmaps = bitmapped && !multi && !identity
    const layout: ColumnLayout = {
      level,
      kind: isNumber ? 'number' : 'text',
      distinct: values.length,
      multi,
      identity,
      ordered: hasOrder,
      ...(hasBitmaps && { bitmapped: true }),
      ...(hasOrder && { indexed: true }),
    }
    columns[path] = layout
    if (hasBitmaps) {
      const sets = Array.from(counts, (_, code) =>
        bitsWith(
          codes.flatMap((list, i) => ((list[0] ?? 0) === code ? [i] : [])),
          codes.length,
        ),
      )
      const words = Int32Array.from(sets.flatMap((set) => [...set]))
      parts[bitmapsKey(name, path)] = { kind: 'bitmaps', layout, facts: {}, arrays: { words } }
    }
    const first = (row: number) => codes[row]?.[0] ?? values.length + 1
    const flat = narrow(multi ? codes.flat() : codes.map(([code]) => code ?? 0), values.length)
    const arrays = {
      ...(!identity && { codes: flat }),
      ...(multi && { offsets: offsetsOf(codes) }),
      ...(!hasOrder && !identity && { counts }),
      ...(isNumber ? { numbers: Float64Array.from(values, Number) } : texts(values.map(String))),
    }
    parts[columnKey(name, path)] = { kind: 'column', layout, facts: {}, arrays }
    if (hasOrder) {
      const order = Uint32Array.from(codes.keys()).sort((a, b) => first(a) - first(b) || a - b)
      parts[indexKey(name, path)] = { kind: 'index', layout, facts: {}, arrays: { counts, order } }
    }
  }

  for (const { at, level, dataset: target, idAt } of physical.links) {
    const other = DATASETS[target]
    const rows = new Map(documents[target].map((doc, row) => [idOf(other, doc), row]))
    const type = String(other.fields[other.idField])
    const targets = (elements.get(level) ?? []).map((element) => {
      const [id] = scalarsAt(element, below(idAt, level))
      const row = id === undefined ? undefined : rows.get(String(valueAs(type, id)))
      return row === undefined ? 0 : row + 1
    })
    if (targets.every((target) => target === 0)) continue
    const reverse = documents[target].map((_, row) =>
      targets.flatMap((to, element) => (to === row + 1 ? [element] : [])),
    )
    const layout: LinkLayout = { level, dataset: target, dangling: 0 }
    const arrays = {
      targets: Uint32Array.from(targets),
      reverseOffsets: offsetsOf(reverse),
      reverseElements: Uint32Array.from(reverse.flat()),
    }
    links[at] = layout
    parts[linkKey(name, at)] = { kind: 'link', layout, facts: {}, arrays }
  }
  return { rows: docs.length, levels, columns, links }
}

function bitsWith(members: readonly number[], size: number): Int32Array {
  const bits = newBits(size)
  for (const member of members) setBit(bits, member)
  return bits
}

function offsetsOf(lists: readonly { readonly length: number }[]): Uint32Array {
  const offsets = new Uint32Array(lists.length + 1)
  for (const [i, { length }] of lists.entries()) offsets[i + 1] = offsets[i]! + length
  return offsets
}

function narrow(codes: readonly number[], most: number): Codes {
  if (most < 256) return Uint8Array.from(codes)
  return most < 65536 ? Uint16Array.from(codes) : Uint32Array.from(codes)
}

function texts(values: readonly string[]) {
  const parts = values.map((value) => Buffer.from(value))
  return { ends: offsetsOf(parts), bytes: Buffer.concat(parts) }
}
