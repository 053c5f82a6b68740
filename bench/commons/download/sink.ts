import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

// A reader in a process of its own that costs as little as can be: it sends prepared requests over
// one connection, one after the other, and drops what comes into one piece of memory.

export interface SinkRequest {
  readonly address: string
  readonly targets: readonly SinkTarget[]
}

export interface SinkTarget {
  readonly path: string
  /** JSON; the request is a POST then. */
  readonly body?: string
}

export interface SinkReport {
  /** From the first request to the last byte of the last answer. */
  readonly milliseconds: number
  /** From each request to the last byte of its answer. */
  readonly times: readonly number[]
  /** Of all bodies as they came, the framing of chunks included. */
  readonly bytes: number
}

const BUFFER_BYTES = 1 << 20
const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

function fetchAll({ address, targets }: SinkRequest): Promise<SinkReport> {
  const { hostname, port } = new URL(address)
  const { promise, resolve, reject } = Promise.withResolvers<SinkReport>()
  const texts = targets.map((target) => Buffer.from(requestText(target, hostname)))
  const buffer = Buffer.alloc(BUFFER_BYTES)
  const times: number[] = []
  let [at, bytes, started, asked] = [0, 0, 0, 0]
  let head = Buffer.alloc(0)
  // Bytes of the body that are missing; undefined while the head is read.
  let left: number | undefined
  let tail = Buffer.alloc(0)

  const next = () => {
    head = Buffer.alloc(0)
    left = undefined
    const now = performance.now()
    if (at > 0) times.push(now - asked)
    asked = now
    if (at < texts.length) socket.write(texts[at++]!)
    else {
      resolve({ milliseconds: now - started, times, bytes })
      socket.destroy()
    }
  }
  const takeBody = (chunk: Buffer) => {
    bytes += chunk.length
    left! -= chunk.length
    if (left === Number.POSITIVE_INFINITY) {
      tail = Buffer.concat([tail, chunk.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length)
      if (tail.equals(LAST_CHUNK)) next()
    } else if (left === 0) next()
  }
  const take = (chunk: Buffer) => {
    if (left !== undefined) return takeBody(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf(HEAD_END)
    if (end < 0) return
    const lines = head.toString('latin1', 0, end)
    if (!lines.startsWith('HTTP/1.1 200')) throw new Error(lines.split('\r\n', 1)[0])
    left = Number(/\r\ncontent-length: *(\d+)/i.exec(lines)?.[1] ?? Number.POSITIVE_INFINITY)
    takeBody(head.subarray(end + HEAD_END.length))
  }
  const socket = connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer,
      callback(length) {
        try {
          take(buffer.subarray(0, length))
        } catch (error) {
          reject(error)
        }
        return true
      },
    },
  })
  socket.setNoDelay(true)
  socket.on('error', reject).on('close', () => reject(new Error('the connection was closed')))
  socket.on('connect', () => {
    started = performance.now()
    next()
  })
  return promise
}

function requestText({ path, body }: SinkTarget, host: string): string {
  const method = body === undefined ? 'GET' : 'POST'
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`]
  if (body === undefined) return [...lines, '', ''].join('\r\n')
  const length = Buffer.byteLength(body)
  return [...lines, 'Content-Type: application/json', `Content-Length: ${length}`, '', body].join(
    '\r\n',
  )
}

if (import.meta.main)
  console.log(JSON.stringify(await fetchAll(JSON.parse(await text(process.stdin)))))
