/** Formats a table: aligned for people, tab-separated for programs. Cells have no tabs or line breaks. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  forPerson: boolean,
): string {
  const lines = [header, ...rows]
  if (!forPerson) return lines.map((cells) => `${cells.join('\t')}\n`).join('')
  const widths = header.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  )
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}
