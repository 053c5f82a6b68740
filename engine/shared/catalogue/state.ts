import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inDialect } from '../database/migrations.ts'
import { openConnection } from '../database/sqlite/connection.ts'
import { outsideError } from '../database/sqlite/errors.ts'
import { EngineError } from '../errors.ts'
import { CODE_TABLES } from './migrations/codes.ts'
import { LARGE_ROWS } from './migrations/large-rows.ts'
import { MULTIPLE_PRIMARIES } from './migrations/multiple-primaries.ts'
import { NAACCR, NAACCR_DICTIONARIES } from './migrations/naaccr.ts'
import { PUBLISHING } from './migrations/publishing.ts'
import { STAGING } from './migrations/staging.ts'
import { SURGERY } from './migrations/surgery.ts'
import {
  ACCESS_MAP,
  AUDIT_SEGMENTS,
  CLIENT_SETS,
  COHORT_ROOM,
  CONTENT_CHECKS,
  CONTENT_DIGESTS,
  FILE_FORMATS,
  PEOPLE,
  SIGNING_KEYS,
  TOKEN_PURPOSES,
  WORK_TASKS,
} from './state-tables.ts'

/** Table of registry keys. They are separate from tokens and their users. */
const REGISTRY_KEYS = `
  CREATE TABLE registry_keys (
    id TEXT PRIMARY KEY,
    user_name TEXT NOT NULL,
    -- A JSON array of texts.
    roles TEXT NOT NULL,
    secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
    created_at TEXT NOT NULL,
    revoked_at TEXT
  ) STRICT, WITHOUT ROWID;
`

/**
 * Migrations, oldest first. `user_version` is the number of migrations that a database has run. Never edit a
 * released entry, not even its comments, which a database stores: add a new entry at the end. Times are ISO 8601
 * in UTC as `Date.toISOString` formats them.
 */
