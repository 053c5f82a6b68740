import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Inflow } from './inflow.ts'
import { rejectConnection } from './unparsed.ts'

export interface ConnectionBounds {
  /** Connections at the same time. */
  readonly maxConnections: number
  /** How long a client may take to the end of a request's head, or of a body nobody reads. */
  readonly maxWaitMilliseconds: number
}

/** How often those are looked for that have been waited for too long. */
const LOOKS_PER_WAIT = 4

/**
 * Bounds the connections of a server. Above the bound a new one takes the place of the connection
 * without a request under way that has been waited for longest, be it idle or in the middle of a
 * head; where there is none, of one whose request body has stopped coming. Only when all others are
 * being answered, or send, is the new one refused.
 */
export function boundConnections(server: Server, inflow: Inflow, bounds: ConnectionBounds): void {
  const connections = new Set<Socket>()
  // In the order in which waiting began: what a client sends meanwhile gains it no time.
  const waiting = new Map<Socket, number>()
  const underWay = new Map<Socket, number>()
  const forget = (socket: Socket) => {
    connections.delete(socket)
    waiting.delete(socket)
    underWay.delete(socket)
  }
  server.on('connection', (socket: Socket) => {
    if (connections.size >= bounds.maxConnections) {
      const [longest] = waiting.keys()
      const yielding = longest ?? inflow.stalledSocket()
      if (!yielding) return rejectConnection(socket)
      yielding.destroy()
      forget(yielding)
    }
    connections.add(socket)
    waiting.set(socket, performance.now())
    socket.once('close', () => forget(socket))
  })
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket)
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1
      if (left > 0) return void underWay.set(socket, left)
      underWay.delete(socket)
      if (connections.has(socket)) waiting.set(socket, performance.now())
    })
  })
  const { maxWaitMilliseconds } = bounds
  // Node's own time-outs see neither a body that nobody reads nor a client that sends a byte at times.
  server.once('listening', () => {
    const look = setInterval(() => {
      const latest = performance.now() - maxWaitMilliseconds
      for (const [socket, since] of waiting) {
        if (since > latest) return
        socket.destroy()
      }
    }, maxWaitMilliseconds / LOOKS_PER_WAIT)
    server.once('close', () => clearInterval(look))
  })
}
