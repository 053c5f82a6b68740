import { words } from './codes.ts'

/** Maps codes to their row, or to the subtypes for which they stand. */
export type CodeNames = ReadonlyMap<string, string>

interface TableText {
  /** Maps `8500` or `8500/3` to the name of its row. */
  readonly rows: CodeNames
  /** Maps a code to its subtype, or to several separated by commas. */
  readonly subtypes: CodeNames
}

/** Parses a table in the format of data/tables.ts. */
export function parseTable(text: string): TableText {
  const rows = new Map<string, string>()
  const subtypes = new Map<string, string>()
  let row = ''
  for (const word of words(text)) {
    if (word.endsWith(':')) {
      row = word.slice(0, -1)
      if (/^\d[^,]*$/.test(row)) rows.set(row, row)
      continue
    }
    const [code = '', name = code] = word.replace('*', '').split('=')
    if (word.startsWith('*')) subtypes.set(code, name)
    if (row === 'alone') rows.set(code, code)
    else if (row !== 'no-row') rows.set(code, row)
  }
  return { rows, subtypes }
}
