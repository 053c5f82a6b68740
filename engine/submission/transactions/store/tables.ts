import type { TableSet } from '../../../shared/database/migrations.ts'

/** Tables of submissions. Times are ISO 8601 in UTC, JSON is stored as text, booleans as 0 or 1. */
const FIRST = `
  CREATE TABLE submission_programs (
    name {text} PRIMARY KEY,
    id {text} NOT NULL UNIQUE,
    accession {text} NOT NULL,
    created_at {text} NOT NULL
  ) {strict};

  CREATE TABLE submission_projects (
    project_id {text} PRIMARY KEY,
    program {text} NOT NULL REFERENCES submission_programs (name),
    code {text} NOT NULL UNIQUE,
    id {text} NOT NULL UNIQUE,
    state {text} NOT NULL,
    releasable {integer} NOT NULL CHECK (releasable IN (0, 1)),
    released {integer} NOT NULL CHECK (released IN (0, 1)),
    -- What else is known of it, a JSON object.
    properties {text} NOT NULL,
    created_at {text} NOT NULL,
    -- Counted up by everything that changes the project or an entity of it.
    revision {integer} NOT NULL
  ) {strict};

  CREATE TABLE submission_entities (
    id {text} PRIMARY KEY,
    project_id {text} NOT NULL REFERENCES submission_projects (project_id),
    type {text} NOT NULL,
    submitter_id {text},
    state {text} NOT NULL,
    -- Of files alone.
    file_state {text},
    error_type {text},
    -- All other properties, a JSON object.
    properties {text} NOT NULL,
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL,
    -- Of which a project has several of one submitter_id when a file was replaced after its release.
    is_current {integer} NOT NULL CHECK (is_current IN (0, 1)),
    version {integer} NOT NULL CHECK (version >= 1),
    -- The version before.
    supersedes {text},
    -- The transaction that created it, and its place there: the order of creation.
    transaction_id {integer} NOT NULL,
    position {integer} NOT NULL
  ) {strict};
  CREATE UNIQUE INDEX submission_entities_by_name
    ON submission_entities (project_id, submitter_id) WHERE is_current = 1;
  CREATE INDEX submission_entities_by_folded_name
    ON submission_entities (project_id, lower(submitter_id)) WHERE is_current = 1;
  CREATE INDEX submission_entities_by_type
    ON submission_entities (project_id, type, transaction_id, position);

  CREATE TABLE submission_links (
    child {text} NOT NULL REFERENCES submission_entities (id),
    link {text} NOT NULL,
    -- An entity, or the project.
    parent {text} NOT NULL,
    PRIMARY KEY (child, link, parent)
  ) {strict};
  CREATE INDEX submission_links_by_parent ON submission_links (parent, link, child);

  CREATE TABLE submission_counter (last {integer} NOT NULL) {strict};
  INSERT INTO submission_counter (last) VALUES (0);

  CREATE TABLE submission_transactions (
    -- Never given twice.
    id {integer} PRIMARY KEY,
    program {text} NOT NULL,
    project {text} NOT NULL,
    project_id {text} NOT NULL,
    role {text} NOT NULL,
    -- What was asked for: a role is that of several.
    operation {text} NOT NULL,
    is_dry_run {integer} NOT NULL CHECK (is_dry_run IN (0, 1)),
    closed {integer} NOT NULL CHECK (closed IN (0, 1)),
    committed_by {integer},
    state {text} NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'ERRORED')),
    submitter {text} NOT NULL,
    -- Who works on it, or did.
    server {text} NOT NULL,
    created_at {text} NOT NULL,
    -- What a commit repeats.
    canonical_json {text} NOT NULL
  ) {strict};
  CREATE INDEX submission_transactions_by_project ON submission_transactions (project_id, id);
  CREATE INDEX submission_transactions_pending ON submission_transactions (id) WHERE state = 'PENDING';

  CREATE TABLE submission_servers (
    id {text} PRIMARY KEY,
    beats {integer} NOT NULL
  ) {strict};

  CREATE TABLE submission_documents (
    transaction_id {integer} NOT NULL REFERENCES submission_transactions (id),
    position {integer} NOT NULL,
    name {text},
    format {text} NOT NULL,
    document {text} NOT NULL,
    -- The answer, once there is one.
    response_json {text},
    PRIMARY KEY (transaction_id, position)
  ) {strict};

  CREATE TABLE submission_snapshots (
    transaction_id {integer} NOT NULL REFERENCES submission_transactions (id),
    position {integer} NOT NULL,
    entity_id {text} NOT NULL,
    action {text} NOT NULL,
    old_props {text} NOT NULL,
    new_props {text} NOT NULL,
    PRIMARY KEY (transaction_id, position)
  ) {strict};
  CREATE INDEX submission_snapshots_by_entity ON submission_snapshots (entity_id);

  -- Whose cases a project takes; of a project without any: everybody's.
  CREATE TABLE submission_subjects (
    project_id {text} NOT NULL REFERENCES submission_projects (project_id),
    submitter_id {text} NOT NULL,
    PRIMARY KEY (project_id, submitter_id)
  ) {strict by key};

  -- What entities of all projects link to, such as centers.
  CREATE TABLE submission_references (
    id {text} PRIMARY KEY,
    type {text} NOT NULL,
    -- The code or name that tells it from others of its type.
    name {text} NOT NULL,
    -- A JSON object.
    properties {text} NOT NULL,
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL,
    UNIQUE (type, name)
  ) {strict};
`

export const SUBMISSION_TABLES: TableSet = Object.freeze({
  name: 'submission',
  steps: Object.freeze([FIRST]),
})
