import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Statements } from '../../engine/shared/database/statements.ts'
import { GRAPH_LIMITS } from '../../engine/submission/graphql/budget.ts'
import { graphDialect } from '../../engine/submission/graphql/dialect.ts'
import { sql } from '../../engine/submission/graphql/sql.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { AskedGraph, reader } from './support/asked-graph.ts'
import { caseOf, fileOf, sampleOf } from './support/documents.ts'
import { ADMIN, idOf, MadeSubmission } from './support/service.ts'

const PROJECT = 'GDC-INTERNAL'

describe.each(DIALECTS.filter(canRun))('queries over what was submitted in %s', (dialect) => {
  let made: MadeSubmission
  let asked: AskedGraph
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    const clock = () => new Date('2026-03-01T12:00:00.000Z')
    made = await MadeSubmission.open({ clock }, bed.server && (await bed.place()))
    asked = new AskedGraph(made)
  })
  beforeEach(async () => {
    await made.reset()
    await made.register(PROJECT)
  })
  afterAll(() => made.close())

  const create = (...documents: readonly object[]) => made.upload('create', PROJECT, documents)

  const cases = (count: number) => Array.from({ length: count }, (_, i) => caseOf(`C${i}`))

  test('a list has ten elements unless more are asked for, a count counts all', async () => {
    await create(...cases(12))
    const found = await asked.found(`{
      case { submitter_id }
      all: case(first: 0) { id }
      last: case(offset: 10) { submitter_id }
      _case_count
      some: _case_count(first: 5)
      left: _case_count(offset: 10)
      none: case(offset: 99) { id }
    }`)
    expect(found.case.map((one: { submitter_id: string }) => one.submitter_id)).toEqual(
      Array.from({ length: 10 }, (_, i) => `C${i}`),
    )
    expect(found).toMatchObject({ _case_count: 12, some: 5, left: 2, none: [] })
    expect([found.all.length, found.last.map(Object.values)]).toEqual([12, [['C10'], ['C11']]])
  })

  test('times of creation and of change are compared, in whatever form they are given', async () => {
    await create(...cases(1))
    const count = async (text: string) =>
      (await asked.found(`{ _case_count(${text}) }`))._case_count
    expect(await count('created_after: "2026-03-01"')).toBe(1)
    expect(await count('created_after: "2026-03-01T12:00:00Z"')).toBe(0)
    expect(await count('created_before: "2026-03-01T13:00:01+01:00"')).toBe(1)
    expect(await count('updated_after: "2026-03-01 11:59", updated_before: "2026-03-02"')).toBe(1)
    const refused = await asked.ask('{ case(updated_before: "yesterday") { id } }')
    expect(refused).toEqual({
      status: 400,
      body: {
        data: { case: null },
        errors: ['updated_before is "yesterday"; give a day or a time of ISO 8601'],
      },
    })
  })

  test('invalid arguments are reported as texts, beside the data found', async () => {
    await create(...cases(1))
    const { status, body } = await asked.ask(`{
      case { submitter_id }
      a: case(order_by_asc: "nothing") { id }
      b: case(with_links: ["nothing"]) { id }
      c: case(first: -1) { id }
      d: case(with_path_to: { type: "nothing" }) { id }
      e: _case_count(without_path_to: { type: "nothing" })
      f: node(order_by_desc: "primary_site") { id }
    }`)
    expect([status, body.data]).toEqual([
      400,
      { case: [{ submitter_id: 'C0' }], a: null, b: null, c: null, d: [], e: 1, f: null },
    ])
    expect(body.errors).toEqual([
      'Cannot order by nothing on case',
      "Invalid link name 'nothing'",
      'first is -1; give 0 or more',
      'Cannot order by primary_site on node',
    ])
  })

  test('variables stand for single values and for lists, and are absent without a value', async () => {
    await create(...cases(3), sampleOf('S', 'C0', { initial_weight: 2.5 }))
    const query = `query($one: String, $many: [String], $weight: Float, $no: String) {
      one: case(submitter_id: $one) { submitter_id }
      many: case(submitter_id: $many) { submitter_id }
      _sample_count(initial_weight: [$weight], submitter_id: $no, with_path_to: { type: "case", submitter_id: $one })
    }`
    const variables = { one: 'C0', many: ['C1', 'C2'], weight: 2.5 }
    expect(await asked.found(query, { variables })).toEqual({
      one: [{ submitter_id: 'C0' }],
      many: [{ submitter_id: 'C1' }, { submitter_id: 'C2' }],
      _sample_count: 1,
    })
    const wrong = await asked.ask('query($first: String) { case(first: $first) { id } }')
    expect(wrong.body.errors).toEqual([
      'Variable "$first" of type "String" is used where "Int" is expected.',
    ])
    const bad = await asked.ask(query, { variables: { weight: 'heavy' } })
    expect([bad.status, bad.body.errors?.length]).toEqual([400, 1])
  })

  test('only entities and transactions of projects that the caller reads are seen', async () => {
    await made.register('OTHER-ONE')
    await create(...cases(2))
    await made.upload('create', 'OTHER-ONE', caseOf('X', { projects: { code: 'ONE' } }))
    const query = `{
      case { submitter_id } _case_count
      node(category: "administrative") { type }
      project { project_id } program { name } _transaction_log_count
      transaction_log(first: 0) { project_id }
    }`
    const [x] = (await asked.found('{ case(submitter_id: "X") { id } }')).case
    const other = await asked.found(query, { principal: reader('OTHER-ONE') })
    expect(other).toEqual({
      case: [{ submitter_id: 'X' }],
      _case_count: 1,
      node: [{ type: 'program' }, { type: 'project' }, { type: 'case' }].toSorted(byOrigin(other)),
      project: [{ project_id: 'OTHER-ONE' }],
      program: [{ name: 'OTHER' }],
      _transaction_log_count: 2,
      transaction_log: [{ project_id: 'OTHER-ONE' }, { project_id: 'OTHER-ONE' }],
    })
    const byId = `{ node(id: "${x.id}") { id } case(ids: ["${x.id}"]) { id }
      a: _case_count(with_path_to: { type: "project", code: "ONE" }) }`
    const nobody = { ...reader(), projects: new Map([['OTHER-ONE', ['create']]]) }
    for (const principal of [reader(PROJECT), nobody]) {
      expect(await asked.found(byId, { principal })).toEqual({ node: [], case: [], a: 0 })
    }
    const nothing = await asked.found(query, { principal: nobody })
    expect([nothing._case_count, nothing.project, nothing.transaction_log]).toEqual([0, [], []])
  })

  test('a superseded version is found by its id, and nowhere else', async () => {
    await create(...cases(1))
    const seed = { type: 'clinical_supplement', name: 'F', isFile: true, fileState: 'submitted' }
    const [{ id: parent }] = (await asked.found('{ case { id } }')).case
    const { type: _, submitter_id: __, ...properties } = fileOf('F')
    await made.seed(PROJECT, { ...seed, properties })
    const old = idOf('F')
    const put = await made.upload(
      'put',
      PROJECT,
      fileOf('F', { file_size: 6, cases: { id: parent } }),
    )
    expect(put.entities).toMatchObject([{ action: 'version', errors: [] }])
    const query = `{ clinical_supplement { id } _clinical_supplement_count datanode { id file_size }
      case { clinical_supplements { file_size } }
      old: clinical_supplement(id: "${old}") { file_size } node(ids: ["${old}"]) { id } }`
    const { id } = put.entities[0] ?? {}
    expect(await asked.found(query)).toEqual({
      clinical_supplement: [{ id }],
      _clinical_supplement_count: 1,
      datanode: [{ id, file_size: 6 }],
      case: [{ clinical_supplements: [{ file_size: 6 }] }],
      old: [{ file_size: 5 }],
      node: [{ id: old }],
    })
  })

  test('texts that PostgreSQL could not read as JSON are stored, reported and passed by', async () => {
    const catalogue_number = 'a\u0000b\\u0000'
    await create(...cases(1), sampleOf('S', 'C0', { catalog_reference: catalogue_number }))
    const body = '{"type": "sample", "submitter_id": "S", "catalog_reference": "\\ud800"}'
    await made.upload('patch', PROJECT, body.replace('"S"', '"S2"'))
    const found = await asked.found(`{
      sample(tumor_descriptor: "Primary", order_by_asc: "catalog_reference") { catalog_reference }
      none: sample(catalog_reference: "a\\u0000b") { id }
      _sample_count(quick_search: "\\u0000")
    }`)
    expect(found).toEqual({
      sample: [{ catalog_reference: catalogue_number }],
      none: [],
      _sample_count: 0,
    })
  })

  test('the log tells what was asked for and what came of it', async () => {
    const dry = await made.upload('put', PROJECT, [caseOf('C'), sampleOf('S', 'C')], {
      isDryRun: true,
    })
    const failed = await create({ ...caseOf('F'), nonsense: 1 })
    const done = await made.commit(PROJECT, dry.transaction_id)
    const [first, second] = done.entities.map(({ id }) => id)
    const fields = `id type role state is_dry_run closed committable committed_by submitter project
      program project_id created_datetime quick_search`
    const { transaction_log: log } = await asked.found(
      `{ transaction_log(project_id: "${PROJECT}", offset: 1) { ${fields} } }`,
    )
    const common = {
      type: 'upload',
      closed: false,
      submitter: 'admin',
      project: 'INTERNAL',
      program: 'GDC',
      project_id: PROJECT,
      created_datetime: '2026-03-01T12:00:00.000Z',
      quick_search: null,
      is_dry_run: false,
      committable: false,
      committed_by: null,
    }
    const [dryId, failedId, doneId] = [dry, failed, done].map((one) => String(one.transaction_id))
    expect(log).toEqual([
      {
        ...common,
        id: dryId,
        role: 'update',
        state: 'SUCCEEDED',
        is_dry_run: true,
        committed_by: doneId,
      },
      { ...common, id: failedId, role: 'create', state: 'FAILED' },
      { ...common, id: doneId, role: 'update', state: 'SUCCEEDED' },
    ])
    const { transaction_log: parts } = await asked.found(`{ transaction_log(id: ${doneId}) {
      canonical_json related_cases { id submitter_id }
      snapshots { id transaction_id action old_props new_props }
      documents { id transaction_id name doc_format doc doc_size response_json response {
        transaction_id success code message entity_error_count created_entity_count
        transactional_errors cases_related_to_created_entities_count released_entity_count
        entities { valid action type id unique_keys warnings related_cases { submitter_id }
          errors { keys type message dependents { id type } } } } } } }`)
    expect(parts).toMatchObject([
      {
        related_cases: [{ id: first, submitter_id: 'C' }],
        snapshots: [
          { id: first, transaction_id: doneId, action: 'create', old_props: '{}' },
          { id: second, action: 'create' },
        ],
        documents: [
          {
            transaction_id: doneId,
            name: null,
            doc_format: 'json',
            response: {
              transaction_id: doneId,
              success: true,
              code: 200,
              created_entity_count: 2,
              transactional_errors: [],
              cases_related_to_created_entities_count: 1,
              entities: [
                { valid: true, action: 'create', type: 'case', id: first, errors: [] },
                { id: second, related_cases: [{ submitter_id: 'C' }] },
              ],
            },
          },
        ],
      },
    ])
    const [{ canonical_json, documents }] = parts
    expect(JSON.parse(canonical_json)).toEqual([caseOf('C'), sampleOf('S', 'C')])
    expect(documents[0].doc_size).toBe(documents[0].doc.length)
    expect(JSON.parse(documents[0].response_json)).toEqual(JSON.parse(JSON.stringify(bodyOf(done))))
    const errors = await asked.found(
      `{ transaction_log(id: "${failedId}") { documents { response { entities { errors { keys } } } } } }`,
    )
    expect(JSON.stringify(errors)).toContain('["nonsense"]')
  })

  test('transactions are found by each argument', async () => {
    const dry = await made.upload('put', PROJECT, [caseOf('C'), sampleOf('S', 'C')], {
      isDryRun: true,
    })
    const open = await made.upload('create', PROJECT, caseOf('D'), { isDryRun: true })
    const done = await made.commit(PROJECT, dry.transaction_id)
    const [root, sample] = done.entities.map(({ id }) => id)
    await made.delete(PROJECT, [sample ?? ''])
    const [a, b, c] = [dry, open, done].map(({ transaction_id: id }) => String(id))
    const [, , , , gone] = await logIds('first: 0')
    const expected: readonly (readonly [string, readonly (string | undefined)[]])[] = [
      [`id: ${c}`, [c]],
      [`id: "${c}"`, [c]],
      ['id: "nothing"', []],
      [`quick_search: "${b}"`, [b]],
      ['quick_search: "x"', []],
      ['is_dry_run: true', [a, b]],
      ['committable: true', [b]],
      ['committable: false, is_dry_run: true', [a]],
      [`committed_by: ${c}`, [a]],
      ['state: "FAILED"', []],
      ['type: "delete"', [gone]],
      ['type: "upload", is_dry_run: false, offset: 1', [c]],
      [`entities: ["${sample}"]`, [c, gone]],
      [`related_cases: ["${root?.toUpperCase()}"]`, [a, c]],
      ['related_cases: ["no id at all %"]', []],
      ['last: 2', [gone, c]],
      ['first: 1, offset: 1', [a]],
      [
        `project: "INTERNAL", program: "GDC", closed: false, first: 2, order_by_desc: "id"`,
        [gone, c],
      ],
      ['project_id: ["OTHER"]', []],
      ['order_by_asc: "nothing", first: 2, offset: 1', [a, b]],
    ]
    for (const [given, ids] of expected) expect(await logIds(given), given).toEqual(ids)
    const found = await asked.found(`{
      _transaction_log_count
      of: _transaction_log_count(entities: ["${sample}"])
      case { _transaction_logs { id } _transaction_logs_count(is_dry_run: true) all: _transaction_logs_count }
    }`)
    expect(found).toEqual({
      _transaction_log_count: 5,
      of: 2,
      case: [{ _transaction_logs: [{ id: c }], _transaction_logs_count: 0, all: 1 }],
    })
  })

  async function logIds(given: string): Promise<readonly string[]> {
    const { transaction_log: log } = await asked.found(`{ transaction_log(${given}) { id } }`)
    return log.map(({ id }: { id: string }) => id)
  }

  test('one statement answers a level, however many rows it has', async () => {
    const documents = cases(30).flatMap((one) => [
      one,
      sampleOf(`S ${one.submitter_id}`, one.submitter_id),
      sampleOf(`T ${one.submitter_id}`, one.submitter_id),
    ])
    await create(...documents)
    const statements = countStatements()
    const found = await asked.found(`{ case(first: 0) { submitter_id _samples_count
      samples(first: 1) { submitter_id cases { submitter_id } _links { id } } } }`)
    // The statements are for the time limit, cases, their number of samples, samples, their cases, and all their
    // links.
    expect(statements()).toBe(6)
    expect(found.case).toHaveLength(30)
    expect(found.case[29]).toMatchObject({
      _samples_count: 2,
      samples: [{ submitter_id: 'S C29', cases: [{ submitter_id: 'C29' }] }],
    })
  })

  test.each([
    ['rows', { rows: 50 }, 'the query reads more than 50 rows; use first and offset'],
    [
      'values',
      { values: 100 },
      'the query returns more than 100 values; request fewer properties or rows',
    ],
    [
      'characters',
      { characters: 4096 },
      'the query reads more than 0 MiB; request fewer properties or rows',
    ],
  ])('a query ends at its limit of %s', async (_, limit, reason) => {
    await create(...cases(60))
    const bounded = new AskedGraph(made, { ...GRAPH_LIMITS, ...limit })
    const { status, body } = await bounded.ask(
      '{ case(first: 0) { id submitter_id state primary_site } }',
    )
    expect({ status, body }).toEqual({ status: 400, body: { data: null, errors: [reason] } })
    expect(await bounded.found('{ case(first: 1) { submitter_id } }')).toEqual({
      case: [{ submitter_id: 'C0' }],
    })
  })

  test('a query ends when its time is over', async () => {
    await create(...cases(3))
    const bounded = new AskedGraph(made, { ...GRAPH_LIMITS, milliseconds: 0 })
    expect(await bounded.ask('{ case { id } _case_count }')).toEqual({
      status: 400,
      body: {
        data: null,
        errors: ['the query takes longer than 0 seconds; request less, or one project at a time'],
      },
    })
  })

  test('a statement that is at work when the time is over is broken off', async () => {
    const { limitTime, inTime } = graphDialect(made.database.dialect)
    // Counts to two billion, which takes minutes.
    const endless = sql`WITH RECURSIVE counted (number) AS (
      SELECT 1 UNION ALL SELECT number + 1 FROM counted WHERE number < 2000000000 AND ${inTime})
      SELECT max(number) AS last FROM counted`
    const run = made.database.read(async (rows) => {
      const limit = limitTime(30)
      await rows.all(limit.text, limit.values)
      for await (const _ of rows.each(endless.text, endless.values)) break
    })
    await expect(run).rejects.toMatchObject({ code: 'busy' })
    // The time limit applies to one transaction.
    expect(await asked.found('{ _case_count }')).toEqual({ _case_count: 0 })
  })

  test('a query whose caller has left reads nothing more', async () => {
    const controller = new AbortController()
    const reason = new Error('left')
    const statements = countStatements()
    const leaving = asked.ask('{ case { samples { id } } }', { signal: controller.signal })
    controller.abort(reason)
    await expect(leaving).rejects.toBe(reason)
    expect(statements()).toBeLessThan(3)
  })
})