const MIGRATIONS: readonly string[] = Object.freeze([
  `
  CREATE TABLE users (
    name TEXT PRIMARY KEY,
    admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE grants (
    user_name TEXT NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    project TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (user_name, project, role)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    user_name TEXT NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_user ON tokens (user_name);

  CREATE TABLE files (
    id TEXT PRIMARY KEY,
    file_name TEXT NOT NULL,
    size INTEGER NOT NULL CHECK (size >= 0),
    md5 TEXT NOT NULL CHECK (length(md5) = 32),
    data_format TEXT NOT NULL CHECK (data_format IN ('BAM')),
    access TEXT NOT NULL CHECK (access IN ('open', 'controlled')),
    project TEXT,
    index_name TEXT,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE genes (
    gene_id TEXT PRIMARY KEY,
    symbol TEXT NOT NULL,
    name TEXT,
    biotype TEXT,
    chromosome TEXT NOT NULL,
    start_pos INTEGER NOT NULL CHECK (start_pos >= 1),
    end_pos INTEGER NOT NULL CHECK (end_pos >= start_pos),
    strand INTEGER CHECK (strand IN (1, -1))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX genes_by_symbol ON genes (symbol);
  `,
  `
  CREATE TABLE notifications (
    -- Never reused, because clients remember the ids that their users have dismissed.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    level TEXT NOT NULL CHECK (level IN ('INFO', 'WARNING', 'ERROR', 'DEBUG')),
    -- Names, separated by blanks.
    components TEXT NOT NULL CHECK (components <> ''),
    message TEXT NOT NULL,
    dismissible INTEGER NOT NULL CHECK (dismissible IN (0, 1)),
    start_date TEXT NOT NULL,
    end_date TEXT
  ) STRICT;
  `,
  `
  CREATE TABLE stored_files (
    id TEXT PRIMARY KEY,
    file_name TEXT NOT NULL,
    size INTEGER NOT NULL CHECK (size >= 0),
    md5 TEXT NOT NULL CHECK (length(md5) = 32),
    -- BAM for a verified file that can be sliced. Null for a file that is only downloaded.
    data_format TEXT CHECK (data_format IN ('BAM')),
    access TEXT NOT NULL CHECK (access IN ('open', 'controlled')),
    -- A JSON array of texts.
    acl TEXT NOT NULL,
    part_of TEXT,
    index_name TEXT,
    storage TEXT NOT NULL CHECK (storage IN ('folder', 's3')),
    -- Modification time in nanoseconds of a linked file. Null for a file that was copied.
    linked_modified TEXT,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO stored_files
    SELECT id, file_name, size, md5, data_format, access,
      CASE WHEN project IS NULL THEN '[]' ELSE json_array(project) END,
      NULL, index_name, 'folder', NULL, created_at
    FROM files;
  DROP TABLE files;
  ALTER TABLE stored_files RENAME TO files;
  `,
  REGISTRY_KEYS,
  inDialect(STAGING, 'sqlite'),
  inDialect(MULTIPLE_PRIMARIES, 'sqlite'),
  inDialect(PUBLISHING, 'sqlite'),
  inDialect(CODE_TABLES, 'sqlite'),
  `
  CREATE TABLE file_owners (
    id TEXT PRIMARY KEY,
    -- 'import', or the id of the project whose entity has this id.
    owner TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  inDialect(CONTENT_CHECKS, 'sqlite'),
  inDialect(WORK_TASKS, 'sqlite'),
  inDialect(SURGERY, 'sqlite'),
  inDialect(NAACCR, 'sqlite'),
  inDialect(NAACCR_DICTIONARIES, 'sqlite'),
  inDialect(SIGNING_KEYS, 'sqlite'),
  inDialect(CONTENT_DIGESTS, 'sqlite'),
  inDialect(FILE_FORMATS, 'sqlite'),
  inDialect(CLIENT_SETS, 'sqlite'),
  inDialect(COHORT_ROOM, 'sqlite'),
  LARGE_ROWS,
  inDialect(ACCESS_MAP, 'sqlite'),
  inDialect(PEOPLE, 'sqlite'),
  inDialect(AUDIT_SEGMENTS, 'sqlite'),
  inDialect(TOKEN_PURPOSES, 'sqlite'),
])

/** Returns the path of the state database in a data folder. */
export function statePath(dataFolder: string): string {
  return join(dataFolder, 'state.sqlite')
}

/**
 * Opens the state database of a data folder. Creates or migrates it if needed. Several processes may have it
 * open. Its rows are read and written through sharedState.
 * @throws EngineError `unavailable` if it cannot be opened or was written by a newer version, `corrupt_source`
 *   if the file is not such a database
 */
export function openState(path: string): DatabaseSync {
  const subject = `state database "${path}"`
  const state = openConnection(path, subject)
  try {
    migrate(state, path)
    return state
  } catch (cause) {
    state.close()
    throw outsideError(cause, subject)
  }
}

/**
 * Returns the numbers, from 1, of the migrations that are not yet applied to a database file. If the file does
 * not exist, returns all.
 * @throws EngineError like openState
 */
export function pendingVersions(path: string): readonly number[] {
  return MIGRATIONS.map((_, i) => i + 1).slice(existsSync(path) ? versionOfFile(path) : 0)
}

function versionOfFile(path: string): number {
  const subject = `state database "${path}"`
  try {
    const state = new DatabaseSync(path, { readOnly: true })
    try {
      return schemaVersion(state, path)
    } finally {
      state.close()
    }
  } catch (cause) {
    throw outsideError(cause, subject)
  }
}

function migrate(state: DatabaseSync, path: string): void {
  if (schemaVersion(state, path) === MIGRATIONS.length) return
  state.exec('BEGIN IMMEDIATE')
  try {
    // The version is read again under the lock, because another process may just have migrated.
    for (const step of MIGRATIONS.slice(schemaVersion(state, path))) state.exec(step)
    state.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`)
  } finally {
    // SQLite has already rolled back if the disk was full.
    if (state.isTransaction) state.exec('ROLLBACK')
  }
}

function schemaVersion(state: DatabaseSync, path: string): number {
  const version = Number(state.prepare('PRAGMA user_version').get()?.user_version)
  if (version > MIGRATIONS.length) {
    throw new EngineError(
      'unavailable',
      `state database "${path}" has schema version ${version}, written by a newer casemill; this one reads versions up to ${MIGRATIONS.length}`,
    )
  }
  return version
}
