import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Statements } from '../../engine/shared/database/statements.ts'
import { graphModel } from '../../engine/submission/graphql/model.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { AskedGraph } from '../submission/support/asked-graph.ts'
import { caseOf, sampleOf } from '../submission/support/documents.ts'
import { ServedSubmission } from '../submission/support/served.ts'
import { MadeSubmission } from '../submission/support/service.ts'

// A query within the limits of its text may nest deeper than the stack allows, or have more conditions than one
// statement of a database takes.

const PROJECT = 'GDC-INTERNAL'
const PATH = '/submission/graphql'

/** The path to the type to which most steps lead. */
const ANNOTATED = { type: 'annotation' }
const many = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value)

const ofPaths = 'query ($all: [WithPathToInput]) { case(with_path_to: $all) { id } }'
const ofNone = 'query ($all: [NotPropertiesInput_case]) { case(not: $all) { id } }'
const ofLinks = 'query ($all: [String]) { case(with_links: $all) { id } }'
const ofCases = 'query ($all: [String]) { transaction_log(related_cases: $all) { id } }'

/** Returns the column, from 1, of a match of a pattern, counting matches from 1. */
function columnOf(text: string, sought: RegExp, time: number): number {
  const found = [...text.matchAll(sought)][time - 1]
  return (found?.index ?? Number.NaN) + 1
}

describe.each(DIALECTS.filter(canRun))('queries beyond what can be answered, in %s', (dialect) => {
  let made: MadeSubmission
  let served: ServedSubmission
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    served = new ServedSubmission(made.submission, {}, { graph: new AskedGraph(made).graph })
    served.know('reader', { [PROJECT]: ['read'] })
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(PROJECT)
    await made.upload('create', PROJECT, [caseOf('C'), sampleOf('S', 'C')])
  })
  afterAll(() => made.close())

  const ask = (query: string, all?: unknown) =>
    served.ask('POST', PATH, {
      body: { query, ...(all ? { variables: { all } } : {}) },
      as: 'reader',
    })

  test.each([
    ['types of variables', `query ($a: ${'['.repeat(15_000)}Int${']'.repeat(15_000)}) { id }`],
    ['types that are never closed', `query ($a: ${'['.repeat(19_000)}`],
    ['lists', `{ case(id: ${'['.repeat(19_000)}`],
    ['objects', `{ case(not: ${'{a:'.repeat(6000)}`],
    ['selections', `{ case${' { cases'.repeat(6000)}`],
    ['brackets after each other', `{ case(id: ${'[{('.repeat(6000)}`],
  ])('%s within each other are refused where they are too many', async (_, query) => {
    const column = columnOf(query, /[[{(]/g, 65)
    const reason = `the query has more than 64 open brackets at line 1, column ${column}`
    const { status, body } = await ask(query)
    expect([status, body]).toEqual([400, { data: null, errors: [reason] }])
  })

  test.each([
    ['paths', `{ case(with_path_to: [${'{type: "sample"} '.repeat(1500)}]) { id } }`],
    ['negations', `{ case(not: [${'{submitter_id: "C"} '.repeat(3000)}]) { id } }`],
  ])('%s written out are refused before they are held against the schema', async (_, query) => {
    // The first brace opens the selection.
    const column = columnOf(query, /\{/g, 102)
    const reason = `the query has more than 100 objects in arguments at line 1, column ${column}`
    const { status, body } = await ask(query)
    expect([status, body]).toEqual([400, { data: null, errors: [reason] }])
  })

  test.each([
    ['paths', ofPaths, many(1500, ANNOTATED)],
    ['paths of many properties', ofPaths, [{ ...ANNOTATED, ...properties(260) }]],
    ['negations', ofNone, many(3000, { submitter_id: 'C' })],
    ['links', ofLinks, many(3000, 'samples')],
    ['cases of transactions', ofCases, many(3000, 'x')],
  ])('%s in a variable are refused before anything is read', async (_, query, all) => {
    const column = columnOf(query, /case\(|transaction_log\(/g, 1)
    const reason = `the query has more than 250 conditions in one list at line 1, column ${column} (a path counts for 10)`
    const statements = vi.spyOn(Statements.prototype, 'each')
    const { status, body } = await ask(query, all)
    expect([status, body]).toEqual([400, { data: null, errors: [reason] }])
    expect(statements).not.toHaveBeenCalled()
    statements.mockRestore()
  })

  test('a variable counts wherever it stands', async () => {
    const lists = (name: string) =>
      Array.from({ length: 10 }, (_, i) => `a${i}: case(${name}: $all) { id }`).join(' ')
    const conditions = `query ($all: [String]) { ${lists('with_links')} }`
    expect((await ask(conditions, many(100, 'samples'))).body).toEqual({
      data: null,
      errors: ['the query has more than 500 conditions (a path counts for 10)'],
    })
    const values = `query ($all: [String]) { ${lists('ids')} }`
    expect((await ask(values, many(6000, 'x'))).body).toEqual({
      data: null,
      errors: ['the query has more than 50000 values in arguments and variables'],
    })
  })

  test.each([
    ['paths', ofPaths, many(22, ANNOTATED), 0],
    ['negations', ofNone, many(250, { submitter_id: 'D' }), 1],
    ['links', ofLinks, many(250, 'samples'), 1],
    ['cases of transactions', ofCases, many(250, 'x'), 0],
  ])('as many %s as there may be are answered', async (_, query, all, count) => {
    const { status, text } = await ask(query, all)
    expect([status, text.match(/"id"/g) ?? []], text).toEqual([200, many(count, '"id"')])
  })

  test('all links of a type may be asked for', async () => {
    const { types } = graphModel(await MadeSubmission.dictionary())
    const links = JSON.stringify([...(types.get('case')?.neighbours.keys() ?? [])])
    const given = `with_links_any: ${links}, without_links: ${links}`
    expect((await ask(`{ _case_count(${given}) }`)).text).toBe('{"data":{"_case_count":0}}')
    const all = `with_links: ${links}, with_links_any: ${links}, without_links: ${links}`
    expect((await ask(`{ _case_count(${all}) }`)).text).toBe('{"data":{"_case_count":0}}')
  })

  test('fragments that lead from one to the next are refused by their number', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `fragment f${i} on Root { ...f${i + 1} }`)
    expect((await ask(`{ _case_count ...f0 } ${names.join(' ')}`)).body).toEqual({
      data: null,
      errors: ['the query has more than 200 operations and fragments'],
    })
  })

  test.each([
    ['comments', `{ _case_count ${'#\n'.repeat(20_000)}`],
    ['a text of lines', `{ case(id: """${'\r\n'.repeat(10_000)}""") { id } }`],
    ['a text of escapes', `{ case(id: "${'\\n'.repeat(20_000)}") { id } }`],
  ])('%s are refused before they are read where there is one too many', async (_, query) => {
    const reason = 'the query has more than 20000 line ends and backslashes'
    const { status, body } = await ask(`${query}\n`)
    expect([status, body]).toEqual([400, { data: null, errors: [reason] }])
    expect((await ask(query)).text).not.toContain(reason)
  })

  test('a body beyond any query is not parsed', async () => {
    const body = Buffer.from(`{"query": "{ _case_count }", "x": "${'x'.repeat(4 << 20)}"}`)
    expect((await served.ask('POST', PATH, { body, as: 'reader' })).status).toBe(413)
  })
})

function properties(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 'x']))
}
