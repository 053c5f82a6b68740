import { hasBit } from '../../shared/arrays/bitset.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { joinPathOf } from '../query/join-path.ts'
import { selectElements } from '../query/select.ts'
import { reach } from '../query/walk.ts'
import { arraysOf } from '../release/arrays.ts'
import { DocumentReader, type DocumentsHandle } from '../release/documents.ts'
import type { LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import {
  type ConnectionMember,
  type EdgeMember,
  type ElementFilter,
  type HitsMember,
  type LinkPlan,
  type NodeMember,
  type NodePlan,
  type PageMember,
  pageInfoOf,
  pageInfoText,
  widthOf,
} from './node-plan.ts'
import { Room } from './picks.ts'

interface NodesInput {
  readonly plan: NodePlan
  readonly rows: Uint32Array
  /** Score of each row. Undefined if the document requests no scores. */
  readonly scores: Uint32Array | undefined
  /** Position of the first row in the whole list, from 0. */
  readonly offset: number
  /** Maximum number of values in the output. */
  readonly values: number
  /** Maximum number of characters in names, since each name is written for every record. */
  readonly characters: number
  readonly loaded: LoadedArrays
  readonly documents: Readonly<Partial<Record<DatasetName, DocumentsHandle>>>
}

interface ShownNodes {
  /** Edges, separated by commas. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly values: number
}

/** Job that renders the edges of a page with the requested fields of their nodes. */
export const nodesJob: Job<NodesInput, ShownNodes> = {
  name: 'search-graph.nodes',
  run: showNodes,
  transfer: ({ bytes }) => [bytes.buffer],
}

/**
 * Formats the edges of some rows as JSON.
 * @throws EngineError too_many before more values are read than may be shown; corrupt_source
 */
function showNodes(input: NodesInput, scratch: Scratch): ShownNodes {
  const showing = new Showing(input, scratch)
  const { plan, rows, scores, offset } = input
  const items = showing.records(plan.dataset, rows)
  const texts = showing.edges(items, plan.edges, {
    offsets: rows.map((_, i) => offset + i),
    scores,
  })
  return { bytes: new TextEncoder().encode(texts.join(',')), values: showing.values }
}

type Document = Readonly<Record<string, unknown>>

/** A record, or an object in a record. */
interface Item {
  readonly own: Document | undefined
  /** Row number of the record, or index of the element. */
  readonly at: number
  /** The record to which the item links. */
  readonly linked: Document | undefined
  readonly linkedAt: number
}

interface EdgeFacts {
  /** Position of each edge in its list, from 0. */
  readonly offsets: ArrayLike<number>
  readonly scores?: Uint32Array | undefined
}

/** Renders lists of items field by field, so that records that several items link to are read once. */
class Showing {
  readonly #input: NodesInput
  readonly #arrays: ReleaseArrays
  readonly #scratch: Scratch
  readonly #readers = new Map<DatasetName, DocumentReader>()
  readonly #passing = new Map<ElementFilter, Int32Array>()
  readonly #names: Room
  values = 0

  constructor(input: NodesInput, scratch: Scratch) {
    this.#input = input
    this.#names = new Room(input.characters)
    this.#arrays = arraysOf(input.loaded)
    this.#scratch = scratch
  }

  records(dataset: DatasetName, rows: Uint32Array): readonly Item[] {
    const documents = this.#read(dataset, rows)
    return Array.from(rows, (row) => ({ own: documents.get(row), at: row, ...NO_LINK }))
  }

  /** Returns the JSON of an edge for each item. */
  edges(items: readonly Item[], edges: readonly EdgeMember[], facts: EdgeFacts): readonly string[] {
    this.#spend(items.length * widthOf(edges))
    const columns = edges.map((member) => {
      const texts = this.#edgeTexts(member, items, facts)
      return { as: JSON.stringify(member.as), texts }
    })
    return this.#objects(columns, items.length)
  }

  #edgeTexts(member: EdgeMember, items: readonly Item[], facts: EdgeFacts): readonly string[] {
    if (member.kind === 'text') return items.map(() => member.text)
    if (member.kind === 'cursor') return items.map((_, i) => `"${(facts.offsets[i] ?? 0) + 1}"`)
    return this.#nodes(member.members, items, facts.scores)
  }

  #nodes(
    members: readonly NodeMember[],
    items: readonly Item[],
    scores?: Uint32Array,
  ): readonly string[] {
    const columns = members.map((member) => ({
      as: JSON.stringify(member.as),
      texts: this.#memberTexts(member, items, scores),
    }))
    return this.#objects(columns, items.length)
  }

  #memberTexts(
    member: NodeMember,
    items: readonly Item[],
    scores: Uint32Array | undefined,
  ): readonly string[] {
    switch (member.kind) {
      case 'text':
        return items.map(() => member.text)
      case 'score':
        return items.map((_, i) => (scores ? String(scores[i] ?? 0) : 'null'))
      case 'id': {
        const { typeName, by } = member
        return items.map((item) => {
          const named = by && (by.source === 'own' ? item.own : item.linked)?.[by.from]
          const key = typeof named === 'string' ? named : item.at
          return `"${Buffer.from(`${typeName}:${key}`).toString('base64')}"`
        })
      }
      case 'value':
        return items.map(({ own, linked }) => {
          const value = (member.source === 'own' ? own : linked)?.[member.from]
          return valueText(value, member)
        })
      case 'object': {
        const inside = items.map((item) => {
          const { document, at } = sideOf(item, member.source)
          const [own] = objectsIn(document?.[member.from])
          return { own, at, ...NO_LINK }
        })
        return this.#nodes(member.members, this.#linked(inside, member.link))
      }
      case 'connection':
        return this.#connection(member, items)
    }
  }

  #connection(member: ConnectionMember, items: readonly Item[]): readonly string[] {
    const sides = items.map((item) => sideOf(item, member.source))
    const path = joinPathOf([member.step], Number.MAX_SAFE_INTEGER, this.#arrays)
    const from = Uint32Array.from(sides.filter(({ isThere }) => isThere).map(({ at }) => at))
    const reached = path && reach(path.moves, from)
    // Elements of each item, in the order of their lists.
    const lists: number[][] = from.length > 0 ? Array.from(from, () => []) : []
    for (let i = 0; reached && i < reached.length; i++) {
      lists[reached.owners[i] ?? 0]?.push(reached.members[i] ?? 0)
    }
    let place = 0
    const elements = sides.map(({ isThere }) => (isThere ? (lists[place++] ?? []) : []))
    const columns = member.hits.map((hits) => ({
      as: JSON.stringify(hits.as),
      texts:
        hits.kind === 'text'
          ? items.map(() => hits.text)
          : this.#hits(hits, member, { sides, elements }),
    }))
    return this.#objects(columns, items.length)
  }

  #hits(
    hits: HitsMember,
    { from, records, link }: ConnectionMember,
    {
      sides,
      elements,
    }: { readonly sides: readonly Side[]; readonly elements: readonly number[][] },
  ): readonly string[] {
    const bits = hits.only && this.#bitsOf(hits.only)
    const pages = elements.map((all) => {
      const places = [...all.keys()].filter((i) => !bits || hasBit(bits, all[i] ?? 0))
      const shown = places.slice(hits.offset, hits.offset + hits.first)
      return { total: places.length, shown }
    })
    const owners = pages.flatMap(({ shown }, owner) => shown.map((place) => ({ owner, place })))
    const rows = Uint32Array.from(owners, ({ owner, place }) => elements[owner]?.[place] ?? 0)
    const offsets = pages.flatMap(({ shown }) => shown.map((_, i) => hits.offset + i))
    const isListed = hits.members.some(({ kind }) => kind === 'edges')
    const items = isListed ? this.#elements(owners, rows, { sides, from, records, link }) : []
    const columns = hits.members.map((member) => ({
      as: JSON.stringify(member.as),
      texts: this.#pageTexts(member, pages, hits.offset, (edges) =>
        this.edges(items, edges, { offsets }),
      ),
    }))
    return this.#objects(columns, pages.length)
  }

  #pageTexts(
    member: PageMember,
    pages: readonly { readonly total: number; readonly shown: readonly number[] }[],
    offset: number,
    edgesOf: (edges: readonly EdgeMember[]) => readonly string[],
  ): readonly string[] {
    switch (member.kind) {
      case 'text':
        return pages.map(() => member.text)
      case 'total':
        return pages.map(({ total }) => String(total))
      case 'pageInfo':
        return pages.map(({ total, shown }) =>
          pageInfoText(pageInfoOf(total, offset, shown.length), member.members),
        )
      case 'edges': {
        const texts = edgesOf(member.edges)
        let next = 0
        return pages.map(({ shown }) => {
          const end = next + shown.length
          const list = `[${texts.slice(next, end).join(',')}]`
          next = end
          return list
        })
      }
    }
  }

  #elements(
    owners: readonly { readonly owner: number; readonly place: number }[],
    rows: Uint32Array,
    {
      sides,
      from,
      records,
      link,
    }: { readonly sides: readonly Side[] } & Pick<ConnectionMember, 'from' | 'records' | 'link'>,
  ): readonly Item[] {
    this.#spend(owners.length)
    if (records) return this.records(records, rows)
    const lists = sides.map(({ document }) => objectsIn(document?.[from]))
    const items = owners.map(({ owner, place }, i): Item => {
      return { own: lists[owner]?.[place], at: rows[i] ?? 0, ...NO_LINK }
    })
    return this.#linked(items, link)
  }

  /** Returns the items, each with the record to which it links. */
  #linked(items: readonly Item[], link: LinkPlan | undefined): readonly Item[] {
    if (!link) return items
    const targets = this.#arrays.link(link.table, link.at)?.targets
    const rows = items.map(({ at }) => (at < 0 ? 0 : (targets?.[at] ?? 0)) - 1)
    const wanted = [...new Set(rows.filter((row) => row >= 0))]
    const documents = this.#read(link.target, Uint32Array.from(wanted))
    return items.map((item, i) => {
      const linkedAt = rows[i] ?? -1
      return { ...item, linked: documents.get(linkedAt), linkedAt }
    })
  }

  #read(dataset: DatasetName, rows: Uint32Array): ReadonlyMap<number, Document> {
    const wanted = Uint32Array.from(new Set(rows)).sort()
    this.#spend(wanted.length)
    const reader = this.#readerOf(dataset)
    const found = new Map<number, Document>()
    for (let start = 0; start < wanted.length; start += BATCH_ROWS) {
      const batch = wanted.subarray(start, start + BATCH_ROWS)
      for (const [i, text] of reader.read(batch).entries()) {
        found.set(batch[i] ?? 0, JSON.parse(text) as Document)
      }
    }
    return found
  }

  #readerOf(dataset: DatasetName): DocumentReader {
    const known = this.#readers.get(dataset)
    if (known) return known
    const handle = this.#input.documents[dataset]
    if (!handle) throw new Error(`documents of ${dataset} were not handed over`)
    const reader = new DocumentReader(handle, this.#scratch)
    this.#readers.set(dataset, reader)
    return reader
  }

  #bitsOf(only: ElementFilter): Int32Array {
    const known = this.#passing.get(only)
    const bits = known ?? selectElements(only.table, only.steps, only.filter, this.#arrays)
    this.#passing.set(only, bits)
    return bits
  }

  #objects(columns: readonly Column[], count: number): readonly string[] {
    this.#names.take(count * columns.reduce((sum, { as }) => sum + as.length + 2, 0))
    return objects(columns, count)
  }

  #spend(values: number): void {
    this.values += values
    if (this.values > this.#input.values) throw tooManyValues()
  }
}

