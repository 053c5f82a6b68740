import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum bytes of a request body that are discarded after the response. */
const MAX_UNREAD_BYTES = 256 << 20

/** Minimum rate of a body, as in `BodyTerms`. */
interface SenderBounds {
  /** Minimum rate of the sender in bytes per second, and the interval over which it is measured. */
  readonly bodyRate: number
  readonly stallMilliseconds: number
}

/**
 * Discards the rest of bodies whose requests are answered already, for example rejected as too large. Most
 * clients read no response until they have sent everything, and then reuse the connection. The connection of
 * a sender below the minimum rate is ended with the response or cut off after it. boundConnections limits how
 * long others may take.
 */
export function dropUnreadBodies(server: Server, bounds: SenderBounds): void {
  // Prepended, because the request handler may write the head at once.
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return
    const isBelowRate = measureRate(request.socket, bounds)
    const isLast = !response.shouldKeepAlive
    // Otherwise Node closes the connection after the response while the client is still sending.
    response.shouldKeepAlive = true
    response.once('close', () => {
      if (request.destroyed && !request.complete) return
      const end = () => {
        if (isLast) request.socket.destroySoon()
      }
      if (request.complete) return end()
      request.once('end', end)
      // Half-closes: the client can read the whole response, and what it still sends does not reset the
      // connection.
      if (isBelowRate()) request.socket.end()
      cutWhenSlow(request, bounds)
      drop(request)
    })
  })
}

/**
 * Returns a function for whether a socket has received too little since this call. It returns false
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
  // Any other reader would hold or pause the data.
  request.removeAllListeners('data').removeAllListeners('readable')
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_UNREAD_BYTES) request.destroy()
  })
  request.resume()
}
