import cluster from 'node:cluster'
import type { MetricValues } from '../server/http/metrics.ts'
import type { FromPrimary, ToPrimary } from './process-messages.ts'

/** The other processes of a service, as one of them sees them. */
export class Siblings {
  /** Whether this process was started first. It creates the demo and prints the welcome. */
  readonly isFirst: boolean
  /** Number of this process in start order. */
  readonly id: number | undefined
  readonly #processes: number
  readonly #stop = new AbortController()
  readonly #gathering = new Map<number, (all: readonly MetricValues[]) => void>()
  #listening = 0
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

  /** Whether at least half of the processes accept connections. */
  get areEnough(): boolean {
    return 2 * this.#listening >= this.#processes
  }

  /** Announces that this process accepts connections, and starts to receive messages. */
  join(values: () => Promise<MetricValues>): void {
    cluster.worker?.on('message', (message: FromPrimary) => {
      if (message.kind === 'stop') this.#stop.abort()
      else if (message.kind === 'listening') this.#listening = message.processes
      else if (message.kind === 'gathered') this.#gathering.get(message.id)?.(message.all)
      else values().then((own) => tell({ kind: 'numbers', id: message.id, values: own }))
    })
    tell({ kind: 'listening' })
  }

  /** Returns the metrics of all processes that answer in time. */
  async gather(): Promise<readonly MetricValues[]> {
    const id = ++this.#asked
    const all = await new Promise<readonly MetricValues[]>((resolve) => {
      this.#gathering.set(id, resolve)
      tell({ kind: 'gather', id })
    })
    this.#gathering.delete(id)
    return all
  }

  /** Disconnects from the primary, so that this process can exit. */
  leave(): void {
    cluster.worker?.disconnect()
  }
}

function tell(message: ToPrimary): void {
  // Without a connection the service has ended, and this process is about to.
  if (cluster.worker?.isConnected()) cluster.worker.send(message)
}