describe('queries', () => {
  let made: MadeSubmission
  let asked: AskedGraph
  beforeAll(async () => {
    made = await MadeSubmission.open()
    asked = new AskedGraph(made)
  })
  afterAll(() => made.close())

  test('clients can read the schema, in a query or without one', async () => {
    const { json } = await asked.graph.schema()
    const { data } = JSON.parse(Buffer.from(json).toString()) as {
      readonly data: IntrospectionQuery
    }
    const schema = buildClientSchema(data)
    const root = schema.getQueryType()?.getFields() ?? {}
    expect(root.case?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(
      expect.arrayContaining([
        ...['id: String', 'ids: [String]', 'project_id: [String]', 'first: Int', 'offset: Int'],
        ...['days_to_consent: [Float]', 'quick_search: String', 'with_links: [String]'],
        ...['with_path_to: [WithPathToInput]', 'not: [NotPropertiesInput_case]'],
      ]),
    )
    expect(root.case?.args.find(({ name }) => name === 'first')?.defaultValue).toBe(10)
    expect(schema.getMutationType()).toBeNull()
    expect(String(root._case_count?.type)).toBe('Int')
    const asAdmin = { principal: ADMIN, tokenGiven: true }
    const again = await asked.graph.query({ ...asAdmin, query: getIntrospectionQuery() })
    expect([again.status, Buffer.compare(Buffer.from(again.json), Buffer.from(json))]).toEqual([
      200, 0,
    ])
  })

  test.each([
    [
      'more than usual of the schema',
      '{ a: __schema { types { fields { args { type { fields { args { name } } } } } } } }',
      'the query requests too much of the schema',
    ],
    [
      'a schema beside data',
      '{ __schema { queryType { name } } _case_count }',
      'the query requests the schema and data; split it into two queries',
    ],
    ['many lists', `{ ${lists(251)} }`, 'the query has more than 250 lists and counts'],
    [
      'many fields',
      `{ ${lists(100, '...f')} } fragment f on case { ${fields(101)} }`,
      'the query has more than 10000 fields',
    ],
    ['deep', nested(17), 'the query is deeper than 16 levels'],
    [
      'equal fields',
      `{ case { ${'id '.repeat(401)} } }`,
      'the query has more than 400 fields of the name id',
    ],
    [
      'long',
      `{ case(id: "${'x'.repeat(1 << 19)}") { id } }`,
      'the query is longer than 524288 characters',
    ],
  ])('%s is refused before anything is read', async (_, query, reason) => {
    const statements = countStatements()
    expect(await asked.ask(query)).toEqual({ status: 400, body: { data: null, errors: [reason] } })
    expect(statements()).toBe(0)
  })

  test('fragments that are spread again and again are refused without being followed', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `f${i}`)
    const fragments = names.map((name, i) => {
      const next = names[i + 1]
      return `fragment ${name} on case { ${next ? `...${next} _links { ... on case { ...${next} } }` : 'id'} }`
    })
    const { status } = await asked.ask(`{ case { ...f0 } } ${fragments.join(' ')}`)
    expect(status).toBe(400)
  })

  test('entries of the dictionary are reported as texts', async () => {
    const query = `{ _node_type(category: "clinical", first: 2, order_by_desc: "id") { id title submittable required } }`
    const { _node_type: entries } = await asked.found(query)
    expect(entries).toEqual([
      {
        id: 'treatment',
        title: 'Treatment',
        submittable: 'true',
        required: expect.stringMatching(/^\[/),
      },
      expect.objectContaining({ id: 'pathology_detail' }),
    ])
  })

  test('the viewer sees what is seen without', async () => {
    const query = '{ viewer { _case_count center { code } } __typename }'
    expect(await asked.found(query)).toEqual({
      viewer: { _case_count: 0, center: [] },
      __typename: 'Root',
    })
  })
})

