import fc from 'fast-check'
import { buildClientSchema } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../../engine/errors.ts'
import { graphModel } from '../../engine/submitted-graph/model.ts'
import { canRun, DIALECTS, prepareBed } from '../database/support/dialects.ts'
import { AskedGraph, argumentsOf } from './support/asked-graph.ts'
import { caseOf, sampleOf } from './support/documents.ts'
import { ServedSubmission } from './support/served.ts'
import { MadeSubmission } from './support/service.ts'

const PATH = '/submission/graphql'
const COUNT = '{ _case_count }'

describe.each(DIALECTS.filter(canRun))('GraphQL over HTTP in %s', (dialect) => {
  let made: MadeSubmission
  let served: ServedSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    const { graph: submittedGraph } = new AskedGraph(made)
    served = new ServedSubmission(made.submission, {}, { submittedGraph })
    served.know('reader', { 'GDC-INTERNAL': ['read'] })
  })
  beforeEach(async () => {
    await made.reset()
    await made.register('GDC-INTERNAL')
    await made.upload('create', 'GDC-INTERNAL', [caseOf('C'), sampleOf('S', 'C')])
  })
  afterAll(() => made.close())

  const ask = (body: unknown, type?: string) =>
    served.ask('POST', PATH, { body, as: 'reader', ...(type && { type }) })

  test('a query is answered without a member for errors, whatever the content type', async () => {
    for (const type of [undefined, 'application/json', 'application/x-www-form-urlencoded', 'x']) {
      const { status, text, headers } = await ask({ query: COUNT }, type)
      expect([status, text]).toEqual([200, '{"data":{"_case_count":1}}'])
      expect(headers.get('content-type')).toBe('application/json')
      expect(headers.get('cache-control')).toBe('no-store')
    }
    const versioned = await served.ask('POST', '/v0/submission/graphql/', {
      body: { query: COUNT },
    })
    expect(versioned.text).toBe('{"data":{"_case_count":1}}')
  })

  test('variables come as an object, as a text of one, or not at all', async () => {
    const query =
      'query A($name: String) { _case_count(submitter_id: $name) } query B { _sample_count }'
    const count = async (more: object) => (await ask({ query, operationName: 'A', ...more })).text
    expect(await count({ variables: { name: 'D' } })).toBe('{"data":{"_case_count":0}}')
    expect(await count({ variables: '{"name": "D"}' })).toBe('{"data":{"_case_count":0}}')
    for (const variables of [null, undefined, '', 'null', {}]) {
      expect(await count({ variables })).toBe('{"data":{"_case_count":1}}')
    }
    expect(await count({ operationName: 'B' })).toBe('{"data":{"_sample_count":1}}')
  })

  test.each([
    [
      { query: COUNT, variables: '{"a": ' },
      ['Unable to parse variables', 'the text of variables is not valid JSON'],
    ],
    [
      { query: COUNT, variables: '[1]' },
      ['Unable to parse variables', 'variables are not an object'],
    ],
    [{ query: COUNT, variables: 7 }, ['Unable to parse variables', 'variables are not an object']],
    [{ query: '{ case( }' }, ['Syntax Error: Expected Name, found "}". (line 1, column 9)']],
    [
      { query: 'mutation { case { id } }' },
      ['Schema is not configured to execute mutation operation.'],
    ],
    [{ query: '' }, ['Syntax Error: Unexpected <EOF>. (line 1, column 1)']],
    [{ query: 7 }, ['query is missing; give the text of a query']],
    [{}, ['query is missing; give the text of a query']],
    ['{', ['the body is not valid JSON']],
    ['[]', ['the body is not a JSON object; give {"query": "{ … }"}']],
    [
      { query: COUNT, operationName: 7 },
      ['operationName is no text; give the name of an operation, or leave it out'],
    ],
    [
      { query: `query A ${COUNT} query B ${COUNT}` },
      ['Must provide operation name if query contains multiple operations.'],
    ],
    [{ query: COUNT, operationName: 'Z' }, ['Unknown operation named "Z".']],
  ])('%j is refused with texts', async (body, errors) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { data: null, errors } })
  })

  test('a token is asked for before the body is read', async () => {
    for (const as of [null, 'nobody']) {
      const { status, body } = await served.ask('POST', PATH, { body: '{', as })
      expect([status, body.error === body.message]).toEqual([403, true])
    }
    const large = await ask(Buffer.alloc((16 << 20) + 1, ' '))
    expect(large.status).toBe(413)
    expect((await served.ask('GET', PATH)).status).toBe(405)
    expect((await served.ask('POST', '/submission/getschema')).status).toBe(405)
  })

  test('nothing of a query or an answer is in the log', async () => {
    await ask({ query: '{ case(submitter_id: "SECRET-1") { id } }', variables: { a: 'SECRET-2' } })
    await ask({ query: '{ case(submitter_id: "SECRET-3", first: -1) { nothing } }' })
    expect(served.lines.join('')).not.toMatch(/SECRET|case|nothing/)
  })

  test('queries of any shape are answered by 200 or 400', async () => {
    const dictionary = await MadeSubmission.dictionary()
    let answered = 0
    for (const query of fc.sample(queries(graphModel(dictionary)), { numRuns: 250, seed: 47 })) {
      const { status, body } = await ask({ query })
      if (status === 200) answered++
      expect([status, 'errors' in body], query).toBeOneOf([
        [200, false],
        [400, true],
      ])
    }
    // It is no test when all are refused.
    expect(answered).toBeGreaterThan(50)
  })
})

