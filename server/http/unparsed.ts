import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

const LINGER_MILLISECONDS = 1000

/**
 * Sends JSON errors for requests that Node rejects while parsing: heads that are too large or malformed. Only
 * the socket exists at that point.
 */
export function answerUnparsed(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>()
  const answered = new WeakSet<Duplex>()
  server.on('request', ({ socket }, response) => latest.set(socket, response))
  server.on('clientError', (error: ParseError, socket) => {
    const current = latest.get(socket)
    const midway = current !== undefined && !current.writableFinished
    if (answered.has(socket)) return
    // A second response would be taken for the body of the first.
    if (midway || error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    answered.add(socket)
    socket.end(errorResponse(verdict(error)))
    // Closing a socket with unread input resets the connection, and the response may be lost. Reading on for a
    // moment avoids that.
    socket.resume()
    setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref()
  })
}

/** Rejects a connection that exceeds the limit and closes it. */
export function rejectConnection(socket: Socket): void {
  const message = 'all connections of the service are in use; try again in a moment'
  socket.write(errorResponse([503, message], ['Retry-After: 5']))
  socket.destroySoon()
}

type Verdict = readonly [status: number, message: string]

function errorResponse([status, message]: Verdict, headers: readonly string[] = []): string {
  const body = JSON.stringify({ error: message, message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Access-Control-Allow-Origin: *',
    'X-Content-Type-Options: nosniff',
    ...headers,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

const TOO_LARGE =
  'the request line and headers are larger than the limit; send long parameters in a POST body'

function verdict({ code, rawPacket }: ParseError): Verdict {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request took too long to arrive']
  if (code !== 'HPE_HEADER_OVERFLOW') return [400, 'the request is not valid HTTP']
  return [isWithinRequestLine(rawPacket) ? 414 : 431, TOO_LARGE]
}

/**
 * Returns whether the request line is too long. Node only reports that the head is too large, with the last
 * packet. A packet without a line end is assumed to be part of a long query, because headers of that size are
 * rarer.
 */
function isWithinRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false
  const lineEnd = packet.indexOf('\r\n')
  if (lineEnd === -1) return true
  const firstLine = packet.subarray(0, lineEnd).toString('latin1')
  return / HTTP\/1\.[01]$/.test(firstLine) && firstLine.length > packet.length / 2
}
