import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// A reader that costs little, so that it leaves the processors to the server: it sends prepared
// requests over one kept connection, one after the other, and looks for the end of each answer.

/** Prepared requests. */
export function requestsTo(address: string, paths: readonly string[]): Buffer[] {
  const { host } = new URL(address)
  return paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`),
  )
}

export class HttpConnection {
  readonly #socket: Socket
  #waiting: PromiseWithResolvers<void> | undefined
  #answer: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed a connection')))
    socket.on('error', (error) => this.#waiting?.reject(error))
  }

  static async open(address: string): Promise<HttpConnection> {
    const { hostname, port } = new URL(address)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new HttpConnection(socket)
  }

  /** Resolves when the answer is complete. @throws Error on any status but 200 */
  ask(request: Buffer): Promise<void> {
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request)
    return this.#waiting.promise
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#answer = this.#answer.length === 0 ? chunk : Buffer.concat([this.#answer, chunk])
    const end = this.#answer.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#answer.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 200')) {
      this.#waiting?.reject(new Error(head.split('\r\n', 1)[0]))
      return
    }
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    const isComplete =
      length === undefined
        ? this.#answer.subarray(-7).equals(LAST_CHUNK)
        : this.#answer.length >= end + 4 + Number(length)
    if (!isComplete) return
    this.#answer = Buffer.alloc(0)
    this.#waiting?.resolve()
  }
}

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')
