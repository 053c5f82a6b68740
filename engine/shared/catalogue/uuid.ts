import { hash } from 'node:crypto'

/** Namespace of our version 5 UUIDs, itself a random UUID. */
const NAMESPACE = Buffer.from('5d0c9f3a6c2b4d0f8a5e3b7c1f9e2d46', 'hex')

/** Hex digits of the variant field, indexed by its two free bits. */
const VARIANTS = '89ab'

/** Returns a version 5 UUID (RFC 9562 section 5.5). The same parts always give the same UUID. */
export function nameUuid(...parts: readonly string[]): string {
  return uuidIn(NAMESPACE, parts.join('\0'))
}

/**
 * Returns the version 5 UUID of a name in another namespace.
 * @param namespace the 16 bytes of the namespace UUID
 */
export function uuidIn(namespace: Uint8Array, name: string): string {
  // Imports create millions of UUIDs, so each takes one buffer and one hash call. A UTF-16 unit has at most
  // three bytes in UTF-8.
  const bytes = Buffer.allocUnsafe(namespace.length + name.length * 3)
  bytes.set(namespace)
  const length = namespace.length + bytes.write(name, namespace.length)
  const hex = hash('sha1', bytes.subarray(0, length))
  const variant = VARIANTS.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
