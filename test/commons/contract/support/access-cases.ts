import type { FileName } from './access-records.ts'

/** The owner of the token that is sent. */
export type Who =
  | 'nobody'
  | 'an unknown token'
  | 'a token that is no text'
  | 'an empty token'
  | 'a revoked token'
  | 'an expired token'
  | 'another project'
  | 'a writer'
  | 'the project'
  | 'a bearer of the project'
  | 'a reader'
  | 'both projects'
  | 'the accession'
  | 'an administrator'

/** How the files are requested. */
export type How =
  | 'GET'
  | 'HEAD'
  | 'GET /v0 in capitals'
  | 'range'
  | 'two ranges'
  | 'suffix range'
  | 'range beyond the end'
  | 'if none match *'
  | 'if range'
  | 'POST JSON'
  | 'POST form'
  | 'POST tar'
  | 'tar.gz'
  | 'tar'
  | 'HEAD tar'
  | 'range of tar'
  | 'with related files'
  | 'slice'
  | 'slice POST'
  | 'slice HEAD'

export type Refusal = 'no token' | 'bad token' | 'no right' | 'no bytes'

type AccessCase = readonly [Who, readonly FileName[], How, number | Refusal]

/** The expected outcome by user, files and form of the request (data-commons.md 5.3, 7, 11.1). */
export const ACCESS_CASES: readonly AccessCase[] = Object.freeze([
  // Open bytes need no token, and an invalid one is ignored.
  ['nobody', ['open'], 'GET', 200],
  ['nobody', ['open'], 'HEAD', 200],
  ['nobody', ['open'], 'range', 206],
  ['nobody', ['open'], 'range beyond the end', 416],
  ['an unknown token', ['open'], 'GET', 200],
  ['a revoked token', ['open'], 'POST JSON', 200],
  ['a token that is no text', ['open'], 'GET', 200],
  ['another project', ['open', 'supersededOpen'], 'tar.gz', 200],
  ['nobody', ['openIndex'], 'GET', 200],
  ['nobody', ['supersededOpen'], 'GET', 200],
  ['nobody', ['open'], 'with related files', 200],
  ['nobody', ['absentOpen'], 'GET', 'no bytes'],

  // One controlled file with every kind of token.
  ['nobody', ['byProject'], 'GET', 'no token'],
  ['an empty token', ['byProject'], 'GET', 'no token'],
  ['an unknown token', ['byProject'], 'GET', 'bad token'],
  ['a token that is no text', ['byProject'], 'GET', 'bad token'],
  ['a revoked token', ['byProject'], 'GET', 'bad token'],
  ['an expired token', ['byProject'], 'GET', 'bad token'],
  ['another project', ['byProject'], 'GET', 'no right'],
  ['a writer', ['byProject'], 'GET', 'no right'],
  ['the accession', ['byProject'], 'GET', 'no right'],
  ['the project', ['byProject'], 'GET', 200],
  ['a bearer of the project', ['byProject'], 'GET', 200],
  ['a reader', ['byProject'], 'GET', 200],
  ['an administrator', ['byProject'], 'GET', 200],

  // Every form of request is guarded alike; conditions and ranges reveal nothing before the rights are checked.
  ['nobody', ['byProject'], 'HEAD', 'no token'],
  ['an unknown token', ['byProject'], 'HEAD', 'bad token'],
  ['another project', ['byProject'], 'HEAD', 'no right'],
  ['the project', ['byProject'], 'HEAD', 200],
  ['nobody', ['byProject'], 'GET /v0 in capitals', 'no token'],
  ['the project', ['byProject'], 'GET /v0 in capitals', 200],
  ['nobody', ['byProject'], 'range', 'no token'],
  ['another project', ['byProject'], 'range', 'no right'],
  ['the project', ['byProject'], 'range', 206],
  ['another project', ['byProject'], 'two ranges', 'no right'],
  ['the project', ['byProject'], 'two ranges', 200],
  ['another project', ['byProject'], 'suffix range', 'no right'],
  ['the project', ['byProject'], 'suffix range', 206],
  ['nobody', ['byProject'], 'range beyond the end', 'no token'],
  ['another project', ['byProject'], 'range beyond the end', 'no right'],
  ['the project', ['byProject'], 'range beyond the end', 416],
  ['nobody', ['byProject'], 'if none match *', 'no token'],
  ['another project', ['byProject'], 'if none match *', 'no right'],
  ['the project', ['byProject'], 'if none match *', 304],
  ['a revoked token', ['byProject'], 'if range', 'bad token'],
  ['the project', ['byProject'], 'if range', 200],
  ['another project', ['byProject'], 'POST JSON', 'no right'],
  ['the project', ['byProject'], 'POST JSON', 200],
  ['nobody', ['byProject'], 'POST form', 'no token'],
  ['the project', ['byProject'], 'POST form', 200],
  ['another project', ['byProject'], 'POST tar', 'no right'],
  ['the project', ['byProject'], 'POST tar', 200],

  // The users whom an access list permits, and those permitted without a list.
  ['nobody', ['byProgram'], 'GET', 'no token'],
  ['the project', ['byProgram'], 'GET', 200],
  ['the accession', ['byProgram'], 'GET', 200],
  ['another project', ['byProgram'], 'GET', 'no right'],
  ['the project', ['byAccession'], 'GET', 200],
  ['another project', ['byAccession'], 'GET', 'no right'],
  ['nobody', ['noList'], 'GET', 'no token'],
  ['the project', ['noList'], 'GET', 200],
  ['another project', ['noList'], 'GET', 'no right'],
  ['the project', ['twoProjects'], 'GET', 'no right'],
  ['another project', ['twoProjects'], 'GET', 'no right'],
  ['both projects', ['twoProjects'], 'GET', 200],
  ['both projects', ['nobody'], 'GET', 'no right'],
  ['an administrator', ['nobody'], 'GET', 200],
  ['nobody', ['unsaid'], 'GET', 'no token'],
  ['another project', ['unsaid'], 'GET', 'no right'],
  ['the project', ['unsaid'], 'GET', 200],

  // Index files have the rights of their file, whatever the catalogue says.
  ['nobody', ['index'], 'GET', 'no token'],
  ['an expired token', ['index'], 'range', 'bad token'],
  ['another project', ['index'], 'GET', 'no right'],
  ['another project', ['index'], 'HEAD', 'no right'],
  ['the project', ['index'], 'GET', 200],
  ['the project', ['index'], 'range', 206],
  ['nobody', ['unlistedIndex'], 'GET', 'no token'],
  ['another project', ['unlistedIndex'], 'GET', 'no right'],
  ['the project', ['unlistedIndex'], 'GET', 200],

  // An index shared by an open and a controlled file is controlled, and the open file stays open.
  ['nobody', ['sharedIndex'], 'GET', 'no token'],
  ['another project', ['sharedIndex'], 'GET', 'no right'],
  ['the project', ['sharedIndex'], 'GET', 200],
  ['nobody', ['besideShared'], 'GET', 200],
  ['nobody', ['besideShared'], 'with related files', 'no token'],
  ['the accession', ['besideShared'], 'with related files', 200],

  // Bytes whose record no longer exists.
  ['nobody', ['superseded'], 'GET', 'no token'],
  ['another project', ['superseded'], 'GET', 'no right'],
  ['the project', ['superseded'], 'GET', 200],
  ['nobody', ['supersededIndex'], 'GET', 'no token'],
  ['another project', ['supersededIndex'], 'GET', 'no right'],
  ['the project', ['supersededIndex'], 'GET', 200],
  ['nobody', ['absent'], 'GET', 'no token'],
  ['another project', ['absent'], 'GET', 'no right'],
  ['the project', ['absent'], 'GET', 'no bytes'],
  ['nobody', ['absent', 'open'], 'tar', 'no token'],
  ['another project', ['absent', 'open'], 'POST tar', 'no right'],

  // One file without access refuses the whole archive.
  ['nobody', ['open', 'byProject'], 'tar.gz', 'no token'],
  ['another project', ['open', 'byProject'], 'tar.gz', 'no right'],
  ['another project', ['open', 'byProject'], 'tar', 'no right'],
  ['another project', ['open', 'byProject'], 'HEAD tar', 'no right'],
  ['a revoked token', ['open', 'byProject'], 'range of tar', 'bad token'],
  ['a writer', ['open', 'index'], 'POST tar', 'no right'],
  ['the project', ['open', 'byProject'], 'tar.gz', 200],
  ['the project', ['open', 'byProject'], 'tar', 200],
  ['the project', ['open', 'byProject'], 'HEAD tar', 200],
  ['the project', ['open', 'byProject'], 'range of tar', 206],
  ['the project', ['byProject', 'twoProjects'], 'tar', 'no right'],
  ['both projects', ['byProject', 'twoProjects', 'superseded'], 'tar', 200],
  ['another project', ['byProject'], 'with related files', 'no right'],
  ['the project', ['byProject'], 'with related files', 200],

  // Slices have the rights of the file's record.
  ['nobody', ['bamOpen'], 'slice', 206],
  ['an unknown token', ['bamOpen'], 'slice POST', 206],
  ['nobody', ['bam'], 'slice', 'no token'],
  ['an unknown token', ['bam'], 'slice', 'bad token'],
  ['a revoked token', ['bam'], 'slice POST', 'bad token'],
  ['an expired token', ['bam'], 'slice', 'bad token'],
  ['another project', ['bam'], 'slice', 'no right'],
  ['a writer', ['bam'], 'slice POST', 'no right'],
  ['another project', ['bam'], 'slice HEAD', 'no right'],
  ['the project', ['bam'], 'slice', 206],
  ['the project', ['bam'], 'slice POST', 206],
  ['an administrator', ['bam'], 'slice HEAD', 206],
  ['nobody', ['bam'], 'GET', 'no token'],
  ['the project', ['bam'], 'range', 206],
  ['nobody', ['bamOpen'], 'range', 206],
])