function lists(count: number, selection = 'id'): string {
  return Array.from({ length: count }, (_, i) => `a${i}: case { ${selection} }`).join(' ')
}

function fields(count: number): string {
  return Array.from({ length: count }, (_, i) => `b${i}: id`).join(' ')
}

function nested(levels: number): string {
  const open = Array.from({ length: levels - 2 }, (_, i) => (i % 2 ? 'cases' : 'samples'))
  return `{ case { ${open.join(' { ')} { id ${'} '.repeat(levels)}`
}

/** Counts the statements from now on. */
function countStatements(): () => number {
  const each = vi.spyOn(Statements.prototype, 'each')
  const all = vi.spyOn(Statements.prototype, 'all')
  return () => {
    const count = each.mock.calls.length + all.mock.calls.length
    each.mockRestore()
    all.mockRestore()
    return count
  }
}

/** Rows of the same creation are ordered by id. */
function byOrigin({ node }: { readonly node: readonly { readonly type: string }[] }) {
  const place = (type: string) => node.findIndex((one) => one.type === type)
  return (a: { readonly type: string }, b: { readonly type: string }) =>
    place(a.type) - place(b.type)
}

function bodyOf({ status: _, ...body }: Awaited<ReturnType<MadeSubmission['commit']>>) {
  return body
}
