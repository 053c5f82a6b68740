import { createHash } from 'node:crypto'
import type { Coding } from './preference.ts'

/**
 * A strong validator (RFC 9110 8.8.3) of everything that an answer depends on. Equal parts give an
 * equal one, in every process.
 */
export function etagOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  // The lengths distinguish `ab`, `c` from `a`, `bc`.
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return `"${hash.digest('base64url').slice(0, 22)}"`
}

/** Different codings are different bytes, and a strong validator stands for bytes. */
export function codedEtag(etag: string, coding: Coding): string {
  return coding === 'identity' ? etag : `${etag.slice(0, -1)}-${coding}"`
}

/**
 * The validator by which the client holds the current answer, if it does. Short answers are not
 * coded, so either form may be held. `*` is not looked at: it says nothing about this answer.
 */
export function heldEtag(
  ifNoneMatch: string | null,
  etag: string,
  coding: Coding,
): string | undefined {
  const held: readonly string[] = ifNoneMatch?.match(/"[^"]*"/g) ?? []
  return [codedEtag(etag, coding), etag].find((candidate) => held.includes(candidate))
}
