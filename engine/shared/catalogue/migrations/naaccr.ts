import type { Step } from '../../database/migrations.ts'

/** Documentation of the items of registry files, by the version of their dictionary. */
export const NAACCR: Step = {
  additive: `
  CREATE TABLE naaccr_versions (
    version {text} PRIMARY KEY,
    -- JSON, as it is answered.
    document {text} NOT NULL
  ) {strict};

  CREATE TABLE naaccr_items (
    version {text} NOT NULL REFERENCES naaccr_versions (version),
    number {integer} NOT NULL,
    xml_id {text},
    name {text},
    version_implemented {text},
    -- What a search looks into, folded.
    words {text} NOT NULL,
    -- JSON, as it is answered.
    document {text} NOT NULL,
    PRIMARY KEY (version, number)
  ) {strict};
  CREATE UNIQUE INDEX naaccr_items_by_id ON naaccr_items (version, xml_id);
`,
}

/** By which files of registries are read: base dictionaries, and those of items that registries define. */
export const NAACCR_DICTIONARIES: Step = {
  additive: `
  CREATE TABLE naaccr_dictionaries (
    uri {text} PRIMARY KEY,
    -- JSON.
    document {text} NOT NULL
  ) {strict};
`,
}
