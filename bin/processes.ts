import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../server/config.ts'
import { createLog, type Log } from '../server/http/log.ts'
import type { MetricValues } from '../server/http/metrics.ts'
import { IssuesFound } from './frame.ts'
import type { FromPrimary, ToPrimary } from './process-messages.ts'
import { takeServedFolder } from './served-folder.ts'
import type { Terminal } from './terminal.ts'

/** Time limit for collecting the metrics of all processes. */
const GATHER_MILLISECONDS = 2000
/** A process that ends sooner than this has failed to start. */
const GOOD_MILLISECONDS = 60_000
/** Wait before replacing a process. Doubled after each failed start. */
const LEAST_WAIT_MILLISECONDS = 500
const MAX_WAIT_MILLISECONDS = 30_000
/** Additional time for closing files after the time to finish requests. */
const CLOSE_MILLISECONDS = 15_000

/**
 * Serves a data folder with several processes on one port until interrupted. This process answers no requests.
 * It locks the folder, distributes connections in turn, and replaces processes that end.
 * @throws IssuesFound if the first process cannot start, after that process has reported why
 */
export async function serveByProcesses(config: Config, terminal: Terminal): Promise<void> {
  const log = createLog(config, terminal.err)
  // Servers with the same PostgreSQL database may share a data folder.
  const giveBack = config.stateUrl === null ? await takeServedFolder(config.data) : () => {}
  try {
    await new Processes(config, log, terminal.signal).run()
  } finally {
    giveBack()
  }
}

interface Started {
  readonly worker: Worker
  /** Resolves when the process listens or has ended, to whether it has listened. */
  readonly isListening: Promise<boolean>
  /** Resolves when the process ends, to its lifetime in milliseconds. */
  readonly ended: Promise<number>
}

/** A request of one process for the metrics of all processes. */
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
    // Round robin is set, because the kernel would give most connections to a few processes.
    cluster.schedulingPolicy = cluster.SCHED_RR
    // Advanced serialization, because some metrics are NaN, which JSON lacks.
    cluster.setupPrimary({ serialization: 'advanced' })
    if (this.#signal.aborted) return
    const stop = () => this.#stop()
    this.#signal.addEventListener('abort', stop, { once: true })
    // The first process starts alone, because it creates the databases and the demo.
    const first = this.#start()
    if (!(await first.isListening) && !this.#signal.aborted) throw new IssuesFound()
    const others = Array.from({ length: this.#config.processes - 1 }, () => this.#keep())
    await Promise.all([this.#keep(first), ...others])
  }

  /** Keeps one process running until the service stops. */
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
        // Messages sent before the process was listening were not received.
        if (this.#signal.aborted) send(worker, { kind: 'stop' })
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
      send(worker, { kind: 'listening', processes: this.#listening.size })
    }
  }

  #stop(): void {
    for (const worker of this.#all) {
      if (this.#listening.has(worker)) send(worker, { kind: 'stop' })
      // The process has no requests to complete, so it is stopped at once.
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
    for (const worker of awaited) send(worker, { kind: 'report', id })
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
    send(gathering.asker, { kind: 'gathered', id: gathering.id, all: gathering.all })
  }
}

function send(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message)
}
