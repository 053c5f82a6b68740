import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Gate } from '../concurrency/gate.ts'
import { LoopTurns } from '../concurrency/loop-turns.ts'
import { diskFull, isDiskFull } from '../disk-space.ts'
import { EngineError } from '../errors.ts'
import type { Report } from '../events.ts'
import { removeAbandoned } from '../streams/owned-folder.ts'
import { IdList, LIST_PREFIX, STEP } from './id-list.ts'
import { nodeNameOf } from './node-name.ts'
import { type RecentEvents, type RecentRun, type RecordQuery, recentEvents } from './read-record.ts'
import {
  type AnswerEntry,
  type CommandEntry,
  ID_KINDS,
  type IdKind,
  NO_LINE,
  type RecordEntry,
  type RecordedIds,
  type SegmentMark,
} from './record-line.ts'
import { Segment } from './segment.ts'
import type { SegmentRegister } from './segment-register.ts'
import { sweepDays } from './sweep.ts'

interface AuditContext {
  /** Folder of the record. */
  readonly root: string
  readonly register: SegmentRegister
  readonly clock: () => Date
  readonly report: Report
  /** Number of whole days to keep, besides the current one. 0 keeps all. */
  readonly days: number
  /** Yields to the event loop. By default the record has its own. */
  readonly turns?: LoopTurns | undefined
}

/** Ids of one answer, by kind: any, of which repeated ones count once, or what a list has returned. */
type GivenIds = Readonly<Partial<Record<IdKind, Iterable<string> | RecordedIds>>>

type Answer = Omit<AnswerEntry, 'kind' | 'time' | IdKind>

/** Maximum number of lines that wait to be written. */
const MAX_WAITING = 10_000
/** Maximum length of the lines that a page of events takes, in bytes. */
const MAX_READ_BYTES = 64 << 20
/** Interval in milliseconds in which the register learns of new lines. */
const MARK_MILLISECONDS = 5000

interface Waiting {
  readonly entry: RecordEntry
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The record of who had which controlled data: lines in files of one per process and day. A line is durable when
 * its promise resolves. All lines that wait are written and synced together, and none waits for more to come.
 */
export class AuditRecord {
  readonly #context: AuditContext
  readonly #writer: string
  readonly #reading = new Gate(1, 8, 'too many readers of the record; try again in a moment')
  readonly #turns: LoopTurns
  readonly #waiting: Waiting[] = []
  /** Lists that are being written, by path. */
  readonly #listing = new Map<string, Promise<void>>()
  #writing: Promise<void> | undefined
  #segment: Segment | undefined
  #day = ''
  #part = 0
  /** End of the former segment of this process. */
  #former: SegmentMark | undefined
  /** Number of lines of the current segment that the register knows. */
  #marked = 0
  #sweptOn = ''
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #written = 0
  #failed = 0

  constructor(context: AuditContext) {
    this.#context = context
    this.#turns = context.turns ?? new LoopTurns()
    const started = context.clock().toISOString().replace(/[-:.]/g, '')
    this.#writer = `${started}-${process.pid}-${randomBytes(4).toString('hex')}`
  }

