import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum bytes of a request body that are discarded after the response. */
const MAX_UNREAD_BYTES = 256 << 20

/** Minimum rate of a body, as in `BodyTerms`. */
interface SenderBounds {
  /** Minimum rate at which a client must send, in bytes per second, and the interval in which it is measured. */
  readonly bodyRate: number
  readonly stallMilliseconds: number
}

/**
 * Discards the rest of a body whose request is already answered, for example because it is too large. Most
 * clients read no response until they have sent everything, and then reuse the connection. If a client sends
 * more slowly than the minimum rate, its connection is ended with the response or broken off after it.
 * boundConnections limits how long other clients may take.
 */
export function dropUnreadBodies(server: Server, bounds: SenderBounds): void {
  // Prepended, because the request handler may write the head at once.
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return
    const isBelowRate = measureRate(request.socket, bounds)
    const isLast = !response.shouldKeepAlive
    // Otherwise Node would close the connection after the response while the client is still sending.
    response.shouldKeepAlive = true
    response.once('close', () => {
      if (request.destroyed && !request.complete) return
      const end = () => {
        if (isLast) request.socket.destroySoon()
      }
      if (request.complete) return end()
      request.once('end', end)
      // Half-closes the connection. The client can read the whole response, and further bytes from it do not
      // reset the connection.
      if (isBelowRate()) request.socket.end()
      cutWhenSlow(request, bounds)
      drop(request)
    })
  })
}

/**
 * Returns a function that tells whether a socket has received too little since this call. Its result is false
 * until the interval is over.
 */
function measureRate(socket: Socket, { bodyRate, stallMilliseconds }: SenderBounds): () => boolean {
  const { bytesRead } = socket
  const since = performance.now()
  return () => {
    const elapsed = performance.now() - since
    if (elapsed < stallMilliseconds) return false
    return socket.bytesRead - bytesRead < Math.max(1, (bodyRate * elapsed) / 1000)
  }
}

/** Cuts off a sender that falls below the minimum rate while its body is discarded. */
function cutWhenSlow(request: IncomingMessage, bounds: SenderBounds): void {
  let isBelowRate = measureRate(request.socket, bounds)
  const look = setInterval(() => {
    if (isBelowRate()) request.destroy()
    isBelowRate = measureRate(request.socket, bounds)
    // Timers may fire slightly early, and measureRate needs the full interval.
  }, bounds.stallMilliseconds + 1)
  request.once('close', () => clearInterval(look))
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || length !== '0'
}

function drop(request: IncomingMessage): void {
  // Other readers would keep the data in memory or pause it.
  request.removeAllListeners('data').removeAllListeners('readable')
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_UNREAD_BYTES) request.destroy()
  })
  request.resume()
}
