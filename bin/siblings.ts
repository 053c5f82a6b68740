import cluster from 'node:cluster'
import type { MetricValues } from '../server/http/metrics.ts'
import type { FromPrimary, ToPrimary } from './process-messages.ts'

/** The others of a service that has several processes, as one of them sees them. */
export class Siblings {
  /** Whether this is the first that was started: it makes the demo, and greets. */
  readonly isFirst: boolean
  /** Counts those that were started. */
  readonly id: number | undefined
  readonly #processes: number
  readonly #stop = new AbortController()
  readonly #gathering = new Map<number, (all: readonly MetricValues[]) => void>()
  #listening = 0
  #asked = 0

  /** @param processes that the service is to have */
  constructor(processes: number) {
    this.#processes = processes
    this.id = cluster.worker?.id
    this.isFirst = this.id === 1
  }

  /** Aborted when the service stops. */
  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /** Whether at least half of the processes accept connections. */
  get areEnough(): boolean {
    return 2 * this.#listening >= this.#processes
  }

  /** Says that this one accepts connections, and hears the others from then on. */
  join(values: () => Promise<MetricValues>): void {
    cluster.worker?.on('message', (message: FromPrimary) => {
      if (message.kind === 'stop') this.#stop.abort()
      else if (message.kind === 'listening') this.#listening = message.processes
      else if (message.kind === 'gathered') this.#gathering.get(message.id)?.(message.all)
      else values().then((own) => tell({ kind: 'numbers', id: message.id, values: own }))
    })
    tell({ kind: 'listening' })
  }

  /** The numbers of all processes that answer within a moment. */
  async gather(): Promise<readonly MetricValues[]> {
    const id = ++this.#asked
    const all = await new Promise<readonly MetricValues[]>((resolve) => {
      this.#gathering.set(id, resolve)
      tell({ kind: 'gather', id })
    })
    this.#gathering.delete(id)
    return all
  }

  /** Ends the connection to the others, without which this process can end. */
  leave(): void {
    cluster.worker?.disconnect()
  }
}

function tell(message: ToPrimary): void {
  // Where nobody hears it, the service has ended, and this process is about to.
  if (cluster.worker?.isConnected()) cluster.worker.send(message)
}
