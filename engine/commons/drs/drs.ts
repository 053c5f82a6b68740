import { authorise, isOpenFile } from '../../shared/access/access.ts'
import { consentLabel } from '../../shared/access/consent.ts'
import { consentOf } from '../../shared/access/guards.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { type Executor, Scratch } from '../../shared/executor.ts'
import type { CheckStore } from '../../shared/integrity/check-store.ts'
import { datasetOf } from '../datasets/index.ts'
import { normalised } from '../files/download/downloads.ts'
import { type FoundFile, SupersededFile } from '../files/download/resolve.ts'
import type { FileAccess, FileCaller } from '../files/file-access.ts'
import type { FileLink, FileLinks } from '../files/links/file-links.ts'
import { rowsOf } from '../files/records/described-files.ts'
import type { Release } from '../release/release.ts'
import { readRecords } from '../search/read-records.ts'
import { Selections } from '../search/selections.ts'
import { BundleMembers, requireFewContents } from './bundle-members.ts'
import { parseDrsId } from './drs-id.ts'
import {
  type BundleMember,
  bundleChecksum,
  contentsOf,
  type DrsBlob,
  type DrsBundle,
  type DrsObject,
  portableName,
} from './drs-object.ts'
import { rowsOfFiles } from './found-rows.ts'
import { sizeOfFiles } from './size-of-files.ts'

interface DrsContext {
  readonly access: FileAccess
  readonly links: FileLinks
  readonly executor: Executor
  readonly checks: CheckStore
  readonly turns: LoopTurns
}

export interface DrsRun {
  /** Secret of the token as the client sent it. */
  readonly token: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Result for one of several requested ids. */
export type DrsResult = DrsObject | EngineError

/** Maximum number of objects per request. */
export const MAX_DRS_OBJECTS = 10_000
/** Maximum number of bundles per request, because each bundle scans all files. */
const MAX_BUNDLES = 100
/** Number of records read without yielding to the event loop, which takes a few milliseconds. */
const BATCH_ROWS = 128
/** Maximum number of objects returned for one checksum. */
const MAX_EQUAL_FILES = 1000

const FACTS = [
  'file_id',
  'created_datetime',
  'updated_datetime',
  'submitter_id',
  'data_type',
  'consent',
]

/**
 * Files and bundles of files as objects of the Data Repository Service. The metadata of an object is in its
 * file's record, which is public. Only users who may read it can see a file without a record
 * (docs/interfaces/ga4gh.md).
 */
export class Drs {
  readonly #context: DrsContext
  readonly #selections = new Selections()
  readonly #scratch = new Scratch()
  /** Total size in bytes of all files, by release. */
  readonly #sizes = new WeakMap<Release, number>()

  constructor(context: DrsContext) {
    this.#context = context
  }

  /**
   * Returns the object with an id. The id has one of the forms that parseDrsId reads.
   * @throws EngineError not_found, SupersededFile, unauthenticated, forbidden, too_large for a bundle of too
   *   many files, corrupt_source
   */
  async object(id: string, run: DrsRun): Promise<DrsObject> {
    const result = (await this.objects([id], run)).get(id)
    if (result === undefined || result instanceof EngineError) throw result ?? noObject(id)
    return result
  }

