import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CostlyInput } from './costly-inputs.ts'
import type { TurnFigures } from './turns-entry.ts'

/** The measurements of an input. */
export interface CostlyResult {
  readonly what: string
  /** The number of copies that were sent at once. */
  readonly times: number
  readonly status: number
  /** Processor time of the main thread in its longest turn. */
  readonly turnMilliseconds: number
  /** The longest elapsed time of one turn of the main thread. */
  readonly wallMilliseconds: number
  /** The longest time that another request had to wait meanwhile. */
  readonly probeMilliseconds: number
  /** The time until the last answer was read. */
  readonly tookMilliseconds: number
  /** The maximum of resident memory above its level before the input. */
  readonly bytesAbove: number
}

/** Far longer than any answer takes on a busy machine. */
const MAX_SILENCE_MS = 240_000
const PROBE_EVERY_MS = 20

/** @param collect whether garbage is collected before memory is measured */
async function askTurns(socketPath: string, collect = false): Promise<TurnFigures> {
  const socket = connect(socketPath)
  socket.end(collect ? 'collect' : '')
  return JSON.parse(await text(socket)) as TurnFigures
}

/** Sends inputs to a server and measures its turns. */
export class CostlyRun implements Disposable {
  readonly #address: URL
  readonly #socketPath: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #agent = new Agent({ keepAlive: true })

  constructor(address: string, socketPath: string, headers: Readonly<Record<string, string>>) {
    this.#address = new URL(address)
    this.#socketPath = socketPath
    this.#headers = headers
  }

  turns(collect = false): Promise<TurnFigures> {
    return askTurns(this.#socketPath, collect)
  }

  /** Sends an input `times` times at once, together with a probe. */
  async send(input: CostlyInput, times: number): Promise<CostlyResult> {
    const before = await this.turns()
    const stop = new AbortController()
    const probed = this.#probe(stop.signal)
    const start = performance.now()
    const statuses = await Promise.all(Array.from({ length: times }, () => this.#one(input)))
    const tookMilliseconds = performance.now() - start
    stop.abort()
    const probeMilliseconds = await probed
    const after = await this.turns()
    return {
      what: input.what,
      times,
      status: Math.max(...statuses),
      probeMilliseconds,
      tookMilliseconds,
      turnMilliseconds: after.processorMilliseconds,
      wallMilliseconds: after.wallMilliseconds,
      bytesAbove: Math.max(0, after.peakBytes - before.residentBytes),
    }
  }

  /** Reads the answer to its end, and returns its status, or 0 if the server breaks it off. */
  #one({ method, target, headers, body }: CostlyInput): Promise<number> {
    const { hostname, port } = this.#address
    const length = body ? { 'content-length': body.length } : {}
    const all = { ...this.#headers, ...headers, ...length }
    return new Promise((resolve, reject) => {
      const options = { hostname, port, agent: this.#agent, method, path: target, headers: all }
      const sent = request(options)
      sent.setTimeout(MAX_SILENCE_MS, () => reject(new Error(`no answer to ${method} ${target}`)))
      let status = 0
      sent.on('error', () => resolve(status))
      sent.on('response', (response) => {
        status = response.statusCode ?? 0
        response.on('error', () => resolve(0)).on('end', () => resolve(status))
        response.resume()
      })
      sent.end(body)
    })
  }

  async #probe(signal: AbortSignal): Promise<number> {
    let worst = 0
    do {
      const start = performance.now()
      await this.#one({ what: '', method: 'GET', target: '/health/live', headers: {} })
      worst = Math.max(worst, performance.now() - start)
      await sleep(PROBE_EVERY_MS)
    } while (!signal.aborted)
    return worst
  }

  /** Closes the connections kept alive; the next request opens another. */
  disconnect(): void {
    this.#agent.destroy()
  }

  [Symbol.dispose](): void {
    this.disconnect()
  }
}

/** Summarizes a family in one line: the worst of each measurement, and its input. */
export function worstOf(results: readonly CostlyResult[]): string {
  const worst = (figure: (one: CostlyResult) => number, unit: string) => {
    const one = results.toSorted((a, b) => figure(b) - figure(a))[0]
    return one === undefined
      ? ''
      : `${figure(one).toFixed(0)} ${unit} (${one.times} of ${one.what}, ${one.status})`
  }
  return [
    `turn ${worst((one) => one.turnMilliseconds, 'ms')}`,
    `clock ${worst((one) => one.wallMilliseconds, 'ms')}`,
    `probe ${worst((one) => one.probeMilliseconds, 'ms')}`,
    `whole answer ${worst((one) => one.tookMilliseconds, 'ms')}`,
    `memory ${worst((one) => one.bytesAbove / 2 ** 20, 'MiB')}`,
  ].join('; ')
}
