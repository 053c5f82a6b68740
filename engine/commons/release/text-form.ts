/** Encoding of a dictionary's entries: as texts, or as 16 bytes for 32 hex digits. */
export type TextForm = 'text' | HexForm

/** Lower-case UUIDs, or 32 lower-case hex digits. */
export type HexForm = 'uuid' | 'hex'

export const PACKED_BYTES = 16

const LENGTHS = { uuid: 36, hex: 32 } as const

/** Returns the packed form that texts of a length may have. */
export function hexFormOf(length: number): HexForm | undefined {
  if (length === LENGTHS.uuid) return 'uuid'
  return length === LENGTHS.hex ? 'hex' : undefined
}

const DASH = 0x2d
const DASHES = [8, 13, 18, 23]

/** Bit above the 16 bits of four digits. It is set if one of the digits is invalid. */
const NO_DIGIT = 0x10000

const DIGITS = Int32Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : NO_DIGIT
})

/** Parses `source[start … end - 1]` into four words, most significant digit first. Returns false if it is invalid. */
export function readHex(
  form: HexForm,
  source: Uint8Array,
  start: number,
  end: number,
  words: Uint32Array,
): boolean {
  if (end - start !== LENGTHS[form]) return false
  const dash = form === 'uuid' ? 1 : 0
  if (dash) for (const at of DASHES) if (source[start + at] !== DASH) return false
  const a = digitsAt(source, start)
  const b = digitsAt(source, start + 4)
  const c = digitsAt(source, start + 8 + dash)
  const d = digitsAt(source, start + 12 + 2 * dash)
  const e = digitsAt(source, start + 16 + 3 * dash)
  const f = digitsAt(source, start + 20 + 4 * dash)
  const g = digitsAt(source, start + 24 + 4 * dash)
  const h = digitsAt(source, start + 28 + 4 * dash)
  if ((a | b | c | d | e | f | g | h) >= NO_DIGIT) return false
  words[0] = (a << 16) | b
  words[1] = (c << 16) | d
  words[2] = (e << 16) | f
  words[3] = (g << 16) | h
  return true
}

/** Returns the number of four hex digits. If one is invalid, the result is NO_DIGIT or more. */
function digitsAt(source: Uint8Array, at: number): number {
  return (
    ((DIGITS[source[at]!] as number) << 12) |
    ((DIGITS[source[at + 1]!] as number) << 8) |
    ((DIGITS[source[at + 2]!] as number) << 4) |
    (DIGITS[source[at + 3]!] as number)
  )
}
