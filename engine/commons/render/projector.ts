import type { DatasetName } from '../datasets/define.ts'
import type { Hit } from './hit.ts'
import { type LinkedRecords, linkedRecord } from './linked-records.ts'
import type { GroupMember, LinkPart, Member, Projection, ReverseMember } from './projection.ts'
import type { RecordSource } from './records.ts'

/** Number of documents per batch, small enough that their texts are garbage-collected early. */
const BATCH_ROWS = 64

type Values = ReadonlyMap<number, Hit | undefined>

/** A link from records to other records, with the linked records. */
interface Followed {
  /** For each element or row with the link, the row of the other record plus one, or 0 for no link. */
  readonly targets: Uint32Array | undefined
  /** Index of the first element of each row. Undefined if the records themselves link, not their elements. */
  readonly offsets: Uint32Array | undefined
  readonly values: Values
}

/** A link from other records to these records, with the other records. */
interface FollowedBack {
  readonly rows: ReadonlyMap<number, readonly number[]>
  readonly values: Values
}

/**
 * Reads documents, copies the selected members, and adds linked records. The linked documents of a batch are
 * read together. Records are cached and may be shared by several hits, so hits must not be modified. A
 * projector is used for one chunk of a response.
 *
 * Null values stay null and missing values stay missing. An object with none of its selected members is left
 * out, and so is an array of such objects (data-commons.md 3.1, 3.2).
 */
export class Projector {
  readonly #source: RecordSource
  readonly #prepared = new Map<Projection, LinkedRecords>()
  readonly #cached = new Map<Projection, Map<number, Hit | undefined>>()
  readonly #links = new Map<LinkPart, Followed>()
  readonly #reverses = new Map<ReverseMember, FollowedBack>()
  #characters = 0

  constructor(source: RecordSource) {
    this.#source = source
  }

  /** Total length of the documents read so far, as a measure of the work. */
  get characters(): number {
    return this.#characters
  }

  /**
   * Yields the records of the rows, in their order.
   * @throws EngineError corrupt_source if a document is damaged
   */
  *hits(projection: Projection, rows: Uint32Array): Generator<Hit> {
    this.#prepare(projection)
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const batch = rows.subarray(start, start + BATCH_ROWS)
      for (const hit of this.#project(projection, batch)) yield hit ?? {}
    }
  }

