import { Retries } from '../../shared/concurrency/retries.ts'
import type { Database } from '../../shared/database/database.ts'
import { LivingServers } from '../transactions/living-servers.ts'
import { dropUpload } from './upload-changes.ts'
import type { UploadFolder } from './upload-folder.ts'
import { markUnfinishedForRemoval } from './upload-objects.ts'
import {
  findUpload,
  heldUploads,
  holdUpload,
  partsOf,
  staleUploads,
  uploadIds,
} from './upload-store.ts'

const DAY_MILLISECONDS = 86_400_000
const SWEEP_MILLISECONDS = 3_600_000

interface UploadSweeperOptions {
  readonly database: Database
  readonly folder: UploadFolder
  readonly clock: () => Date
  /** Monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined
  /** Days without a new part after which an upload is dropped. */
  readonly staleDays: number
  /** Called when uploads may have become available for any server. */
  readonly onFreed: () => void
  readonly onError: (error: unknown) => void
}

/** Cleans up after dead servers, and drops uploads that clients have abandoned. */
export class UploadSweeper {
  readonly #options: UploadSweeperOptions
  readonly #servers: LivingServers
  readonly #retries = new Retries()
  #isAlone = true
  #timer: NodeJS.Timeout | undefined

  constructor(options: UploadSweeperOptions) {
    this.#options = options
    this.#servers = new LivingServers(options.database, options.now)
  }

  /** Id of this server in the database. */
  get server(): string {
    return this.#servers.id
  }

  async start({ isAlone }: { readonly isAlone: boolean }): Promise<void> {
    const { onError } = this.#options
    this.#isAlone = isAlone
    if (isAlone) await this.#removeBytes()
    else this.#servers.start(() => this.beat(), onError)
    await this.beat()
    await this.sweep()
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.sweep().catch(onError), SWEEP_MILLISECONDS)
    this.#timer.unref()
  }

  /** Runs an operation and retries it until it succeeds, for example after the disk was full. */
  later(act: () => Promise<unknown>): void {
    this.#retries.add(act)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#retries.close()
    // A failure is harmless, because other servers consider this server dead after a minute without heartbeat.
    await this.#servers.stop().catch((error) => this.#options.onError(error))
  }

  /**
   * Removes bodies that were not recorded as received, and uploads without a record. Does not write to the
   * database first, because these bytes may have filled the disk of the database.
   */
  async #removeBytes(): Promise<void> {
    const { database, folder } = this.#options
    const place = await folder.place()
    // The folder is listed before the database is read, because uploads are recorded before they have a folder.
    const there = await folder.ids()
    const { known, held } = await database.read(async (rows) => ({
      known: await uploadIds(rows, place),
      held: await heldUploads(rows),
    }))
    const lost = held.filter(({ step, server }) => step === 'receiving' && server !== this.server)
    const gone = new Set(lost.map(({ id }) => id))
    for (const id of there) if (gone.has(id) || !known.has(id)) await folder.remove(id)
  }

  /** Sends this server's heartbeat and releases uploads of dead servers. */
  async beat(): Promise<void> {
    const { database, folder, onFreed } = this.#options
    const place = await folder.place()
    const lost = await database.write(async (transaction) => {
      // An embedded database has no other servers, so other ids belong to earlier processes.
      const living = this.#isAlone ? new Set([this.server]) : await this.#servers.beat(transaction)
      const left = (await heldUploads(transaction)).filter(
        ({ server }) => !living.has(server ?? ''),
      )
      const isLost = ({ step }: (typeof left)[number]) => step === 'receiving'
      for (const upload of left) {
        if (isLost(upload)) await dropUpload(transaction, upload, this.#now())
        else await holdUpload(transaction, upload.id, null)
      }
      await markUnfinishedForRemoval(transaction, living)
      return left.filter((upload) => isLost(upload) && upload.place === place)
    })
    for (const { id } of lost) await folder.remove(id)
    onFreed()
  }

  /** Drops stale uploads, wherever their bytes are, and removes files here that belong to no upload. */
  async sweep(): Promise<void> {
    const { database, folder, clock, staleDays, onFreed } = this.#options
    const place = await folder.place()
    const since = new Date(clock().getTime() - staleDays * DAY_MILLISECONDS).toISOString()
    await database.write(async (transaction) => {
      for (const upload of await staleUploads(transaction, since)) {
        await dropUpload(transaction, upload, this.#now())
      }
    })
    onFreed()
    // The folder is listed before the database is read, because uploads are recorded before they have a folder.
    const there = await folder.ids()
    const known = await database.read((rows) => uploadIds(rows, place))
    for (const id of there) {
      if (known.has(id)) await this.#tidy(id)
      else await folder.remove(id)
    }
  }

  /** Removes parts that are not recorded and older than a day. */
  async #tidy(uploadId: string): Promise<void> {
    const { database, folder, clock } = this.#options
    const { upload, parts } = await database.read(async (rows) => ({
      upload: await findUpload(rows, uploadId),
      parts: await partsOf(rows, uploadId),
    }))
    if (upload?.kind !== 'parts' || upload.step !== 'receiving') return
    const known = new Set(parts.map(({ name }) => name))
    const old = clock().getTime() - DAY_MILLISECONDS
    for (const { name, modified } of await folder.files(uploadId)) {
      if (!known.has(name) && modified < old) await folder.removePart(uploadId, name)
    }
  }

  #now(): string {
    return this.#options.clock().toISOString()
  }
}
