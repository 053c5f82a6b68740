import type { LoopTurns } from '../../engine/shared/index.ts'
import { writeJson } from '../../engine/shared/internal.ts'

type ReplyHeaders = Readonly<Record<string, string>>

/** A whole answer of known length; HEAD sends its headers alone. */
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

/** As `json`, of what may have some megabytes: others are let in while it is written. */
export async function longJson(
  turns: LoopTurns,
  status: number,
  value: unknown,
  headers: ReplyHeaders = {},
): Promise<Response> {
  return reply(status, 'application/json', await writeJson(value, turns), headers)
}
