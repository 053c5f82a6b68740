import type { GuardedFile } from '../../../shared/access/access.ts'
import { type Guard, guardOf } from '../../../shared/access/guards.ts'
import { checkName } from '../../../shared/blobs/blob-key.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Scratch } from '../../../shared/executor.ts'
import type { Release } from '../../release/release.ts'
import { type DescribedFile, DescribedFiles, rowsOf } from '../records/described-files.ts'
import type { RelatedFile } from '../records/file-record.ts'

/** A file that was asked for, by whatever knows of it. */
export interface FoundFile extends GuardedFile {
  readonly kind: 'file'
  /** A plain file name. */
  readonly fileName: string
  readonly state: string
  readonly dataFormat: string | undefined
  readonly related: readonly RelatedFile[]
  /** Hex; from its record, or from the catalogue where no record has it. */
  readonly md5: string | undefined
  /** Bytes; from where `md5` is. */
  readonly size: number | undefined
  /** Where its bytes are, if they are here and those that the record speaks of. */
  readonly stored: StoredFile | undefined
  /** Whether a record of the release speaks of it. */
  readonly isReleased: boolean
}

export interface FoundAnnotation {
  readonly kind: 'annotation'
  readonly id: string
}

export type Found = FoundFile | FoundAnnotation

/** What decides whether there is a file, besides release and catalogue. */
export interface Judging {
  /** Whether the caller must not know that there is a file. */
  readonly isHidden: (file: FoundFile) => Promise<boolean>
  /** Ids of newer versions by those of the ids that have one. */
  readonly latestOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Of an id that nothing is known of: whether the caller may know that its bytes have arrived and wait. */
  readonly isArriving?: (id: string) => Promise<boolean>
}

/** A file that another one replaced: its bytes are no longer given out (data-commons.md 11.33). */
export class SupersededFile extends EngineError {
  readonly latestId: string

  constructor(id: string, latestId: string) {
    const message = `file ${id} was superseded by ${latestId}; ask for that one`
    super('not_found', message)
    this.latestId = latestId
  }
}

/** The error of bytes that have arrived whole, which nobody has checked and stored yet. */
export function arriving(id: string): EngineError {
  const message = `the bytes of file ${id} have arrived and are yet to be checked; ask again soon`
  return new EngineError('unavailable', message, { retryAfterSeconds: ARRIVING_SECONDS })
}

/** Servers look so often what one that died has left (living-servers.ts). */
const ARRIVING_SECONDS = 10
/** Rows of the catalogue that are read together: a millisecond. */
const BATCH_ROWS = 100
/** An index of an index of a file: further is a circle. */
const MAX_PARENTS = 8

/** What release and catalogue know of an id. */
interface KnownOfFile {
  readonly id: string
  readonly described: DescribedFile | undefined
  readonly row: StoredFile | undefined
}

/** Rows of stored files. */
export type ServedFiles = Pick<FileCatalogue['served'], 'find' | 'findAll'>

/** Finds what ids mean, in the served release and in the catalogue of stored files. */
export class Resolver {
  readonly #files: ServedFiles
  readonly #described: DescribedFiles
  readonly #turns: LoopTurns

  constructor(files: ServedFiles, scratch: Scratch, turns = new LoopTurns()) {
    this.#turns = turns
    this.#files = files
    this.#described = new DescribedFiles(scratch, turns)
  }