  /**
   * Starts to tell the register of new lines, and to delete days that are over. Deletes the lists that killed processes
   * have not finished.
   */
  start(): void {
    void removeAbandoned(this.#context.root, LIST_PREFIX).catch(() => {})
    this.#timer ??= setInterval(() => void this.#look(), MARK_MILLISECONDS)
    this.#timer.unref()
    void this.#look()
  }

  /**
   * Records an answer with controlled data. Send the first byte only when this has resolved.
   * @throws EngineError `unavailable` if the line cannot be made durable, `busy` if too many lines wait
   */
  async answer(answer: Answer, ids: GivenIds): Promise<void> {
    const recorded = await Promise.all(
      ID_KINDS.map(async (kind) => [kind, await this.#recorded(ids[kind] ?? [])] as const),
    )
    const given: Partial<Record<IdKind, RecordedIds>> = Object.fromEntries(
      recorded.filter(([, one]) => one),
    )
    await this.#append({ kind: 'answer', time: this.#now(), ...answer, ...given })
  }

  /** Begins a list of ids that are too many to hold. End it with `finish` or `drop`. */
  list(): IdList {
    return new IdList({
      root: this.#context.root,
      pathOf: (sha256) => join(this.#context.root, this.#today(), 'lists', `${sha256}.txt`),
      once: (path, write) => this.#listOnce(path, write),
      failure: (error) => this.#failure(error),
    })
  }

  /**
   * Records a command before it runs, or its end.
   * @throws EngineError like answer
   */
  command(command: Omit<CommandEntry, 'kind' | 'time'>): Promise<void> {
    return this.#append({ kind: 'command', time: this.#now(), ...command })
  }

  /**
   * Returns the newest events of this node that a query selects, and which other nodes have events; see recentEvents.
   * @throws EngineError as recentEvents; `busy` if too many are being read; `unavailable`
   */
  async recent(
    query: RecordQuery,
    run: Omit<RecentRun, 'maxBytes'>,
  ): Promise<RecentEvents & { readonly node: string; readonly otherNodes: readonly string[] }> {
    const leave = await this.#reading.enter(run.signal)
    try {
      const { root, register } = this.#context
      const node = await nodeNameOf(root)
      const nodes = await register.nodes()
      const found = await recentEvents(root, query, { ...run, maxBytes: MAX_READ_BYTES })
      return { ...found, node, otherNodes: nodes.filter((name) => name !== node) }
    } finally {
      leave()
    }
  }

  /** Returns figures for monitoring. */
  load(): {
    readonly auditKept: number
    readonly auditLines: number
    readonly auditFailures: number
  } {
    return { auditKept: 1, auditLines: this.#written, auditFailures: this.#failed }
  }

  /** Writes what waits, ends the segment and registers its end. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    while (this.#writing) await this.#writing
    await this.#finish()
  }

  #now(): string {
    return this.#context.clock().toISOString()
  }

  /** Returns the day of new lines. If the clock was set back, the later day goes on. */
  #today(): string {
    const today = this.#now().slice(0, 10)
    return this.#segment && this.#day > today ? this.#day : today
  }

  /** Returns the form of ids in a line. Stores the list of many. */
  async #recorded(given: Iterable<string> | RecordedIds): Promise<RecordedIds | undefined> {
    if ('count' in given) return given
    const different = new Set<string>()
    for (const id of given) {
      different.add(id)
      if (different.size % STEP === 0) await this.#turns.pause()
    }
    const ids = [...different]
    const list = this.list()
    for (let start = 0; start < ids.length; start += STEP) {
      await list.add(ids.slice(start, start + STEP))
      await this.#turns.pause()
    }
    return list.finish()
  }

  /** Answers with the same ids at the same time share one writing. */
  #listOnce(path: string, write: () => Promise<void>): Promise<void> {
    const begun = this.#listing.get(path)
    if (begun) return begun
    const listing = write().finally(() => this.#listing.delete(path))
    this.#listing.set(path, listing)
    return listing
  }

  #append(entry: RecordEntry): Promise<void> {
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) {
      const message = 'too many answers wait to be recorded; try again in a moment'
      return Promise.reject(new EngineError('busy', message))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject })
      this.#begin()
    })
  }

  /** Writes what waits, unless that is in progress. `first` runs before, and does not reject. */
  #begin(first?: () => Promise<void>): void {
    this.#writing ??= this.#writeAll(first).finally(() => {
      this.#writing = undefined
      // A line that came after the last batch, but before this, has not begun another one.
      if (this.#waiting.length > 0) this.#begin()
    })
  }

  async #writeAll(first?: () => Promise<void>): Promise<void> {
    await first?.()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      try {
        const segment = await this.#current()
        await this.#write(
          segment,
          batch.map(({ entry }) => entry),
        )
        this.#written += batch.length
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#failed += batch.length
        const failure = this.#failure(error)
        for (const { reject } of batch) reject(failure)
      }
    }
  }

  /** Appends entries. If that fails, cuts off what was written, or begins another segment with the next line. */
  async #write(segment: Segment, entries: readonly RecordEntry[]): Promise<void> {
    try {
      await segment.append(entries)
    } catch (error) {
      await segment.restore().catch(() => this.#leave(segment))
      throw error
    }
  }

  /** Gives up a segment that cannot be written to any more. */
  async #leave(segment: Segment): Promise<void> {
    this.#segment = undefined
    this.#former = segment.mark
    this.#part++
    await segment.close().catch(() => {})
    // The file may have more lines than those that count, so it is not registered as ended.
    await this.#mark(segment.mark, false)
  }

  /** Returns the segment of today. Begins it if this is the first line of the day. */
  async #current(): Promise<Segment> {
    const today = this.#today()
    if (this.#segment && today === this.#day) return this.#segment
    await this.#finish()
    const { root, register } = this.#context
    const node = await nodeNameOf(root)
    const name = `${today}/${this.#writer}.${this.#part}.ndjson`
    const former = this.#former ?? (await this.#lastOf(node))
    // Registered first, so that a file without a row is one that somebody else has put there.
    await register
      .open(node, { segment: name, lines: 0, sha256: former?.sha256 ?? NO_LINE })
      .catch((cause: unknown) => this.#unregistered(cause))
    const segment = await Segment.create(root, name, former?.sha256 ?? NO_LINE)
    const head = {
      kind: 'head',
      time: this.#now(),
      format: 1,
      node,
      segment: name,
      former: former ?? null,
    } as const
    await segment.append([head]).catch(async (error: unknown) => {
      await segment.close()
      throw error
    })
    this.#segment = segment
    this.#day = today
    this.#marked = 0
    return segment
  }

  async #lastOf(node: string): Promise<SegmentMark | undefined> {
    return this.#context.register.last(node).catch((cause: unknown) => {
      this.#unregistered(cause)
      return undefined
    })
  }

  #unregistered(cause: unknown): void {
    const message = 'the segments of the audit record cannot be registered now; lines are written'
    this.#context.report({ level: 'warn', message, cause })
  }

  /** Ends the current segment, if there is one. */
  async #finish(): Promise<void> {
    const segment = this.#segment
    if (!segment) return
    this.#segment = undefined
    try {
      await segment.append([{ kind: 'end', time: this.#now() }])
    } catch (cause) {
      await segment.restore().catch(() => {})
      const message = 'the end of a segment of the audit record cannot be written'
      this.#context.report({ level: 'warn', message, cause })
    }
    this.#former = segment.mark
    await segment.close().catch((cause: unknown) => this.#unregistered(cause))
    await this.#mark(segment.mark, true)
  }

  /** Tells the register of new lines, and deletes days that are over. */
  async #look(): Promise<void> {
    const today = this.#today()
    // A segment of a day that is over gets no more lines, so that the day can be deleted later.
    if (this.#segment && today > this.#day && !this.#writing) {
      this.#begin(() => this.#finish())
      await this.#writing
    }
    const mark = this.#segment?.mark
    if (mark && mark.lines > this.#marked) await this.#mark(mark, false)
    if (this.#context.days === 0 || this.#sweptOn === today) return
    this.#sweptOn = today
    await this.sweep().catch((cause: unknown) => {
      this.#sweptOn = ''
      const message = 'old days of the audit record cannot be deleted now'
      this.#context.report({ level: 'warn', message, cause })
    })
  }

  async #mark(mark: SegmentMark, isClosed: boolean): Promise<void> {
    const { root, register } = this.#context
    try {
      await register.mark(await nodeNameOf(root), mark, isClosed)
      // Another segment may have begun meanwhile, of which the register knows nothing yet.
      if (this.#segment?.name === mark.segment) this.#marked = mark.lines
    } catch (cause) {
      this.#unregistered(cause)
    }
  }

  /**
   * Deletes the days before those to keep. Records each of them before.
   * @returns the deleted days
   * @throws EngineError like answer; `corrupt_source` for a day whose lines are not intact, which is kept
   */
  sweep(): Promise<readonly string[]> {
    const { root, register, clock, days } = this.#context
    return sweepDays({
      root,
      register,
      before: dayBefore(clock(), days),
      node: () => nodeNameOf(root),
      record: (swept) => this.#append({ kind: 'sweep', time: this.#now(), ...swept }),
    })
  }

  #failure(error: unknown): unknown {
    if (error instanceof EngineError) return error
    if (isDiskFull(error)) return diskFull('the record of an answer', error)
    const message = 'the record of an answer cannot be written, so it is not sent; try again later'
    return new EngineError('unavailable', message, { cause: error })
  }
}

const DAY_MILLISECONDS = 86_400_000

/** Returns the first day to keep, as `YYYY-MM-DD`. */
const dayBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * DAY_MILLISECONDS).toISOString().slice(0, 10)
