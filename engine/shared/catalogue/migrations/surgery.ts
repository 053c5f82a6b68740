import type { Step } from '../../database/migrations.ts'

/** Table of the surgery code tables, by the year in which they take effect. */
export const SURGERY: Step = {
  additive: `
  CREATE TABLE surgery_tables (
    year {integer} NOT NULL,
    -- 0-based position of the table in its file.
    place {integer} NOT NULL,
    -- Name of the edition in the file.
    edition {text} NOT NULL,
    -- JSON: title, ranges and notes. Tables are found by them.
    head {text} NOT NULL,
    -- JSON: its rows.
    code_rows {text} NOT NULL,
    PRIMARY KEY (year, place)
  ) {strict};
`,
}