  /**
   * Returns objects keyed by the given ids. An object that cannot be shown is replaced by its error.
   * @throws EngineError too_large for too many ids, bundles or files of bundles, unavailable, corrupt_source
   */
  async objects(ids: readonly string[], run: DrsRun): Promise<ReadonlyMap<string, DrsResult>> {
    if (ids.length > MAX_DRS_OBJECTS) {
      const message = `${ids.length} ids are given; request at most ${MAX_DRS_OBJECTS} at a time`
      throw new EngineError('too_large', message, { at: 'bulk_object_ids' })
    }
    const { access } = this.#context
    // The next step reads thousands of ids at once.
    await this.#context.turns.pause()
    return access.withRelease(async (release) => {
      const look: Look = { release, caller: access.callerOf(run.token), signal: run.signal }
      const parsed = new Map(ids.map((id) => [id, parseDrsId(id)] as const))
      const records = [...parsed.values()].flatMap((one) => (one?.kind === 'record' ? one.id : []))
      const blobs = await this.#blobs(normalised(records), look)
      const results = new Map<string, DrsResult>()
      let bundles = 0
      let contents = 0
      for (const [id, meant] of parsed) {
        await this.#context.turns.pause()
        run.signal?.throwIfAborted()
        const blob = meant?.kind === 'record' ? blobs.get(meant.id) : undefined
        if (blob) {
          results.set(id, blob)
          continue
        }
        if (meant && ++bundles > MAX_BUNDLES) throw tooManyBundles()
        const bundle = meant && (await this.#bundle(id, meant, look).catch(expected))
        if (bundle && !(bundle instanceof EngineError)) contents += bundle.contents.length
        requireFewContents(contents)
        results.set(id, bundle ?? noObject(id))
      }
      return results
    })
  }

  /**
   * Returns a link to a file's bytes for a user who may read the file. It leads directly to object storage if
   * that is permitted.
   * @throws EngineError not_found, SupersededFile, unauthenticated, forbidden, unavailable, corrupt_source
   */
  async link(id: string, token: string | undefined): Promise<FileLink> {
    const parsed = parseDrsId(id)
    if (parsed?.kind === 'record') {
      return this.#context.links.of(parsed.id, token, { mayPresign: true })
    }
    if (parsed === undefined) throw noObject(id)
    const message = `object "${id}" is a bundle, which has no bytes; request its contents`
    throw new EngineError('not_found', message)
  }

  /**
   * Returns the release's objects with a checksum: an MD5, or a SHA-256 that was computed on import.
   * @throws EngineError bad_input if it is neither, corrupt_source
   */
  async byChecksum(given: string, run: DrsRun): Promise<readonly DrsObject[]> {
    const checksum = given.toLowerCase()
    if (!/^([0-9a-f]{32}|[0-9a-f]{64})$/.test(checksum)) {
      const message = 'the checksum is not 32 hex digits of an md5 or 64 of a SHA-256'
      throw new EngineError('bad_input', message, { at: 'checksum' })
    }
    const ids = await this.#idsOf(checksum, run)
    const found = [...(await this.objects(ids, run)).values()]
    return found.flatMap((one) => (one instanceof EngineError ? [] : [one]))
  }

  /** Returns the number of files in the release and their total bytes. Without a release, both are 0. */
  facts(): Promise<{ readonly objects: number; readonly bytes: number }> {
    return this.#context.access.withRelease(async (release) => {
      if (!release) return { objects: 0, bytes: 0 }
      const objects = release.manifest.datasets.files.rows
      const known = this.#sizes.get(release)
      const bytes = known ?? (await sizeOfFiles(release))
      this.#sizes.set(release, bytes)
      return { objects, bytes }
    })
  }

