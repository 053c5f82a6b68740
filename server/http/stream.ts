import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type ByteStream, EngineError, generatedStream } from '../../engine/shared/index.ts'
import { type AppContext, type Exchange, exchangeOf, incomingOf, outgoingOf } from './exchange.ts'
import { GatheredBytes } from './gathered-bytes.ts'
import type { Inflow } from './inflow.ts'

/** Head of a response. */
export interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. Each is sent in a header of its own. */
  readonly cookies?: readonly string[]
  /** Headers that are known only after the last byte. Sent as trailers if the length is not known in advance. */
  readonly trailers?: Readonly<Record<string, () => string>>
}

export interface StreamAnswer extends AnswerHead {
  readonly bytes: ByteStream
}

/**
 * Sends a stream of bytes, and disposes of it even after a failure. The first chunk is read before the status is
 * sent, so a body that fails at once gives an ordinary error response. A later failure breaks the connection, so
 * that the client notices an incomplete transfer.
 */
export async function sendStream(c: AppContext, answer: StreamAnswer): Promise<Response> {
  if (!isUnframed(c, answer.bytes)) return send(c, answer)
  const exchange = exchangeOf(c)
  exchange.isUnframed = true
  const { trailers = {}, ...rest } = answer
  const outgoing = outgoingOf(c)
  // A client that has left needs no more bytes.
  const onLost = () => void answer.bytes[Symbol.asyncDispose]().catch(() => {})
  outgoing?.once('close', onLost)
  const bytes = await held(answer.bytes, exchange).finally(() => outgoing?.off('close', onLost))
  const known = Object.entries(trailers).map(([name, textOf]) => [name, textOf()] as const)
  return send(c, { ...rest, headers: { ...rest.headers, ...Object.fromEntries(known) }, bytes })
}

/**
 * Returns whether the client could not recognise the end of the response. An HTTP/1.0 response without a length
 * ends with its connection, so an interrupted response would look complete.
 */
function isUnframed(c: AppContext, { length }: ByteStream): boolean {
  const { httpVersionMajor: major, httpVersionMinor: minor } = incomingOf(c) ?? {}
  return major === 1 && minor === 0 && length === undefined && c.req.method !== 'HEAD'
}

/** Maximum size in bytes of a response that is collected in memory to determine its length. */
const MAX_HELD_BYTES = 16 << 20

/**
 * Reads all bytes into memory, which counts as memory of request bodies.
 * @throws EngineError `not_supported` if there are too many bytes, `busy`; the error of the body
 */
async function held(bytes: ByteStream, { body, inflow }: Exchange): Promise<ByteStream> {
  const gathered = new GatheredBytes(MAX_HELD_BYTES)
  const stop = new AbortController()
  const arrival = inflow.begin({ giveUp: (error) => stop.abort(error) })
  try {
    for await (const chunk of bytes.body) {
      body?.release()
      if (gathered.length + chunk.byteLength > MAX_HELD_BYTES) throw tooLong()
      arrival.hold(chunk.byteLength)
      stop.signal.throwIfAborted()
      gathered.add(Uint8Array.from(chunk))
    }
    arrival.end()
    const whole = gathered.take()
    const kept = generatedStream({ rest: only(whole) }, { giveBack: () => arrival.release() })
    return { ...kept, length: whole.length }
  } catch (error) {
    arrival.release()
    throw error
  } finally {
    gathered.drop()
    await bytes[Symbol.asyncDispose]()
  }
}

/**
 * Creates a stream of pieces in memory. Until they are sent, they count as memory of request bodies, because a
 * client may take minutes to read them.
 * @throws EngineError `busy` if request bodies use too much memory
 */
