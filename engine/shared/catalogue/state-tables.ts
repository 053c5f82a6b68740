import type { TableSet } from '../database/migrations.ts'

/**
 * Tables of the shared state in a PostgreSQL database. A schema change needs a step here and a migration in
 * state.ts that share their statements.
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

const OWNERS = `
  CREATE TABLE file_owners (
    id {text} PRIMARY KEY,
    owner {text} NOT NULL
  ) {strict by key};
`

/** Tables of the results of content checks, and the progress of the scrub. */
export const CONTENT_CHECKS = `
  CREATE TABLE content_checks (
    id {text} PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    md5 {text} NOT NULL,
    -- CRC32 of bytes with this md5, if it was computed.
    crc32 {integer},
    -- What was wrong with the bytes at the last check.
    problem {text},
    checked_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX content_checks_damaged ON content_checks (id) WHERE problem IS NOT NULL;

  -- Has exactly one row. A process that scrubs increments turn. If another one has, that one has taken the pass over.
  CREATE TABLE content_scrub (
    one {integer} PRIMARY KEY CHECK (one = 1),
    turn {integer} NOT NULL,
    -- Last file and number of files that the current pass has checked.
    last_id {text} NOT NULL,
    files {integer} NOT NULL,
    started_at {text},
    -- End of the last complete pass.
    finished_at {text}
  ) {strict};
  INSERT INTO content_scrub (one, turn, last_id, files) VALUES (1, 0, '', 0);
`

/** Table of background tasks (engine/shared/work/). A finished task has no row. */
export const WORK_TASKS = `
  CREATE TABLE work_tasks (
    number {numbered},
    kind {text} NOT NULL,
    -- Place whose processes can run the task. Empty: any process.
    place {text} NOT NULL,
    -- Unique among tasks of the same kind and place.
    task_key {text} NOT NULL,
    input {text} NOT NULL,
    priority {integer} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('waiting', 'running', 'failed')),
    attempts {integer} NOT NULL,
    enqueued_at {text} NOT NULL,
    -- Time before which the task does not run.
    due_at {text} NOT NULL,
    -- Attempt that holds the task, and the number of its heartbeats.
    holder {text},
    beats {integer} NOT NULL,
    -- Progress from 0 to 1. Null if unknown.
    progress {real},
    -- Code of the last failure, without names of processed data.
    error {text}
  ) {strict};
  CREATE UNIQUE INDEX work_tasks_by_key ON work_tasks (kind, place, task_key);
`

/** Table of signing keys, by purpose; and an index of files by name. */
export const SIGNING_KEYS = `
  CREATE TABLE signing_keys (
    purpose {text} PRIMARY KEY,
    signing_key {bytes} NOT NULL CHECK (length(signing_key) = 32),
    created_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX files_by_name ON files (file_name);
`

/** Column for the SHA-256 of stored bytes in hex, if an import computed it. */
export const CONTENT_DIGESTS = `
  ALTER TABLE content_checks ADD COLUMN sha256 {text};
  CREATE INDEX content_checks_by_sha256 ON content_checks (sha256) WHERE sha256 IS NOT NULL;
`

/** Column for the verified format of files that are not BAM. */
export const FILE_FORMATS = `
  ALTER TABLE files ADD COLUMN cut_as {text}
    CHECK (cut_as IN ('VCF', 'BCF', 'BED', 'GFF', 'TSV', 'CRAM'));
`

