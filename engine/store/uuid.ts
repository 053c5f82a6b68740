import { createHash } from 'node:crypto'

/** Namespace of the ids made here, itself a random UUID. */
const NAMESPACE = Buffer.from('5d0c9f3a6c2b4d0f8a5e3b7c1f9e2d46', 'hex')

/** A version 5 UUID (RFC 9562 section 5.5): the same for the same parts, at every import. */
export function nameUuid(...parts: readonly string[]): string {
  return uuidIn(NAMESPACE, parts.join('\0'))
}

/**
 * The version 5 UUID of a name in a namespace of somebody's choice.
 * @param namespace its 16 bytes
 */
export function uuidIn(namespace: Uint8Array, name: string): string {
  const hash = createHash('sha1').update(namespace).update(name).digest()
  hash[6] = (hash.readUInt8(6) & 0x0f) | 0x50
  hash[8] = (hash.readUInt8(8) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(ends[i - 1] ?? 0, end)).join('-')
}
