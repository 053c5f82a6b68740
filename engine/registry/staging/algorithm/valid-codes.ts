import { parseCell } from './cell-ranges.ts'
import type { StagingTable } from './model.ts'

interface WholeRange {
  readonly low: number
  readonly high: number
  readonly width: number
}

/**
 * Valid codes by rule 2 of registry.md: the values listed in the only INPUT column of a table. A range of
 * integers contains each of them, padded with zeros to the width of its first bound.
 */
export class ValidCodes {
  readonly #listed = new Set<string>()
  readonly #ranges: WholeRange[] = []

  constructor(table: StagingTable | undefined) {
    const column = table?.definition.findIndex(({ type }) => type === 'INPUT') ?? -1
    if (!table || column < 0) return
    for (const cells of table.rows) {
      const ranges = parseCell(cells[column])
      if (ranges !== 'any') for (const { low, high } of ranges) this.#add(low, high)
    }
  }

  has(value: string): boolean {
    return this.#listed.has(value) || (this.#ranges.length > 0 && this.#isInRange(value))
  }

  #add(low: string, high: string): void {
    this.#listed.add(low).add(high)
    if (low === high || !isWhole(low) || !isWhole(high)) return
    this.#ranges.push({ low: Number(low), high: Number(high), width: low.length })
  }

  #isInRange(value: string): boolean {
    if (!isWhole(value)) return false
    const code = Number(value)
    return this.#ranges.some(
      ({ low, high, width }) =>
        low <= code && code <= high && value === String(code).padStart(width, '0'),
    )
  }
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text)
}
