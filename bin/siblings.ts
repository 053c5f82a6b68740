import cluster from 'node:cluster'
import type { MetricValues } from '../server/http/metrics.ts'
import type { FromPrimary, ToPrimary } from './process-messages.ts'

/** The other processes of a service, as seen by one of them. */
export class Siblings {
  /** Whether this process was started first. The first process creates the demo and prints the welcome. */
  readonly isFirst: boolean
  /** Number of this process in start order, from 1. Undefined if the service has a single process. */
  readonly id: number | undefined
  /** Number of processes that the service should have. */
  readonly #processes: number
  readonly #stop = new AbortController()
  /** Resolves the requests for metrics that are not answered yet, keyed by their numbers. */
  readonly #gathering = new Map<number, (all: readonly MetricValues[]) => void>()
  /** Number of processes that accept connections, as the primary last reported. */
  #listening = 0
  /** Number of requests for metrics so far. */
  #asked = 0

  /** @param processes number of processes that the service should have */
  constructor(processes: number) {
    this.#processes = processes
    this.id = cluster.worker?.id
    this.isFirst = this.id === 1
  }

  /** Aborts when the service stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether at least half of the processes accept connections, so that the service is ready. */
  get areEnough(): boolean {
    return 2 * this.#listening >= this.#processes
  }

  /** Announces that this process accepts connections, and starts to receive messages. */
  join(values: () => Promise<MetricValues>): void {
    cluster.worker?.on('message', (message: FromPrimary) => {
      if (message.kind === 'stop') this.#stop.abort()
      else if (message.kind === 'listening') this.#listening = message.processes
      else if (message.kind === 'gathered') this.#gathering.get(message.id)?.(message.all)
      // The only other kind of message, `report`, requests the metrics of this process.
      else values().then((own) => send({ kind: 'numbers', id: message.id, values: own }))
    })
    send({ kind: 'listening' })
  }

  /** Returns the metrics of all processes that report within the time limit of the primary (processes.ts). */
  async gather(): Promise<readonly MetricValues[]> {
    const id = ++this.#asked
    const all = await new Promise<readonly MetricValues[]>((resolve) => {
      this.#gathering.set(id, resolve)
      send({ kind: 'gather', id })
    })
    this.#gathering.delete(id)
    return all
  }

  /** Disconnects from the primary, so that this process can exit. */
  leave(): void {
    cluster.worker?.disconnect()
  }
}

function send(message: ToPrimary): void {
  // A process without a connection to the primary is about to exit, because the service has ended.
  if (cluster.worker?.isConnected()) cluster.worker.send(message)
}
