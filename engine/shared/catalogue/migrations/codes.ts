/** Tables of records with a code: drug products (NDC) and procedures (HCPCS). */
export const CODE_TABLES = `
  -- The last revision that was given in an area; every edit and every import takes the next one.
  CREATE TABLE code_revisions (
    area {text} PRIMARY KEY CHECK (area IN ('ndc', 'hcpcs')),
    last_given {integer} NOT NULL
  ) {strict};
  INSERT INTO code_revisions (area, last_given) VALUES ('ndc', 0), ('hcpcs', 0);

  CREATE TABLE code_records (
    area {text} NOT NULL REFERENCES code_revisions (area),
    code {text} NOT NULL,
    -- JSON: what imported tables say, by the kind of table, and whether its newest one has the code.
    listings {text} NOT NULL,
    -- JSON: what the registry says itself.
    own {text},
    date_added {text} NOT NULL,
    date_modified {text} NOT NULL,
    date_removed {text},
    revision {integer} NOT NULL,
    PRIMARY KEY (area, code)
  ) {strict};
  CREATE INDEX code_records_by_revision ON code_records (area, revision, code);

  -- What came after an entry is what the next one of its code was before, or the record itself.
  CREATE TABLE code_history (
    area {text} NOT NULL,
    revision {integer} NOT NULL,
    code {text} NOT NULL,
    type {text} NOT NULL CHECK (type IN ('ADD', 'MOD', 'DEL')),
    date {text} NOT NULL,
    user_name {text} NOT NULL,
    comment {text},
    -- JSON: the whole record before; null of one that was added.
    old {text},
    PRIMARY KEY (area, revision, code)
  ) {strict};
  CREATE INDEX code_history_by_code ON code_history (area, code, revision);
`
