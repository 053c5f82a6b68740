/** Records known by a code: drug products (ndc) and procedures (hcpcs). */
export const CODE_TABLES = `
  -- The last revision that was given in an area; every edit and every import takes the next one.
  CREATE TABLE code_revisions (
    area TEXT PRIMARY KEY CHECK (area IN ('ndc', 'hcpcs')),
    last_given INTEGER NOT NULL
  ) STRICT;
  INSERT INTO code_revisions (area, last_given) VALUES ('ndc', 0), ('hcpcs', 0);

  CREATE TABLE code_records (
    area TEXT NOT NULL REFERENCES code_revisions (area),
    code TEXT NOT NULL,
    -- JSON: what imported tables say, by the kind of table, and whether its newest one has the code.
    listings TEXT NOT NULL,
    -- JSON: what the registry says itself.
    own TEXT,
    date_added TEXT NOT NULL,
    date_modified TEXT NOT NULL,
    date_removed TEXT,
    revision INTEGER NOT NULL,
    PRIMARY KEY (area, code)
  ) STRICT;
  CREATE INDEX code_records_by_revision ON code_records (area, revision, code);

  -- What came after an entry is what the next one of its code was before, or the record itself.
  CREATE TABLE code_history (
    area TEXT NOT NULL,
    revision INTEGER NOT NULL,
    code TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    date TEXT NOT NULL,
    user_name TEXT NOT NULL,
    comment TEXT,
    -- JSON: the whole record before; null of one that was added.
    old TEXT,
    PRIMARY KEY (area, revision, code)
  ) STRICT;
  CREATE INDEX code_history_by_code ON code_history (area, code, revision);
`
