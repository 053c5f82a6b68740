import { hash } from 'node:crypto'

/** Namespace of the ids made here, itself a random UUID. */
const NAMESPACE = Buffer.from('5d0c9f3a6c2b4d0f8a5e3b7c1f9e2d46', 'hex')

/** Digits that stand for the variant, by the two bits below it. */
const VARIANTS = '89ab'

/** A version 5 UUID (RFC 9562 section 5.5): the same for the same parts, at every import. */
export function nameUuid(...parts: readonly string[]): string {
  return uuidIn(NAMESPACE, parts.join('\0'))
}

/**
 * The version 5 UUID of a name in a namespace of somebody's choice.
 * @param namespace its 16 bytes
 */
export function uuidIn(namespace: Uint8Array, name: string): string {
  // An import names millions: one buffer and one call for each. A UTF-16 unit takes at most three bytes.
  const bytes = Buffer.allocUnsafe(namespace.length + name.length * 3)
  bytes.set(namespace)
  const length = namespace.length + bytes.write(name, namespace.length)
  const hex = hash('sha1', bytes.subarray(0, length))
  const variant = VARIANTS.charAt(Number.parseInt(hex.charAt(16), 16) & 3)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
