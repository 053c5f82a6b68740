import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedState } from '../../shared-state.ts'
import { inDialect } from '../database/migrations.ts'
import { FileCatalogue, type StoredFile } from './files.ts'
import { openState, statePath } from './state.ts'
import { CLIENT_SETS } from './state-tables.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-state-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pragma = (state: DatabaseSync, name: string) =>
  Object.values(state.prepare(`PRAGMA ${name}`).get() ?? {})[0]

test('a new state lies in a folder that is made for it and is set up to lose nothing', () => {
  const state = openState(statePath(join(folder, 'a', 'b')))
  expect(pragma(state, 'journal_mode')).toBe('wal')
  expect(pragma(state, 'synchronous')).toBe(2) // FULL, sqlite.org/pragma.html#pragma_synchronous
  expect(pragma(state, 'foreign_keys')).toBe(1)
  expect(pragma(state, 'busy_timeout')).toBeGreaterThan(0)
  expect(pragma(state, 'user_version')).toBe(24)
  state.close()
})

test('a state that is opened again keeps what it had', () => {
  const first = openState(statePath(folder))
  first.exec("INSERT INTO users (name) VALUES ('ada')")
  first.close()
  const second = openState(statePath(folder))
  expect(second.prepare('SELECT name FROM users').all()).toMatchObject([{ name: 'ada' }])
  second.close()
})

async function filesOf(dataFolder: string): Promise<StoredFile[]> {
  const state = sharedState({ dataFolder })
  const files: StoredFile[] = []
  for await (const file of new FileCatalogue(state).each()) files.push(file)
  await state.close()
  return files
}

/** The tables of files and tokens and the schema version from before rights were stored as lists. */
const SCHEMA_2 = `
  CREATE TABLE files (
    id TEXT PRIMARY KEY, file_name TEXT NOT NULL, size INTEGER NOT NULL, md5 TEXT NOT NULL,
    data_format TEXT NOT NULL, access TEXT NOT NULL, project TEXT, index_name TEXT,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tokens (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 2;`

test('files of an older state come through with their project as the one who may read', async () => {
  const old = new DatabaseSync(statePath(folder))
  old.exec(SCHEMA_2)
  const put = old.prepare('INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const [id, other] = [
    '4e9a2c1d-7b53-5a0e-8f46-0123456789ab',
    'ae9a2c1d-7b53-5a0e-8f46-0123456789ab',
  ]
  const md5 = 'd41d8cd98f00b204e9800998ecf8427e'
  const time = '2026-01-02T03:04:05.000Z'
  put.run(id, 'a.bam', 12, md5, 'BAM', 'controlled', 'P-"1"', 'a.bam.bai', time)
  put.run(other, 'b.bam', 34, md5, 'BAM', 'open', null, null, time)
  old.close()
  const shared = { md5, dataFormat: 'BAM', partOf: null, storage: 'folder', linkedModified: null }
  expect(await filesOf(folder)).toEqual([
    {
      ...shared,
      id,
      fileName: 'a.bam',
      size: 12,
      access: 'controlled',
      acl: ['P-"1"'],
      indexName: 'a.bam.bai',
      createdAt: time,
    },
    {
      ...shared,
      id: other,
      fileName: 'b.bam',
      size: 34,
      access: 'open',
      acl: [],
      indexName: null,
      createdAt: time,
    },
  ])
})

test('sets and cohorts of an older state come through, and a look for one reads no others', () => {
  const old = new DatabaseSync(statePath(folder))
  old.exec(`${inDialect(CLIENT_SETS, 'sqlite')}
    INSERT INTO sets VALUES ('s', 'case', 'frozen', NULL, 'o', 1, 1, 16, 'r', 't', 't');
    INSERT INTO set_members VALUES ('s', 1, 0, x'0102');
    INSERT INTO set_rows VALUES ('s', 'r', 1, x'03');
    INSERT INTO cohorts VALUES ('c', 'x', 'o', 'Name', 'name', '{}', 'dynamic', 'r', 't', 't', 't');
    INSERT INTO cohort_sets VALUES ('c', 's');
    CREATE TABLE tokens (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 18;`)
  const names = ['sets', 'set_members', 'set_rows', 'cohorts', 'cohort_sets']
  const rowsOf = (state: DatabaseSync) =>
    names.map((name) => state.prepare(`SELECT * FROM ${name}`).all())
  const before = rowsOf(old)
  old.close()
  const state = openState(statePath(folder))
  expect(rowsOf(state)).toEqual(before)
  expect(before.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1])
  // A WITHOUT ROWID table is an index, and each comparison of its keys reads a whole row.
  const large =
    'SELECT name FROM pragma_table_list WHERE wr = 0 AND name IN (SELECT value FROM json_each(?))'
  expect(
    state
      .prepare(large)
      .all(JSON.stringify(names))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['cohorts', 'set_members', 'set_rows'])
  state.exec('DELETE FROM cohorts; DELETE FROM sets')
  expect(rowsOf(state)).toEqual(names.map(() => []))
  state.close()
})

test('a state from a newer version is refused and left as it is', () => {
  const newer = new DatabaseSync(statePath(folder))
  newer.exec('PRAGMA user_version = 999')
  newer.close()
  expect(() => openState(statePath(folder))).toThrow(
    expect.objectContaining({
      code: 'unavailable',
      message: expect.stringContaining('schema version 999, written by a newer casemill'),
    }),
  )
  const after = new DatabaseSync(statePath(folder))
  expect(pragma(after, 'user_version')).toBe(999)
  expect(after.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
  after.close()
})

test('a file that is no database is refused by name', () => {
  writeFileSync(statePath(folder), 'not a database, and long enough to have a header '.repeat(50))
  expect(() => openState(statePath(folder))).toThrow(
    expect.objectContaining({ code: 'corrupt_source', message: expect.stringContaining(folder) }),
  )
})

test('a path that cannot be made is refused as unavailable', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => openState(statePath(join(folder, 'file')))).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  )
})

test('six processes that open the same new state at once all succeed', async () => {
  const program = `
    import { openState } from ${JSON.stringify(new URL('./state.ts', import.meta.url).href)}
    process.stdin.once('data', () => {
      const state = openState(process.argv[1])
      state.exec("INSERT INTO users (name) VALUES ('" + process.pid + "')")
      state.close()
      process.exit(0)
    })
    process.stdout.write('ready')`
  const arguments_ = ['--input-type=module', '-e', program, statePath(folder)]
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  const ends = children.map((child) => once(child, 'exit'))
  for (const child of children) child.stdin.write('go')
  expect((await Promise.all(ends)).map(([status]) => status)).toEqual([0, 0, 0, 0, 0, 0])
  const state = openState(statePath(folder))
  expect(state.prepare('SELECT count(*) AS users FROM users').get()).toMatchObject({ users: 6 })
  state.close()
})
