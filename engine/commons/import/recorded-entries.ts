import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { VersionStep } from '../files/versions/step.ts'
import type { PartSorter } from './part-sorter.ts'
import { type Part, RANKS, type Rank } from './split-record.ts'
import {
  type EntrySink,
  type NamedEntry,
  type PartEntry,
  type RepeatedText,
  type StagedText,
  type StagingTarget,
  stagePart,
  stageStep,
  stageWritten,
  type WrittenPart,
} from './staged-entries.ts'
import type { TextBytes } from './text-bytes.ts'
import { isUuid } from './uuid-cell.ts'

/**
 * Values of `kinds`, one for each method of EntrySink: project of a case, samples of a case, link from a file
 * to a case, part of a record, version step, entity of a case, natural key of a record.
 */
const [PROJECT, SPECIMENS, LINK, PART, STEP, ENTITY, NAME] = [0, 1, 2, 3, 4, 5, 6]
/** Bits of `flags`, which only parts and names have. HAS_KEY is set if the part has a natural key. */
const [IS_MADE, IS_DESCRIBED, HAS_KEY] = [1, 2, 4]
/** Datasets whose parts are sorted without the database if they have an id of their own. */
const SORTED: ReadonlySet<DatasetName> = new Set(['cases', 'files'])

/**
 * Staged entries (EntrySink) as columns that can be transferred between threads. Each column has one value per
 * entry.
 */
export interface RecordedEntries {
  /** Texts in UTF-8, one after another. Entries with the same digest share a text. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kinds: Int32Array
  /** For each entry, its line in the source. */
  readonly lines: Uint32Array
  /** Id of the record: a case, for PROJECT, SPECIMENS and ENTITY; a file, for LINK; the replaced file, for STEP. */
  readonly ids: readonly string[]
  /** Index of a part's or name's dataset in DATASET_NAMES, or -1 for other kinds. */
  readonly datasets: Int32Array
  /** For each entry, its rank. 0 for kinds without a rank. */
  readonly ranks: Int32Array
  readonly flags: Int32Array
  /** For each entry, the byte offset of its text in `bytes`. -1 if it has no text. */
  readonly offsets: Int32Array
  /** Number of bytes of the entry's text. */
  readonly lengths: Int32Array
  /** For each part, its `ending` (PartEntry). -1 if that is undefined. */
  readonly endings: Int32Array
  /** For each entry, the digest of its text. '' if it has none. */
  readonly digests: readonly string[]
  /**
   * Depends on the kind. PROJECT: project id. ENTITY: what it is. LINK: case id. PART and NAME: name in the natural key. STEP: id of the
   * next version. Undefined if there is none.
   */
  readonly names: readonly (string | undefined)[]
  /** Depends on the kind. LINK: number of cases in the file's record. PART and NAME: file size in bytes in the key. */
  readonly sizes: readonly (number | undefined)[]
}

/** Growing form of all columns except the texts. */
type Columns = {
  -readonly [K in Exclude<keyof RecordedEntries, 'bytes'>]: RecordedEntries[K][number][]
}

/** The values of one entry. Members that its kind does not have are absent. */
interface Entry {
  readonly kind: number
  readonly id: string
  readonly dataset?: DatasetName
  readonly rank?: Rank
  readonly flags?: number
  readonly text?: StagedText
  readonly digest?: string | undefined
  readonly ending?: number | undefined
  readonly name?: string | undefined
  readonly size?: number | undefined
}

