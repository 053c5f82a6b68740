import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of a request body that are read and dropped behind its answer. */
const MAX_UNREAD_BYTES = 256 << 20

/** The least rate of a body, as `BodyTerms` has it. */
export interface SenderBounds {
  /** Bytes a second that a sender has to bring, and the time over which that is measured. */
  readonly bodyRate: number
  readonly stallMilliseconds: number
}

/**
 * Reads and drops what clients still send of bodies whose requests have been answered, say refused as
 * too large. Most clients read no answer before they have sent all, and go on with the connection then.
 * A sender below the least rate gets the end of the connection with its answer, or is cut off behind it.
 * How long the others may take is bounded by boundConnections.
 */
export function dropUnreadBodies(server: Server, bounds: SenderBounds): void {
  // Before what answers: the head may be written at once.
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return
    const isBelowRate = measureRate(request.socket, bounds)
    const isLast = !response.shouldKeepAlive
    // Otherwise Node ends the connection with the answer, while the client sends.
    response.shouldKeepAlive = true
    response.once('close', () => {
      if (request.destroyed && !request.complete) return
      const end = () => {
        if (isLast) request.socket.destroySoon()
      }
      if (request.complete) return end()
      request.once('end', end)
      // The client can read the answer to its end, and what it still sends is no reason to reset it.
      if (isBelowRate()) request.socket.end()
      cutWhenSlow(request, bounds)
      drop(request)
    })
  })
}

/** Tells whether a socket has brought too little since this call, once it was measured long enough. */
function measureRate(socket: Socket, { bodyRate, stallMilliseconds }: SenderBounds): () => boolean {
  const { bytesRead } = socket
  const since = performance.now()
  return () => {
    const elapsed = performance.now() - since
    if (elapsed < stallMilliseconds) return false
    return socket.bytesRead - bytesRead < Math.max(1, (bodyRate * elapsed) / 1000)
  }
}

/** Cuts off a sender that falls below the least rate while its body is dropped. */
function cutWhenSlow(request: IncomingMessage, bounds: SenderBounds): void {
  let isBelowRate = measureRate(request.socket, bounds)
  const look = setInterval(() => {
    if (isBelowRate()) request.destroy()
    isBelowRate = measureRate(request.socket, bounds)
    // A timer may come a little early: the measure asks for the whole time.
  }, bounds.stallMilliseconds + 1)
  request.once('close', () => clearInterval(look))
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0'
  return headers['transfer-encoding'] !== undefined || length !== '0'
}

function drop(request: IncomingMessage): void {
  // Whoever has begun to read it would hold what comes, or stop it.
  request.removeAllListeners('data').removeAllListeners('readable')
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_UNREAD_BYTES) request.destroy()
  })
  request.resume()
}
