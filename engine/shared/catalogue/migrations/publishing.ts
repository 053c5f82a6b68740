/** Records of rx, glossary and disease: edited in development, published to production. */
export const PUBLISHING = `
  -- Every edit takes the next values of its area as revisions of the records that it touches. None is
  -- given twice, not even to a version that is made again under an old name.
  CREATE TABLE publishing_areas (
    area TEXT PRIMARY KEY,
    last_revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE publishing_versions (
    area TEXT NOT NULL REFERENCES publishing_areas (area),
    version TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('PRODUCTION', 'DEVELOPMENT', 'BETA')),
    first_published TEXT,
    last_modified TEXT,
    -- The edit that made it: a snapshot has the changes of production up to here.
    made_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (area, version)
  ) STRICT;

  INSERT INTO publishing_areas (area, last_revision)
    VALUES ('rx', 0), ('glossary', 0), ('disease', 0);
  INSERT INTO publishing_versions (area, version, type, made_at, revision)
    SELECT area, 'development', 'DEVELOPMENT', 0, 0 FROM publishing_areas
    UNION ALL SELECT area, 'latest', 'PRODUCTION', 0, 0 FROM publishing_areas;

  -- JSON of contents by its SHA-256, once for all copies and histories that have it.
  CREATE TABLE publishing_contents (
    fingerprint TEXT PRIMARY KEY,
    document TEXT NOT NULL
  ) STRICT;

  CREATE TABLE publishing_items (
    area TEXT NOT NULL,
    version TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT,
    fingerprint TEXT NOT NULL REFERENCES publishing_contents (fingerprint),
    hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    status TEXT NOT NULL,
    assigned_to TEXT,
    note TEXT,
    -- A JSON object of texts.
    field_notes TEXT,
    first_published TEXT,
    last_modified TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (area, version, id),
    FOREIGN KEY (area, version) REFERENCES publishing_versions ON DELETE CASCADE
  ) STRICT;
  CREATE INDEX publishing_items_by_revision ON publishing_items (area, version, revision);
  -- For counting, which reads nothing else.
  CREATE INDEX publishing_items_by_status
    ON publishing_items (area, version, type, status, hidden);

  CREATE TABLE publishing_changelogs (
    area TEXT NOT NULL REFERENCES publishing_areas (area),
    version TEXT NOT NULL,
    number INTEGER NOT NULL,
    date TEXT NOT NULL,
    user_name TEXT NOT NULL,
    description TEXT,
    -- Whether everybody could see something of it.
    is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
    PRIMARY KEY (area, version, number)
  ) STRICT;

  CREATE TABLE publishing_changes (
    area TEXT NOT NULL,
    version TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
    old TEXT REFERENCES publishing_contents (fingerprint),
    new TEXT REFERENCES publishing_contents (fingerprint),
    -- JSON of what editors noted before and after.
    old_notes TEXT,
    new_notes TEXT,
    PRIMARY KEY (area, version, number, id),
    FOREIGN KEY (area, version, number) REFERENCES publishing_changelogs
  ) STRICT;
  CREATE INDEX publishing_changes_by_id ON publishing_changes (area, version, id, number);
`
