import type { Conditions, Facet } from '../questions.ts'

/**
 * Where a facet is. DuckDB has a table with these columns, PostgreSQL a view that takes them from
 * its JSON documents, so that most statements are the same.
 */
interface Place {
  readonly column: string
  /** Compared in lower case (data-commons.md 1.4). */
  readonly folded?: true
  /** The column holds sets of values. */
  readonly sets?: true
}

export const PLACES: Readonly<Record<Facet, Place>> = {
  access: { column: 'access_folded', folded: true },
  data_category: { column: 'data_category_folded', folded: true },
  data_format: { column: 'data_format_folded', folded: true },
  data_type: { column: 'data_type' },
  experimental_strategy: { column: 'experimental_strategy' },
  platform: { column: 'platform_folded', folded: true },
  'analysis.workflow_type': { column: 'workflow_type' },
  'cases.project.project_id': { column: 'project' },
  'cases.primary_site': { column: 'sites', folded: true, sets: true },
  'cases.samples.sample_type': { column: 'sample_types', folded: true, sets: true },
}

/** A condition in SQL: one of the values, as they are stored. */
export type Test = (column: string, values: readonly string[]) => string

export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

export const isAmong: Test = (column, values) => `${column} IN (${values.map(quoted)})`

/** What is asked of each field, in SQL. */
export function testsOf(
  { among }: Conditions,
  test: Test = isAmong,
): { readonly field: Facet; readonly test: string }[] {
  return Object.entries(among).map(([name, values]) => {
    const field = name as Facet
    const { column, folded, sets } = PLACES[field]
    if (sets) throw new Error(`no question has a condition on ${field}`)
    const stored = values.map((value) => (folded ? value.toLowerCase() : value))
    return { field, test: test(column, stored) }
  })
}

/** All conditions together, in SQL. */
export function whereOf(conditions: Conditions, test: Test = isAmong): string {
  const tests = testsOf(conditions, test).map((each) => each.test)
  const { sizeAtLeast } = conditions
  if (sizeAtLeast !== undefined) tests.push(`file_size >= ${sizeAtLeast}`)
  return tests.length > 0 ? tests.join(' AND ') : 'true'
}
