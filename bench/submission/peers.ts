import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { inDialect } from '../../engine/shared/database/migrations.ts'
import { SUBMISSION_TABLES } from '../../engine/submission/transactions/store/tables.ts'
import { type Aliquot, type Amounts, STORED, type StoredRow } from './input.ts'

/** Rows of the two tables in which entities and links are kept, column after column. */
interface PeerRows {
  readonly entities: readonly (readonly (string | number | null)[])[]
  readonly links: readonly (readonly string[])[]
}

/** A database that is given rows which are ready: with ids, and nothing looked at. */
export interface Peer {
  /** Inserts rows in one transaction; resolves when they are durable. */
  insert(rows: PeerRows): Promise<void>
  /** All aliquots. */
  stored(): Promise<readonly StoredRow[]>
  close(): Promise<void>
}

const ENTITY_COLUMNS = [
  ...['id', 'project_id', 'type', 'submitter_id', 'state', 'properties', 'created_at'],
  ...['updated_at', 'is_current', 'version', 'transaction_id', 'position'],
]
const LINK_COLUMNS = ['child', 'link', 'parent']
const NOW = '2026-01-01T00:00:00.000Z'
const PROJECT = 'BENCH-P0'

const sampleIds = new Map<string, string>()
const idOfSample = (name: string): string => {
  const id = sampleIds.get(name) ?? randomUUID()
  sampleIds.set(name, id)
  return id
}

function entityRow(
  type: string,
  name: string,
  made: { readonly id: string; readonly turn: number; readonly position: number },
  properties: object = {},
) {
  const { id, turn, position } = made
  const values = [id, PROJECT, type, name, 'validated', JSON.stringify(properties), NOW, NOW]
  return [...values, 1, 1, turn, position]
}

export function rowsOf(aliquots: readonly Aliquot[], turn: number): PeerRows {
  const all = aliquots.map((one) => ({ ...one, id: randomUUID() }))
  return {
    entities: all.map(({ id, name, properties }, position) =>
      entityRow('aliquot', name, { id, turn, position }, properties),
    ),
    links: all.map(({ id, sample }) => [id, 'samples', idOfSample(sample)]),
  }
}

function sampleRows({ samples }: Amounts): PeerRows {
  const entities = Array.from({ length: samples }, (_, position) => {
    const name = `sample-${position}`
    return entityRow('sample', name, { id: idOfSample(name), turn: 0, position })
  })
  return { entities, links: [] }
}

const PROJECT_ROWS = `
  INSERT INTO submission_programs VALUES ('BENCH', 'a', 'BENCH', '${NOW}');
  INSERT INTO submission_projects VALUES ('${PROJECT}', 'BENCH', 'P0', 'b', 'open', 0, 0, '{}', '${NOW}', 0);`

const schemaOf = (dialect: 'sqlite' | 'postgresql') =>
  SUBMISSION_TABLES.steps.map((step) => inDialect(step, dialect)).join(';\n')

/** The same tables with the same indexes in SQLite, on the calling thread, as durable. */
export async function openSqlitePeer(folder: string, amounts: Amounts): Promise<Peer> {
  const database = new DatabaseSync(join(folder, 'peer.sqlite'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(schemaOf('sqlite'))
  database.exec(PROJECT_ROWS)
  const inserting = (table: string, columns: readonly string[]) => {
    const places = columns.map(() => '?').join(', ')
    return database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
  }
  const entity = inserting('submission_entities', ENTITY_COLUMNS)
  const link = inserting('submission_links', LINK_COLUMNS)
  const peer: Peer = {
    async insert({ entities, links }) {
      database.exec('BEGIN IMMEDIATE')
      for (const row of entities) entity.run(...row)
      for (const row of links) link.run(...row)
      database.exec('COMMIT')
    },
    async stored() {
      return database.prepare(STORED).all() as unknown as StoredRow[]
    },
    async close() {
      database.close()
    },
  }
  await peer.insert(sampleRows(amounts))
  return peer
}

/** The same tables with the same indexes in a schema of PostgreSQL: one statement for each table. */
export async function openPostgresPeer(client: pg.Client, amounts: Amounts): Promise<Peer> {
  await client.query('CREATE SCHEMA peer; SET search_path = peer')
  await client.query(schemaOf('postgresql'))
  await client.query(PROJECT_ROWS)
  const insert = async (table: string, columns: readonly string[], rows: PeerRows['entities']) => {
    const arrays = columns.map((_, i) => rows.map((row) => row[i]))
    const places = columns.map((name, i) => `$${i + 1}::${isNumber(name) ? 'bigint' : 'text'}[]`)
    await client.query(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${places.join(', ')})`,
      arrays,
    )
  }
  const peer: Peer = {
    async insert({ entities, links }) {
      await client.query('BEGIN')
      await insert('submission_entities', ENTITY_COLUMNS, entities)
      await insert('submission_links', LINK_COLUMNS, links)
      await client.query('COMMIT')
    },
    async stored() {
      return (await client.query<StoredRow>(STORED)).rows
    },
    close: () => client.end(),
  }
  await peer.insert({ ...sampleRows(amounts) })
  return peer
}

const isNumber = (column: string): boolean =>
  ['is_current', 'version', 'transaction_id', 'position'].includes(column)
