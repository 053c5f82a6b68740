import { closeSync, openSync, writeSync } from 'node:fs'

const BUFFERED_CHARACTERS = 1 << 16

/** A tab-separated file, written row by row. */
interface TsvFile {
  write(cells: readonly (string | number | undefined)[]): void
  close(): void
}

/** Opens a file with a header line. Returns undefined if no path is given. */
export function openTsvFile(
  path: string | undefined,
  header: readonly string[],
): TsvFile | undefined {
  if (path === undefined) return undefined
  const file = openSync(path, 'w')
  let text = `${header.join('\t')}\n`
  const flush = () => {
    writeSync(file, text)
    text = ''
  }
  return {
    write(cells) {
      text += `${cells.map((cell = '') => String(cell).replace(/[\t\r\n]/g, ' ')).join('\t')}\n`
      if (text.length > BUFFERED_CHARACTERS) flush()
    },
    close() {
      flush()
      closeSync(file)
    },
  }
}
