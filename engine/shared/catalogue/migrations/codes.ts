/** Tables of records with a code: drug products (NDC) and procedures (HCPCS). */
export const CODE_TABLES = `
  -- Last assigned revision of an area. Each edit and each import takes the next one.
  CREATE TABLE code_revisions (
    area {text} PRIMARY KEY CHECK (area IN ('ndc', 'hcpcs')),
    last_given {integer} NOT NULL
  ) {strict};
  INSERT INTO code_revisions (area, last_given) VALUES ('ndc', 0), ('hcpcs', 0);

  CREATE TABLE code_records (
    area {text} NOT NULL REFERENCES code_revisions (area),
    code {text} NOT NULL,
    -- JSON: what imported tables contain, keyed by the kind of table, and whether the newest table has the code.
    listings {text} NOT NULL,
    -- JSON: the registry's own part.
    own {text},
    date_added {text} NOT NULL,
    date_modified {text} NOT NULL,
    date_removed {text},
    revision {integer} NOT NULL,
    PRIMARY KEY (area, code)
  ) {strict};
  CREATE INDEX code_records_by_revision ON code_records (area, revision, code);

  -- An entry has only the state before it. The state after it is that before the code's next entry, or the record.
  CREATE TABLE code_history (
    area {text} NOT NULL,
    revision {integer} NOT NULL,
    code {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    date {text} NOT NULL,
    user_name {text} NOT NULL,
    comment {text},
    -- JSON: the whole record before. Null if it was added.
    old {text},
    PRIMARY KEY (area, revision, code)
  ) {strict};
  CREATE INDEX code_history_by_code ON code_history (area, code, revision);
`