describe('what is public', () => {
  test('the schema is told without a token, once for clients that have it', async () => {
    const made = await MadeSubmission.open()
    const { graph: submittedGraph } = new AskedGraph(made)
    const served = new ServedSubmission(made.submission, {}, { submittedGraph })
    const first = await served.ask('GET', '/submission/getschema', { as: null })
    expect(first.status).toBe(200)
    const { data } = JSON.parse(first.text)
    expect(buildClientSchema(data).getQueryType()?.name).toBe('Root')
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    const again = await served.ask('GET', '/v0/submission/getschema/', { as: null, headers })
    expect([again.status, again.text]).toEqual([304, ''])
    await made.close()
  })

  test('a database that is away is told as the service says it everywhere', async () => {
    const made = await MadeSubmission.open()
    const gone = { ...made.database, dialect: 'sqlite' as const, read: () => Promise.reject(away) }
    const away = new EngineError('unavailable', 'the database cannot be reached')
    const { graph: submittedGraph } = new AskedGraph({ database: gone as typeof made.database })
    const served = new ServedSubmission(made.submission, {}, { submittedGraph })
    const answer = await served.ask('POST', PATH, { body: { query: COUNT } })
    expect([answer.status, answer.body.error]).toEqual([503, 'the database cannot be reached'])
    await made.close()
  })
})

/** Queries with names of the schema and others, arguments of all kinds, and texts that are none. */
function queries({ types }: ReturnType<typeof graphModel>): fc.Arbitrary<string> {
  const names = [...types.keys(), 'node', 'datanode', 'transaction_log', '_node_type', 'x']
  const some = fc.constantFrom('case', 'sample', 'project', 'program', 'center', ...names)
  const value = fc.oneof(
    fc.constantFrom<unknown>('C', 'S', '', 'id', 'samples', '\0', '\ud800', '2026-01-01', '%', "'"),
    fc.constantFrom<unknown>(0, -1, 1, 2.5, 2_147_483_648, 1e300, true, null, [], {}),
    fc.array(fc.constantFrom<unknown>('cases', 'samples', 7, null), { maxLength: 3 }),
    some.map((type) => ({ type })),
    fc.record({ type: some, submitter_id: fc.constantFrom<unknown>('C', 7, null, []) }),
    fc.string({ unit: 'binary', maxLength: 6 }),
  )
  const argument = fc.constantFrom(
    ...[
      'id',
      'ids',
      'first',
      'offset',
      'last',
      'submitter_id',
      'project_id',
      'quick_search',
      'not',
    ],
    ...['with_links', 'without_links', 'with_links_any', 'with_path_to', 'with_path_to_any'],
    ...['without_path_to', 'order_by_asc', 'order_by_desc', 'created_after', 'updated_before'],
    ...['entities', 'related_cases', 'committed_by', 'is_dry_run', 'of_type', 'category', 'state'],
  )
  const text = fc.constantFrom('C', 'S', '', 'id', 'state', '\0', '\ud800', '2026-01-01', '%', "'")
  const end = fc.record({ type: some, submitter_id: text }, { requiredKeys: ['type'] })
  const right = {
    ...{ first: fc.nat(), offset: fc.nat(), id: text, ids: fc.array(text), quick_search: text },
    ...{ submitter_id: text, with_links: fc.constantFrom('samples', 'cases'), without_links: text },
    ...{ with_path_to: end, with_path_to_any: fc.array(end), without_path_to: end },
    ...{ order_by_asc: text, order_by_desc: fc.constantFrom('id', 'type'), updated_after: text },
    not: fc.record({ submitter_id: text }),
  }
  const keysOfRight = fc.subarray(Object.keys(right) as (keyof typeof right)[], { maxLength: 2 })
  const given = fc
    .oneof(
      {
        weight: 5,
        arbitrary: keysOfRight.chain((keys) =>
          fc.record<object>(Object.fromEntries(keys.map((key) => [key, right[key]]))),
        ),
      },
      fc.dictionary(argument, value, { maxKeys: 2 }),
    )
    .map((all) => argumentsOf({ ...all }))
  const leaf = fc.constantFrom('id', 'type', 'submitter_id', '__typename', '...f', '_links { id }')
  const inner = fc
    .tuple(fc.constantFrom('samples', 'cases', '_links', '_related_cases', '_links'), given, leaf)
    .map(([name, args, field]) => `${name}${args} { ${field} }`)
  const list = fc
    .tuple(some, given, fc.array(fc.oneof(leaf, inner), { minLength: 1, maxLength: 3 }))
    .map(([name, args, selected]) => `${name}${args} { ${selected.join(' ')} }`)
  const count = fc.tuple(some, given).map(([name, args]) => `_${name}_count${args}`)
  const whole = fc
    .array(fc.oneof(list, count), { minLength: 1, maxLength: 2 })
    .map((parts) => `{ ${parts.join(' ')} }`)
    .map((text) => (text.includes('...f') ? `${text} fragment f on Node { id type }` : text))
  const broken = fc
    .tuple(whole, fc.nat(), fc.string({ maxLength: 3 }))
    .map(([text, place, more]) => {
      const at = place % text.length
      return text.slice(0, at) + more + text.slice(at + 1)
    })
  return fc.oneof(
    { weight: 5, arbitrary: whole },
    broken,
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
}