  async #idsOf(checksum: string, { signal }: DrsRun): Promise<readonly string[]> {
    const { access, checks, executor, turns } = this.#context
    if (checksum.length === 64) return checks.filesOfDigest(checksum, MAX_EQUAL_FILES)
    return access.withRelease(async (release) => {
      if (!release) return []
      const values = { md5sum: checksum }
      const rows = await rowsOfFiles(values, MAX_EQUAL_FILES, release, { executor, turns, signal })
      return [...(await this.#factsOf(rows, { release, signal })).keys()]
    })
  }

  async #blobs(ids: readonly string[], look: Look): Promise<ReadonlyMap<string, DrsResult>> {
    const { release, caller, signal } = look
    const { access, checks } = this.#context
    const found = await access.resolver.files(ids, release)
    const unspoken = ids.filter((id) => !found.get(id)?.isReleased)
    const newer = release && unspoken.length > 0 ? await access.latestOf(unspoken) : undefined
    const rows = release
      ? await rowsOf('files', [...found.keys()], release, { turns: this.#context.turns })
      : new Map()
    const facts = release
      ? await this.#factsOf(Uint32Array.from(rows.values()), { release, signal })
      : new Map<string, FileTexts>()
    const stored = [...found.values()].flatMap((file) => file.stored ?? [])
    const digests = await checks.digests(stored)
    const blobs = new Map<string, DrsResult>()
    for (const id of ids) {
      await this.#context.turns.pause()
      const latest = newer?.get(id)
      if (latest !== undefined) {
        blobs.set(id, new SupersededFile(id, latest))
        continue
      }
      const file = found.get(id)
      if (!file || (await access.isHidden(file, caller))) continue
      const refusal = await refusalOf(file, caller)
      const texts = { ...facts.get(id), digest: digests.get(id), releasedAt: dateOf(release) }
      blobs.set(id, refusal ?? blobOf(file, texts))
    }
    return blobs
  }

  async #factsOf(
    rows: Uint32Array,
    { release, signal }: Pick<Look, 'signal'> & { readonly release: Release },
  ): Promise<ReadonlyMap<string, FileTexts>> {
    const { projection } = this.#selections.of(datasetOf('files'), { fields: FACTS }, 'list')
    const texts = new Map<string, FileTexts>()
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      await this.#context.turns.pause()
      signal?.throwIfAborted()
      const batch = rows.slice(at, at + BATCH_ROWS)
      const hits = await readRecords(projection, batch, { release, scratch: this.#scratch })
      for (const hit of hits) {
        texts.set(String(hit.file_id).toLowerCase(), {
          createdAt: timeOf(hit.created_datetime),
          updatedAt: timeOf(hit.updated_datetime),
          submitterId: textOf(hit.submitter_id),
          dataType: textOf(hit.data_type),
          consent: consentOf(hit.consent),
        })
      }
    }
    return texts
  }

  async #bundle(
    id: string,
    meant: NonNullable<ReturnType<typeof parseDrsId>>,
    look: Look,
  ): Promise<DrsBundle | undefined> {
    const { release, signal } = look
    if (!release) return undefined
    const members = new BundleMembers(release, { ...this.#context, signal })
    switch (meant.kind) {
      case 'record': {
        const files = await members.ofCase(meant.id)
        return files && bundleOf(id, 'the files of a case', files, release)
      }
      case 'project files': {
        const { projectId, dataType } = meant
        const files = await members.ofProject(projectId, dataType)
        if (files.length === 0) return undefined
        return bundleOf(id, `the files of ${projectId} with ${dataType}`, files, release)
      }
      case 'indexed file': {
        const files = await this.#withIndex(meant.fileId, look)
        return files && bundleOf(id, 'a file and its index', files, release)
      }
    }
  }

  async #withIndex(
    fileId: string,
    { release, caller }: Look,
  ): Promise<readonly BundleMember[] | undefined> {
    const { access } = this.#context
    const file = await access.resolver.file(fileId, release)
    if (!file?.isReleased || (await access.isHidden(file, caller))) return undefined
    const indexes = file.related.filter(({ group }) => group === 'index_files')
    if (indexes.length === 0) return undefined
    return [file, ...indexes].flatMap(({ id, fileName = id, md5, size }) =>
      md5 === undefined || size === undefined ? [] : [{ id, fileName, md5, size }],
    )
  }
}

/** Context of one request. */
interface Look {
  readonly release: Release | undefined
  readonly caller: FileCaller
  readonly signal: AbortSignal | undefined
}

interface FileTexts {
  readonly createdAt: Date | undefined
  readonly updatedAt: Date | undefined
  readonly submitterId: string | undefined
  readonly dataType: string | undefined
  /** Consent codes in their usual form. */
  readonly consent: readonly string[]
}

/**
 * Returns the error for a client that may not see an object. Undefined if it may. Everyone may see open files
 * and files of the release. All others require read access.
 */
async function refusalOf(file: FoundFile, caller: FileCaller): Promise<EngineError | undefined> {
  if (file.isReleased || isOpenFile(file)) return undefined
  try {
    authorise(file, await caller.principal(), caller.tokenGiven)
    return undefined
  } catch (error) {
    return expected(error)
  }
}

/**
 * Returns the error if it concerns a single id and can be reported beside other results.
 * @throws any other error
 */
function expected(error: unknown): EngineError {
  const codes: readonly string[] = ['not_found', 'unauthenticated', 'forbidden', 'too_large']
  if (error instanceof EngineError && codes.includes(error.code)) return error
  throw error
}

interface BlobTexts extends Partial<FileTexts> {
  /** SHA-256 in hex. Undefined if unknown. */
  readonly digest: string | undefined
  readonly releasedAt: Date | undefined
}

function blobOf(file: FoundFile, texts: BlobTexts): DrsBlob | EngineError {
  const { id, fileName, md5, size, stored, dataFormat } = file
  if (md5 === undefined || size === undefined) {
    const message = `file ${id} has no md5 and size on record, without which it is no object`
    return new EngineError('not_found', message)
  }
  const { digest, releasedAt, submitterId, dataType, consent: own = [] } = texts
  const consent = new Set([...own, ...file.guards.flatMap((guard) => guard.consent.flat())])
  const storedAt = stored && new Date(stored.createdAt)
  const createdAt = texts.createdAt ?? storedAt ?? releasedAt ?? new Date(0)
  return {
    kind: 'blob',
    id,
    name: portableName(fileName),
    size,
    dataFormat,
    createdAt,
    updatedAt: texts.updatedAt ?? createdAt,
    checksums: [
      { type: 'md5', checksum: md5 },
      ...(digest === undefined ? [] : [{ type: 'sha-256', checksum: digest } as const]),
    ],
    description: describedBy(dataType, [...consent]),
    aliases: submitterId === undefined ? [] : [submitterId],
    isOpen: isOpenFile(file),
    isStored: stored !== undefined,
  }
}

function bundleOf(
  id: string,
  description: string,
  members: readonly BundleMember[],
  release: Release,
): DrsBundle {
  const createdAt = dateOf(release) ?? new Date(0)
  return {
    kind: 'bundle',
    id,
    name: portableName(id),
    description,
    createdAt,
    updatedAt: createdAt,
    aliases: [],
    size: members.reduce((sum, { size }) => sum + size, 0),
    checksums: [bundleChecksum(members)],
    version: release.id,
    contents: contentsOf(members),
  }
}

function dateOf(release: Release | undefined): Date | undefined {
  return release && timeOf(`${release.manifest.version.releaseDate}T00:00:00Z`)
}

function timeOf(text: unknown): Date | undefined {
  const time = new Date(typeof text === 'string' ? text : Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Returns the data type and the consent codes for people. DRS has no member for either. */
function describedBy(dataType: string | undefined, consent: readonly string[]): string | undefined {
  const codes = consent.length > 0 ? [`consent ${consent.map(consentLabel).join(', ')}`] : []
  const parts = [...(dataType === undefined ? [] : [dataType]), ...codes]
  return parts.length > 0 ? parts.join('; ') : undefined
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

function noObject(id: string): EngineError {
  const message =
    `no object has the id "${id.slice(0, 80)}"; give the id of a file or a case, ` +
    '<file_id>.with-index, or <project_id>.<data_type> with "_" for blanks'
  return new EngineError('not_found', message)
}

function tooManyBundles(): EngineError {
  const message = `more than ${MAX_BUNDLES} of the ids are no files; request at most ${MAX_BUNDLES} bundles at a time`
  return new EngineError('too_large', message, { at: 'bulk_object_ids' })
}
