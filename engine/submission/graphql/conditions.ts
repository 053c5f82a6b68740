import { EngineError } from '../../shared/errors.ts'
import { foldName } from '../transactions/graph.ts'
import { readInstant } from './instant.ts'
import { type GraphModel, type GraphType, NODE_PROPERTIES } from './model.ts'
import { reachedBy } from './path-conditions.ts'
import { pathPlans } from './path-steps.ts'
import { propertyCondition, propertyValue } from './property-conditions.ts'
import { type Sight, sourceOf } from './sources.ts'
import { ALWAYS, every, NEVER, type Sql, some, sql, verbatim } from './sql.ts'

/** Arguments as GraphQL passes them. A list may also be given as a single value. */
export type Arguments = Readonly<Record<string, unknown>>

export interface Asking extends Sight {
  readonly model: GraphModel
}

/** Arguments that are not names of properties. */
export const SPECIAL_ARGUMENTS: ReadonlySet<string> = new Set([
  ...['id', 'ids', 'quick_search', 'first', 'offset', 'order_by_asc', 'order_by_desc', 'not'],
  ...['created_before', 'created_after', 'updated_before', 'updated_after'],
  ...['with_links', 'with_links_any', 'without_links'],
  'with_path_to',
  'with_path_to_any',
  'without_path_to',
])

/**
 * Returns the SQL condition for the arguments on a row `e` of a type (submission.md 15.1).
 * @param isCurrent whether to leave out superseded versions, unless an id names them
 * @throws EngineError `bad_input` for an argument with an invalid value
 */
export function typeCondition(
  type: GraphType,
  given: Arguments,
  asking: Asking,
  isCurrent = true,
): Sql {
  const found: Sql[] = [sql`e.type = ${type.name}`, ...nodeConditions(given, asking, isCurrent)]
  for (const name of type.properties.keys()) {
    const values = listIn(given, name)
    // An empty list does not restrict the result.
    if (SPECIAL_ARGUMENTS.has(name) || values === undefined || values.length === 0) continue
    found.push(propertyCondition(type, name, values, asking.dialect))
  }
  for (const others of (listIn(given, 'not') ?? []) as readonly Arguments[]) {
    for (const name of Object.keys(others ?? {})) {
      const values = listIn(others, name)
      if (values === undefined || values.length === 0) continue
      found.push(sql`(${propertyCondition(type, name, values, asking.dialect)}) IS NOT TRUE`)
    }
  }
  found.push(...linkConditions(type, given, asking), ...pathConditions(type, given, asking))
  return every(found)
}

/** Returns the SQL condition for rows of any type, from the arguments of field `node`. */
export function anyCondition(
  given: Arguments,
  types: readonly GraphType[],
  asking: Asking,
  isCurrent = true,
): Sql {
  const { dialect } = asking
  const wanted = listIn(given, 'of_type')?.map(String)
  const { category } = given
  const names = types
    .filter(({ name }) => wanted === undefined || wanted.includes(name))
    .filter((type) => typeof category !== 'string' || type.category === category)
    .map(({ name }) => name)
  const projects = listIn(given, 'project_id')?.map(String)
  return every([
    dialect.among(verbatim('e.type'), names),
    ...(projects === undefined ? [] : [dialect.among(verbatim('e.project_id'), projects)]),
    ...nodeConditions(given, asking, isCurrent),
  ])
}

function nodeConditions(given: Arguments, { dialect }: Asking, isCurrent: boolean): Sql[] {
  const found: Sql[] = [dialect.inTime]
  const id = verbatim('e.id')
  let isNamed = false
  for (const name of ['id', 'ids']) {
    const ids = listIn(given, name)
    if (ids === undefined) continue
    isNamed = true
    found.push(
      dialect.among(
        id,
        ids.flatMap((one) => (one === null ? [] : String(one).toLowerCase())),
      ),
    )
  }
  if (isCurrent && !isNamed) found.push(verbatim('e.is_current = 1'))
  if (typeof given.quick_search === 'string') found.push(searched(given.quick_search))
  for (const [name, column, sign] of TIMES) {
    const text = given[name]
    if (typeof text !== 'string') continue
    const instant = readInstant(text)
    if (instant === undefined) {
      const message = `${name} is ${JSON.stringify(text)}; give a day or a time of ISO 8601`
      throw new EngineError('bad_input', message)
    }
    found.push(sql`${verbatim(`${column} ${sign}`)} ${instant}`)
  }
  return found
}

const TIMES = Object.freeze([
  ['created_before', 'e.created_at', '<'],
  ['created_after', 'e.created_at', '>'],
  ['updated_before', 'e.updated_at', '<'],
  ['updated_after', 'e.updated_at', '>'],
] as const)

/** Maximum length of a search text. Names are shorter, and SQLite rejects longer patterns. */
const MAX_SEARCHED = 2000

function searched(text: string): Sql {
  if (text.length > MAX_SEARCHED || text.includes('\0') || !text.isWellFormed()) return NEVER
  const pattern = `%${foldName(text).replace(/[\\%_]/g, '\\$&')}%`
  return sql`lower(e.id) LIKE ${pattern} ESCAPE '\\'
    OR lower(e.submitter_id) LIKE ${pattern} ESCAPE '\\'`
}

