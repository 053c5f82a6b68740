import type { GraphDialect } from './dialect.ts'
import type { Neighbour } from './model.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * A relation between rows: returns a SELECT of distinct pairs of `holder` (id of a row) and `member` (id of a
 * related row).
 * @param holders SQL for a table of ids
 */
export type Relation = (holders: Sql, dialect: GraphDialect) => Sql

const LINKS = verbatim('submission_links')

/** Returns the relation along a link in one direction. */
export function alongLink({ side, link, type }: Neighbour): Relation {
  if (link === 'programs' && type === 'program') return (holders) => programsOf(holders)
  if (link === 'programs' && type === 'project') return (holders) => projectsOf(holders)
  const [here, there] = side === 'parents' ? ['child', 'parent'] : ['parent', 'child']
  const isFrom = verbatim(`l.${here} = k.id`)
  return (holders, dialect) => sql`SELECT k.id AS holder, l.${verbatim(there)} AS member
    FROM ${holders} AS k ${dialect.lookUp(LINKS, 'l', sql`${isFrom} AND l.link = ${link}`)}`
}

const programsOf = (holders: Sql) => sql`SELECT p.id AS holder, g.id AS member
  FROM ${holders} AS k JOIN submission_projects AS p ON p.id = k.id
  JOIN submission_programs AS g ON g.name = p.program`

const projectsOf = (holders: Sql) => sql`SELECT g.id AS holder, p.id AS member
  FROM ${holders} AS k JOIN submission_programs AS g ON g.id = k.id
  JOIN submission_projects AS p ON p.program = g.name`

/** Relation to all neighbours. */
export const toNeighbours: Relation = (holders, { lookUp }) => sql`
  SELECT k.id AS holder, l.parent AS member
    FROM ${holders} AS k ${lookUp(LINKS, 'l', verbatim('l.child = k.id'))}
  UNION SELECT k.id, l.child
    FROM ${holders} AS k ${lookUp(LINKS, 'l', verbatim('l.parent = k.id'))}
  UNION ${programsOf(holders)} UNION ${projectsOf(holders)}`

/** Relation to all ancestors. */
export const toAncestors: Relation = (holders, { lookUp, inTime }) => sql`
  SELECT above.holder, above.member FROM (
    WITH RECURSIVE up (holder, member) AS (
      SELECT k.id, l.parent FROM ${holders} AS k ${lookUp(LINKS, 'l', verbatim('l.child = k.id'))}
      UNION
      SELECT up.holder, l.parent
      FROM up ${lookUp(LINKS, 'l', verbatim('l.child = up.member'))} WHERE ${inTime})
    SELECT holder, member FROM up) AS above`

const SNAPSHOTS = verbatim('submission_snapshots')

/** Relation to the transactions that changed an entity. */
export const toTransactions: Relation = (holders, { lookUp }) => sql`
  SELECT DISTINCT k.id AS holder, s.transaction_id AS member
  FROM ${holders} AS k ${lookUp(SNAPSHOTS, 's', verbatim('s.entity_id = k.id'))}`
