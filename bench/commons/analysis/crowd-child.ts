import { connect } from 'node:net'
import { createInterface } from 'node:readline'

// Clients in a process of its own that ask for the same large answer again and again, each over one
// connection, and drop what comes. The first line of standard input is a CrowdRequest; "going" is
// printed when all are being answered; a second line ends it, and a CrowdReport is printed.

export interface CrowdRequest {
  readonly address: string
  readonly path: string
  /** JSON. */
  readonly body: string
  readonly clients: number
}

/** Milliseconds between two looks at the counters. */
export const TICK_MILLISECONDS = 100

export interface CrowdReport {
  /** Per tick, from when all were being answered: the bytes that each client had by then. */
  readonly ticks: readonly (readonly number[])[]
  /** Answers that came to their end. */
  readonly answers: number
  /** When the clients left, in milliseconds since 1970. */
  readonly left: number
}

const BUFFER_BYTES = 1 << 18
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

interface Client {
  bytes: number
  answers: number
  close(): void
}

function startClient({ address, path, body }: CrowdRequest): Client {
  const { hostname, port } = new URL(address)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  const request = Buffer.from([...head, '', body].join('\r\n'))
  const buffer = Buffer.alloc(BUFFER_BYTES)
  let isHead = true
  let tail = Buffer.alloc(0)
  const take = (chunk: Buffer) => {
    if (isHead && !chunk.toString('latin1', 0, 12).endsWith(' 200')) {
      throw new Error(chunk.toString('latin1', 0, 200))
    }
    isHead = false
    client.bytes += chunk.length
    tail = Buffer.concat([tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
    if (!tail.equals(LAST_CHUNK)) return
    client.answers++
    isHead = true
    tail = Buffer.alloc(0)
    socket.write(request)
  }
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer,
      callback(length) {
        take(buffer.subarray(0, length))
        return true
      },
    },
  })
  socket.setNoDelay(true).on('connect', () => socket.write(request))
  const client: Client = { bytes: 0, answers: 0, close: () => socket.destroy() }
  return client
}

async function run(lines: AsyncIterator<string>): Promise<void> {
  const request: CrowdRequest = JSON.parse((await lines.next()).value)
  const clients = Array.from({ length: request.clients }, () => startClient(request))
  const ticks: number[][] = []
  const timer = setInterval(() => {
    const bytes = clients.map((client) => client.bytes)
    if (bytes.some((count) => count === 0)) return
    if (ticks.push(bytes) === 1) console.log('going')
  }, TICK_MILLISECONDS)
  await lines.next()
  clearInterval(timer)
  const left = performance.timeOrigin + performance.now()
  for (const client of clients) client.close()
  const answers = clients.reduce((all, client) => all + client.answers, 0)
  console.log(JSON.stringify({ ticks, answers, left } satisfies CrowdReport))
  process.exit()
}

if (import.meta.main) await run(createInterface({ input: process.stdin })[Symbol.asyncIterator]())
