import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Inflow } from './inflow.ts'
import { rejectConnection } from './unparsed.ts'

interface ConnectionBounds {
  /** Maximum number of connections. */
  readonly maxConnections: number
  /** Time limit for a client to complete a request head, or a body that nobody reads. */
  readonly maxWaitMilliseconds: number
}

/** Number of checks for overdue connections per time limit. */
const LOOKS_PER_WAIT = 4

/**
 * Limits the connections of a server. Over the limit, a new connection replaces an existing one: the one that
 * has waited longest without a request in progress, whether idle or sending its head. If there is none, it
 * replaces a connection whose request body has stalled. The new connection is rejected only if all others are
 * receiving a response or sending a body.
 */
export function boundConnections(server: Server, inflow: Inflow, bounds: ConnectionBounds): void {
  const connections = new Set<Socket>()
  // Start of each connection's wait, earliest first. Data that arrive meanwhile do not change it.
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
  // Node's own time-outs detect neither an unread body nor a client that sends single bytes.
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
