import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RetryLooks } from '../../shared/concurrency/retry-looks.ts'
import { tryLock } from '../../shared/database/folder-lock.ts'
import { writeDurably } from '../../shared/durable.ts'
import type { Report } from '../../shared/events.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import { removePulled } from './local-contents.ts'
import type { NodeState, Offers, ReleasePointer } from './offers.ts'
import { type PullContext, pullRelease } from './pull-release.ts'

interface NodeContext extends PullContext {
  readonly offers: Offers
  readonly current: CurrentRelease
  /** Path of the data folder's lock. Its holder pulls releases into the folder. */
  readonly lockPath: string
  readonly report: Report
  /** Milliseconds between two polls. By default one second. */
  readonly lookMilliseconds?: number | undefined
}

/** Metrics of a node. */
export interface NodeLoad {
  readonly bytesPulled: number
  readonly failedPulls: number
  /** 1 while this node serves a release other than the current one of all nodes, otherwise 0. */
  readonly releaseBehind: number
}

const LOOK_MILLISECONDS = 1000
/** Time after which an unchanged state is reported again. */
const BEAT_MILLISECONDS = 10_000
const NAME_FILE = '.node'

/**
 * Keeps the releases in a folder up to date with the offers and the pointer. If several processes share a
 * folder, one of them does this, and the others only follow the pointer.
 */
export class ReleaseNode {
  readonly #context: NodeContext
  readonly #stop = new AbortController()
  readonly #ready = new Set<string>()
  readonly #retries = new Map<string, RetryLooks>()
  /** Problems keyed by release id. The key '' is for the poll itself. */
  readonly #problems = new Map<string, string>()
  #pointer: ReleasePointer | undefined
  #unlock: (() => void) | undefined
  #name: string | undefined
  #bringing: Promise<void> | undefined
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #lastReport: { readonly text: string; readonly at: number } | undefined
  /** Ids that the last tidying kept, as text. Undefined if the folder must be tidied again. */
  #tidied: string | undefined
  #bytesPulled = 0
  #failedPulls = 0

  constructor(context: NodeContext) {
    this.#context = context
  }

  /** Polls once, then periodically. */
  async start(): Promise<void> {
    await this.#lookAndWait()
  }

