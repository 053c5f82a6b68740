import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

interface HonestFigures {
  readonly served: number
  /** The number of failures by their kind. */
  readonly failures: Readonly<Record<string, number>>
  /** The median time in milliseconds from the first byte of the request to the last of the answer. */
  readonly median: number
  readonly p99: number
  readonly slowest: number
}

export interface HonestAsk {
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly status: number
}

const PAUSE_MILLISECONDS = 20

/** Runs clients that each send one request after the other, every second client on new connections. */
export async function askHonestly(
  port: number,
  asks: readonly HonestAsk[],
  { clients, until }: { readonly clients: number; readonly until: () => boolean },
): Promise<HonestFigures> {
  const times: number[] = []
  const failures: Record<string, number> = {}
  const run = async (_: unknown, number: number) => {
    const agent = new Agent({ keepAlive: number % 2 === 0 })
    for (let i = number; !until(); i++) {
      const one = asks[i % asks.length] as HonestAsk
      const begun = performance.now()
      const status = await askOnce(port, agent, one)
      if (status === one.status) times.push(performance.now() - begun)
      else failures[`${one.path} ${status}`] = (failures[`${one.path} ${status}`] ?? 0) + 1
      await pause(PAUSE_MILLISECONDS)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: clients }, run))
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)
  return { served: times.length, failures, median: at(0.5), p99: at(0.99), slowest: at(1) }
}

function askOnce(port: number, agent: Agent, ask: HonestAsk): Promise<number | string> {
  const { method = 'GET', path, body } = ask
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', agent, method, path, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.on('error', () => resolve('broken off'))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    asked.end(body)
  })
}
