/** Table of the hematopoietic tables that an operator has imported to replace the built-in ones. */
export const MULTIPLE_PRIMARIES = `
  CREATE TABLE hematopoietic_tables (
    -- Changes with each import.
    revision {integer} NOT NULL,
    -- All six tables as JSON. Null: the built-in tables.
    document {text}
  ) {strict};
  INSERT INTO hematopoietic_tables (revision, document) VALUES (0, NULL);
`