/** Records the entries of one source, so that another thread can stage them. */
export class EntryRecorder implements StagingTarget, EntrySink {
  readonly #columns: Columns = {
    kinds: [],
    lines: [],
    ids: [],
    datasets: [],
    ranks: [],
    flags: [],
    offsets: [],
    lengths: [],
    endings: [],
    digests: [],
    names: [],
    sizes: [],
  }
  /** Offset and length in bytes of each text, keyed by digest. */
  readonly #known = new Map<string, readonly [offset: number, length: number]>()
  /** Embedded parts, each as its dataset, rank and text. */
  readonly #said = new Set<string>()
  readonly #texts: TextBytes
  readonly #sorter: PartSorter | undefined
  readonly release: string | undefined
  #line = 0

  /**
   * @param texts empty. Its memory can be used again after `entries`.
   * @param sorter takes the parts that are texts already, and those of files with ids, instead of the entries
   * @param release number of the release being made
   */
  constructor(texts: TextBytes, sorter?: PartSorter, release?: string) {
    this.#texts = texts
    this.#sorter = sorter
    this.release = release
  }

  /** Resets only the line number. Entries already have their source from the thread that read them. */
  from(): void {
    this.#line = 0
  }

  atLine(line: number): void {
    this.#line = line
  }

  put(part: Part): void {
    stagePart(part, this)
  }

  putWritten(part: WrittenPart): void {
    if (this.#sorter) this.#sorter.add(part)
    else stageWritten(part, this)
  }

  putStep(step: VersionStep, rank: Rank): void {
    stageStep(step, rank, this)
  }

  putProject(caseId: string, projectId: string): void {
    this.#add({ kind: PROJECT, id: caseId, name: projectId })
  }

  putEntity(caseId: string, entity: string): void {
    this.#add({ kind: ENTITY, id: caseId, name: entity })
  }

  putName({ dataset, id, isMade, key }: NamedEntry): void {
    this.#add({ kind: NAME, id, dataset, flags: isMade ? IS_MADE : 0, ...key })
  }

  putSpecimens(caseId: string, rank: Rank, { text, digest }: RepeatedText): void {
    this.#add({ kind: SPECIMENS, id: caseId, rank, text, digest })
  }

  putLink(
    link: { readonly fileId: string; readonly caseId: string; readonly cases: number },
    samples: RepeatedText | undefined,
  ): void {
    this.#add({ kind: LINK, id: link.fileId, name: link.caseId, size: link.cases, ...samples })
  }

  isRepeated(dataset: DatasetName, rank: Rank, text: string): boolean {
    const before = this.#said.size
    return this.#said.add(`${dataset} ${rank} ${text}`).size === before
  }

  putPart(entry: PartEntry, text: StagedText, digest: string | undefined): void {
    const { id, dataset, rank, isMade, isDescribed, key, ending } = entry
    // All parts of a file or case with an id go to the sorter, so that they stay in order.
    if (this.#sorter && SORTED.has(dataset) && rank === RANKS.described && !isMade && isUuid(id)) {
      this.#sorter.addStaged(entry, text)
      // The names of files are read from their parts if they are needed (Staging.unsort).
      if (key && dataset !== 'files') this.putName(entry)
      return
    }
    const flags = (isMade ? IS_MADE : 0) | (isDescribed ? IS_DESCRIBED : 0) | (key ? HAS_KEY : 0)
    const { name, size } = key ?? {}
    this.#add({ kind: PART, id, dataset, rank, flags, text, digest, ending, name, size })
  }

  putStepText(
    { id, next }: { readonly id: string; readonly next?: string | undefined },
    rank: Rank,
    text: StagedText,
  ): void {
    this.#add({ kind: STEP, id, rank, text, name: next })
  }

  get entries(): RecordedEntries {
    const bytes = new Uint8Array(this.#texts.bytes)
    const { kinds, lines, datasets, ranks, flags, offsets, lengths, endings, ...others } =
      this.#columns
    // Plain arrays would be copied between threads number by number.
    return {
      bytes,
      ...others,
      kinds: new Int32Array(kinds),
      lines: new Uint32Array(lines),
      datasets: new Int32Array(datasets),
      ranks: new Int32Array(ranks),
      flags: new Int32Array(flags),
      offsets: new Int32Array(offsets),
      lengths: new Int32Array(lengths),
      endings: new Int32Array(endings),
    }
  }

  #add(entry: Entry): void {
    const { kind, id, dataset, rank = 0, flags = 0, text, digest, ending = -1, name, size } = entry
    const columns = this.#columns
    const [offset, length] = text === undefined ? [-1, 0] : this.#placeOf(text, digest)
    columns.kinds.push(kind)
    columns.lines.push(this.#line)
    columns.ids.push(id)
    columns.datasets.push(dataset === undefined ? -1 : DATASET_NAMES.indexOf(dataset))
    columns.ranks.push(rank)
    columns.flags.push(flags)
    columns.offsets.push(offset)
    columns.lengths.push(length)
    columns.endings.push(ending)
    columns.digests.push(digest ?? '')
    columns.names.push(name)
    columns.sizes.push(size)
  }

  #placeOf(text: StagedText, digest: string | undefined): readonly [number, number] {
    const known = digest === undefined ? undefined : this.#known.get(digest)
    if (known) return known
    const offset = this.#texts.length
    const length = this.#texts.add(text)
    if (digest !== undefined) this.#known.set(digest, [offset, length])
    return [offset, length]
  }
}

/** Stages the entries that another thread has recorded. Set the source of the sink before. */
export function replayEntries(
  entries: RecordedEntries,
  sink: EntrySink & Pick<StagingTarget, 'atLine'>,
): void {
  const { kinds, lines, ids, ranks, flags, offsets, lengths, endings, digests, names, sizes } =
    entries
  for (let i = 0; i < kinds.length; i++) {
    sink.atLine(lines[i] as number)
    const id = ids[i] as string
    const rank = ranks[i] as Rank
    // PROJECT, ENTITY, LINK and NAME always have a name, as has PART with HAS_KEY. Others do not use this constant.
    const name = names[i] ?? ''
    const size = sizes[i]
    const offset = offsets[i] as number
    // If an entry has no text, its offset is -1 and its length is 0, so `text` is empty.
    const text = entries.bytes.subarray(offset, offset + (lengths[i] as number))
    const digest = digests[i] as string
    const kind = kinds[i]
    if (kind === PART) {
      const flag = flags[i] as number
      const key = { name, size }
      const part: PartEntry = {
        dataset: DATASET_NAMES[entries.datasets[i] as number] as DatasetName,
        id,
        rank,
        key: (flag & HAS_KEY) === 0 ? undefined : key,
        isMade: (flag & IS_MADE) !== 0,
        isDescribed: (flag & IS_DESCRIBED) !== 0,
        ending: (endings[i] as number) < 0 ? undefined : endings[i],
      }
      sink.putPart(part, text, digest === '' ? undefined : digest)
    } else if (kind === NAME) {
      const dataset = DATASET_NAMES[entries.datasets[i] as number] as DatasetName
      const isMade = ((flags[i] as number) & IS_MADE) !== 0
      sink.putName({ dataset, id, isMade, key: { name, size } })
    } else if (kind === PROJECT) sink.putProject(id, name)
    else if (kind === ENTITY) sink.putEntity(id, name)
    else if (kind === SPECIMENS) sink.putSpecimens(id, rank, { text, digest })
    else if (kind === LINK) {
      const link = { fileId: id, caseId: name, cases: size ?? 0 }
      sink.putLink(link, offset < 0 ? undefined : { text, digest })
    } else sink.putStepText({ id, next: names[i] }, rank, text)
  }
}
