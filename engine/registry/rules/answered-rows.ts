import { cellOf } from '../../shared/formats/table-cells.ts'

/** Formats cells as a row, without a line end. */
export const answeredRow = (cells: readonly (string | undefined)[]): string =>
  cells.map((cell) => cellOf(cell ?? '', false)).join('\t')

/** Yields a table: a header, then a row for each answer. */
export async function* answeredRows(
  columns: readonly string[],
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${columns.join('\t')}\n`)
  yield* rows
}
