import type { Room } from '../database/migrations.ts'

/**
 * The tables of `state.sqlite` that servers share, as they are made in a database of a server. A
 * change is a step here and an entry of the migrations of state.ts; statements are written once.
 */
const FIRST = `
  CREATE TABLE users (
    name {text} PRIMARY KEY,
    admin {integer} NOT NULL DEFAULT 0 CHECK (admin IN (0, 1))
  ) {strict by key};

  CREATE TABLE grants (
    user_name {text} NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    project {text} NOT NULL,
    role {text} NOT NULL,
    PRIMARY KEY (user_name, project, role)
  ) {strict by key};

  CREATE TABLE tokens (
    id {text} PRIMARY KEY,
    user_name {text} NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    secret_sha256 {bytes} NOT NULL CHECK (length(secret_sha256) = 32),
    created_at {text} NOT NULL,
    expires_at {text} NOT NULL,
    revoked_at {text}
  ) {strict by key};
  CREATE INDEX tokens_by_user ON tokens (user_name);

  CREATE TABLE registry_keys (
    id {text} PRIMARY KEY,
    user_name {text} NOT NULL,
    roles {text} NOT NULL,
    secret_sha256 {bytes} NOT NULL CHECK (length(secret_sha256) = 32),
    created_at {text} NOT NULL,
    revoked_at {text}
  ) {strict by key};

  CREATE TABLE files (
    id {text} PRIMARY KEY,
    file_name {text} NOT NULL,
    size {integer} NOT NULL CHECK (size >= 0),
    md5 {text} NOT NULL CHECK (length(md5) = 32),
    data_format {text} CHECK (data_format IN ('BAM')),
    access {text} NOT NULL CHECK (access IN ('open', 'controlled')),
    acl {text} NOT NULL,
    part_of {text},
    index_name {text},
    storage {text} NOT NULL CHECK (storage IN ('folder', 's3')),
    linked_modified {text},
    created_at {text} NOT NULL
  ) {strict by key};

  CREATE TABLE genes (
    gene_id {text} PRIMARY KEY,
    symbol {text} NOT NULL,
    name {text},
    biotype {text},
    chromosome {text} NOT NULL,
    start_pos {integer} NOT NULL CHECK (start_pos >= 1),
    end_pos {integer} NOT NULL CHECK (end_pos >= start_pos),
    strand {integer} CHECK (strand IN (1, -1))
  ) {strict by key};
  CREATE INDEX genes_by_symbol ON genes (symbol);

  CREATE TABLE notifications (
    id {numbered},
    level {text} NOT NULL CHECK (level IN ('INFO', 'WARNING', 'ERROR', 'DEBUG')),
    components {text} NOT NULL CHECK (components <> ''),
    message {text} NOT NULL,
    dismissible {integer} NOT NULL CHECK (dismissible IN (0, 1)),
    start_date {text} NOT NULL,
    end_date {text}
  ) {strict};
`

/** Tokens with users and grants, keys, stored files, genes and notifications. */
export const STATE_ROOM: Room = Object.freeze({ name: 'state', steps: Object.freeze([FIRST]) })
