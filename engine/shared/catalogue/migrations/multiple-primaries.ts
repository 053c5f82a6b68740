/** Table of the hematopoietic tables that an operator has imported to replace the built-in ones. */
export const MULTIPLE_PRIMARIES = `
  CREATE TABLE hematopoietic_tables (
    -- Another one after every change.
    revision {integer} NOT NULL,
    -- The JSON of all six tables; none: those of the program.
    document {text}
  ) {strict};
  INSERT INTO hematopoietic_tables (revision, document) VALUES (0, NULL);
`
