/**
 * Adds a row number to tables with large rows. SQLite stores a table WITHOUT ROWID as an index and reads whole
 * rows to compare keys, so finding one cohort by its id used to read many cohorts of up to 4 MiB each.
 * PostgreSQL stores large values separately.
 */
export const LARGE_ROWS = `
  CREATE TABLE new_cohorts (
    id TEXT NOT NULL PRIMARY KEY,
    context_sha256 TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Name in a form that ignores letter case.
    name_key TEXT NOT NULL,
    filters TEXT NOT NULL,
    type TEXT NOT NULL,
    release TEXT NOT NULL,
    created_at TEXT NOT NULL,
    modified_at TEXT NOT NULL,
    used_at TEXT NOT NULL,
    UNIQUE (context_sha256, name_key)
  ) STRICT;
  INSERT INTO new_cohorts SELECT * FROM cohorts;
  CREATE TABLE kept_cohort_sets AS SELECT * FROM cohort_sets;
  DROP TABLE cohort_sets;
  DROP TABLE cohorts;
  ALTER TABLE new_cohorts RENAME TO cohorts;
  CREATE INDEX cohorts_by_owner ON cohorts (owner);
  CREATE INDEX cohorts_by_use ON cohorts (used_at);

  -- Sets that filters of cohorts name. A set is kept as long as such a cohort.
  CREATE TABLE cohort_sets (
    cohort_id TEXT NOT NULL REFERENCES cohorts (id) ON DELETE CASCADE,
    set_id TEXT NOT NULL,
    PRIMARY KEY (cohort_id, set_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO cohort_sets SELECT * FROM kept_cohort_sets;
  DROP TABLE kept_cohort_sets;
  CREATE INDEX cohort_sets_by_set ON cohort_sets (set_id);

  CREATE TABLE new_set_members (
    set_id TEXT NOT NULL REFERENCES sets (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (set_id, version, chunk)
  ) STRICT;
  INSERT INTO new_set_members SELECT * FROM set_members;
  DROP TABLE set_members;
  ALTER TABLE new_set_members RENAME TO set_members;

  CREATE TABLE new_set_rows (
    set_id TEXT NOT NULL REFERENCES sets (id) ON DELETE CASCADE,
    release TEXT NOT NULL,
    version INTEGER NOT NULL,
    -- One bit for each row of the release.
    row_bits BLOB NOT NULL,
    PRIMARY KEY (set_id, release)
  ) STRICT;
  INSERT INTO new_set_rows SELECT * FROM set_rows;
  DROP TABLE set_rows;
  ALTER TABLE new_set_rows RENAME TO set_rows;
`
