import type { StagingTable } from './staging-data.ts'

/** A valid code with its meaning. */
interface Code {
  /** Code as a case contains it. For a range, the first code of the range. */
  readonly code: string
  /** Cell of the table: a code, a range, or a list of codes and ranges. */
  readonly cell: string
  readonly meaning: string
}

/**
 * Returns the codes in an input's table, one per row. Rows that match anything, or that refer to other inputs,
 * have no code and are left out.
 */
export function codesOf(table: StagingTable, key: string): readonly Code[] {
  const column = table.definition.findIndex((one) => one.type === 'INPUT' && one.key === key)
  const only = table.definition.findIndex(({ type }) => type === 'INPUT')
  const place = column < 0 ? only : column
  const meanings = table.definition.flatMap(({ type }, index) =>
    type === 'DESCRIPTION' ? [index] : [],
  )
  return table.rows.flatMap((row) => {
    const cell = row[place] ?? ''
    const code = cell.split(/[,-]/)[0]?.trim() ?? ''
    if (code === '' || /[*{]/.test(cell)) return []
    const meaning = meanings.map((index) => row[index] ?? '').find((text) => text !== '') ?? ''
    return [{ code, cell, meaning: meaning.split('\n')[0] ?? '' }]
  })
}
