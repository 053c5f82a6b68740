/** Lines of cells: quotes may hold separators and ends of lines, and two quotes are one. */
export function readCsv(text: string, separator = ','): string[][] {
  const lines: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    lines.at(-1)?.push(cell)
    cell = ''
  }
  for (let i = 0; i < text.length; i++) {
    const one = text[i] as string
    if (isQuoted && one === '"' && text[i + 1] === '"') cell += text[i++]
    else if (one === '"') isQuoted = !isQuoted
    else if (isQuoted) cell += one
    else if (one === separator) endCell()
    else if (one === '\n') {
      endCell()
      lines.push([])
    } else if (one !== '\r') cell += one
  }
  if (cell !== '' || (lines.at(-1)?.length ?? 0) > 0) endCell()
  else lines.pop()
  return lines
}
