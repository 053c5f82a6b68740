import type { DatasetName } from '../datasets/define.ts'
import { sortTexts } from '../release/sort-texts.ts'
import type { PartEntry, StagedText, WrittenPart } from './staged-entries.ts'
import { TextBytes } from './text-bytes.ts'

/** Parts of some rows of a table, in runs that are each sorted by id. */
export interface SortedParts {
  /** The runs, concatenated. `readHeader` describes a part. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly runs: readonly {
    readonly dataset: DatasetName
    readonly parts: number
    /** Number of bytes. */
    readonly length: number
  }[]
}

/** Number of bytes of an id: a UUID. */
const ID_BYTES = 36
const RANK_AT = ID_BYTES
/** Number of bytes of the key by which parts are sorted: id and rank. */
const KEY_BYTES = RANK_AT + 1
const IS_DESCRIBED_AT = KEY_BYTES
const ENDING_AT = IS_DESCRIBED_AT + 1
const LENGTH_AT = ENDING_AT + 4
/** Number of bytes before the text of a part and its ending. */
export const HEADER_BYTES = LENGTH_AT + 4
const EMPTY_HEADER = Buffer.alloc(HEADER_BYTES)

/** Parts of a dataset in order of arrival: keys, and offsets of their headers and ends in the sorter's bytes. */
interface Unsorted {
  readonly keys: TextBytes
  readonly starts: number[]
  readonly ends: number[]
}

/**
 * Sorts parts whose ids no alias replaces, so that only their ids decide where they belong. Millions of them
 * need no database then: runs are merged when records are (sorted-runs.ts).
 */
export class PartSorter {
  readonly #bytes: TextBytes
  readonly #parts = new Map<DatasetName, Unsorted>()

  /** @param bytes empty. Its memory can be used again after `sorted`. */
  constructor(bytes: TextBytes) {
    this.#bytes = bytes
  }

  add(part: WrittenPart): void {
    const bytes = this.#bytes
    const start = bytes.length
    bytes.add(EMPTY_HEADER)
    const length = bytes.add(part.text)
    this.#end(part, start, { length, added: addedBy(bytes, part.ending) })
  }

  /** Adds a part whose text has its ending already. */
  addStaged(part: Omit<PartEntry, 'isMade' | 'key'>, text: StagedText): void {
    const bytes = this.#bytes
    const start = bytes.length
    bytes.add(EMPTY_HEADER)
    const { ending } = part
    this.#end(part, start, { length: bytes.add(text) - (ending ?? 0), added: ending ?? -1 })
  }

  #end(
    { dataset, id, rank, isDescribed }: Pick<PartEntry, 'dataset' | 'id' | 'rank' | 'isDescribed'>,
    start: number,
    { length, added }: { readonly length: number; readonly added: number },
  ): void {
    const bytes = this.#bytes
    const header = bytes.from(start)
    header.write(id, 0, 'latin1')
    header[RANK_AT] = rank
    header[IS_DESCRIBED_AT] = Number(isDescribed)
    header.writeInt32LE(added, ENDING_AT)
    header.writeInt32LE(length, LENGTH_AT)
    const { keys, starts, ends } = this.#of(dataset)
    keys.add(header.subarray(0, KEY_BYTES))
    starts.push(start)
    ends.push(bytes.length)
  }

  #of(dataset: DatasetName): Unsorted {
    const known = this.#parts.get(dataset)
    if (known) return known
    const parts = { keys: new TextBytes(0), starts: [], ends: [] }
    this.#parts.set(dataset, parts)
    return parts
  }

  get sorted(): SortedParts {
    const given = this.#bytes.from(0)
    const bytes = new Uint8Array(given.length)
    let filled = 0
    const runs = [...this.#parts].map(([dataset, { keys, starts, ends }]) => {
      const first = filled
      const order = sortTexts({ bytes: keys.bytes, count: starts.length, width: KEY_BYTES })
      for (const part of order) {
        const start = starts[part - 1] as number
        const end = ends[part - 1] as number
        bytes.set(given.subarray(start, end), filled)
        filled += end - start
      }
      return { dataset, parts: starts.length, length: filled - first }
    })
    return { bytes, runs }
  }
}

const addedBy = (bytes: TextBytes, ending: string | undefined) =>
  ending === undefined ? -1 : bytes.add(ending)

/** The bytes before the text of a part in a run. */
export interface PartHeader {
  readonly id: string
  readonly rank: number
  readonly isDescribed: boolean
  /** `ending` of a PartEntry. -1 if it is undefined. */
  readonly ending: number
  /** Number of bytes of the text, without its ending. */
  readonly length: number
}

export function readHeader(bytes: Buffer, at: number): PartHeader {
  return {
    id: bytes.toString('latin1', at, at + ID_BYTES),
    rank: bytes[at + RANK_AT] as number,
    isDescribed: bytes[at + IS_DESCRIBED_AT] === 1,
    ending: bytes.readInt32LE(at + ENDING_AT),
    length: bytes.readInt32LE(at + LENGTH_AT),
  }
}