  /** Registers the records that were prepared for the links of this response. */
  #prepare(projection: Projection): void {
    for (const part of projection.parts) {
      const records = 'at' in part ? this.#source.linked?.[part.at] : undefined
      if (records) this.#prepared.set(part.target, records)
    }
  }

  #project(projection: Projection, rows: ArrayLike<number>): (Hit | undefined)[] {
    return this.#withoutDocuments(projection, rows) ?? this.#fromDocuments(projection, rows)
  }

  /** Builds records that consist of linked ids only. Returns undefined if documents have to be read. */
  #withoutDocuments({ dataset, ids }: Projection, rows: ArrayLike<number>): Hit[] | undefined {
    const { arrays } = this.#source
    const links = ids?.map(({ at, dataset: other, idField, as }) => {
      const targets = arrays.link(dataset, at)?.targets
      const names = arrays.column(other, idField)?.dictionary
      return targets && names ? { targets, names, as } : undefined
    })
    if (!links) return undefined
    const hits: Hit[] = []
    for (let i = 0; i < rows.length; i++) {
      const hit: Hit = {}
      for (const link of links) {
        const target = link?.targets[rows[i] ?? 0] ?? 0
        // The linked record does not exist, so only the document has its id.
        if (!link || target === 0) return undefined
        const [group, id] = link.as
        hit[group] = { [id]: link.names.text(target) }
      }
      hits.push(hit)
    }
    return hits
  }

  #fromDocuments(projection: Projection, rows: ArrayLike<number>): (Hit | undefined)[] {
    for (const part of projection.parts) {
      if ('at' in part) this.#links.set(part, this.#follow(projection.dataset, part, rows))
      else this.#reverses.set(part, this.#followBack(part, rows))
    }
    const texts = this.#source.documents(projection.dataset).read(rows)
    return texts.map((text, i) => {
      this.#characters += text.length
      const document = JSON.parse(text) as Hit
      const hit: Hit = projection.id === undefined ? {} : { id: document[projection.id] }
      const found = this.#pick(projection.members, document, hit, rows[i] ?? 0)
      return found || projection.id !== undefined ? hit : undefined
    })
  }

  /** Loads the records that the rows' elements link to. */
  #follow(dataset: DatasetName, { at, level, target }: LinkPart, rows: ArrayLike<number>) {
    const targets = this.#source.arrays.link(dataset, at)?.targets
    const offsets = level === '' ? undefined : this.#source.arrays.level(dataset, level)?.offsets
    const values = this.#cached.get(target) ?? new Map<number, Hit | undefined>()
    this.#cached.set(target, values)
    const wanted = new Set<number>()
    for (let i = 0; i < rows.length && targets; i++) {
      const row = rows[i] ?? 0
      const start = level === '' ? row : (offsets?.[row] ?? 0)
      const end = level === '' ? row + 1 : (offsets?.[row + 1] ?? 0)
      for (let element = start; element < end; element++) {
        const other = targets[element] ?? 0
        if (other > 0 && !values.has(other - 1)) wanted.add(other - 1)
      }
    }
    this.#projectInto(values, target, wanted)
    return { targets, offsets, values }
  }

  /** Loads the records that link to the rows. */
  #followBack({ through, level, target }: ReverseMember, rows: ArrayLike<number>) {
    const link = this.#source.arrays.link(target.dataset, through)
    const parents =
      level === '' ? undefined : this.#source.arrays.level(target.dataset, level)?.parents
    const found = new Map<number, readonly number[]>()
    const wanted = new Set<number>()
    for (let i = 0; i < rows.length && link; i++) {
      const row = rows[i] ?? 0
      const others: number[] = []
      const end = link.reverseOffsets[row + 1] ?? 0
      for (let place = link.reverseOffsets[row] ?? 0; place < end; place++) {
        const element = link.reverseElements[place] ?? 0
        const other = parents ? (parents[element] ?? 0) : element
        // Elements are ascending, so several links from one record are next to each other.
        if (others.at(-1) !== other) others.push(other)
        wanted.add(other)
      }
      found.set(row, others)
    }
    const values = new Map<number, Hit | undefined>()
    this.#projectInto(values, target, wanted)
    return { rows: found, values }
  }

  #projectInto(
    values: Map<number, Hit | undefined>,
    target: Projection,
    wanted: ReadonlySet<number>,
  ): void {
    const prepared = this.#prepared.get(target)
    if (prepared) {
      for (const row of wanted) values.set(row, linkedRecord(prepared, row))
      return
    }
    // Sorted, so that neighbouring documents are read together.
    const rows = Uint32Array.from(wanted).sort()
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const batch = rows.subarray(start, start + BATCH_ROWS)
      const hits = this.#project(target, batch)
      for (const [i, row] of batch.entries()) values.set(row, hits[i])
    }
  }

  /** Copies the selected members. Returns false if the object has none of them. */
  #pick(members: readonly Member[], from: Hit, into: Hit, row: number): boolean {
    let found = false
    for (const member of members) {
      const value =
        member.kind === 'leaf'
          ? from[member.from]
          : member.kind === 'group'
            ? this.#group(member, from[member.from], row)
            : this.#reversed(member, row)
      if (value === undefined) continue
      into[member.as] = value
      found = true
    }
    return found
  }

  #group(member: GroupMember, value: unknown, row: number): Hit | Hit[] | undefined {
    if (value === undefined || value === null) return undefined
    let element = member.link?.level ? this.#firstElement(member.link, row) : row
    if (!Array.isArray(value)) return this.#object(member, value, row, element)
    const objects: Hit[] = []
    for (const one of value) {
      // Only objects are elements of a nested level. Other items are skipped.
      if (typeof one !== 'object' || one === null) continue
      const object = this.#object(member, one, row, element++)
      if (object) objects.push(object)
    }
    return objects.length > 0 ? objects : undefined
  }

  #object(member: GroupMember, value: unknown, row: number, element: number): Hit | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    const own: Hit = {}
    const found = this.#pick(member.members, value as Hit, own, row)
    const linked = member.link && this.#linked(member.link, element)
    if (!linked) return found ? own : undefined
    return found ? Object.assign(own, linked) : linked
  }

  #firstElement(link: LinkPart, row: number): number {
    return this.#links.get(link)?.offsets?.[row] ?? 0
  }

  #linked(link: LinkPart, element: number): Hit | undefined {
    const followed = this.#links.get(link)
    const target = followed?.targets?.[element] ?? 0
    return target > 0 ? followed?.values.get(target - 1) : undefined
  }

  #reversed(member: ReverseMember, row: number): Hit[] | undefined {
    const followed = this.#reverses.get(member)
    const hits: Hit[] = []
    for (const other of followed?.rows.get(row) ?? []) {
      const hit = followed?.values.get(other)
      if (hit) hits.push(hit)
    }
    return hits.length > 0 ? hits : undefined
  }
}