/** Sets of records and cohorts that clients keep here (engine/commons/sets/, cohorts/). */
export const CLIENT_SETS = `
  CREATE TABLE sets (
    -- Anyone who knows the id may use the set.
    id {text} PRIMARY KEY,
    type {text} NOT NULL CHECK (type IN ('case', 'gene', 'ssm', 'file')),
    kind {text} NOT NULL CHECK (kind IN ('instant', 'ephemeral', 'mutable', 'frozen')),
    intent {text},
    -- Hash of the address whose limit the set counts against.
    owner {text} NOT NULL,
    -- Changes with each edit. 0 until all first members are stored.
    version {integer} NOT NULL,
    members {integer} NOT NULL,
    bytes {integer} NOT NULL,
    -- Id of the release in which the members were found.
    release {text} NOT NULL,
    created_at {text} NOT NULL,
    used_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX sets_by_owner ON sets (owner, used_at);
  CREATE INDEX sets_by_use ON sets (kind, used_at);

  CREATE TABLE set_members (
    set_id {text} NOT NULL REFERENCES sets (id) ON DELETE CASCADE,
    version {integer} NOT NULL,
    chunk {integer} NOT NULL,
    ids {bytes} NOT NULL,
    PRIMARY KEY (set_id, version, chunk)
  ) {strict by key};

  CREATE TABLE set_rows (
    set_id {text} NOT NULL REFERENCES sets (id) ON DELETE CASCADE,
    release {text} NOT NULL,
    version {integer} NOT NULL,
    -- One bit for each row of the release.
    row_bits {bytes} NOT NULL,
    PRIMARY KEY (set_id, release)
  ) {strict by key};

  CREATE TABLE cohorts (
    id {text} PRIMARY KEY,
    context_sha256 {text} NOT NULL,
    owner {text} NOT NULL,
    name {text} NOT NULL,
    -- Name in a form that ignores letter case.
    name_key {text} NOT NULL,
    filters {text} NOT NULL,
    type {text} NOT NULL,
    release {text} NOT NULL,
    created_at {text} NOT NULL,
    modified_at {text} NOT NULL,
    used_at {text} NOT NULL,
    UNIQUE (context_sha256, name_key)
  ) {strict by key};
  CREATE INDEX cohorts_by_owner ON cohorts (owner);
  CREATE INDEX cohorts_by_use ON cohorts (used_at);

  -- Sets that filters of cohorts name. A set is kept as long as such a cohort.
  CREATE TABLE cohort_sets (
    cohort_id {text} NOT NULL REFERENCES cohorts (id) ON DELETE CASCADE,
    set_id {text} NOT NULL,
    PRIMARY KEY (cohort_id, set_id)
  ) {strict by key};
  CREATE INDEX cohort_sets_by_set ON cohort_sets (set_id);
`

/**
 * Total size of all cohorts, counting 8 KiB for each. It is stored so that saving a cohort need not add up the
 * sizes of a million cohorts. It does not include changes by an older program version that runs at the same
 * time.
 */
export const COHORT_ROOM = `
  CREATE TABLE cohort_room (
    one {integer} PRIMARY KEY CHECK (one = 1),
    bytes {integer} NOT NULL
  ) {strict};
  INSERT INTO cohort_room (one, bytes)
    SELECT 1, CAST(coalesce(sum(octet_length(filters) + 8192), 0) AS BIGINT) FROM cohorts;
`

/** Rights of users who log in at an issuer of tokens (engine/shared/access/claims/). */
export const ACCESS_MAP = `
  -- Has exactly one row. The version changes with each edit of the map.
  CREATE TABLE access_version (
    one {integer} PRIMARY KEY CHECK (one = 1),
    version {text} NOT NULL
  ) {strict};
  INSERT INTO access_version (one, version) VALUES (1, 'first');

  CREATE TABLE access_map (
    issuer {text} NOT NULL,
    claim {text} NOT NULL,
    value {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('project', 'admin', 'registry', 'purpose')),
    -- Empty unless the kind is project.
    project {text} NOT NULL,
    -- Role in the project or in the registry, or the code of a purpose. Empty for an administrator, and for a
    -- reader of the registry.
    role {text} NOT NULL,
    created_at {text} NOT NULL,
    PRIMARY KEY (issuer, claim, value, kind, project, role)
  ) {strict by key};

  CREATE TABLE access_revocations (
    issuer {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('subject', 'token')),
    name {text} NOT NULL,
    revoked_at {text} NOT NULL,
    PRIMARY KEY (issuer, kind, name)
  ) {strict by key};

  -- Tokens of issuers for whose bearers links were signed.
  CREATE TABLE lent_jwts (
    -- Half of the SHA-256 of the token, in hex.
    id {text} PRIMARY KEY,
    issuer {text} NOT NULL,
    subject {text} NOT NULL,
    token_id {text},
    -- A JSON object of the mapped claims, each with an array of texts.
    claims {text} NOT NULL,
    expires_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX lent_jwts_by_end ON lent_jwts (expires_at);
`