export function tooManyValues(): EngineError {
  const message =
    'the query shows too many values of records (docs/reference/limits.md); request less with first and offset, or fewer fields'
  return new EngineError('too_many', message)
}

/** Number of documents to read at a time, few enough that their texts do not reach the old generation. */
const BATCH_ROWS = 64

const NO_LINK = { linked: undefined, linkedAt: -1 } as const

interface Side {
  readonly document: Document | undefined
  readonly at: number
  /** Whether the record that the values are read from exists. */
  readonly isThere: boolean
}

function sideOf({ own, at, linked, linkedAt }: Item, source: 'own' | 'linked'): Side {
  return source === 'own'
    ? { document: own, at, isThere: at >= 0 }
    : { document: linked, at: linkedAt, isThere: linkedAt >= 0 }
}

/** Returns the objects in a value, which may be a list of objects or a single object. */
function objectsIn(value: unknown): readonly Document[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((one): one is Document => typeof one === 'object' && one !== null)
}

interface Column {
  /** Name of the member as JSON. */
  readonly as: string
  readonly texts: readonly string[]
}

function objects(columns: readonly Column[], count: number): readonly string[] {
  const texts = new Array<string>(count)
  for (let i = 0; i < count; i++) {
    let text = '{'
    for (const [n, { as, texts: column }] of columns.entries()) {
      text += `${n > 0 ? ',' : ''}${as}:${column[i]}`
    }
    texts[i] = `${text}}`
  }
  return texts
}

function valueText(
  value: unknown,
  { type, isList }: { readonly type: 'text' | 'number' | 'boolean'; readonly isList: boolean },
): string {
  if (value === undefined || value === null) return 'null'
  if (isList) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    return `[${list.map((one) => scalarText(one, type)).join(',')}]`
  }
  if (!Array.isArray(value)) return scalarText(value, type)
  // If there are several values where one is usual, texts are joined as in the tables of the portal.
  return type === 'text' ? JSON.stringify(value.map(String).join(', ')) : scalarText(value[0], type)
}

function scalarText(value: unknown, type: 'text' | 'number' | 'boolean'): string {
  if (value === undefined || value === null) return 'null'
  if (type === 'text') return JSON.stringify(typeof value === 'string' ? value : String(value))
  if (type === 'boolean') return String(value === true || value === 'true')
  const number = Number(value)
  return Number.isFinite(number) ? String(number) : 'null'
}
