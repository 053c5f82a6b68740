import type { CustomFetch } from 'openid-client'

/** Maximum size in bytes of a response of the institution: its description, keys or tokens. */
const MAX_BYTES = 1 << 20
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Fetches a response and reads it whole. Redirects are not followed. Rejects a response of more than 1 MiB. */
export const boundedFetch: CustomFetch = async (address, options) => {
  const response = await fetch(address, { ...options, redirect: 'manual' } as RequestInit)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response.body ?? []) {
    size += piece.length
    // Leaving the loop closes the connection.
    if (size > MAX_BYTES) throw new RangeError('a response of the institution is too large')
    pieces.push(piece)
  }
  const { status, headers } = response
  return new Response(BODILESS.has(status) ? null : Buffer.concat(pieces), { status, headers })
}