/** People who logged in at an institution, their sessions, and the tokens that they made themselves. */
export const PEOPLE = `
  CREATE TABLE people (
    -- Not a user of the table users: all rights follow from the claims.
    user_name {text} PRIMARY KEY,
    issuer {text} NOT NULL,
    subject {text} NOT NULL,
    -- Name for display, as the issuer gave it. It grants nothing.
    display_name {text},
    -- A JSON object: the claims of the last log-in, from which rights follow.
    claims {text} NOT NULL,
    seen_at {text} NOT NULL
  ) {strict by key};

  CREATE TABLE sessions (
    id {text} PRIMARY KEY,
    user_name {text} NOT NULL REFERENCES people (user_name) ON DELETE CASCADE,
    secret_sha256 {bytes} NOT NULL CHECK (length(secret_sha256) = 32),
    created_at {text} NOT NULL,
    used_at {text} NOT NULL,
    -- End of the absolute life. A session that is not used ends earlier.
    expires_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX sessions_by_user ON sessions (user_name, created_at);
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE personal_tokens (
    id {text} PRIMARY KEY,
    user_name {text} NOT NULL REFERENCES people (user_name) ON DELETE CASCADE,
    secret_sha256 {bytes} NOT NULL CHECK (length(secret_sha256) = 32),
    name {text} NOT NULL,
    -- A JSON object: the part of the owner's rights that the token has.
    scope {text} NOT NULL,
    created_at {text} NOT NULL,
    expires_at {text} NOT NULL
  ) {strict by key};
  CREATE INDEX personal_tokens_by_user ON personal_tokens (user_name, created_at);
`

/**
 * Segments of the audit record, to show if one of their files is missing or shorter than it was. Rows stay when
 * the days that they are from are deleted.
 */
export const AUDIT_SEGMENTS = `
  CREATE TABLE audit_segments (
    -- Name of the folder of the record, as segments of several nodes may have one database.
    node {text} NOT NULL,
    segment {text} NOT NULL,
    opened_at {text} NOT NULL,
    -- Number of lines that are known to be durable, and the SHA-256 of the last of them.
    lines {integer} NOT NULL,
    sha256 {text} NOT NULL,
    closed_at {text},
    swept_at {text},
    PRIMARY KEY (node, segment)
  ) {strict by key};
`

/** Column for the purposes and conditions that a token states: a JSON array of consent codes. */
export const TOKEN_PURPOSES = `
  ALTER TABLE tokens ADD COLUMN purposes {text} NOT NULL DEFAULT '[]';
`

/** Tables of the shared state: tokens, users, grants, keys, files and owners, genes, notifications, tasks. */
export const STATE_TABLES: TableSet = Object.freeze({
  name: 'state',
  steps: Object.freeze([
    FIRST,
    OWNERS,
    CONTENT_CHECKS,
    WORK_TASKS,
    Object.freeze({ additive: SIGNING_KEYS }),
    Object.freeze({ additive: CONTENT_DIGESTS }),
    Object.freeze({ additive: FILE_FORMATS }),
    Object.freeze({ additive: CLIENT_SETS }),
    Object.freeze({ additive: COHORT_ROOM }),
    Object.freeze({ additive: ACCESS_MAP }),
    Object.freeze({ additive: PEOPLE }),
    Object.freeze({ additive: AUDIT_SEGMENTS }),
    Object.freeze({ additive: TOKEN_PURPOSES }),
  ]),
})
