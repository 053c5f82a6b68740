import { dayIn, matching, textIn, wholeIn } from '../tables/cells.ts'
import type { Recognised } from '../tables/layout.ts'
import type { HcpcsLayout, HcpcsUse } from './layouts.ts'
import type { ListedContent } from './procedure.ts'

/** The parsed cells of one row. */
export interface HcpcsRow {
  readonly code: string
  readonly sequence: number
  /** Part of the description. */
  readonly part?: string | undefined
  readonly content: Omit<ListedContent, 'description'>
}

const CODE = /^[A-Z0-9]{5}$/

/**
 * Creates a parser for the rows of a layout.
 * @returns a function that throws RowError for an invalid row
 */
export function rowReader({
  layout,
  used,
}: Recognised<HcpcsLayout>): (cells: readonly string[]) => HcpcsRow {
  const uses = used.map(([name, place]) => [name, place, layout.columns[name] as HcpcsUse] as const)
  return (cells) => {
    const content: Record<string, string> = {}
    const row: { code: string; sequence: number; part?: string | undefined } = {
      code: '',
      sequence: 0,
    }
    for (const [name, place, use] of uses) {
      const cell = cells[place] ?? ''
      if (use.as === 'code') row.code = matching(cell, name, CODE, 'a code like J9207')
      else if (use.as === 'part') row.part = textIn(cell, name)
      else if (use.as === 'sequence') {
        row.sequence = wholeIn(cell, name, 'a sequence number like 00100')
      } else {
        const day = dayIn(cell, name)
        if (day) content[use.procedure] = withHyphens(day)
      }
    }
    return { ...row, content }
  }
}

const withHyphens = (day: string) => day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
