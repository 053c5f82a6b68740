import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseOf, sampleOf } from './support/documents.ts'
import { ServedSubmission } from './support/served.ts'
import { idOf, MadeSubmission } from './support/service.ts'

const ID = idOf('C')

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(encoded),
  fc.constantFrom('%', '%00', '%2F', '..', '%FF', '_dry_run', '*', ',', ID, 'x'.repeat(300)),
)
const program = fc.oneof({ weight: 10, arbitrary: fc.constantFrom('GDC', 'gdc') }, odd)
const project = fc.oneof({ weight: 10, arbitrary: fc.constantFrom('INTERNAL', 'internal') }, odd)
const tail = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['', '/', '/_dry_run', '', '', '/open', '/review', '/release', '/_dictionary'],
      ...[`/entities/${ID}`, `/entities/_dry_run/${ID}`, '/transactions/1/commit'],
      ...['/transactions/2/close', '/transactions/3/commit', '/template/case'],
    ),
  },
  fc
    .tuple(fc.constantFrom('entities', 'transactions', 'entities/_dry_run', '_dictionary'), odd)
    .map((parts) => `/${parts.join('/')}`),
  odd.map((name) => `/transactions/${name}/commit`),
)
const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(program, project, tail)
      .map(([program, project, tail]) => `/submission/${program}/${project}${tail}`),
  },
  program.map((name) => `/v0/submission/${name}`),
  fc.constantFrom('/submission', '/v0//submission/'),
)
const query = fc.oneof(
  fc.constantFrom('', 'async=true', 'async=', 'async=x&async', 'fields=index_date', 'fields=%00,x'),
  fc.webQueryParameters(),
)
const good = [caseOf('C', { id: ID }), caseOf('D'), [caseOf('E'), sampleOf('S', 'E')]]
const document = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...good) },
  fc.constantFrom<unknown>(
    ...[[], {}, { type: 'case' }, null, sampleOf('S', 'C')],
    ...[
      { type: 'program', name: 'GDC' },
      { type: 'program', name: '\0' },
    ],
    ...[
      { code: 'INTERNAL', dbgap_accession_number: 'x' },
      { code: 'a\0', name: '\ud800' },
    ],
    { type: 'case', submitter_id: 'a\0b', id: '\0', projects: [{ code: '\0' }, { id: 7 }] },
  ),
  fc.jsonValue({ maxDepth: 4 }),
)
const cell = fc.oneof(
  fc.constantFrom(
    'type',
    'submitter_id',
    'cases.submitter_id#2',
    '*id',
    '',
    'case',
    'C',
    '"',
    '\0',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const body = fc.oneof(
  { weight: 6, arbitrary: document.map((value) => JSON.stringify(value)) },
  fc
    .array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 })
    .map((rows) => rows.map((row) => row.join('\t')).join('\n')),
  fc.uint8Array({ maxLength: 40 }),
)
const headers = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.record(
    {
      'content-type': fc.constantFrom('text/tsv', 'text/csv', 'json', '', ';', 'a/b; x="'),
      'x-document-name': fc.stringMatching(/^[\x20-\xff]{0,20}$/),
      'x-auth-token': fc.constantFrom('reader', 'ÿ', ''),
    },
    { requiredKeys: [] },
  ),
)

let made: MadeSubmission
beforeAll(async () => {
  made = await MadeSubmission.open()
})
afterAll(() => made.close())

test('no request is answered with a 5xx, and every refusal has both names', async () => {
  const served = new ServedSubmission(made.submission, { logLevel: 'silent', bodyBytes: 4096 })
  served.know('reader', { 'GDC-INTERNAL': ['read', 'create'] })
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
  const seen = new Set<number>()
  // Some of the requests remove the project or hand it over.
  for (let seed = 0; seed < 10; seed++) {
    await made.reset()
    await made.register('GDC-INTERNAL')
    await fc.assert(
      fc.asyncProperty(
        ...[method, path, query, headers, body],
        async (method, path, query, headers, body) => {
          const sent = { headers, ...(method !== 'GET' && { body }) }
          const answer = await served.ask(method, `${path}?${query}`, sent)
          await made.submission.idle()
          seen.add(answer.status)
          expect(answer.status).toBeLessThan(500)
          if (answer.status < 400) return
          expect(answer.body.error).toBe(answer.body.message)
          expect(typeof answer.body.error).toBe('string')
        },
      ),
      { seed, numRuns: 50 },
    )
  }
  expect(made.faults).toEqual([])
  // If one of these were missing, the requests would not get deep enough for the test to mean anything.
  for (const status of [200, 201, 400, 403, 404, 405]) expect(seen).toContain(status)
})