  /** Reason why this node does not serve the shared current release. Undefined if it does. */
  get behind(): string | undefined {
    const id = this.#pointer?.id
    if (id === undefined || id === this.#context.current.release?.id) return undefined
    // The text is public, so details are only in the log and in casemill release list.
    return this.#problems.has(id)
      ? `release "${id}" cannot be fetched; the log has the reason`
      : `release "${id}" is being fetched`
  }

  /** Id of the release that all nodes are to serve, as last polled. */
  get wantedId(): string | undefined {
    return this.#pointer?.id
  }

  load(): NodeLoad {
    return {
      bytesPulled: this.#bytesPulled,
      failedPulls: this.#failedPulls,
      releaseBehind: this.behind === undefined ? 0 : 1,
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#looking
    await this.#bringing
    // If the database cannot be reached, other nodes consider this one as gone after a minute.
    if (this.#name !== undefined && this.#lastReport) {
      await this.#context.offers.leave(this.#name).catch(() => {})
    }
    this.#unlock?.()
  }

  #lookAndWait(): Promise<void> {
    this.#looking = this.#look()
      .catch((cause: unknown) => this.#complain('', cause))
      .finally(() => {
        if (this.#stop.signal.aborted) return
        const { lookMilliseconds = LOOK_MILLISECONDS } = this.#context
        this.#timer = setTimeout(() => void this.#lookAndWait(), lookMilliseconds).unref()
      })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { offers } = this.#context
    const pointer = await offers.pointer()
    this.#problems.delete('')
    this.#pointer = pointer
    this.#context.current.announce(pointer)
    if (!(await this.#isMine())) return
    this.#bring(pointer)
    await this.#follow(pointer)
    await this.#say()
    await this.#tidy(pointer)
  }

  /** Returns whether this process maintains the folder. */
  async #isMine(): Promise<boolean> {
    if (this.#unlock) return true
    const { releases, lockPath } = this.#context
    await mkdir(releases.path, { recursive: true })
    this.#unlock = tryLock(lockPath, 'the lock of the releases')
    if (!this.#unlock) return false
    this.#name = await nameOf(releases.path)
    return true
  }

  /** Pulls wanted releases one at a time. Polling continues meanwhile. */
  #bring(pointer: ReleasePointer): void {
    if (this.#bringing) return
    const id = wantedOf(pointer).find((each) => !this.#ready.has(each) && this.#isDue(each))
    if (id === undefined) return
    this.#bringing = this.#bringOne(id).finally(() => {
      this.#bringing = undefined
      // The release may have been withdrawn in the meantime.
      this.#tidied = undefined
    })
  }

  #isDue(id: string): boolean {
    const retry = this.#retries.get(id) ?? new RetryLooks()
    this.#retries.set(id, retry)
    return retry.isDue(id)
  }

  async #bringOne(id: string): Promise<void> {
    const { offers, current } = this.#context
    const { signal } = this.#stop
    try {
      const offer = await offers.find(id)
      if (!offer) return
      const onBytes = (bytes: number) => {
        this.#bytesPulled += bytes
      }
      await pullRelease(offer, this.#context, { signal, onBytes })
      await current.prepare(id, signal)
      this.#ready.add(id)
      this.#problems.delete(id)
      this.#retries.delete(id)
    } catch (cause) {
      if (signal.aborted) return
      this.#failedPulls++
      this.#complain(id, cause)
    }
  }

  /** Makes the shared current release the current one of this folder, as soon as it is ready here. */
  async #follow({ id }: ReleasePointer): Promise<void> {
    const { current, releases } = this.#context
    if (id === undefined || id === current.release?.id || !this.#ready.has(id)) return
    const named = await releases.current().catch(() => undefined)
    if (named !== id) await releases.switchTo(id)
    await current.look()
  }

  async #say(): Promise<void> {
    const { offers, current } = this.#context
    const [problem] = this.#problems.values()
    const serves = current.release?.id
    const ready = [...this.#ready].sort()
    const state: NodeState = { node: this.#name ?? '', serves, ready, problem }
    const text = JSON.stringify(state)
    const now = performance.now()
    if (text === this.#lastReport?.text && now - this.#lastReport.at < BEAT_MILLISECONDS) return
    await offers.say(state)
    this.#lastReport = { text, at: now }
  }

  /** Removes pulled releases that are no longer wanted, once after each change. */
  async #tidy(pointer: ReleasePointer): Promise<void> {
    const { releases, current } = this.#context
    const serves = current.release?.id
    if (this.#bringing || pointer.id === undefined || serves !== pointer.id) return
    const kept = new Set([...wantedOf(pointer), pointer.beforeId ?? serves])
    const text = JSON.stringify([...kept])
    if (text === this.#tidied) return
    await removePulled(releases, kept)
    for (const known of [this.#ready, this.#problems, this.#retries]) {
      for (const id of known.keys()) if (!kept.has(id)) known.delete(id)
    }
    this.#tidied = text
  }

  #complain(id: string, cause: unknown): void {
    const problem = cause instanceof Error ? cause.message : String(cause)
    // A lasting problem is reported once, not at every poll.
    if (this.#problems.get(id) === problem) return
    this.#problems.set(id, problem)
    const message =
      id === ''
        ? 'it cannot be looked which release is to be served'
        : `release ${id} cannot be fetched; the attempt is repeated`
    this.#context.report({ level: 'error', message, cause })
  }
}

/** Returns the releases that a node should have. The most urgent comes first. */
function wantedOf({ id, nextId, newestId }: ReleasePointer): readonly string[] {
  const wanted = [id, nextId, newestId].filter((each) => each !== undefined)
  return [...new Set(wanted)]
}

/** Returns the name of the node: the host name and a random suffix that is stored in the folder. */
async function nameOf(folder: string): Promise<string> {
  const kept = await unlessAbsent(readFile(join(folder, NAME_FILE), 'utf8'))
  const mark = kept?.trim() || randomBytes(4).toString('hex')
  if (kept === undefined) await writeDurably(folder, NAME_FILE, `${mark}\n`)
  return `${hostname()}/${mark}`
}
