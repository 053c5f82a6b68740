import type { TableSet } from '../../shared/database/migrations.ts'

/** Tables of uploads. A row exists from the start of an upload until nothing is left to do. */
const FIRST = `
  CREATE TABLE submission_uploads (
    id {text} PRIMARY KEY,
    entity_id {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('whole', 'parts')),
    step {text} NOT NULL CHECK (step IN ('receiving', 'checking', 'placing', 'removing')),
    -- Server (submission_servers) that receives the whole body or processes the upload. Null: any server may.
    server {text},
    -- Name of the folder of uploads or of the bucket that has the bytes.
    place {text} NOT NULL,
    -- Size and md5 of all bytes. Null until they are known.
    size {integer},
    md5 {text},
    -- Name under which the bytes are stored. Null until they have been checked.
    file_name {text},
    touched_at {text} NOT NULL
  ) {strict};
  CREATE INDEX submission_uploads_by_entity ON submission_uploads (entity_id);
  -- Only one upload in a single body per file at a time, from whichever server.
  CREATE UNIQUE INDEX submission_uploads_whole ON submission_uploads (entity_id)
    WHERE kind = 'whole';

  CREATE TABLE submission_upload_parts (
    upload_id {text} NOT NULL REFERENCES submission_uploads (id),
    number {integer} NOT NULL,
    size {integer} NOT NULL,
    md5 {text} NOT NULL,
    -- Name of the file in the folder of the upload, or of the object.
    name {text} NOT NULL,
    modified_at {text} NOT NULL,
    PRIMARY KEY (upload_id, number)
  ) {strict};
`

/** Objects of uploads in the bucket. A row exists from before its object is written until it is removed. */
const OBJECTS = `
  CREATE TABLE submission_upload_objects (
    -- No foreign key: objects may have to be removed after the upload's record is deleted.
    upload_id {text} NOT NULL,
    -- Unique in the upload. For a request body, the name of its part, or 'whole'.
    name {text} NOT NULL,
    -- Name of the bucket.
    place {text} NOT NULL,
    -- Key of the file that the object is composed to be. Null for a request body.
    target {text},
    -- Id of the bucket's multipart upload, as long as that may be unfinished.
    multipart {text},
    -- Entity tag of the complete object.
    tag {text},
    -- Server (submission_servers) that writes the object. Null once it is complete.
    server {text},
    -- Whether the object is to be removed, by any server.
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
