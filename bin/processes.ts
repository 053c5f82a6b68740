import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../server/config.ts'
import { createLog, type Log } from '../server/http/log.ts'
import type { MetricValues } from '../server/http/metrics.ts'
import { IssuesFound } from './frame.ts'
import type { FromPrimary, ToPrimary } from './process-messages.ts'
import { takeServedFolder } from './served-folder.ts'
import type { Terminal } from './terminal.ts'

/** For which the numbers of a process are waited for. */
const GATHER_MILLISECONDS = 2000
/** A process that ended sooner than this had no good start. */
const GOOD_MILLISECONDS = 60_000
/** Before a process takes the place of one that ended; doubled each time that none has a good start. */
const LEAST_WAIT_MILLISECONDS = 500
const MAX_WAIT_MILLISECONDS = 30_000
/** Behind the time to finish, for closing files. */
const CLOSE_MILLISECONDS = 15_000

/**
 * Serves a data folder by several processes on one port until the terminal interrupts. This one answers
 * nothing: it holds the folder, hands connections out in turn, and starts a process in place of one that ended.
 * @throws IssuesFound when the first process cannot start, which has said why
 */
export async function serveByProcesses(config: Config, terminal: Terminal): Promise<void> {
  const log = createLog(config, terminal.err)
  // Servers that share a PostgreSQL database may share a data folder, too.
  const giveBack = config.stateUrl === null ? await takeServedFolder(config.data) : () => {}
  try {
    await new Processes(config, log, terminal.signal).run()
  } finally {
    giveBack()
  }
}

interface Started {
  readonly worker: Worker
  /** Whether it came to accept connections. */
  readonly isListening: Promise<boolean>
  /** When it ends: how many milliseconds it was there. */
  readonly ended: Promise<number>
}

/** Numbers that a process has asked for. */
interface Gathering {
  readonly asker: Worker
  readonly id: number
  readonly awaited: Set<Worker>
  readonly all: MetricValues[]
  readonly late: NodeJS.Timeout
}

class Processes {
  readonly #config: Config
  readonly #log: Log
  readonly #signal: AbortSignal
  readonly #all = new Set<Worker>()
  readonly #listening = new Set<Worker>()
  readonly #gatherings = new Map<number, Gathering>()
  #lastGathering = 0

  constructor(config: Config, log: Log, signal: AbortSignal) {
    this.#config = config
    this.#log = log
    this.#signal = signal
  }

  /** Resolves when the service has stopped. */
  async run(): Promise<void> {
    // The kernel would give most connections to few of them.
    cluster.schedulingPolicy = cluster.SCHED_RR
    // JSON has no NaN, which some numbers are.
    cluster.setupPrimary({ serialization: 'advanced' })
    if (this.#signal.aborted) return
    const stop = () => this.#stop()
    this.#signal.addEventListener('abort', stop, { once: true })
    // By itself: it makes the databases, and the demo.
    const first = this.#start()
    if (!(await first.isListening) && !this.#signal.aborted) throw new IssuesFound()
    const others = Array.from({ length: this.#config.processes - 1 }, () => this.#keep())
    await Promise.all([this.#keep(first), ...others])
  }

  /** Has one process there until the service stops. */
  async #keep(first?: Started): Promise<void> {
    let badStarts = 0
    for (let started = first; !this.#signal.aborted || started; started = undefined) {
      const { worker, ended } = started ?? this.#start()
      const milliseconds = await ended
      if (this.#signal.aborted) return
      badStarts = milliseconds < GOOD_MILLISECONDS ? badStarts + 1 : 0
      const wait = Math.min(LEAST_WAIT_MILLISECONDS * 2 ** badStarts, MAX_WAIT_MILLISECONDS)
      this.#log.error({ process: worker.id, wait }, 'a process has ended; another takes its place')
      await pause(wait, undefined, { signal: this.#signal }).catch(() => {})
    }
  }

  #start(): Started {
    const worker = cluster.fork()
    const startedAt = performance.now()
    const isListening = Promise.withResolvers<boolean>()
    const ended = Promise.withResolvers<number>()
    this.#all.add(worker)
    worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'gather') this.#gather(worker, message.id)
      else if (message.kind === 'numbers') this.#take(worker, message.id, message.values)
      else {
        this.#listening.add(worker)
        this.#count()
        isListening.resolve(true)
        // What was told before was not heard.
        if (this.#signal.aborted) tell(worker, { kind: 'stop' })
      }
    })
    worker.once('exit', () => {
      this.#all.delete(worker)
      if (this.#listening.delete(worker)) this.#count()
      for (const id of this.#gatherings.keys()) this.#take(worker, id)
      isListening.resolve(false)
      ended.resolve(performance.now() - startedAt)
    })
    return { worker, isListening: isListening.promise, ended: ended.promise }
  }

  #count(): void {
    for (const worker of this.#all) {
      tell(worker, { kind: 'listening', processes: this.#listening.size })
    }
  }

  #stop(): void {
    for (const worker of this.#all) {
      if (this.#listening.has(worker)) tell(worker, { kind: 'stop' })
      // It has nothing to finish.
      else worker.process.kill('SIGTERM')
    }
    const late = () => {
      for (const worker of this.#all) worker.process.kill('SIGKILL')
    }
    const { drainLeadSeconds, drainSeconds } = this.#config
    const finished = (drainLeadSeconds + drainSeconds) * 1000
    setTimeout(late, finished + CLOSE_MILLISECONDS).unref()
  }

  #gather(asker: Worker, askersId: number): void {
    const id = ++this.#lastGathering
    const late = setTimeout(() => this.#conclude(id), GATHER_MILLISECONDS)
    const awaited = new Set(this.#listening)
    this.#gatherings.set(id, { asker, id: askersId, awaited, all: [], late })
    for (const worker of awaited) tell(worker, { kind: 'report', id })
  }

  #take(worker: Worker, id: number, values?: MetricValues): void {
    const gathering = this.#gatherings.get(id)
    if (!gathering?.awaited.delete(worker)) return
    if (values) gathering.all.push(values)
    if (gathering.awaited.size === 0) this.#conclude(id)
  }

  #conclude(id: number): void {
    const gathering = this.#gatherings.get(id)
    if (!gathering) return
    this.#gatherings.delete(id)
    clearTimeout(gathering.late)
    tell(gathering.asker, { kind: 'gathered', id: gathering.id, all: gathering.all })
  }
}

function tell(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message)
}
