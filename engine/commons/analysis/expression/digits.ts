// Lookup tables from a number to its ASCII characters. An entry is a 32-bit word of four characters, with the
// first one in the lowest byte.

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

/** Four digits with leading zeros, such as `0042` for 42. */
export const FOUR_DIGITS = groups(10_000, (value) =>
  [1000, 100, 10, 1].map((place) => digit(value, place)),
)

/** A number in hundredths as a decimal number, such as `1.23` for 123. */
export const TWO_DECIMALS = groups(1000, (value) => [
  digit(value, 100),
  POINT,
  digit(value, 10),
  digit(value, 1),
])

/** Three digits with leading zeros, and a tab, such as `042\t` for 42. */
export const THREE_AND_TAB = groups(1000, (value) => [
  ...[100, 10, 1].map((place) => digit(value, place)),
  TAB,
])

/** Number of digits of a number below 10,000 without leading zeros, such as 2 for 42, and 1 for 0. */
export const DIGITS = Uint8Array.from({ length: 10_000 }, (_, value) => String(value).length)

/**
 * Number of characters of a decimal point and ten-thousandths without trailing zeros: 3 for 2500
 * (`.25`), 5 for 25 (`.0025`), 0 for 0.
 */
export const DECIMALS_BYTES = Uint8Array.from({ length: 10_000 }, (_, value) =>
  value === 0 ? 0 : 5 - (/0*$/.exec(String(value))?.[0].length ?? 0),
)
