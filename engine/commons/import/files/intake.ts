import { join } from 'node:path'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { type DiskSpace, isDiskFull } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import { genePaths, loadGeneDirectory } from '../../analysis/single-cell/gene-file.ts'
import { isUnreadable } from '../../analysis/single-cell/unreadable.ts'
import { findIndex } from '../../slicing/find-index.ts'
import { indexNameOf, isSliceableName } from '../../slicing/index-name.ts'
import { COPY_BYTES } from './copy.ts'
import type { ImportedFiles, ImportFiles, ImportFilesContext } from './file-import.ts'
import type { BadRow, ManifestRow } from './manifest-rows.ts'
import { isStored } from './present.ts'
import { type Received, receiveFile } from './receive.ts'
import type { Workplace } from './receive-run.ts'
import type { ReleaseRecords } from './records.ts'
import { areForNobody, isForNobody, type Rights, rightsOf } from './rights.ts'
import { mustBeFree, type Shelved, shelve } from './shelve.ts'
import { findSource } from './source-path.ts'
import { indexesOf, mustAgree, type Wanted, wantedOf } from './wanted.ts'

interface IntakeContext extends Omit<ImportFilesContext, 'releases' | 'onProgress'> {
  readonly records: ReleaseRecords | undefined
  readonly space: DiskSpace
  /** Folder of this process for files whose import is in progress. */
  readonly incoming: string
  /** Called with the total number of bytes done so far. */
  readonly onBytes: (bytes: number) => void
}

/** State of one batch of files. */
interface Batch {
  /** Files of the batch that had been stored before, keyed by id. */
  readonly known: ReadonlyMap<string, StoredFile>
  /** Owners of the batch's ids that are in use, keyed by id. */
  readonly owners: ReadonlyMap<string, string>
  /** Ids of files that were found damaged and have to be stored again. */
  readonly damaged: ReadonlySet<string>
  readonly arrived: Shelved[]
  /** Files that are already stored and whose rights in the release have changed. */
  readonly refreshed: StoredFile[]
}

interface ReceiveOptions {
  readonly signal: AbortSignal
  readonly onCopied: ((bytes: number) => void) | undefined
}

/** Number of files to read concurrently. Reading a small file is mostly waiting for the disk. */
const LANES = 4
/** Size from which an interrupted copy is resumed. */
const RESUMED_BYTES = 64 << 20

