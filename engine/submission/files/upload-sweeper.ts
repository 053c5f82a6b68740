import { Retries } from '../../shared/concurrency/retries.ts'
import type { Database } from '../../shared/database/database.ts'
import { LivingServers } from '../transactions/living-servers.ts'
import { dropUpload } from './upload-changes.ts'
import type { UploadFolder } from './upload-folder.ts'
import { loseUnfinished } from './upload-objects.ts'
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

export interface UploadSweeperOptions {
  readonly database: Database
  readonly folder: UploadFolder
  readonly clock: () => Date
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
  /** After which an upload that nobody sends parts for is dropped. */
  readonly staleDays: number
  /** Called when there may be uploads that nobody is at work on. */
  readonly onFreed: () => void
  readonly onError: (error: unknown) => void
}

/** Takes care of what servers that died and clients that stay away leave behind. */
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

  /** This server, as the database knows it. */
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

  /** Has tried again, until it succeeds, what failed as for want of space. */
  later(act: () => Promise<unknown>): void {
    this.#retries.add(act)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#retries.close()
    // Others take this server for dead all the same, a minute later.
    await this.#servers.stop().catch((error) => this.#options.onError(error))
  }

  /**
   * Removes the bytes of bodies that did not arrive and of uploads that are not known. Nothing is
   * written to the database before: these bytes may be what fills its disk.
   */
  async #removeBytes(): Promise<void> {
    const { database, folder } = this.#options
    const place = await folder.place()
    // An upload is known before it has a folder.
    const there = await folder.ids()
    const { known, held } = await database.read(async (rows) => ({
      known: await uploadIds(rows, place),
      held: await heldUploads(rows),
    }))
    const lost = held.filter(({ step, server }) => step === 'receiving' && server !== this.server)
    const gone = new Set(lost.map(({ id }) => id))
    for (const id of there) if (gone.has(id) || !known.has(id)) await folder.remove(id)
  }

  /** Says that this server is alive, and frees what dead ones held. */
  async beat(): Promise<void> {
    const { database, folder, onFreed } = this.#options
    const place = await folder.place()
    const lost = await database.write(async (transaction) => {
      // Alone, whatever another one holds was left behind.
      const living = this.#isAlone ? new Set([this.server]) : await this.#servers.beat(transaction)
      const left = (await heldUploads(transaction)).filter(
        ({ server }) => !living.has(server ?? ''),
      )
      const isLost = ({ step }: (typeof left)[number]) => step === 'receiving'
      for (const upload of left) {
        if (isLost(upload)) await dropUpload(transaction, upload, this.#now())
        else await holdUpload(transaction, upload.id, null)
      }
      await loseUnfinished(transaction, living)
      return left.filter((upload) => isLost(upload) && upload.place === place)
    })
    for (const { id } of lost) await folder.remove(id)
    onFreed()
  }

  /**
   * Drops uploads that nobody goes on with, wherever their bytes are, and files here that belong to
   * none.
   */
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
    // An upload is known before it has a folder.
    const there = await folder.ids()
    const known = await database.read((rows) => uploadIds(rows, place))
    for (const id of there) {
      if (known.has(id)) await this.#tidy(id)
      else await folder.remove(id)
    }
  }

  /** Removes parts that did not arrive as a whole: those that are not known and a day old. */
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
