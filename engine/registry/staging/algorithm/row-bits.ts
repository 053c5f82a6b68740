/** A set of rows of a table, with 32 rows per word. */
export type RowBits = Uint32Array

export function noRows(count: number): RowBits {
  return new Uint32Array(Math.ceil(count / 32))
}

export function allRows(count: number): RowBits {
  const bits = noRows(count).fill(0xffffffff)
  if (count % 32 !== 0) bits[bits.length - 1] = 2 ** (count % 32) - 1
  return bits
}

export function addRows(bits: RowBits, rows: readonly number[]): void {
  for (const row of rows) bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31))
}

/** Returns the intersection of two sets of rows. */
export function commonRows(one: RowBits, other: RowBits): RowBits {
  return one.map((word, i) => word & (other[i] ?? 0))
}

/** Returns the lowest row, or -1 for an empty set. */
export function firstRow(bits: RowBits): number {
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i] ?? 0
    if (word !== 0) return i * 32 + 31 - Math.clz32(word & -word)
  }
  return -1
}

/** Calls back for each row, in ascending order. */
export function eachRow(bits: RowBits, visit: (row: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] ?? 0; word !== 0; word &= word - 1) {
      visit(i * 32 + 31 - Math.clz32(word & -word))
    }
  }
}

/** Converts equal sets to equal texts. */
export function bitsText(bits: RowBits): string {
  return bits.join()
}
