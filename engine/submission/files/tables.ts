import type { TableSet } from '../../shared/database/migrations.ts'

/** Uploads of submitted files, from their beginning until nothing is left to do for them. */
const FIRST = `
  CREATE TABLE submission_uploads (
    id {text} PRIMARY KEY,
    entity_id {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('whole', 'parts')),
    step {text} NOT NULL CHECK (step IN ('receiving', 'checking', 'placing', 'removing')),
    -- Who is at work on it, of those of submission_servers; parts are received by whoever is asked.
    server {text},
    -- Whose folder of uploads has its bytes.
    place {text} NOT NULL,
    -- Of all bytes, once they are known.
    size {integer},
    md5 {text},
    -- What the bytes are stored under, once they are on their way there.
    file_name {text},
    touched_at {text} NOT NULL
  ) {strict};
  CREATE INDEX submission_uploads_by_entity ON submission_uploads (entity_id);
  -- One body of a file at a time, from whichever server.
  CREATE UNIQUE INDEX submission_uploads_whole ON submission_uploads (entity_id)
    WHERE kind = 'whole';

  CREATE TABLE submission_upload_parts (
    upload_id {text} NOT NULL REFERENCES submission_uploads (id),
    number {integer} NOT NULL,
    size {integer} NOT NULL,
    md5 {text} NOT NULL,
    -- Its file in the folder of the upload.
    name {text} NOT NULL,
    modified_at {text} NOT NULL,
    PRIMARY KEY (upload_id, number)
  ) {strict};
`

export const SUBMISSION_FILE_TABLES: TableSet = Object.freeze({
  name: 'submission files',
  steps: Object.freeze([FIRST]),
})
