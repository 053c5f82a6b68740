import { words } from './codes.ts'

/** Codes and what a table says of them: the row they are in, or the subtypes they stand for. */
export type CodeNames = ReadonlyMap<string, string>

export interface TableText {
  /** `8500` or `8500/3` to the name of its row. */
  readonly rows: CodeNames
  /** Likewise to the subtype it is, or to several with commas between. */
  readonly subtypes: CodeNames
}

/** Reads a table as data/tables.ts writes it. */
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
