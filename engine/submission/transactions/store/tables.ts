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
    -- All other properties, a JSON object.
    properties {text} NOT NULL,
    created_at {text} NOT NULL,
    -- Incremented by each change of the project or of its entities.
    revision {integer} NOT NULL
  ) {strict};

  CREATE TABLE submission_entities (
    id {text} PRIMARY KEY,
    project_id {text} NOT NULL REFERENCES submission_projects (project_id),
    type {text} NOT NULL,
    submitter_id {text},
    state {text} NOT NULL,
    -- State of the bytes. Null for entities that are not files.
    file_state {text},
    error_type {text},
    -- All other properties, a JSON object.
    properties {text} NOT NULL,
    created_at {text} NOT NULL,
    updated_at {text} NOT NULL,
    -- Whether this is the current version. A file that was replaced after its release has several versions with
    -- the same submitter_id.
    is_current {integer} NOT NULL CHECK (is_current IN (0, 1)),
    version {integer} NOT NULL CHECK (version >= 1),
    -- Id of the previous version.
    supersedes {text},
    -- Transaction that created the entity, and its position there. Both give the order of creation.
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
    -- Id of an entity, or of the project.
    parent {text} NOT NULL,
    PRIMARY KEY (child, link, parent)
  ) {strict};
  CREATE INDEX submission_links_by_parent ON submission_links (parent, link, child);

  CREATE TABLE submission_counter (last {integer} NOT NULL) {strict};
  INSERT INTO submission_counter (last) VALUES (0);

  CREATE TABLE submission_transactions (
    -- Never reused.
    id {integer} PRIMARY KEY,
    program {text} NOT NULL,
    project {text} NOT NULL,
    project_id {text} NOT NULL,
    role {text} NOT NULL,
    -- Requested operation. Several operations have the same role.
    operation {text} NOT NULL,
    is_dry_run {integer} NOT NULL CHECK (is_dry_run IN (0, 1)),
    closed {integer} NOT NULL CHECK (closed IN (0, 1)),
    committed_by {integer},
    state {text} NOT NULL CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'ERRORED')),
    submitter {text} NOT NULL,
    -- Server (submission_servers) that processes or has processed the transaction.
    server {text} NOT NULL,
    created_at {text} NOT NULL,
    -- Submitted entities, which the commit of a dry run stores.
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
    -- Response. Null until there is one.
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

  -- Submitter ids of the cases that a project accepts. A project without any accepts all.
  CREATE TABLE submission_subjects (
    project_id {text} NOT NULL REFERENCES submission_projects (project_id),
    submitter_id {text} NOT NULL,
    PRIMARY KEY (project_id, submitter_id)
  ) {strict by key};

  -- Entities to which those of all projects can link, such as centers.
  CREATE TABLE submission_references (
    id {text} PRIMARY KEY,
    type {text} NOT NULL,
    -- Code or name, unique among entities of the type.
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
