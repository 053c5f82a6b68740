import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blobKey } from '../../../engine/shared/blobs/blob-key.ts'
import { BlobStores } from '../../../engine/shared/blobs/blob-stores.ts'
import { FolderStore } from '../../../engine/shared/blobs/folder-store.ts'
import type { ObjectStoreOptions } from '../../../engine/shared/blobs/object-client.ts'
import { ObjectStore } from '../../../engine/shared/blobs/object-store.ts'
import { FileCatalogue } from '../../../engine/shared/catalogue/files.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import { databasePath, openDatabase } from '../../../engine/shared/database/open.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import {
  SubmissionFiles,
  type SubmissionFilesOptions,
} from '../../../engine/submission/files/submission-files.ts'
import { SUBMISSION_FILE_TABLES } from '../../../engine/submission/files/tables.ts'
import { SUBMISSION_TABLES } from '../../../engine/submission/transactions/store/tables.ts'
import { Submission } from '../../../engine/submission/transactions/submission.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'
import { addFile, fileStateOf, registerProject } from './file-service.ts'
import { AS_ADMIN, MadeSubmission } from './service.ts'

const dictionary = { current: () => MadeSubmission.dictionary() }

/** Servers with separate folders, one database and one bucket. */
export class BucketBed {
  readonly root: string
  readonly bucket: ObjectStore
  readonly database: Database
  readonly catalogue: FileCatalogue
  readonly #state: Database
  readonly #submission: Submission
  #open: SubmissionFiles[] = []
  #made = 0

  private constructor(root: string, bucket: ObjectStore, database: Database) {
    this.root = root
    this.bucket = bucket
    this.database = database
    this.#state = sharedState({ dataFolder: root })
    this.catalogue = new FileCatalogue(this.#state)
    this.#submission = new Submission({ database, dictionary })
  }

  static async open(objects: ObjectStoreOptions): Promise<BucketBed> {
    const root = mkdtempSync(join(tmpdir(), 'casemill-bucket-'))
    const place = { path: databasePath(root), startThread: startSqliteThread }
    const database = await openDatabase(place, [SUBMISSION_TABLES, SUBMISSION_FILE_TABLES])
    const bed = new BucketBed(root, new ObjectStore(objects), database)
    await registerProject(bed.#submission)
    return bed
  }

  /** Starts a separate server. */
  async service(
    folder: string,
    options: Partial<SubmissionFilesOptions> = {},
  ): Promise<SubmissionFiles> {
    const { database, catalogue, bucket, root } = this
    const files = new SubmissionFiles({
      database,
      dictionary,
      files: catalogue,
      bucket,
      executor: inlineExecutor,
      boundedExecutor: inlineExecutor,
      blobs: new BlobStores(new FolderStore(join(root, folder, 'files')), bucket),
      folder: join(root, folder, 'uploads'),
      ...options,
    })
    this.#open.push(files)
    await files.start({ isAlone: false })
    return files
  }

  /** Resolves when no server has work left. */
  async idle(): Promise<void> {
    for (const one of this.#open) await one.idle()
  }

  /** Ends all servers. */
  async end(): Promise<void> {
    for (const one of this.#open) await one.close()
    this.#open = []
  }

  async close(): Promise<void> {
    await this.end()
    await this.#submission.close()
    await this.database.close()
    await this.#state.close()
    await this.bucket.close()
    rmSync(this.root, { recursive: true })
  }

  /** Adds a file entity for these bytes. */
  add(bytes: Uint8Array, more: { readonly md5?: string } = {}): Promise<string> {
    const name = `reads ${++this.#made}.bam`
    return addFile(this.database, { name, bytes: Buffer.from(bytes), ...more })
  }

  stateOf(id: string): Promise<string | undefined> {
    return fileStateOf(this.database, id)
  }

  /** The bytes of a file in the bucket. */
  async stored(id: string): Promise<Buffer> {
    const file = await this.catalogue.find(id)
    const blob = await this.bucket.open(blobKey(id, file?.fileName ?? ''))
    const bytes = Buffer.alloc(blob.identity.size)
    for (let at = 0; at < bytes.length; ) at += await blob.read(bytes.subarray(at), at)
    await blob.close()
    return bytes
  }

  /** The objects of uploads that the database has recorded. */
  known(): Promise<{ readonly name: string }[]> {
    return this.database.ask('SELECT name FROM submission_upload_objects')
  }
}

export const fileAt = (id: string) => ({
  ...AS_ADMIN,
  program: 'GDC',
  project: 'MISC',
  path: '',
  id,
})

async function* bodyOf(...pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield piece
}

export const bodyWith = (bytes: Uint8Array) => ({ chunks: bodyOf(bytes) })

/** A body that pauses in the middle until the test resumes it. */
export function slowBody(bytes: Uint8Array, before: number) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  async function* chunks() {
    yield bytes.subarray(0, before)
    stopped.resolve()
    await promise
    yield bytes.subarray(before)
  }
  return { body: { chunks: chunks() }, stopped: stopped.promise, goOn: resolve, breakOff: reject }
}
