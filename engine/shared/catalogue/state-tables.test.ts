import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { inDialect } from '../database/migrations.ts'
import { REGISTRY_TABLES } from './registry-tables.ts'
import { openState } from './state.ts'
import { STATE_TABLES } from './state-tables.ts'

/** The columns and constraints of each table, without comments. */
function tablesOf(state: DatabaseSync, names: readonly unknown[]) {
  return names.map((name) => {
    const columns = state.prepare(`PRAGMA table_info(${name})`).all()
    const indexes = state.prepare(`PRAGMA index_list(${name})`).all()
    const { sql } = state.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(String(name))!
    const checks = String(sql).match(/CHECK \([^\n]*\)|REFERENCES [^\n,]*/g)
    return { name, columns, checks, indexes: indexes.map(({ name }) => name) }
  })
}

test.each([
  [STATE_TABLES, 26],
  [REGISTRY_TABLES, 19],
])('the tables of $name in a database of a server are those of state.sqlite', (tables, count) => {
  const made = new DatabaseSync(':memory:')
  for (const step of tables.steps) made.exec(inDialect(step, 'sqlite'))
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
  const names = made.prepare(sql).all()
  const state = openState(':memory:')
  const all = names.map(({ name }) => name)
  expect(all).toHaveLength(count)
  expect(tablesOf(made, all)).toEqual(tablesOf(state, all))
  made.close()
  state.close()
})
