import type { Step } from '../../database/migrations.ts'

/** Table of the surgery code tables, by the year in which they take effect. */
export const SURGERY: Step = {
  additive: `
  CREATE TABLE surgery_tables (
    year {integer} NOT NULL,
    -- Of the table in its file, from 0.
    place {integer} NOT NULL,
    -- What the file calls itself.
    edition {text} NOT NULL,
    -- JSON: title, ranges and notes, by which a table is found.
    head {text} NOT NULL,
    -- JSON: its rows.
    code_rows {text} NOT NULL,
    PRIMARY KEY (year, place)
  ) {strict};
`,
}
