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
import { ProjectConsent } from '../records/project-consent.ts'

/** A file that a request refers to, found in the release or in the catalogue of stored files. */
export interface FoundFile extends GuardedFile {
  readonly kind: 'file'
  /** File name without a path. */
  readonly fileName: string
  readonly state: string
  readonly dataFormat: string | undefined
  readonly related: readonly RelatedFile[]
  /** MD5 in hex, from the record or, without a record, from the catalogue. */
  readonly md5: string | undefined
  /** Size in bytes, from the same source as `md5`. */
  readonly size: number | undefined
  /** Catalogue entry of the bytes, if they are stored here and match the record. */
  readonly stored: StoredFile | undefined
  /** Whether the release has a record of the file, or a record that lists it. */
  readonly isReleased: boolean
}

interface FoundAnnotation {
  readonly kind: 'annotation'
  readonly id: string
}

export type Found = FoundFile | FoundAnnotation

/** Rules about which files a caller may know of. */
export interface Visibility {
  /** Returns whether the caller must not learn that the file exists. */
  readonly isHidden: (file: FoundFile) => Promise<boolean>
  /** Returns the ids of newer versions, keyed by the former ids. */
  readonly latestOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Returns whether the caller may know that a file is uploaded but not stored yet. */
  readonly isArriving?: (id: string) => Promise<boolean>
}

/** The error for a replaced file, whose bytes are no longer served (data-commons.md 11.33). */
export class SupersededFile extends EngineError {
  readonly latestId: string

  constructor(id: string, latestId: string) {
    const message = `file ${id} was superseded by ${latestId}; request that one`
    super('not_found', message)
    this.latestId = latestId
  }
}

/** Creates the error for bytes that have been uploaded completely but are not checked and stored yet. */
export function arriving(id: string): EngineError {
  const message = `the bytes of file ${id} have arrived and are yet to be checked; try again soon`
  return new EngineError('unavailable', message, { retryAfterSeconds: ARRIVING_SECONDS })
}

/** Seconds between two checks by which a server takes over the work of a dead server (living-servers.ts). */
const ARRIVING_SECONDS = 10
/** Number of catalogue entries read at a time, which takes about a millisecond. */
const BATCH_ROWS = 100
/** Maximum length of a chain of files that list each other. It ends cycles. */
const MAX_PARENTS = 8

/** Properties of a file from the release and from the catalogue. */
interface KnownOfFile {
  readonly id: string
  readonly described: DescribedFile | undefined
  readonly row: StoredFile | undefined
}

/** Catalogue rows of stored files. */
type ServedFiles = Pick<FileCatalogue['served'], 'find' | 'findAll'>

/** Finds files by id in the current release and in the catalogue of stored files. */
export class Resolver {
  readonly #files: ServedFiles
  readonly #described: DescribedFiles
  readonly #consent = new ProjectConsent()
  readonly #turns: LoopTurns

  constructor(files: ServedFiles, scratch: Scratch, turns = new LoopTurns()) {
    this.#turns = turns
    this.#files = files
    this.#described = new DescribedFiles(scratch, turns)
  }

  /**
   * Resolves ids, which are lower case and distinct. The result has their order.
   * @throws SupersededFile, EngineError not_found naming the first unknown id, unavailable for one whose
   * bytes are not stored yet
   */
  async found(
    ids: readonly string[],
    release: Release | undefined,
    { isHidden, latestOf, isArriving }: Visibility,
  ): Promise<readonly Found[]> {
    const found: Found[] = []
    // Stops at the first unknown id. A request with ten thousand unknown ids then costs one batch.
    for (let start = 0; start < ids.length; start += BATCH_ROWS) {
      const batch = ids.slice(start, start + BATCH_ROWS)
      const files = await this.files(batch, release)
      const others = batch.filter((id) => !files.has(id))
      const annotations =
        release && others.length > 0
          ? await rowsOf('annotations', others, release, { turns: this.#turns })
          : undefined
      // A file in the current release cannot have been replaced by a newer version.
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

  /** Returns files keyed by id, which must be lower case. Unknown ids are left out. */
  async files(
    ids: readonly string[],
    release: Release | undefined,
  ): Promise<ReadonlyMap<string, FoundFile>> {
    return this.#filesOf(ids, await this.#describedOf(ids, release), release)
  }

  /** Returns one file, or undefined if it is unknown. */
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
      related: [],
      md5: row.md5,
      size: row.size,
      stored: row,
      isReleased: false,
      guards: await this.#guardsOfRow(row, release),
    }
  }

  /**
   * Returns the access rules of a file without a record: those set at import and those of its owner. The consent codes
   * are those of the projects on its access list.
   */
  async #guardsOfRow(row: StoredFile, release: Release | undefined): Promise<readonly Guard[]> {
    const guards: Guard[] = []
    const codes = release && (await this.#consent.of(release))
    let at: StoredFile | undefined = row
    for (let depth = 0; at && depth < MAX_PARENTS; depth++) {
      const { access, acl }: StoredFile = at
      guards.push(guardOf({ access, acl, consent: [], projects: named(acl, codes) }))
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

const named = (acl: readonly string[], codes: ReadonlyMap<string, readonly string[]> | undefined) =>
  acl.map((id) => ({ id, accessions: [], consent: codes?.get(id) ?? [] }))

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
    // A record may contain any text as file name. The name in the catalogue has been validated.
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
