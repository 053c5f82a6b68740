/** Part of a body in bytes: `start` up to, not with, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const UNIT = /^bytes=(.*)$/i
const SPEC = /^(\d*)-(\d*)$/

/**
 * What a `Range` header asks of a body of that size (RFC 9110 14.1 and 14.2). `undefined` is the
 * whole body: without the header, for other units, for what is no range, and for several ranges,
 * which nobody needs and which would be another form of answer.
 */
export function parseRange(
  header: string | null,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, list = ''] = UNIT.exec(header?.trim() ?? '') ?? []
  // Empty members of a list do not count (RFC 9110 5.6.1).
  const members = list.split(',', MAX_MEMBERS).flatMap((text) => text.trim() || [])
  const [only, ...others] = members
  if (only === undefined || others.length > 0) return undefined
  const [spec, first = '', last = ''] = SPEC.exec(only) ?? []
  if (spec === undefined || (first === '' && last === '')) return undefined
  if (first === '') return suffixOf(size, Number(last))
  // Digits beyond what a double holds are compared as they are.
  if (last !== '' && BigInt(last) < BigInt(first)) return undefined
  const start = Number(first)
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** More is no single range, whatever it is; the header itself is short enough for BigInt. */
const MAX_MEMBERS = 100

function suffixOf(size: number, length: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(size - length, 0), end: size }
}

/** @example contentRange({ start: 0, end: 5 }, 10) // 'bytes 0-4/10' */
export const contentRange = ({ start, end }: ByteRange, size: number) =>
  `bytes ${start}-${end - 1}/${size}`
