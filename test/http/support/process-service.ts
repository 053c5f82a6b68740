import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { bareEnvironment } from '../../bare-environment.ts'
import { eventually } from '../../eventually.ts'

const PROGRAM = join(import.meta.dirname, '../../../bin/casemill.ts')

/** The time in milliseconds after which a new connection is abandoned and another one tried. */
const PROBE_MILLISECONDS = 5000

interface Answered {
  readonly status: number
  readonly body: Buffer
}

interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** A connection that stays with one process of a service. */
export interface Connection {
  /** The number of the process in the log, in the order of starts. */
  readonly process: number
  ask(path: string, asking?: Asking): Promise<Answered>
  close(): void
}

/** `casemill serve --processes N` in a separate process. */
export interface ProcessService {
  readonly server: ChildProcess
  readonly address: string
  readonly log: readonly string[]
  /** The process ids of the processes that answer. */
  pids(): readonly number[]
  connect(): Promise<Connection>
  /** Connects to each of the given number of processes. */
  connectAll(processes: number): Promise<readonly Connection[]>
  stop(): Promise<number | null>
}

export async function serveByProcesses(
  data: string,
  processes: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<ProcessService> {
  const words = [PROGRAM, 'serve', '--port', '0', '--data', data, '--threads', '1']
  const server = spawn(process.execPath, [...words, '--processes', String(processes)], {
    env: { ...bareEnvironment(), CASEMILL_DRAIN_SECONDS: '5', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  const log: string[] = []
  createInterface({ input: server.stderr }).on('line', (line) => log.push(line))
  const output = createInterface({ input: server.stdout })
  const started = await Promise.race([once(output, 'line'), ended])
  const address = /http:\/\/\S+/.exec(String(started[0]))?.[0]
  if (address === undefined) throw new Error(`it does not start: ${log.join('\n')}`)

  let asked = 0
  const answererOf = (requestId: string) =>
    eventually(() => {
      const line = log.find((text) => text.includes(`"requestId":"${requestId}"`))
      if (line === undefined) throw new Error('it is not in the log')
      return (JSON.parse(line) as { readonly process: number }).process
    })
  const connect = async (): Promise<Connection> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (path: string, asking: Asking = {}) => send(new URL(path, address), agent, asking)
    const requestId = `probe-${++asked}`
    // A connection handed to a process that is being killed gets no answer (record 72).
    const probe = {
      headers: { 'X-Request-Id': requestId },
      signal: AbortSignal.timeout(PROBE_MILLISECONDS),
    }
    await ask('/status', probe)
    const answerer = await answererOf(requestId)
    return { process: answerer, ask, close: () => agent.destroy() }
  }
  return {
    server,
    address,
    log,
    pids: () => childrenOf(server.pid),
    connect,
    async connectAll(count) {
      const found = new Map<number, Connection>()
      await eventually(async () => {
        const connection = await connect()
        if (found.has(connection.process)) connection.close()
        else found.set(connection.process, connection)
        if (found.size < count) throw new Error(`${found.size} processes answer`)
      })
      return [...found.values()]
    },
    async stop() {
      server.kill('SIGTERM')
      const [status] = (await ended) as [number | null]
      return status
    },
  }
}

async function send(
  url: URL,
  agent: Agent,
  { method = 'GET', headers = {}, body, signal }: Asking,
): Promise<Answered> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, method, headers, ...(signal && { signal }) }, resolve)
      .on('error', reject)
      .end(body)
  })
  return { status: response.statusCode ?? 0, body: await buffer(response) }
}

function childrenOf(pid = 0): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}
