import type { TableSet } from '../../shared/database/migrations.ts'

/** Tables of uploads. A row exists from the start of an upload until nothing is left to do. */
const FIRST = `
  CREATE TABLE submission_uploads (
    id {text} PRIMARY KEY,
    entity_id {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('whole', 'parts')),
    step {text} NOT NULL CHECK (step IN ('receiving', 'checking', 'placing', 'removing')),
    -- Who is at work on it, of those of submission_servers; parts are received by whoever is asked.
    server {text},
    -- Whose folder of uploads, or which bucket, has its bytes.
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
    -- Its file in the folder of the upload, or its object.
    name {text} NOT NULL,
    modified_at {text} NOT NULL,
    PRIMARY KEY (upload_id, number)
  ) {strict};
`

/** Objects of uploads in the bucket. A row exists from before its object is written until it is removed. */
const OBJECTS = `
  CREATE TABLE submission_upload_objects (
    -- Not of submission_uploads: what is left of an upload is removed when that is forgotten.
    upload_id {text} NOT NULL,
    -- A body's is that of its part.
    name {text} NOT NULL,
    -- Which bucket it is in.
    place {text} NOT NULL,
    -- The key that a file is to be stored under; without one it is a body.
    target {text},
    -- The storage's own upload of it, as long as that may be unfinished.
    multipart {text},
    -- Its entity tag, once it is whole.
    tag {text},
    -- Who writes it, of those of submission_servers.
    server {text},
    -- To be removed by whoever finds it.
    is_gone {integer} NOT NULL CHECK (is_gone IN (0, 1)),
    PRIMARY KEY (upload_id, name)
  ) {strict};
  CREATE INDEX submission_upload_objects_gone ON submission_upload_objects (place)
    WHERE is_gone = 1;
  CREATE INDEX submission_upload_objects_written ON submission_upload_objects (server)
    WHERE server IS NOT NULL;
`

export const SUBMISSION_FILE_TABLES: TableSet = Object.freeze({
  name: 'submission files',
  steps: Object.freeze([FIRST, OBJECTS]),
})
