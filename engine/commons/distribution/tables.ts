import type { Step, TableSet } from '../../shared/database/migrations.ts'

const FIRST = `
  -- Releases whose files are all in the bucket. A row is never changed.
  CREATE TABLE offered_releases (
    id {text} PRIMARY KEY,
    -- Position in the order in which releases were offered.
    place {integer} NOT NULL UNIQUE,
    manifest_sha256 {text} NOT NULL CHECK (length(manifest_sha256) = 64),
    manifest_bytes {integer} NOT NULL CHECK (manifest_bytes > 0),
    bytes {integer} NOT NULL CHECK (bytes >= 0),
    data_release {text} NOT NULL,
    offered_at {text} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('offered'))
  ) {strict by key};

  -- Has exactly one row.
  CREATE TABLE release_pointer (
    one {integer} PRIMARY KEY CHECK (one = 1),
    -- Incremented by each switch.
    epoch {integer} NOT NULL,
    id {text} REFERENCES offered_releases (id),
    before_id {text} REFERENCES offered_releases (id),
    -- Release that a waiting switch needs all nodes to have.
    next_id {text} REFERENCES offered_releases (id)
  ) {strict};
  INSERT INTO release_pointer (one, epoch) VALUES (1, 0);

  CREATE TABLE release_nodes (
    node {text} PRIMARY KEY,
    -- Id of the release that the node serves.
    serves {text},
    -- Ids of the releases that the node could serve at once, as JSON.
    ready {text} NOT NULL,
    -- Why the node cannot prepare a release.
    problem {text},
    -- Seconds since 1970, by the clock of the database.
    seen_at {integer} NOT NULL
  ) {strict by key};
`

const WITHDRAWALS: Step = {
  additive: `
  -- Releases that are no longer offered. Their ids are never reused for other files.
  CREATE TABLE withdrawn_releases (
    id {text} PRIMARY KEY,
    -- Position in the order of withdrawals. Shows a publication that a release was withdrawn meanwhile.
    number {integer} NOT NULL UNIQUE,
    manifest_sha256 {text} NOT NULL CHECK (length(manifest_sha256) = 64),
    manifest_bytes {integer} NOT NULL CHECK (manifest_bytes > 0),
    withdrawn_at {text} NOT NULL,
    -- Time when the files that only this release had were removed from the bucket.
    removed_at {text}
  ) {strict by key};
`,
}

/** Tables of offered releases, the current release, and the state that each node reports. */
export const RELEASE_TABLES: TableSet = Object.freeze({
  name: 'releases',
  steps: Object.freeze([FIRST, WITHDRAWALS]),
})
