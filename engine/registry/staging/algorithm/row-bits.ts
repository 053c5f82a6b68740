/** A set of rows of one table, 32 to a word. */
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

export function commonRows(one: RowBits, other: RowBits): RowBits {
  return one.map((word, i) => word & (other[i] ?? 0))
}

/** The lowest row, -1 of an empty set. */
export function firstRow(bits: RowBits): number {
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i] ?? 0
    if (word !== 0) return i * 32 + 31 - Math.clz32(word & -word)
  }
  return -1
}

/** Calls back for each row, ascending. */
export function eachRow(bits: RowBits, visit: (row: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] ?? 0; word !== 0; word &= word - 1) {
      visit(i * 32 + 31 - Math.clz32(word & -word))
    }
  }
}

/** Equal texts for equal sets. */
export function bitsText(bits: RowBits): string {
  return bits.join()
}