export function heldPieces(pieces: readonly Uint8Array[], inflow: Inflow): ByteStream {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  const arrival = inflow.begin({ giveUp: () => {} })
  // The body has arrived completely, so it no longer counts as slow.
  arrival.end()
  arrival.hold(length)
  async function* rest() {
    for (const piece of pieces) {
      // As long as the kernel accepts every chunk at once, nothing else would make this loop wait.
      await inflow.turns.pause()
      yield piece
    }
  }
  return { ...generatedStream({ rest: rest() }, { giveBack: () => arrival.release() }), length }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const tooLong = () =>
  new EngineError(
    'not_supported',
    `the answer is longer than the ${MAX_HELD_BYTES} bytes that are sent by HTTP/1.0; use HTTP/1.1 (nginx: proxy_http_version 1.1), or request less`,
  )

async function send(c: AppContext, answer: StreamAnswer): Promise<Response> {
  const { bytes, status, trailers } = answer
  const length = bytes.length === undefined ? {} : { 'Content-Length': String(bytes.length) }
  const announced = trailers && { Trailer: Object.keys(trailers).join(', ') }
  const headers = { ...answer.headers, ...length, ...announced }
  const outgoing = outgoingOf(c)
  let isOver = true
  try {
    if (c.req.method === 'HEAD') return new Response(null, { status, headers })
    if (outgoing === undefined) {
      const response = new Response(await copied(bytes), { status, headers })
      isOver = false
      return response
    }
    await pump({ ...answer, headers }, outgoing, exchangeOf(c))
    return RESPONSE_ALREADY_SENT
  } finally {
    if (isOver) await bytes[Symbol.asyncDispose]()
  }
}

/** Chunks up to this size in bytes are joined, so that those of one turn need a single system call. */
const JOINED_BYTES = 64 << 10

/**
 * Writes directly to Node's response. A Web stream through the adapter reads two or three chunks ahead, so
 * each would have to be copied. Measured with 1 MiB chunks on loopback: 1.6 to 2.3 GB/s, against 4.8 to 5.9
 * here and 4.9 to 5.4 for a plain Node response.
 */
async function pump(
  { bytes, status, headers, cookies = [], trailers = {} }: StreamAnswer,
  outgoing: ServerResponse,
  exchange: Exchange,
): Promise<void> {
  exchange.status = status
  const connection = watch(outgoing, exchange, bytes)
  let written = Promise.resolve()
  try {
    if (connection.lost()) return
    const iterator = bytes.body[Symbol.asyncIterator]()
    let next = await iterator.next()
    exchange.body?.release()
    await exchange.record(status, bytes.length)
    if (!connection.lost()) {
      const own = cookies.length > 0 ? { ...headers, 'Set-Cookie': [...cookies] } : headers
      outgoing.writeHead(status, { ...Object.fromEntries(exchange.headers), ...own })
    }
    let joined = 0
    while (!next.done && !connection.lost()) {
      const chunk = next.value
      joined += chunk.byteLength
      if (joined <= JOINED_BYTES) {
        written = connection.write(Uint8Array.from(chunk))
      } else {
        joined = 0
        await connection.write(chunk)
      }
      if (connection.lost()) break
      exchange.bytesSent += chunk.byteLength
      next = await iterator.next()
    }
    if (next.done && !connection.lost()) {
      const known = Object.entries(trailers).map(([name, textOf]) => [name, textOf()] as const)
      outgoing.addTrailers(Object.fromEntries(known))
      outgoing.end()
    }
  } catch (error) {
    // Sends the bytes before the failure, and then breaks the connection.
    await written
    throw error
  } finally {
    connection.forget()
  }
}

interface Connection {
  lost(): boolean
  /** Settles when the kernel has taken the whole chunk, or the connection is lost. */
  write(chunk: Uint8Array): Promise<void>
  forget(): void
}

function watch(outgoing: ServerResponse, exchange: Exchange, bytes: ByteStream): Connection {
  let lost = false
  let wake = () => {}
  const onLost = () => {
    lost = true
    if (exchange.outcome === 'complete') exchange.outcome = 'client gone'
    // The body is disposed of now and not at the next chunk, because the engine may be working on a chunk that
    // is no longer needed. The second call, which is awaited, throws any failure again.
    bytes[Symbol.asyncDispose]().catch(() => {})
    wake()
  }
  const onTimeout = () => {
    exchange.outcome = 'stalled'
    outgoing.destroy()
  }
  outgoing.on('close', onLost).on('error', onLost).on('timeout', onTimeout)
  // The socket's timer counts a partly written chunk as progress. A timer for whole chunks would cut off
  // slow readers.
  outgoing.setTimeout(exchange.limits.stallMilliseconds)
  // The client disconnected while the bytes were being opened, so the event will not be emitted again.
  if (outgoing.destroyed) onLost()
  return {
    // `destroyed` is set at once, but the close event comes later.
    lost: () => lost || outgoing.destroyed,
    write: (chunk) =>
      new Promise((resolve) => {
        wake = resolve
        // The return value of write does not help. Only the callback means that the memory may be reused.
        outgoing.write(chunk, (error) => {
          if (error) onLost()
          resolve()
        })
      }),
    forget: () => {
      outgoing.off('close', onLost).off('timeout', onTimeout)
    },
  }
}

/**
 * Builds the body of a response to `app.request()`. Disposes of the bytes after they are read. Copies each
 * chunk, because nothing tells when the reader has finished with it.
 */
async function copied(bytes: ByteStream): Promise<ReadableStream<Uint8Array>> {
  const iterator = bytes.body[Symbol.asyncIterator]()
  let next = await iterator.next()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (!next.done) {
            controller.enqueue(Uint8Array.from(next.value))
            next = await iterator.next()
            return
          }
        } catch (error) {
          await bytes[Symbol.asyncDispose]()
          throw error
        }
        controller.close()
        await bytes[Symbol.asyncDispose]()
      },
      cancel: () => bytes[Symbol.asyncDispose](),
    },
    { highWaterMark: 0 },
  )
}
