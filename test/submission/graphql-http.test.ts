import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../../engine/shared/errors.ts'
import { graphModel } from '../../engine/submission/graphql/model.ts'
import { depth } from '../depth.ts'
import { AskedGraph } from './support/asked-graph.ts'
import { caseOf, sampleOf } from './support/documents.ts'
import { oddQueries } from './support/odd-queries.ts'
import { ServedSubmission } from './support/served.ts'
import { MadeSubmission } from './support/service.ts'

const PATH = '/submission/graphql'
const COUNT = '{ _case_count }'

describe('GraphQL over HTTP', () => {
  let made: MadeSubmission
  let served: ServedSubmission
  beforeAll(async () => {
    made = await MadeSubmission.open()
    const { graph } = new AskedGraph(made)
    served = new ServedSubmission(made.submission, {}, { graph })
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
      ['Unable to parse variables', 'the text of variables is not valid JSON at line 1, column 7'],
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
    ['{', ['the body is not valid JSON at line 1, column 2']],
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
    for (const query of fc.sample(oddQueries(graphModel(dictionary)), {
      numRuns: depth(24, 120),
      seed: 47,
    })) {
      const { status, body } = await ask({ query })
      if (status === 200) answered++
      expect([status, 'errors' in body], query).toBeOneOf([
        [200, false],
        [400, true],
      ])
    }
    // If all requests were refused, the test would prove nothing.
    expect(answered).toBeGreaterThan(depth(5, 25))
  })

  test('the schema is reported without a token, once for clients that have it', async () => {
    const told = { json: Buffer.from('{"data":{"__schema":{}}}'), sha256: 'of-these-bytes' }
    const { graph } = new AskedGraph(made)
    const graphWithSchema = {
      admit: graph.admit.bind(graph),
      query: graph.query.bind(graph),
      schema: async () => told,
    }
    const served = new ServedSubmission(made.submission, {}, { graph: graphWithSchema })
    const first = await served.ask('GET', '/submission/getschema', { as: null })
    expect([first.status, first.text]).toEqual([200, told.json.toString()])
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }
    const again = await served.ask('GET', '/v0/submission/getschema/', { as: null, headers })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  test('a database that is away is reported as the service says it everywhere', async () => {
    const gone = { ...made.database, dialect: 'sqlite' as const, read: () => Promise.reject(away) }
    const away = new EngineError('unavailable', 'the database cannot be reached')
    const { graph } = new AskedGraph({ database: gone as typeof made.database })
    const served = new ServedSubmission(made.submission, {}, { graph })
    const answer = await served.ask('POST', PATH, { body: { query: COUNT } })
    expect([answer.status, answer.body.error]).toEqual([503, 'the database cannot be reached'])
  })
})
