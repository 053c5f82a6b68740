import type { GraphDialect } from './dialect.ts'
import type { GraphType, Origin } from './model.ts'
import { joined, type Sql, sql, verbatim } from './sql.ts'

/** Which rows a caller may read. */
export interface Sight {
  /** Ids of readable projects. Undefined for administrators, who may read all. */
  readonly projects: readonly string[] | undefined
  readonly dialect: GraphDialect
}

/** Columns of a row of any origin. A column that an origin lacks is null. */
const COLUMNS = Object.freeze([
  ...[
    'id',
    'project_id',
    'type',
    'submitter_id',
    'state',
    'file_state',
    'error_type',
    'properties',
  ],
  'created_at',
  'updated_at',
  'is_current',
  'transaction_id',
  'position',
  'code',
  'name',
  'accession',
  'releasable',
  'released',
] as const)
export type Column = (typeof COLUMNS)[number]

const INTEGERS: ReadonlySet<Column> = new Set([
  ...(['is_current', 'transaction_id', 'position', 'releasable', 'released'] as const),
])

const ENTITY: readonly Column[] = COLUMNS.slice(0, COLUMNS.indexOf('code'))

const OF_PROJECT: Partial<Record<Column, string>> = {
  id: 'id',
  project_id: 'project_id',
  type: "'project'",
  state: 'state',
  properties: 'properties',
  created_at: 'created_at',
  updated_at: 'created_at',
  is_current: '1',
  transaction_id: '0',
  position: '0',
  code: 'code',
  releasable: 'releasable',
  released: 'released',
}
const OF_PROGRAM: Partial<Record<Column, string>> = {
  id: 'id',
  type: "'program'",
  properties: "'{}'",
  created_at: 'created_at',
  updated_at: 'created_at',
  is_current: '1',
  transaction_id: '0',
  position: '0',
  name: 'name',
  accession: 'accession',
}
const OF_REFERENCE: Partial<Record<Column, string>> = {
  id: 'id',
  type: 'type',
  properties: 'properties',
  created_at: 'created_at',
  updated_at: 'updated_at',
  is_current: '1',
  transaction_id: '0',
  position: '0',
}

const same = (...names: readonly Column[]): readonly (readonly [string, Column])[] =>
  names.map((name) => [name, name])

const NODE: readonly (readonly [string, Column])[] = [
  ...same('id', 'type', 'project_id', 'submitter_id'),
  ['created_datetime', 'created_at'],
  ['updated_datetime', 'updated_at'],
]

/** Properties with columns of their own, by origin. All others are in the JSON column `properties`. */
const PROPERTY_COLUMNS: Readonly<Record<Origin, ReadonlyMap<string, Column>>> = Object.freeze({
  entity: new Map([...NODE, ...same('state', 'file_state', 'error_type')]),
  project: new Map([...NODE, ...same('state', 'code', 'releasable', 'released')]),
  program: new Map([...NODE, ...same('name'), ['dbgap_accession_number', 'accession'] as const]),
  reference: new Map(NODE),
})

/** Returns the database column for a property, or undefined if the property is stored in the JSON document. */
export function columnOf({ origin }: GraphType, property: string): Column | undefined {
  return PROPERTY_COLUMNS[origin].get(property)
}

/** Returns the columns of a row `e`, with its properties if requested. */
export function selected(origin: Origin | 'any', wantsProperties: boolean): Sql {
  const columns = origin === 'entity' ? ENTITY : COLUMNS
  const wanted = columns.filter((name) => name !== 'properties' || wantsProperties)
  return verbatim(wanted.map((name) => `e.${name}`).join(', '))
}

/** Returns the rows that the caller may read, as a source for SELECT. */
export function sourceOf(origin: Origin | 'any', sight: Sight): Sql {
  if (origin === 'any') {
    const origins = ['entity', 'project', 'program', 'reference'] as const
    const arms = origins.map((one) => armOf(one, sight))
    return sql`(${joined(arms, ' UNION ALL ')})`
  }
  return sql`(${armOf(origin, sight)})`
}

/** Even a query of an administrator names all projects, because all indexes on entities begin with the project. */
const ALL_PROJECTS = verbatim('SELECT project_id FROM submission_projects')

function armOf(origin: Origin, { projects, dialect }: Sight): Sql {
  const mine = (column: string) =>
    projects === undefined
      ? dialect.amongSelected(verbatim(column), ALL_PROJECTS)
      : dialect.among(verbatim(column), projects)
  switch (origin) {
    case 'entity': {
      const columns = Object.fromEntries(ENTITY.map((name) => [name, name]))
      return sql`SELECT ${listOf(columns)} FROM submission_entities WHERE ${mine('project_id')}`
    }
    case 'project':
      return sql`SELECT ${listOf(OF_PROJECT)} FROM submission_projects WHERE ${mine('project_id')}`
    case 'program':
      return sql`SELECT ${listOf(OF_PROGRAM)} FROM submission_programs WHERE ${
        projects === undefined
          ? verbatim('TRUE')
          : sql`EXISTS (SELECT 1 FROM submission_projects AS own
              WHERE own.program = submission_programs.name AND ${mine('own.project_id')})`
      }`
    case 'reference':
      return sql`SELECT ${listOf(OF_REFERENCE)} FROM submission_references WHERE TRUE`
  }
}

function listOf(columns: Partial<Record<Column, string>>): Sql {
  const texts = COLUMNS.map((name) => {
    const kind = INTEGERS.has(name) ? 'BIGINT' : 'TEXT'
    const value = columns[name] ?? `CAST(NULL AS ${kind})`
    return `${value} AS ${name}`
  })
  return verbatim(texts.join(', '))
}

/** Returns all links, also of projects to programs, as `child`, `type` of the child, `link` and `parent`. */
export function edgesOf(model: { readonly hasPrograms: boolean }): Sql {
  const stored = verbatim(`SELECT l.child, c.type, l.link, l.parent FROM submission_links AS l
    JOIN submission_entities AS c ON c.id = l.child`)
  if (!model.hasPrograms) return sql`(${stored})`
  return sql`(${stored} UNION ALL ${verbatim(PROGRAM_EDGES)})`
}

const PROGRAM_EDGES = `SELECT p.id AS child, 'project' AS type, 'programs' AS link, g.id AS parent
  FROM submission_projects AS p JOIN submission_programs AS g ON g.name = p.program`
