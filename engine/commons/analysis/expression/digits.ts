// Groups of digits as they lie in memory, four bytes each, the first digit in the lowest byte.

const ZERO = 0x30
const POINT = 0x2e
const TAB = 0x09

const digit = (value: number, place: number) => ZERO + (Math.floor(value / place) % 10)

function groups(count: number, bytesOf: (value: number) => readonly number[]): Uint32Array {
  return Uint32Array.from({ length: count }, (_, value) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOf(value)
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
  })
}

/** `1234`, with leading zeros. */
export const FOUR_DIGITS = groups(10_000, (value) =>
  [1000, 100, 10, 1].map((place) => digit(value, place)),
)

/** `1.23` of 123. */
export const TWO_DECIMALS = groups(1000, (value) => [
  digit(value, 100),
  POINT,
  digit(value, 10),
  digit(value, 1),
])

/** `123` and a tab. */
export const THREE_AND_TAB = groups(1000, (value) => [
  ...[100, 10, 1].map((place) => digit(value, place)),
  TAB,
])

/** How many digits a number has. */
export const DIGITS = Uint8Array.from({ length: 10_000 }, (_, value) => String(value).length)

/** Bytes of the point and of four decimals when zeros at their end are not written; 0 for zero. */
export const DECIMALS_BYTES = Uint8Array.from({ length: 10_000 }, (_, value) =>
  value === 0 ? 0 : 5 - (/0*$/.exec(String(value))?.[0].length ?? 0),
)
