import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A request on a connection, as the client sent it. */
export interface SentRequest {
  /** The request line, such as `GET /data/… HTTP/1.1`. */
  readonly line: string
  /** The headers in the order and spelling sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/**
 * A proxy between a client and a server that records the requests, and can be held or cut at a known moment.
 * Without it, a transfer over the loopback ends before anything can happen to it.
 */
export class Line {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #target: { readonly host: string; readonly port: number }
  #port = 0
  #sent: Buffer[][] = []
  #carried = 0
  #holdAt = Number.POSITIVE_INFINITY
  #onHeld: () => void = () => {}

  private constructor(address: string) {
    const { hostname, port } = new URL(address)
    this.#target = { host: hostname, port: Number(port) }
    this.#server = createServer((client) => this.#join(client))
  }

  /** Opens a proxy to the server at an address, on a port of its own. */
  static async to(address: string): Promise<Line> {
    const line = new Line(address)
    await line.open()
    return line
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts to listen, after a cut on the same port as before. */
  async open(): Promise<void> {
    this.#holdAt = Number.POSITIVE_INFINITY
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Lets `bytes` more bytes of range answers pass, then holds the rest; resolves at that moment. */
  hold(bytes: number): Promise<void> {
    this.#carried = 0
    this.#holdAt = bytes
    return new Promise((resolve) => {
      this.#onHeld = resolve
    })
  }

  /** Breaks all connections and accepts no more. */
  async cut(): Promise<void> {
    this.#server.close()
    // The bytes already forwarded still arrive, so it is known how many the client has.
    for (const socket of this.#sockets) socket.destroySoon()
    await once(this.#server, 'close')
  }

  /** Requests since the last call, one per connection, in the order in which they came. */
  takeRequests(): readonly SentRequest[] {
    const texts = this.#sent.map((chunks) => Buffer.concat(chunks).toString('latin1'))
    this.#sent = []
    return texts.filter((text) => text !== '').map(requestOf)
  }

  #join(client: Socket): void {
    const server = connect(this.#target)
    const said: Buffer[] = []
    this.#sent.push(said)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroySoon()
      })
    }
    client.on('data', (chunk: Buffer) => said.push(chunk))
    client.pipe(server)
    const isRange = () => /\r\nRange: /i.test(Buffer.concat(said).toString('latin1'))
    server.on('data', (chunk: Buffer) => {
      if (isRange()) this.#carried += chunk.length
      this.#carry(chunk, server, client)
    })
    server.on('end', () => client.end())
  }

  #carry(chunk: Buffer, from: Socket, to: Socket): void {
    if (this.#carried > this.#holdAt) {
      from.pause()
      this.#onHeld()
      return
    }
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => from.resume())
  }
}

function requestOf(text: string): SentRequest {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = fields.map((field) => {
    const colon = field.indexOf(': ')
    return [field.slice(0, colon), field.slice(colon + 2)] as const
  })
  return { line, headers, body: text.slice(end + 4) }
}
