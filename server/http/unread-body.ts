import type { IncomingMessage, Server } from 'node:http'

/** Bytes of a request body that are read and dropped behind its answer. */
const MAX_UNREAD_BYTES = 256 << 20

/**
 * Reads and drops what clients still send of bodies whose requests have been answered, say refused as
 * too large. Most clients read no answer before they have sent all, and go on with the connection then.
 * How long they may take is bounded by boundConnections.
 */
export function dropUnreadBodies(server: Server): void {
  // Before what answers: the head may be written at once.
  server.prependListener('request', (request, response) => {
    if (!hasBody(request)) return
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
      drop(request)
    })
  })
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
