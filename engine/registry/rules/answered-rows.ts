import { cellOf } from '../../shared/formats/table-cells.ts'

/** Formats cells as a row, without a line end. */
export const answeredRow = (cells: readonly (string | undefined)[]): string =>
  cells.map((cell) => cellOf(cell ?? '', false)).join('\t')

/**
 * Yields a table: a header, then the rows that were answered. Patients without rows are answered with an empty line,
 * which is left out.
 */
export async function* answeredRows(
  columns: readonly string[],
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${columns.join('\t')}\n`)
  const decoder = new TextDecoder()
  let isLineBegun = false
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true })
    const rows = (isLineBegun ? text : text.replace(/^\n+/, '')).replaceAll(/\n{2,}/g, '\n')
    isLineBegun = text === '' ? isLineBegun : !text.endsWith('\n')
    if (rows !== '') yield Buffer.from(rows)
  }
}
