import { majorCategory } from './major-category.ts'
import type { RecodeVersion, Texts } from './recode.ts'
import { compileTable, type RecodeTable } from './table.ts'
import type { TableRow } from './table-text.ts'

// Editions of a recode that are defined by a table.

export const SITE_AND_HIST = Object.freeze(['site', 'hist'] as const)
export const WITH_BEHAVIOR = Object.freeze(['site', 'hist', 'behavior'] as const)
export const WITH_YEAR = Object.freeze(['site', 'hist', 'behavior', 'year'] as const)

const NO_GROUP = '999'

interface Edition {
  readonly table: RecodeTable
  /** The code if no row matches. */
  readonly unknown: string
  readonly output: 'site_group' | 'recode'
}

/** Creates an edition from a table. */
export function edition(
  id: string,
  name: string,
  { table, unknown, output }: Edition,
): RecodeVersion {
  const answerOf = (row?: TableRow): Texts => ({ [output]: row?.code ?? unknown, name: row?.name })
  return { id, name, make: () => makeLookup(table, answerOf) }
}

/** Defines an edition of the SEER site recode whose table has no behaviors. */
export function seer(id: string, name: string, rows: string): RecodeVersion {
  const table = { rows, columns: SITE_AND_HIST, compare: 'numbers' } as const
  return edition(id, name, { table, unknown: '99999', output: 'site_group' })
}

/** Defines an edition of the SEER site recode from 2023 on, which also depends on behavior and year. */
export function seer2023(id: string, name: string, rows: string): RecodeVersion {
  const table = { rows, columns: WITH_YEAR, compare: 'numbers' } as const
  return edition(id, name, { table, unknown: '99', output: 'site_group' })
}

/**
 * Defines an edition of the recode for adolescents and young adults.
 * @param unknown group for a case that no row matches
 */
export function aya(id: string, name: string, rows: string, unknown: string): RecodeVersion {
  const table = { rows, columns: WITH_BEHAVIOR, compare: 'texts' } as const
  return edition(id, name, { table, unknown, output: 'site_group' })
}

/** Defines an edition of the classification of childhood cancer with its extended groups. */
export function iccc(id: string, name: string, rows: string): RecodeVersion {
  const table = { rows, columns: WITH_BEHAVIOR, compare: 'numbers' } as const
  const answerOf = (row?: TableRow): Texts => {
    const site_group = row?.code ?? NO_GROUP
    return {
      site_group,
      name: row?.name,
      extended_group: row?.extended ?? NO_GROUP,
      major_category: majorCategory(site_group),
    }
  }
  return { id, name, make: () => makeLookup(table, answerOf) }
}

/**
 * Defines an edition of the classification of childhood cancer without behaviors and extended groups. Its groups
 * have numbers of their own.
 */
export function icccWithoutBehavior(id: string, name: string, rows: string): RecodeVersion {
  const table = { rows, columns: SITE_AND_HIST, compare: 'numbers' } as const
  return edition(id, name, { table, unknown: NO_GROUP, output: 'site_group' })
}

/**
 * Creates the lookup in a table.
 * @param answerOf called without a row if none matches
 */
function makeLookup(
  table: RecodeTable,
  answerOf: (row?: TableRow) => Texts,
): (input: Texts) => Texts {
  const find = compileTable(table, (row) => Object.freeze(answerOf(row)))
  const unknown = Object.freeze(answerOf())
  return (input) => find(input) ?? unknown
}