/** Stores the files of a manifest in batches. */
export class FileIntake {
  readonly #what: ImportFiles
  readonly #context: IntakeContext
  readonly #buffers: Buffer[] = []
  readonly #counts = {
    stored: 0,
    known: 0,
    storedBytes: 0,
    issues: 0,
    withoutRecord: 0,
    forAdministrators: 0,
  }
  #doneBytes = 0

  constructor(what: ImportFiles, context: IntakeContext) {
    this.#what = what
    this.#context = context
  }

  summary(): ImportedFiles {
    return { ...this.#counts }
  }

  /** Stores the files of these rows. When the promise resolves, everything is synced to disk. */
  async take(rows: readonly (ManifestRow | BadRow)[]): Promise<void> {
    const wanted = await wantedOf(await this.#distinct(rows), this.#context.records)
    const ids = wanted.map(({ row }) => row.id)
    const { files, checks } = this.#context
    const [known, owners] = [await files.findAll(ids), await files.owners.of(ids)]
    const damaged = new Set((await checks?.damaged())?.map(({ id }) => id))
    const batch: Batch = { known, owners, damaged, arrived: [], refreshed: [] }
    try {
      const left = wanted.values()
      const start = (signal: AbortSignal) => {
        const next = left.next()
        return next.done ? undefined : this.#takeOne(next.value, batch, signal)
      }
      const { signal } = this.#context
      for await (const _ of inOrder(start, { ahead: LANES, signal }));
      await this.#keep(batch)
    } finally {
      for (const { received } of batch.arrived) await received.workplace.close()
    }
    for (const { file, isPlaced } of batch.arrived) {
      this.#counts[isPlaced ? 'known' : 'stored']++
      if (!isPlaced) this.#counts.storedBytes += file.size
    }
  }

  /** Stores the files that were received. A dry run removes them instead. */
  async #keep({ arrived, refreshed }: Batch): Promise<void> {
    if (this.#what.dryRun) {
      for (const { received } of arrived) await received.workplace.finish()
      return
    }
    await shelve(arrived, this.#context)
    await this.#context.files.addAll(refreshed)
  }

  /** Reports rows that are bad or contradict each other. Returns the other rows, one for each file. */
  async #distinct(rows: readonly (ManifestRow | BadRow)[]): Promise<readonly ManifestRow[]> {
    const byId = new Map<string, ManifestRow>()
    for (const row of rows) {
      if ('problem' in row) {
        await this.#report(row.subject, row.problem)
        continue
      }
      const other = byId.get(row.id)
      if (!other) byId.set(row.id, row)
      else if (other.md5 !== row.md5 || other.size !== row.size) {
        await this.#report(row.id, 'is in the manifest twice, with another md5 or size')
      }
    }
    return [...byId.values()]
  }

  async #takeOne(wanted: Wanted, batch: Batch, signal: AbortSignal): Promise<void> {
    const { row, described, isExtra } = wanted
    let copied = 0
    const onCopied = (bytes: number) => {
      copied += bytes
      this.#advance(bytes)
    }
    try {
      const isTaken = await this.#takeOrSkip(wanted, batch, {
        signal,
        onCopied: isExtra ? undefined : onCopied,
      })
      if (isTaken && !described) this.#counts.withoutRecord++
      if (isTaken && this.#isForNobody(wanted, batch)) this.#counts.forAdministrators++
    } catch (error) {
      if (!(error instanceof EngineError) || error.code === 'busy' || isDiskFull(error)) throw error
      if (isExtra) this.#context.onNote?.({ subject: row.id, problem: `index: ${error.message}` })
      else await this.#report(row.id, error.message)
    }
    if (!isExtra) this.#advance(row.size - copied)
  }

  async #takeOrSkip(wanted: Wanted, batch: Batch, options: ReceiveOptions): Promise<boolean> {
    const { blobs } = this.#context
    const known = batch.known.get(wanted.row.id)
    mustAgree(wanted, known)
    if (!known) mustBeFree(batch.owners.get(wanted.row.id))
    const isHere =
      known !== undefined &&
      !batch.damaged.has(known.id) &&
      (await isStored(known, blobs, { link: this.#what.link ?? false }))
    const isWhole = isHere && !(await this.#lacksGenes(wanted, known))
    const path = isWhole ? undefined : await this.#sourceOf(wanted)
    const received = path === undefined ? undefined : await this.#receive(wanted, path, options)
    if (received && !(isHere && !received.genes)) {
      const file = this.#describe(wanted, received, known)
      batch.arrived.push({ received, file, isPlaced: isHere })
      return true
    }
    await received?.workplace.close()
    if (isHere) {
      const file = { ...known, ...this.#rights(wanted, known) }
      if (JSON.stringify(file) !== JSON.stringify(known)) batch.refreshed.push(file)
      this.#counts.known++
      return true
    }
    if (wanted.isExtra) return false
    throw new EngineError('not_found', 'no such file in the folder that was given')
  }

  /**
   * Returns whether a file's values sorted by gene are missing. If the file is in object storage, they can be
   * made only while the source file is available.
   */
  async #lacksGenes(wanted: Wanted, { id, storage }: StoredFile): Promise<boolean> {
    if (storage === 'folder' || !isNamedMatrix(wanted)) return false
    const { directory } = genePaths(this.#context.blobs.folder, id)
    try {
      // Earlier versions stored no cell annotations.
      return (await loadGeneDirectory(directory))?.directory.annotations === undefined
    } catch (error) {
      if (!isUnreadable(error)) throw error
      return true
    }
  }

  /**
   * Finds the source of a file. An index may also be in the folder of the file to which it belongs, where
   * clients store it.
   */
  #sourceOf({ row, described }: Wanted): Promise<string | undefined> {
    const owners = described?.owners ?? []
    return findSource(this.#what.from, [row.id, ...owners], row.fileName)
  }

  async #receive(wanted: Wanted, path: string, options: ReceiveOptions): Promise<Received> {
    const { row } = wanted
    const { link = false, dryRun = false } = this.#what
    const isBam = mayBeBam(wanted)
    const buffer = this.#buffers.pop() ?? Buffer.allocUnsafeSlow(COPY_BYTES)
    try {
      const received = await receiveFile(
        {
          path,
          // A dry run reads the file in the same way as for a link, so that it needs no disk space.
          link: link || dryRun,
          expected: row,
          proof: isBam ? 'try' : 'no',
          accepts: 'BAM',
          byGene: mayBeMatrix(wanted),
          indexPath: isBam ? await this.#indexOf(wanted, path) : undefined,
        },
        {
          ...options,
          executor: this.#context.executor,
          space: this.#context.space,
          incoming: join(this.#context.incoming, row.id),
          smallPlace: row.size < RESUMED_BYTES ? this.#smallPlace(row.id) : undefined,
          buffer,
        },
      )
      for (const problem of received.proof?.warnings ?? []) {
        this.#context.onNote?.({ subject: row.id, problem })
      }
      const why = received.unsliceable
      if (why !== undefined) {
        this.#context.onNote?.({ subject: row.id, problem: `cannot be sliced: ${why}` })
      }
      const unsorted = received.unsorted
      if (unsorted !== undefined) {
        const problem = `cannot be sorted by gene: ${unsorted}`
        this.#context.onNote?.({ subject: row.id, problem })
      }
      if (received.unread.length > 0) {
        const problem = `only its main matrix is read, not ${received.unread.join(', ')}`
        this.#context.onNote?.({ subject: row.id, problem })
      }
      return received
    } finally {
      this.#buffers.push(buffer)
    }
  }

  /** Finds the index of a BAM file: beside the file, or where the index named in its record is. */
  async #indexOf({ row, described }: Wanted, path: string): Promise<string | undefined> {
    const beside = await findIndex(path)
    if (beside !== undefined) return beside
    for (const { id, fileName } of indexesOf(described)) {
      if (fileName === undefined || !/\.(bai|csi)$/i.test(fileName)) continue
      const found = await findSource(this.#what.from, [id, row.id], fileName)
      if (found !== undefined) return found
    }
    return undefined
  }

  #smallPlace(id: string): Workplace {
    return {
      partPath: (name = 'bytes') => join(this.#context.incoming, `${id}.${name}`),
      // The folder is removed as a whole at the end.
      finish: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }
  }

  #describe(wanted: Wanted, received: Received, known: StoredFile | undefined): StoredFile {
    const { id, fileName } = wanted.row
    const { size, md5, proof, linkedModified } = received
    const { blobs, clock } = this.#context
    return {
      id,
      fileName,
      size,
      md5,
      ...this.#rights(wanted, known),
      dataFormat: proof?.format ?? null,
      indexName: indexNameOf(fileName, proof?.indexPath),
      storage: blobs.writing.kind,
      linkedModified,
      createdAt: clock().toISOString(),
    }
  }

  /** Returns the rights of a file: from its record or this import, or otherwise from an earlier import. */
  #rights({ described }: Wanted, known: StoredFile | undefined): Rights {
    const { access, projects } = this.#what
    const isSaid = described !== undefined || access !== undefined || projects !== undefined
    if (isSaid || !known) return rightsOf(described, this.#what)
    return { access: known.access, acl: known.acl, partOf: known.partOf }
  }

  #isForNobody(wanted: Wanted, { known }: Batch): boolean {
    if (wanted.described) return areForNobody(wanted.described.guards)
    return isForNobody(this.#rights(wanted, known.get(wanted.row.id)))
  }

  async #report(subject: string, problem: string): Promise<void> {
    this.#counts.issues++
    await this.#context.onIssue?.({ subject, problem })
  }

  #advance(bytes: number): void {
    this.#doneBytes += bytes
    this.#context.onBytes(this.#doneBytes)
  }
}

/** Returns whether a file may be a BAM, judging by its name or record. Reading the file decides. */
function mayBeBam({ row, described }: Wanted): boolean {
  const isNamed = /\.bam$/i.test(row.fileName) || described?.record?.dataFormat === 'BAM'
  return isNamed && isSliceableName(row.fileName)
}

/** Returns whether a file may be a matrix. If it has a record, the record decides. Otherwise its content does. */
function mayBeMatrix({ described }: Wanted): boolean {
  const format = described?.facts.dataFormat
  return format === undefined || format.toUpperCase() === 'HDF5'
}

function isNamedMatrix(wanted: Wanted): boolean {
  const { described, row } = wanted
  if (described?.facts.dataFormat !== undefined) return mayBeMatrix(wanted)
  return /\.(loom|h5|h5ad|hdf5)$/i.test(row.fileName)
}
