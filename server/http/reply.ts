import type { LoopTurns } from '../../engine/shared/index.ts'
import { writeJson } from '../../engine/shared/internal.ts'

type ReplyHeaders = Readonly<Record<string, string>>

/** Builds a response of known length. For HEAD, sends only the headers. */
export function reply(
  status: number,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: ReplyHeaders = {},
): Response {
  const contentLength = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  return new Response(body, {
    status,
    headers: { 'Content-Type': contentType, 'Content-Length': String(contentLength), ...headers },
  })
}

export function json(status: number, value: unknown, headers: ReplyHeaders = {}): Response {
  return reply(status, 'application/json', JSON.stringify(value), headers)
}

/** Builds a JSON response like `json`, yielding to the event loop, for values of several megabytes. */
export async function longJson(
  turns: LoopTurns,
  status: number,
  value: unknown,
  headers: ReplyHeaders = {},
): Promise<Response> {
  return reply(status, 'application/json', await writeJson(value, turns), headers)
}
