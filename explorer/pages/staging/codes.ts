import type { StagingTable } from './staging-data.ts'

/** A code that a case may have, and what it means. */
export interface Code {
  /** As a case has it: of a range its first. */
  readonly code: string
  /** As the table has it: a code, a range or a list of both. */
  readonly cell: string
  readonly meaning: string
}

/**
 * The codes of an input's table, one for each row. Rows that stand for anything, or for what comes
 * from elsewhere, name no code and are left out.
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
