/** Tables of staging algorithms: versions, entities and history. */
export const STAGING = `
  CREATE TABLE staging_algorithms (
    algorithm {text} PRIMARY KEY,
    name {text},
    description {text}
  ) {strict};

  -- Each edit takes the next value as the revision of what it changes. Values are never reused, not even for a
  -- new version with the name of a deleted one.
  CREATE TABLE staging_revisions (last_given {integer} NOT NULL) {strict};
  INSERT INTO staging_revisions (last_given) VALUES (0);

  CREATE TABLE staging_versions (
    algorithm {text} NOT NULL REFERENCES staging_algorithms (algorithm),
    version {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('PRODUCTION', 'BETA', 'DEVELOPMENT')),
    naaccr_version {text},
    -- JSON arrays of texts.
    view_roles {text} NOT NULL,
    edit_roles {text} NOT NULL,
    last_modified {text} NOT NULL,
    revision {integer} NOT NULL,
    PRIMARY KEY (algorithm, version)
  ) {strict};

  CREATE TABLE staging_entities (
    algorithm {text} NOT NULL,
    version {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('schema', 'table', 'glossary')),
    id {text} NOT NULL,
    name {text},
    title {text},
    schema_num {integer},
    last_modified {text} NOT NULL,
    revision {integer} NOT NULL,
    -- Content as JSON, without members that are in columns or derived from other tables.
    document {text} NOT NULL,
    PRIMARY KEY (algorithm, version, kind, id),
    FOREIGN KEY (algorithm, version) REFERENCES staging_versions ON DELETE CASCADE
  ) {strict};

  CREATE TABLE staging_history (
    algorithm {text} NOT NULL,
    version {text} NOT NULL,
    number {integer} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('schema', 'table', 'glossary')),
    id {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    date {text} NOT NULL,
    user_name {text} NOT NULL,
    comment {text},
    -- Whole entity as JSON before and after the change.
    old {text},
    new {text},
    PRIMARY KEY (algorithm, version, number),
    FOREIGN KEY (algorithm, version) REFERENCES staging_versions ON DELETE CASCADE
  ) {strict};
  CREATE INDEX staging_history_by_id ON staging_history (algorithm, version, kind, id, number);
`
