import type { Step } from '../../database/migrations.ts'

/** Tables of the documentation of NAACCR items, by dictionary version. */
export const NAACCR: Step = {
  additive: `
  CREATE TABLE naaccr_versions (
    version {text} PRIMARY KEY,
    -- JSON in the form of the response.
    document {text} NOT NULL
  ) {strict};

  CREATE TABLE naaccr_items (
    version {text} NOT NULL REFERENCES naaccr_versions (version),
    number {integer} NOT NULL,
    xml_id {text},
    name {text},
    version_implemented {text},
    -- Words for searches, with letter case folded.
    words {text} NOT NULL,
    -- JSON in the form of the response.
    document {text} NOT NULL,
    PRIMARY KEY (version, number)
  ) {strict};
  CREATE UNIQUE INDEX naaccr_items_by_id ON naaccr_items (version, xml_id);
`,
}

/** Table of the dictionaries that define registry files: base dictionaries and user dictionaries. */
export const NAACCR_DICTIONARIES: Step = {
  additive: `
  CREATE TABLE naaccr_dictionaries (
    uri {text} PRIMARY KEY,
    -- JSON.
    document {text} NOT NULL
  ) {strict};
`,
}
