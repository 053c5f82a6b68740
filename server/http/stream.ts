import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type AppContext, type Exchange, exchangeOf, outgoingOf } from './exchange.ts'

export interface StreamAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of the whole body, where that is known beforehand. */
  readonly length?: number
  /** A chunk's memory may be used again as soon as the next chunk is asked for. */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Releases what the body holds. Called at least once, however the transfer ends and also when
   * the body is never started; it must make a chunk that is being waited for settle.
   */
  readonly close: () => Promise<void>
}

/**
 * Sends a body of unknown length. The first chunk is fetched before the status goes out, so a body
 * that fails at once is still an ordinary error; one that fails later breaks the connection off, so
 * that the client sees an unfinished transfer.
 */
export async function sendStream(c: AppContext, given: StreamAnswer): Promise<Response> {
  const answer = withLength(given)
  const exchange = exchangeOf(c)
  if (c.req.method === 'HEAD') {
    await answer.close()
    return new Response(null, { status: answer.status, headers: answer.headers })
  }
  const outgoing = outgoingOf(c)
  if (outgoing === undefined) return streamInProcess(answer)
  exchange.status = answer.status
  await pump(answer, outgoing, exchange)
  return RESPONSE_ALREADY_SENT
}

function withLength(answer: StreamAnswer): StreamAnswer {
  if (answer.length === undefined) return answer
  return { ...answer, headers: { ...answer.headers, 'Content-Length': String(answer.length) } }
}

/**
 * Writes straight to Node's response. A Web stream through the adapter reads two or three chunks
 * ahead before it writes, so each would have to be copied: measured with 1 MiB chunks on loopback,
 * 1.6 to 2.3 GB/s against 4.8 to 5.9 here and 4.9 to 5.4 for a plain Node response.
 */
async function pump(
  answer: StreamAnswer,
  outgoing: ServerResponse,
  exchange: Exchange,
): Promise<void> {
  const iterator = answer.body[Symbol.asyncIterator]()
  const connection = watch(outgoing, exchange, answer.close)
  let ended = false
  try {
    let next = await iterator.next()
    exchange.body?.release()
    if (!connection.lost()) {
      outgoing.writeHead(answer.status, {
        ...Object.fromEntries(exchange.headers),
        ...answer.headers,
      })
    }
    while (!next.done && !connection.lost()) {
      await connection.write(next.value)
      if (connection.lost()) break
      exchange.bytesSent += next.value.byteLength
      next = await iterator.next()
    }
    ended = next.done === true
    if (ended && !connection.lost()) outgoing.end()
  } finally {
    connection.forget()
    if (!ended) await iterator.return?.()
    await answer.close()
  }
}

interface Connection {
  lost(): boolean
  /** Settles when the kernel has taken all of the chunk, or when the connection is lost. */
  write(chunk: Uint8Array): Promise<void>
  forget(): void
}

function watch(
  outgoing: ServerResponse,
  exchange: Exchange,
  close: () => Promise<void>,
): Connection {
  let lost = outgoing.destroyed
  let wake = () => {}
  const onLost = () => {
    lost = true
    if (exchange.outcome === 'complete') exchange.outcome = 'client gone'
    // At once, not at the next chunk: the engine may be far into work for a chunk nobody wants. A
    // failure to close comes up again at the second, awaited call.
    close().catch(() => {})
    wake()
  }
  const onTimeout = () => {
    exchange.outcome = 'stalled'
    outgoing.destroy()
  }
  outgoing.on('close', onLost).on('error', onLost).on('timeout', onTimeout)
  // The socket's own timer counts a partly written chunk as progress; a timer around whole chunks
  // would cut off readers that are merely slow.
  outgoing.setTimeout(exchange.limits.stallMilliseconds)
  return {
    // A destroyed response says so at once, its close event only later.
    lost: () => lost || outgoing.destroyed,
    write: (chunk) =>
      new Promise((resolve) => {
        wake = resolve
        // The return value is no help: only the callback says that the memory is free again.
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

/** The answer to `app.request()`. Copies, since here nobody says when a chunk has been used. */
async function streamInProcess(answer: StreamAnswer): Promise<Response> {
  const iterator = answer.body[Symbol.asyncIterator]()
  let next = await iterator.next()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next.done) {
          controller.close()
          return answer.close()
        }
        controller.enqueue(Uint8Array.from(next.value))
        next = await iterator.next()
      },
      async cancel() {
        // First, so that a chunk that is being waited for settles.
        await answer.close()
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: answer.status, headers: answer.headers })
}