function linkConditions(type: GraphType, given: Arguments, asking: Asking): Sql[] {
  // Names are distinct, because PostgreSQL takes half a minute to plan a statement with hundreds of links.
  const linked = (name: string) =>
    [...new Set(listIn(given, name)?.map(String))].map((field) => hasNeighbour(type, field, asking))
  const any = linked('with_links_any')
  return [
    ...linked('with_links'),
    ...(any.length === 0 ? [] : [some(any)]),
    ...linked('without_links').map((condition) => sql`NOT ${condition}`),
  ]
}

/**
 * Returns the condition that a row has a neighbour that the caller may read. Projects share references, so
 * reading the row does not imply reading the neighbour.
 */
function hasNeighbour(type: GraphType, field: string, asking: Asking): Sql {
  const neighbour = type.neighbours.get(field)
  if (!neighbour) {
    throw new EngineError('bad_input', `Invalid link name '${field.slice(0, 100)}'`)
  }
  const { link, side, type: other } = neighbour
  if (link === 'programs' && type.name === 'project') return ALWAYS
  if (link === 'programs' && type.name === 'program') {
    return sql`EXISTS (SELECT 1 FROM ${sourceOf('project', asking)} AS c
      JOIN submission_projects AS p ON p.id = c.id WHERE p.program = e.name)`
  }
  if (side === 'parents') {
    return sql`EXISTS (SELECT 1 FROM submission_links AS l WHERE l.child = e.id AND l.link = ${link})`
  }
  return sql`EXISTS (SELECT 1 FROM submission_links AS l
    JOIN ${sourceOf('entity', asking)} AS c ON c.id = l.child
    WHERE l.parent = e.id AND l.link = ${link} AND c.type = ${other} AND c.is_current = 1)`
}

function pathConditions(type: GraphType, given: Arguments, asking: Asking): Sql[] {
  const reached = (name: string) =>
    ((listIn(given, name) ?? []) as readonly Arguments[]).map((end) => isReached(type, end, asking))
  const any = listIn(given, 'with_path_to_any')
  return [
    ...reached('with_path_to'),
    ...(any === undefined ? [] : [some(reached('with_path_to_any'))]),
    ...reached('without_path_to').map((condition) => sql`(${condition}) IS NOT TRUE`),
  ]
}

/** Returns the condition that a path leads from a row to a matching ancestor or descendant. */
function isReached(type: GraphType, end: Arguments, asking: Asking): Sql {
  const { model, dialect } = asking
  const target = model.types.get(String(end.type))
  if (!target) return NEVER
  const { type: _, ...wanted } = end
  const conditions = [typeCondition(target, { id: wanted.id }, asking)]
  for (const name of Object.keys(wanted)) {
    const values = listIn(wanted, name)
    if (name === 'id' || values === undefined || values.length === 0) continue
    conditions.push(propertyCondition(target, name, values, dialect))
  }
  const starts = sql`SELECT e.id FROM ${sourceOf(target.origin, asking)} AS e
    WHERE ${every(conditions)}`
  const plans = pathPlans(model, target.name, type.name)
  return some(plans.map((plan) => sql`e.id IN (${reachedBy(plan, starts, dialect)})`))
}

/** Returns the ORDER BY of a type. Defaults to creation order. */
export function orderOf(type: GraphType | undefined, given: Arguments, asking: Asking): Sql {
  const named = [
    ...orderBy(type, given.order_by_asc, 'ASC', asking),
    ...orderBy(type, given.order_by_desc, 'DESC', asking),
  ]
  const parts = [...named, verbatim('e.transaction_id, e.position, e.id')]
  return parts.reduce((before, part) => sql`${before}, ${part}`)
}

type NodeProperty = (typeof NODE_PROPERTIES)[number]

const NODE_COLUMNS: Readonly<Record<NodeProperty, string>> = Object.freeze({
  id: 'e.id',
  submitter_id: 'e.submitter_id',
  type: 'e.type',
  project_id: 'e.project_id',
  created_datetime: 'e.created_at',
  updated_datetime: 'e.updated_at',
})

function orderBy(
  type: GraphType | undefined,
  name: unknown,
  direction: 'ASC' | 'DESC',
  { dialect }: Asking,
): Sql[] {
  if (typeof name !== 'string') return []
  const isNode = type === undefined && (NODE_PROPERTIES as readonly string[]).includes(name)
  if (!isNode && !type?.properties.has(name)) {
    const typeName = type?.name ?? 'node'
    throw new EngineError('bad_input', `Cannot order by ${name.slice(0, 100)} on ${typeName}`)
  }
  const value = type
    ? propertyValue(type, name, type.properties.get(name), dialect)
    : verbatim(NODE_COLUMNS[name as NodeProperty])
  // In both directions, rows without a value come last.
  return [sql`(${value}) IS NULL, ${value} ${verbatim(direction)}`]
}

/** Returns an argument as a list, or undefined if the argument is absent. */
export function listIn(given: Arguments, name: string): readonly unknown[] | undefined {
  const value = Object.hasOwn(given, name) ? given[name] : undefined
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value : [value]
}
