// Lookup tables for writing numbers as decimal digits in ASCII. An entry of a table of digits is a 32-bit word of
// four characters, the first in the lowest byte, so that one store writes them. DIGITS and DECIMALS_BYTES have
// lengths.

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

/** Four digits with leading zeros: entry 42 is `0042`. */
export const FOUR_DIGITS = groups(10_000, (value) =>
  [1000, 100, 10, 1].map((place) => digit(value, place)),
)

/** Number of hundredths written as a decimal number: entry 123 is `1.23`. */
export const TWO_DECIMALS = groups(1000, (value) => [
  digit(value, 100),
  POINT,
  digit(value, 10),
  digit(value, 1),
])

/** Three digits with leading zeros and a tab: entry 42 is `042\t`. */
export const THREE_AND_TAB = groups(1000, (value) => [
  ...[100, 10, 1].map((place) => digit(value, place)),
  TAB,
])

/** Number of decimal digits without leading zeros: 2 for 42, 1 for 0. */
export const DIGITS = Uint8Array.from({ length: 10_000 }, (_, value) => String(value).length)

/**
 * Number of characters of a decimal fraction given in ten-thousandths, with its point and without trailing
 * zeros: 3 for 2500 (`.25`), 5 for 25 (`.0025`), 0 for 0.
 */
export const DECIMALS_BYTES = Uint8Array.from({ length: 10_000 }, (_, value) =>
  value === 0 ? 0 : 5 - (/0*$/.exec(String(value))?.[0].length ?? 0),
)