  /**
   * By id, in the order of the ids, which are lower case and distinct.
   * @throws SupersededFile, EngineError not_found naming the first id that is none, unavailable for one whose
   *   bytes are not stored yet
   */
  async found(
    ids: readonly string[],
    release: Release | undefined,
    { isHidden, latestOf, isArriving }: Judging,
  ): Promise<readonly Found[]> {
    const found: Found[] = []
    // The first that is none ends it: whoever sends ten thousand pays for one batch.
    for (let start = 0; start < ids.length; start += BATCH_ROWS) {
      const batch = ids.slice(start, start + BATCH_ROWS)
      const files = await this.files(batch, release)
      const others = batch.filter((id) => !files.has(id))
      const annotations =
        release && others.length > 0
          ? await rowsOf('annotations', others, release, { turns: this.#turns })
          : undefined
      // What the release speaks of is current.
      const unspoken = batch.filter((id) => !files.get(id)?.isReleased && !annotations?.has(id))
      const newer = release && unspoken.length > 0 ? await latestOf(unspoken) : undefined
      for (const id of batch) {
        const latest = newer?.get(id)
        if (latest !== undefined) throw new SupersededFile(id, latest)
        const file = files.get(id)
        if (file && !(await isHidden(file))) found.push(file)
        else if (!file && annotations?.has(id)) found.push({ kind: 'annotation', id })
        else if (!file && (await isArriving?.(id))) throw arriving(id)
        else throw new EngineError('not_found', `no file has the id "${id.slice(0, 80)}"`)
      }
      if (start + BATCH_ROWS < ids.length) await this.#turns.pause()
    }
    return found
  }

  /** Files by their ids, which are lower case; those that nothing knows of are left out. */
  async files(
    ids: readonly string[],
    release: Release | undefined,
  ): Promise<ReadonlyMap<string, FoundFile>> {
    return this.#filesOf(ids, await this.#describedOf(ids, release), release)
  }

  /** One file, or `undefined` when nothing knows of it. */
  async file(id: string, release: Release | undefined): Promise<FoundFile | undefined> {
    return (await this.files([id], release)).get(id)
  }

  async #filesOf(
    ids: readonly string[],
    described: ReadonlyMap<string, DescribedFile>,
    release: Release | undefined,
  ): Promise<ReadonlyMap<string, FoundFile>> {
    const found = new Map<string, FoundFile>()
    for (let start = 0; start < ids.length; start += BATCH_ROWS) {
      await this.#turns.pause()
      const batch = ids.slice(start, start + BATCH_ROWS)
      const rows = await this.#files.findAll(batch)
      for (const id of batch) {
        const file = await this.#fileOf(
          { id, described: described.get(id), row: rows.get(id) },
          release,
        )
        if (file) found.set(id, file)
      }
    }
    return found
  }

  async #fileOf(
    { id, described, row }: KnownOfFile,
    release: Release | undefined,
  ): Promise<FoundFile | undefined> {
    if (described) return fileOf(id, described, row)
    if (!row) return undefined
    return {
      kind: 'file',
      id,
      fileName: row.fileName,
      state: '',
      dataFormat: row.dataFormat ?? undefined,
      ...{ related: [], md5: row.md5, size: row.size, stored: row, isReleased: false },
      guards: await this.#guardsOfRow(row, release),
    }
  }

  /** What holds for bytes that no record speaks of: what was said at import, and their owner's. */
  async #guardsOfRow(row: StoredFile, release: Release | undefined): Promise<readonly Guard[]> {
    const guards: Guard[] = []
    let at: StoredFile | undefined = row
    for (let depth = 0; at && depth < MAX_PARENTS; depth++) {
      guards.push(guardOf({ access: at.access, acl: at.acl, projects: [] }))
      const { partOf }: StoredFile = at
      if (partOf === null) break
      const owner = (await this.#describedOf([partOf], release)).get(partOf)
      if (owner) return [...guards, ...owner.guards]
      at = await this.#files.find(partOf)
    }
    return guards
  }

  async #describedOf(ids: readonly string[], release: Release | undefined) {
    return release ? this.#described.of(ids, release) : new Map<string, DescribedFile>()
  }
}

function fileOf(
  id: string,
  { facts, record, guards }: DescribedFile,
  row: StoredFile | undefined,
): FoundFile {
  const { md5, size } = facts
  const isSame =
    (md5 === undefined || md5 === row?.md5) && (size === undefined || size === row?.size)
  return {
    kind: 'file',
    id,
    guards,
    state: facts.state,
    isReleased: true,
    // What a record calls a file may be anything; what it is stored under was checked.
    fileName: plainName(facts.fileName) ?? row?.fileName ?? id,
    dataFormat: record?.dataFormat ?? row?.dataFormat ?? undefined,
    related: record?.related ?? [],
    md5: md5 ?? row?.md5,
    size: size ?? row?.size,
    stored: isSame ? row : undefined,
  }
}

function plainName(name: string | undefined): string | undefined {
  try {
    checkName(name ?? '', 'file_name')
    return name
  } catch {
    return undefined
  }
}
