import { createHash } from 'node:crypto'
import type { Coding } from './preference.ts'

/**
 * Returns a strong validator (RFC 9110 section 8.8.3) for everything that a response depends on. Equal parts
 * give the same validator in every process.
 */
export function etagOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  // The lengths distinguish `ab`, `c` from `a`, `bc`.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return `"${hash.digest('base64url').slice(0, 22)}"`
}

/** Adds the coding to a validator, because a strong validator identifies bytes, and codings differ in bytes. */
export function codedEtag(etag: string, coding: Coding): string {
  return coding === 'identity' ? etag : `${etag.slice(0, -1)}-${coding}"`
}

/**
 * Returns the validator that the client has sent for the current response, if any. Small responses are not
 * compressed, so the validators of both forms are compared. `*` is ignored, as it does not identify a response.
 */
export function heldEtag(
  ifNoneMatch: string | null,
  etag: string,
  coding: Coding,
): string | undefined {
  const held: readonly string[] = ifNoneMatch?.match(/"[^"]*"/g) ?? []
  return [codedEtag(etag, coding), etag].find((candidate) => held.includes(candidate))
}
