import type { GraphDialect } from './dialect.ts'
import type { PathPlan } from './path-steps.ts'
import { edgesOf } from './sources.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * Returns SQL for a table with the ids that paths lead to.
 * @param starts a SELECT of the ids where the paths start
 */
export function reachedBy(
  { side, steps, ends }: PathPlan,
  starts: Sql,
  { lookUp, inTime }: GraphDialect,
): Sql {
  const rows: Sql = {
    text: steps.map(({ from, to }) => `(${from}, ?, ?, ${to})`).join(', '),
    values: steps.flatMap(({ link, type }) => [link, type]),
  }
  const hasPrograms = steps.some(({ link, type }) => link === 'programs' && /^pro/.test(type))
  const edges = edgesOf({ hasPrograms })
  const isChild = side === 'children'
  // The link determines the type of a parent, so only the type of a child is tested.
  const next = isChild
    ? verbatim('l.parent = w.id AND l.link = s.link AND l.type = s.type')
    : verbatim('l.child = w.id AND l.link = s.link')
  const last = ends.map(String).join(', ')
  return sql`SELECT id FROM (
    WITH RECURSIVE steps (origin, link, type, target) AS (VALUES ${rows}),
      walk (id, state) AS (
        SELECT starts.id, 0 FROM (${starts}) AS starts
        UNION
        SELECT ${verbatim(isChild ? 'l.child' : 'l.parent')}, s.target
        FROM walk AS w JOIN steps AS s ON s.origin = w.state ${lookUp(edges, 'l', next)}
        WHERE ${inTime})
    SELECT id FROM walk WHERE state IN (${verbatim(last)})) AS reached`
}
