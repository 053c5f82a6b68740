import type { GraphDialect } from './dialect.ts'
import type { Neighbour } from './model.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * What rows are related to: a SELECT of `holder`, an id of a row, and `member`, that of a related one,
 * each pair once.
 * @param holders a table of ids
 */
export type Relation = (holders: Sql, dialect: GraphDialect) => Sql

/** Along a link, or along one from its parents. */
export function alongLink({ side, link, type }: Neighbour): Relation {
  if (link === 'programs' && type === 'program') {
    return (holders) => sql`SELECT k.id AS holder, g.id AS member FROM ${holders} AS k
      JOIN submission_projects AS p ON p.id = k.id
      JOIN submission_programs AS g ON g.name = p.program`
  }
  if (link === 'programs' && type === 'project') {
    return (holders) => sql`SELECT k.id AS holder, p.id AS member FROM ${holders} AS k
      JOIN submission_programs AS g ON g.id = k.id
      JOIN submission_projects AS p ON p.program = g.name`
  }
  const [here, there] = side === 'parents' ? ['child', 'parent'] : ['parent', 'child']
  return (holders) => sql`SELECT l.${verbatim(here)} AS holder, l.${verbatim(there)} AS member
    FROM ${holders} AS k JOIN submission_links AS l ON l.${verbatim(here)} = k.id
    WHERE l.link = ${link}`
}

/** All neighbours, whatever they are. */
export const toNeighbours: Relation = (holders) => {
  const keys = sql`FROM ${holders} AS k`
  return sql`SELECT l.child AS holder, l.parent AS member ${keys}
      JOIN submission_links AS l ON l.child = k.id
    UNION SELECT l.parent, l.child ${keys} JOIN submission_links AS l ON l.parent = k.id
    UNION SELECT p.id, g.id ${keys} JOIN submission_projects AS p ON p.id = k.id
      JOIN submission_programs AS g ON g.name = p.program
    UNION SELECT g.id, p.id ${keys} JOIN submission_programs AS g ON g.id = k.id
      JOIN submission_projects AS p ON p.program = g.name`
}

/** All that is above, through any number of links. */
export const toAncestors: Relation = (holders, { inTime }) => sql`
  SELECT above.holder, above.member FROM (
    WITH RECURSIVE up (holder, member) AS (
      SELECT l.child, l.parent FROM ${holders} AS k JOIN submission_links AS l ON l.child = k.id
      UNION
      SELECT up.holder, l.parent FROM up JOIN submission_links AS l ON l.child = up.member
      WHERE ${inTime})
    SELECT holder, member FROM up) AS above`

/** Transactions that changed entities. */
export const toTransactions: Relation = (holders) => sql`
  SELECT DISTINCT s.entity_id AS holder, s.transaction_id AS member
  FROM ${holders} AS k JOIN submission_snapshots AS s ON s.entity_id = k.id`
