/** Byte range of a body, 0-based and half-open. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

const UNIT = /^bytes=(.*)$/i
const SPEC = /^(\d*)-(\d*)$/

/**
 * Parses a `Range` header for a body of this size (RFC 9110 sections 14.1 and 14.2). Returns `undefined` if the
 * whole body is to be sent: without the header, for units other than bytes, for an invalid range, and for
 * several ranges, which would need another kind of response.
 */
export function parseRange(
  header: string | null,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, list = ''] = UNIT.exec(header?.trim() ?? '') ?? []
  // Empty list members are ignored (RFC 9110 section 5.6.1).
  const members = list.split(',', MAX_MEMBERS).flatMap((text) => text.trim() || [])
  const [only, ...others] = members
  if (only === undefined || others.length > 0) return undefined
  const [spec, first = '', last = ''] = SPEC.exec(only) ?? []
  if (spec === undefined || (first === '' && last === '')) return undefined
  if (first === '') return suffixOf(size, Number(last))
  // Compared as BigInt, because the numbers may exceed a double's precision.
  if (last !== '' && BigInt(last) < BigInt(first)) return undefined
  const start = Number(first)
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** More members cannot be a single range. The header is short enough for BigInt. */
const MAX_MEMBERS = 100

function suffixOf(size: number, length: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(size - length, 0), end: size }
}

/**
 * Formats a `Content-Range`.
 * @example contentRange({ start: 0, end: 5 }, 10) // 'bytes 0-4/10'
 */
export const contentRange = ({ start, end }: ByteRange, size: number) =>
  `bytes ${start}-${end - 1}/${size}`
