import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { madeContent, madeSchema } from '../algorithm/support/made-version.ts'
import { type CodebookRequest, codebook } from './codebook.ts'
import { refusal } from './support/made-staging.ts'

const CONTENT = madeContent(
  [
    madeSchema({
      id: 'b',
      name: 'Second',
      schema_num: 7,
      schema_selection_table: 'by_sex',
      schema_discriminators: ['sex'],
      inputs: [
        { key: 'sex', name: 'Sex', naaccr_item: 220, naaccr_xml_id: 'sex', table: 'sexes' },
        { key: 'grade', table: 'grades', default: '9', used_for_staging: true },
        { key: 'free' },
      ],
      outputs: [{ key: 'out', naaccr_xml_id: 'outId' }],
    }),
    madeSchema({ id: 'a' }),
  ],
  {
    by_sex: {
      columns: ['INPUT sex', 'INPUT hist', 'INPUT site', 'ENDPOINT result'],
      rows: [
        ['1', '8000-8001', 'C000,C001', 'MATCH'],
        [null, '', '*', 'MATCH'],
      ],
    },
    sexes: {
      columns: ['DESCRIPTION other', 'INPUT sex', 'DESCRIPTION desc'],
      rows: [['x', '1', 'a\tman']],
    },
    grades: {
      columns: ['INPUT grade', 'INPUT sex', 'DESCRIPTION name'],
      rows: [
        ['1,2', '*', 'low'],
        [null, '1', ''],
      ],
    },
  },
)

const told = (request?: CodebookRequest) => text(codebook(CONTENT, request).body)
const lines = async (request?: CodebookRequest): Promise<unknown[]> =>
  (await told(request))
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

test('rows of a selection, inputs, their codes and outputs follow each other, schema by schema', async () => {
  const of = { schema: 'b', schema_num: 7, schema_name: 'Second' }
  const sex = { item: 'sex', naaccr_item: 220, naaccr_xml_id: 'sex', item_name: 'Sex' }
  expect(await lines({ schemas: ['b'] })).toEqual([
    { algorithm: 'made', version: '1.0' },
    { part: 'site', code: 'C000' },
    { part: 'site', code: 'C001' },
    { part: 'histology', code: '8000-8002' },
    { part: 'selection', ...of, sites: 'C000,C001', histologies: '8000-8001', by: { sex: '1' } },
    // A missing cell and a star match everything. An empty cell matches only a blank.
    { part: 'selection', ...of, sites: '*', histologies: '', by: { sex: '*' } },
    { part: 'input', ...of, item: 'site' },
    { part: 'input', ...of, item: 'hist' },
    { part: 'input', ...of, item: 'year_dx' },
    { part: 'code', ...of, item: 'year_dx', code: '2018-{{ctx_year_current}}' },
    { part: 'input', ...of, ...sex },
    { part: 'code', ...of, ...sex, code: '1', label: 'a\tman' },
    { part: 'input', ...of, item: 'grade', used_for_staging: true, default: '9' },
    { part: 'code', ...of, item: 'grade', code: '1,2', label: 'low' },
    { part: 'code', ...of, item: 'grade', code: '*', when: { sex: '1' } },
    { part: 'input', ...of, item: 'free' },
    { part: 'output', ...of, item: 'out', naaccr_xml_id: 'outId' },
  ])
})

test('in columns, a schema that is not asked for a key takes any value of it', async () => {
  expect(await told({ format: 'tsv', parts: ['selection', 'code'] })).toBe(
    [
      'part\tschema\tschema_num\tschema_name\tsites\thistologies\tby_sex\titem\tnaaccr_item\tnaaccr_xml_id\titem_name\tused_for_staging\tdefault\tcode\tlabel\twhen',
      'selection\ta\t\t\tC000\t*\t*\t\t\t\t\t\t\t\t\t',
      'code\ta\t\t\t\t\t\tyear_dx\t\t\t\t\t\t2018-{{ctx_year_current}}\t\t',
      'selection\tb\t7\tSecond\tC000,C001\t8000-8001\t1\t\t\t\t\t\t\t\t\t',
      'selection\tb\t7\tSecond\t*\t\t*\t\t\t\t\t\t\t\t\t',
      'code\tb\t7\tSecond\t\t\t\tyear_dx\t\t\t\t\t\t2018-{{ctx_year_current}}\t\t',
      'code\tb\t7\tSecond\t\t\t\tsex\t220\tsex\tSex\t\t\t1\ta man\t',
      'code\tb\t7\tSecond\t\t\t\tgrade\t\t\t\t\t\t1,2\tlow\t',
      'code\tb\t7\tSecond\t\t\t\tgrade\t\t\t\t\t\t*\t\t{"sex":"1"}',
      '',
    ].join('\n'),
  )
})

test('parts and schemas that are not asked for are left out', async () => {
  expect(await lines({ parts: ['output'], schemas: ['b', 'a', 'b'] })).toHaveLength(2)
  expect(await lines({ parts: ['site'] })).toHaveLength(3)
})

test('a schema that the version does not have is not found', async () => {
  expect(await refusal(async () => codebook(CONTENT, { schemas: ['a', 'c'] }))).toMatchObject({
    code: 'not_found',
  })
})

test('a selection table that is not there chooses nothing', async () => {
  const content = madeContent([madeSchema({ schema_selection_table: 'gone' })])
  expect(await text(codebook(content, { parts: ['selection'] }).body)).toBe(
    '{"algorithm":"made","version":"1.0"}\n',
  )
})
