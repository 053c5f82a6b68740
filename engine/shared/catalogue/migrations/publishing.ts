/** Tables of the areas rx, glossary and disease, which are edited in development and published to production. */
export const PUBLISHING = `
  -- Each edit takes the next values of its area as revisions of the records that it changes. Values are never
  -- reused, not even for a new version with the name of a deleted one.
  CREATE TABLE publishing_areas (
    area {text} PRIMARY KEY,
    last_revision {integer} NOT NULL
  ) {strict};

  CREATE TABLE publishing_versions (
    area {text} NOT NULL REFERENCES publishing_areas (area),
    version {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('PRODUCTION', 'DEVELOPMENT', 'BETA')),
    first_published {text},
    last_modified {text},
    -- Revision of the edit that created the version. A snapshot has the changes of production up to this one.
    made_at {integer} NOT NULL,
    revision {integer} NOT NULL,
    PRIMARY KEY (area, version)
  ) {strict};

  INSERT INTO publishing_areas (area, last_revision)
    VALUES ('rx', 0), ('glossary', 0), ('disease', 0);
  INSERT INTO publishing_versions (area, version, type, made_at, revision)
    SELECT area, 'development', 'DEVELOPMENT', 0, 0 FROM publishing_areas
    UNION ALL SELECT area, 'latest', 'PRODUCTION', 0, 0 FROM publishing_areas;

  -- Contents as JSON, keyed by their SHA-256. Copies and histories share them.
  CREATE TABLE publishing_contents (
    fingerprint {text} PRIMARY KEY,
    document {text} NOT NULL
  ) {strict};

  CREATE TABLE publishing_items (
    area {text} NOT NULL,
    version {text} NOT NULL,
    id {text} NOT NULL,
    name {text} NOT NULL,
    type {text},
    fingerprint {text} NOT NULL REFERENCES publishing_contents (fingerprint),
    hidden {integer} NOT NULL CHECK (hidden IN (0, 1)),
    status {text} NOT NULL,
    assigned_to {text},
    note {text},
    -- Notes on members, as a JSON object of texts.
    field_notes {text},
    first_published {text},
    last_modified {text} NOT NULL,
    revision {integer} NOT NULL,
    PRIMARY KEY (area, version, id),
    FOREIGN KEY (area, version) REFERENCES publishing_versions ON DELETE CASCADE
  ) {strict};
  CREATE INDEX publishing_items_by_revision ON publishing_items (area, version, revision);
  -- Covers the queries that count records.
  CREATE INDEX publishing_items_by_status
    ON publishing_items (area, version, type, status, hidden);

  CREATE TABLE publishing_changelogs (
    area {text} NOT NULL REFERENCES publishing_areas (area),
    version {text} NOT NULL,
    number {integer} NOT NULL,
    date {text} NOT NULL,
    user_name {text} NOT NULL,
    description {text},
    -- Whether callers who are not editors could see a part of the change.
    is_public {integer} NOT NULL CHECK (is_public IN (0, 1)),
    PRIMARY KEY (area, version, number)
  ) {strict};

  CREATE TABLE publishing_changes (
    area {text} NOT NULL,
    version {text} NOT NULL,
    number {integer} NOT NULL,
    id {text} NOT NULL,
    name {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    is_public {integer} NOT NULL CHECK (is_public IN (0, 1)),
    old {text} REFERENCES publishing_contents (fingerprint),
    new {text} REFERENCES publishing_contents (fingerprint),
    -- Editors' notes before and after the change, as JSON.
    old_notes {text},
    new_notes {text},
    PRIMARY KEY (area, version, number, id),
    FOREIGN KEY (area, version, number) REFERENCES publishing_changelogs
  ) {strict};
  CREATE INDEX publishing_changes_by_id ON publishing_changes (area, version, id, number);
`
