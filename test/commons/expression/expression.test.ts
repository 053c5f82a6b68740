import { readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ABSENT } from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import type { RunningServer } from '../../../server/main.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { available } from '../../available.ts'
import { idOf, type Records, recordOf } from '../contract/support/download-records.ts'
import { listenFor } from '../contract/support/listen.ts'
import { type ExpressionWorld, openExpressionWorld } from './support/expression-world.ts'

const EXAMPLES = publicData('contract/examples')

/** The cases of the matrix, ascending: two open ones, one controlled by its file, and two by their projects. */
const [OPEN, OTHER, BY_FILE, BY_PROJECT, STRAY] = [1, 2, 3, 4, 5].map(idOf) as [
  ...[string, string, string, string, string],
]
/** A case with a record, but without values. */
const EMPTY = idOf(6)
const UNKNOWN = idOf(99)
const FILE = idOf(50)
const GENES = ['ENSG00000000001', 'ENSG00000000002', 'ENSG00000000003'] as const
const NO_GENE = 'ENSG00000000009'

const caseOf = (case_id: string, project: string) => ({
  case_id,
  submitter_id: case_id.slice(-2),
  project: { project_id: project },
})
const RECORDS: Records = {
  projects: ['ALPHA-1', 'BETA-2'].map((project_id) => ({ project_id, name: project_id })),
  cases: [
    ...[OPEN, BY_FILE, EMPTY].map((id) => caseOf(id, 'ALPHA-1')),
    ...[OTHER, BY_PROJECT].map((id) => caseOf(id, 'BETA-2')),
  ],
  genes: GENES.map((gene_id) => ({ gene_id, symbol: gene_id.slice(-1) })),
  files: [
    recordOf(
      { id: FILE, name: 'counts.tsv', bytes: Buffer.from('x') },
      { access: 'controlled', acl: ['ALPHA-1'], cases: [{ case_id: BY_FILE }] },
    ),
  ],
}

const MATRIX = {
  kind: 'fixed',
  cases: [
    { caseId: OPEN },
    { caseId: OTHER },
    { caseId: BY_FILE, fileId: FILE, access: 'controlled' },
    { caseId: BY_PROJECT, access: 'controlled' },
    { caseId: STRAY, access: 'controlled' },
  ],
  rows: [
    // The values are 0, 1 and 3; the second gene has 7 and a missing value.
    { geneId: GENES[0], symbol: 'ONE', values: Uint32Array.of(0, 10_000, 30_000, 70_000, ABSENT) },
    { geneId: GENES[1], symbol: null, values: Uint32Array.of(12_345, 67_000, 5, 5, 5) },
    { geneId: GENES[2], symbol: 'THREE', values: Uint32Array.of(80_000, 80_000, 80_000, 0, 0) },
  ],
} as const

let pool: ThreadPool
let world: ExpressionWorld
let server: RunningServer
let alpha = ''
let beta = ''
let admin = ''

beforeAll(async () => {
  pool = new ThreadPool({ threads: 2 })
  world = await openExpressionWorld(RECORDS, MATRIX, {
    executor: pool,
    limits: { expressionCells: 12, expressionTestedCells: 12 },
  })
  const { tokens } = world.engine.shared
  alpha = (await tokens.create({ user: 'a', projects: ['ALPHA-1'] })).secret
  beta = (await tokens.create({ user: 'b', projects: ['BETA-2:read'] })).secret
  admin = (await tokens.create({ user: 'c', projects: [], admin: true })).secret
  server = await listenFor(world.engine)
})
afterAll(async () => {
  await server.close()
  await world.close()
  await pool.close()
})

type Endpoint = 'availability' | 'values' | 'gene_selection' | 'differential' | 'coexpression'

const post = (at: Endpoint, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.address}/gene_expression/${at}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

async function refused(at: Endpoint, body: unknown, headers?: Record<string, string>) {
  const response = await post(at, body, headers)
  const { error, message } = (await response.json()) as Record<'error' | 'message', string>
  expect(error).toBe(message)
  return [response.status, message] as const
}

async function json(at: Endpoint, body: unknown, headers?: Record<string, string>) {
  const response = await post(at, body, headers)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return (await response.json()) as Record<string, unknown>
}

async function table(body: unknown, headers?: Record<string, string>) {
  const response = await post('values', body, headers)
  const type = response.headers.get('content-type')
  expect([response.status, type]).toEqual([200, 'text/tab-separated-values'])
  return response.text()
}

const CENTRED = { tsv_units: 'median_centered_log2_uqfpkm' }
const PLAIN = { tsv_units: 'uqfpkm' }
const detail = (key: string) => (id: string, has: boolean) => ({
  [key]: id,
  has_gene_expression_values: has,
})
const ofCase = detail('case_id')
const ofGene = detail('gene_id')

describe('availability', () => {
  test('tells of each distinct id, ascending; of controlled cases to everybody', async () => {
    const case_ids = [STRAY.toUpperCase(), EMPTY, OPEN, STRAY, UNKNOWN, BY_FILE]
    const gene_ids = [GENES[1], NO_GENE, GENES[0], GENES[0].toLowerCase()]
    expect(await json('availability', { case_ids, gene_ids })).toEqual({
      cases: {
        details: [
          ...[OPEN, BY_FILE, STRAY].map((id) => ofCase(id, true)),
          ...[EMPTY, UNKNOWN].map((id) => ofCase(id, false)),
        ],
        with_gene_expression_count: 3,
        without_gene_expression_count: 2,
      },
      genes: {
        details: [
          ...[GENES[0], GENES[1]].map((id) => ofGene(id, true)),
          ...[NO_GENE, GENES[0].toLowerCase()].map((id) => ofGene(id, false)),
        ],
        with_gene_expression_count: 2,
        without_gene_expression_count: 2,
      },
    })
  })

  test('has the section alone that was asked for; cases by a filter, too', async () => {
    const filter = { op: '=', content: { field: 'cases.project.project_id', value: 'ALPHA-1' } }
    for (const case_filters of [filter, JSON.stringify(filter)]) {
      expect(await json('availability', { case_filters })).toEqual({
        cases: {
          details: [ofCase(OPEN, true), ofCase(BY_FILE, true), ofCase(EMPTY, false)],
          with_gene_expression_count: 2,
          without_gene_expression_count: 1,
        },
      })
    }
    const genes = await json('availability', { gene_ids: [NO_GENE] })
    expect(Object.keys(genes)).toEqual(['genes'])
  })

  test.runIf(available.shared)(
    'has the members of the published example, in their order',
    async () => {
      const example = readFileSync(join(EXAMPLES, '32_analysis.json'), 'utf8')
      const ours = await json('availability', { case_ids: [OPEN], gene_ids: [GENES[0]] })
      expect(shapeOf(ours)).toEqual(shapeOf(JSON.parse(example)))
    },
  )

  const both = { op: 'and', content: {} }
  test.each([
    ['nothing', {}, 'neither cases nor genes'],
    ['an empty list of cases', { case_ids: [], gene_ids: ['g'] }, 'case_ids is empty'],
    ['an empty list of genes', { case_ids: ['c'], gene_ids: [] }, 'gene_ids is empty'],
    ['ids that are no texts', { case_ids: [1] }, 'parameter case_ids is not accepted'],
    ['a case set that is no text', { case_set_id: 1 }, 'use the id of a set'],
    ['a cohort', { cohort_id: 's' }, 'use case_filters with the filters of the cohort'],
    ['two sources of genes', { gene_ids: ['g'], gene_set_id: 's' }, 'cannot be used together'],
    ['a filter that is none', { case_filters: both }, 'case_filters'],
    ['bad JSON', '{', 'not valid JSON'],
  ])('%s is refused with 400', async (_, body, message) => {
    expect(await refused('availability', body)).toEqual([400, expect.stringContaining(message)])
  })

  test.each(['availability', 'values', 'gene_selection'] as const)(
    '%s: several sources of cases are refused in the words of the interface',
    async (at) => {
      const more = { ...PLAIN, gene_ids: [GENES[0]], selection_size: 1 }
      for (const second of [{ case_set_id: 's' }, { cohort_id: 's' }, { case_filters: FILTER }]) {
        expect(await refused(at, { ...more, ...second, case_ids: [OPEN] })).toEqual([
          400,
          'case_ids, case_set_id, cohort_id, and case_filters cannot be used together.',
        ])
      }
      expect((await fetch(`${server.address}/gene_expression/${at}`)).status).toBe(405)
    },
  )
})

const FILTER = { op: 'in', content: { field: 'case_id', value: [OPEN, OTHER, EMPTY] } }

/** Members by name and kind; of arrays, the first element. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)])
}

// A set has the same answer as the ids of its members.
describe('kept sets', () => {
  const asked = { case_ids: [OPEN, OTHER, EMPTY], gene_ids: [GENES[0], GENES[2]] }
  let sets: { readonly case_set_id: string; readonly gene_set_id: string }

  async function make(type: string, field: string, value: readonly string[]) {
    const response = await fetch(`${server.address}/sets`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type, filters: { op: 'in', content: { field, value } } }),
    })
    expect(response.status).toBe(201)
    return ((await response.json()) as { data: { set_id: string } }).data.set_id
  }
  beforeAll(async () => {
    sets = {
      case_set_id: await make('case', 'cases.case_id', asked.case_ids),
      gene_set_id: await make('gene', 'genes.gene_id', asked.gene_ids),
    }
  })

  test.each([
    ['availability', {}],
    ['gene_selection', { selection_size: 2, min_median_log2_uqfpkm: 0 }],
    ['differential', { other_case_ids: [OTHER] }],
    ['coexpression', { gene_id: GENES[1] }],
  ] as const)('%s', async (at, more) => {
    const bySet = await json(at, { ...sets, ...more })
    expect(bySet).toEqual(await json(at, { ...asked, ...more }))
    expect(bySet).not.toEqual(
      await json(at, { ...asked, ...more, case_ids: [BY_PROJECT] }, { 'X-Auth-Token': admin }),
    )
  })

  test('values, also by the name that filters take', async () => {
    const named = { ...sets, case_set_id: `set_id:${sets.case_set_id}` }
    expect(await table({ ...PLAIN, ...named })).toBe(await table({ ...PLAIN, ...asked }))
    const { gene_ids } = asked
    const genes = { ...PLAIN, case_set_id: sets.case_set_id, gene_ids }
    expect(await table(genes)).toBe(await table({ ...PLAIN, ...asked }))
  })

  test('an unknown one holds nothing', async () => {
    const { cases } = await json('availability', { case_set_id: '0'.repeat(32) })
    expect(cases).toMatchObject({ details: [], with_gene_expression_count: 0 })
    const genes = await table({ ...PLAIN, case_ids: asked.case_ids, gene_set_id: 'gone' })
    expect(genes.trimEnd().split('\n')).toHaveLength(1)
  })

  test('one of something else is refused', async () => {
    const swapped = { case_set_id: sets.gene_set_id }
    expect(await refused('availability', swapped)).toEqual([
      400,
      'case_set_id names a set of type gene; give one of type case',
    ])
    const genes = { ...asked, gene_ids: undefined, gene_set_id: sets.case_set_id }
    expect((await refused('values', { ...PLAIN, ...genes }))[0]).toBe(400)
  })
})

describe('values', () => {
  const body = { case_ids: [EMPTY, OTHER, UNKNOWN, OPEN], gene_ids: [GENES[1], NO_GENE, GENES[0]] }

  test('columns and rows ascend, and what has no values is left out', async () => {
    // The medians are those of 0 and 1, and of log2(2.2345) and log2(7.7): python3 -c "from math import log2;
    // print('%.5f' % (log2(7.7) / 2 - log2(2.2345) / 2))"
    const head = `gene_id\t${OPEN}\t${OTHER}\n`
    expect(await table({ ...body, ...CENTRED })).toBe(
      `${head}${GENES[0]}\t-0.50000\t0.50000\n${GENES[1]}\t-0.89245\t0.89245\n`,
    )
    expect(await table({ ...body, ...PLAIN, format: 'TSV' })).toBe(
      `${head}${GENES[0]}\t0\t1\n${GENES[1]}\t1.2345\t6.7\n`,
    )
  })

  test('cases come from a filter, too, and ids in any case', async () => {
    const { case_ids: _, ...rest } = body
    const upper = { case_ids: [OPEN.toUpperCase(), OTHER.toUpperCase()], ...rest }
    const expected = await table({ ...body, ...PLAIN })
    expect(await table({ ...rest, ...PLAIN, case_filters: FILTER })).toBe(expected)
    expect(await table({ ...upper, ...PLAIN })).toBe(expected)
  })

  test('without cases or genes that have values only the first line is left', async () => {
    expect(await table({ ...PLAIN, case_ids: [EMPTY], gene_ids: [GENES[0]] })).toBe('gene_id\n')
    const noGene = { ...PLAIN, case_ids: [OPEN], gene_ids: [NO_GENE] }
    expect(await table(noGene)).toBe(`gene_id\t${OPEN}\n`)
  })

  test('the order of the request, repeats and capitals do not matter', async () => {
    const all = MATRIX.cases.map(({ caseId }) => caseId)
    const genes = [GENES[0], GENES[1]]
    const headers = { 'X-Auth-Token': admin }
    const shuffled = (ids: readonly string[]) =>
      fc.shuffledSubarray([...ids], { minLength: ids.length })
    const same = { values: '', gene_selection: '' }
    const asked = fc.tuple(shuffled(all), shuffled(genes), fc.constantFrom(...all))
    await fc.assert(
      fc.asyncProperty(asked, async ([case_ids, gene_ids, again]) => {
        const sources = { case_ids: [...case_ids, again.toUpperCase()], gene_ids }
        for (const [at, more] of [
          ['values', CENTRED],
          ['gene_selection', { selection_size: 5, min_median_log2_uqfpkm: 0 }],
        ] as const) {
          const told = await (await post(at, { ...sources, ...more }, headers)).text()
          same[at] ||= told
          expect(told).toBe(same[at])
        }
      }),
      { seed: 1, numRuns: 30 },
    )
    expect(same.values.split('\n')).toHaveLength(4)
  })

  test('a form and texts with commas are read, too; empty texts are absent', async () => {
    const form = new URLSearchParams({
      case_ids: `${OPEN},${OTHER}`,
      gene_ids: GENES[0],
      tsv_units: 'uqfpkm',
      case_set_id: '',
      format: '',
    })
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect(await table(form.toString(), type)).toContain(`${GENES[0]}\t0\t1\n`)
  })

  test('a client that takes JSON alone is sent the table all the same', async () => {
    expect(await table({ ...body, ...PLAIN }, { Accept: 'application/json' })).toContain(GENES[0])
  })

  test('Arrow has the same numbers in full, and nulls', async () => {
    const asked = { case_ids: MATRIX.cases.map(({ caseId }) => caseId), gene_ids: [GENES[0]] }
    const forms = [
      [{ format: 'arrow' }, {}],
      [{}, { Accept: 'application/vnd.apache.arrow.stream' }],
    ] as const
    for (const [format, accept] of forms) {
      const headers = { 'X-Auth-Token': admin, ...accept }
      const response = await post('values', { ...asked, ...CENTRED, ...format }, headers)
      expect(response.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
      const arrow = tableFromIPC(new Uint8Array(await response.arrayBuffer()))
      expect(arrow.schema.fields.map(({ name }) => name)).toEqual(['gene_id', ...asked.case_ids])
      // The values are log2 of 1, 2, 4 and 8, minus their median.
      const row = [GENES[0], -1.5, -0.5, 0.5, 1.5, null]
      expect(arrow.toArray().map((one) => Object.values(one.toJSON()))).toEqual([row])
    }
    const none = await post('values', {
      ...PLAIN,
      format: 'arrow',
      case_ids: [EMPTY],
      gene_ids: ['g'],
    })
    const empty = tableFromIPC(new Uint8Array(await none.arrayBuffer()))
    expect([empty.numRows, empty.schema.fields.map(({ name }) => name)]).toEqual([0, ['gene_id']])
  })

  test('CSV has the same cells', async () => {
    const headers = { 'X-Auth-Token': admin }
    for (const unit of [PLAIN, CENTRED]) {
      const asked = { case_ids: [OPEN, STRAY], gene_ids: GENES, ...unit }
      const tsv = await (await post('values', asked, headers)).text()
      const response = await post('values', { ...asked, format: 'csv' }, headers)
      expect(response.headers.get('content-type')).toBe('text/csv')
      const rows = tsv.trimEnd().split('\n')
      expect(rows.length).toBeGreaterThan(2)
      expect(parse(await response.text())).toEqual(rows.map((row) => row.split('\t')))
    }
    const accepted = { ...headers, Accept: 'text/csv' }
    const asked = { case_ids: [OPEN], gene_ids: GENES, ...PLAIN }
    expect(await (await post('values', asked, accepted)).text()).toMatch(/^gene_id,/)
  })

  test('Parquet has the same numbers in full, and nulls', async () => {
    const asked = { case_ids: [OPEN, STRAY], gene_ids: [GENES[0], GENES[1]], format: 'parquet' }
    const response = await post('values', { ...asked, ...PLAIN }, { 'X-Auth-Token': admin })
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet')
    const path = join(world.folder, 'values.parquet')
    await writeFile(path, Buffer.from(await response.arrayBuffer()))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const read = await connection.runAndReadAll(`SELECT * FROM '${path}'`)
    expect(read.columnNames()).toEqual(['gene_id', OPEN, STRAY])
    expect(read.getRows()).toEqual([
      [GENES[0], 0, null],
      [GENES[1], 1.2345, 0.0005],
    ])
    connection.closeSync()
    instance.closeSync()
  })

  // A release in a bucket would have to be fetched to the disk despite the reserve.
  test.skipIf(inject('objects'))(
    'a table that has to be a file first leaves the reserve of the disk, others go on',
    async () => {
      const full = await openExpressionWorld(RECORDS, MATRIX, { reserveBytes: 2 ** 50 })
      const ask = async (format: 'tsv' | 'arrow' | 'parquet') => {
        const asked = { caseIds: [OPEN], geneIds: GENES, unit: 'uqfpkm', token: undefined } as const
        await using answer = await full.engine.commons.expression.values({ ...asked, format })
        for await (const _ of answer.body);
      }
      await ask('tsv')
      await ask('arrow')
      await expect(ask('parquet')).rejects.toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 30,
        message: expect.stringContaining('room'),
      })
      expect(readdirSync(full.folder).filter((name) => name.startsWith('parquet-'))).toEqual([])
      await full.close()
    },
  )

  test('a name for the file is told when it is wanted; nothing is kept by anybody', async () => {
    const response = await post('values', { ...body, ...PLAIN, attachment: true })
    expect(response.headers.get('content-disposition')).toContain('gene_expression_values.tsv')
    expect(response.headers.get('etag')).toBeNull()
    expect(Number(response.headers.get('content-length'))).toBe((await response.text()).length)
  })

  const one = { case_ids: [OPEN], gene_ids: [GENES[0]] }
  test.each([
    ['no cases', { ...PLAIN, gene_ids: ['g'] }, 'Both cases and genes are required.'],
    ['no genes', { ...PLAIN, case_ids: [OPEN] }, 'Both cases and genes are required.'],
    ['empty lists', { ...PLAIN, case_ids: [], gene_ids: [] }, 'Both cases and genes are required.'],
    ['no units', one, 'tsv_units is missing; use uqfpkm or median_centered_log2_uqfpkm'],
    ['other units', { ...one, tsv_units: 'tpm' }, 'parameter tsv_units is not accepted'],
    ['JSON', { ...one, ...PLAIN, format: 'json' }, 'use tsv or csv or arrow or parquet'],
    ['two sources of genes', { ...one, ...PLAIN, gene_set_id: 's' }, 'cannot be used together'],
  ])('%s is refused with 400', async (_, asked, message) => {
    expect(await refused('values', asked)).toEqual([400, expect.stringContaining(message)])
    if (message.endsWith('.')) expect((await refused('values', asked))[1]).toBe(message)
  })

  test('more values than the setting allows are refused; repeats do not count', async () => {
    const gene_ids = ['g', 'h', 'i', ...GENES]
    const two = { ...PLAIN, gene_ids, case_ids: [OPEN, OTHER, OPEN.toUpperCase()] }
    expect(await table(two)).toContain(GENES[2])
    const message = '3 cases and 6 genes are 18 values; request at most 12'
    expect(await refused('values', { ...two, case_ids: [OPEN, OTHER, UNKNOWN] })).toEqual([
      400,
      message,
    ])
    expect(await refused('values', { ...PLAIN, gene_ids, case_filters: FILTER })).toEqual([
      400,
      message,
    ])
  })
})

describe('gene selection', () => {
  test('is ordered by deviation, of what reaches the median', async () => {
    // python3 -c "from numpy import *; x = log2([2.2345, 7.7]); print(std(x), median(x))"
    const cases = { case_ids: [OPEN, OTHER, EMPTY], min_median_log2_uqfpkm: 0 }
    const expected = [
      {
        log2_uqfpkm_stddev: expect.closeTo(0.8924532005373074, 12),
        log2_uqfpkm_median: expect.closeTo(2.052405245270231, 12),
        gene_id: GENES[1],
        symbol: null,
      },
      { log2_uqfpkm_stddev: 0.5, log2_uqfpkm_median: 0.5, gene_id: GENES[0], symbol: 'ONE' },
    ]
    const all = { ...cases, gene_type: 'protein_coding', selection_size: 10 }
    expect(await json('gene_selection', all)).toEqual({ gene_selection: expected })
    const some = { ...cases, gene_ids: [GENES[0], NO_GENE, GENES[1]], selection_size: '1' }
    expect(await json('gene_selection', some)).toEqual({ gene_selection: expected.slice(0, 1) })
    const { min_median_log2_uqfpkm: _, ...usual } = all
    expect(await json('gene_selection', usual)).toEqual({ gene_selection: expected.slice(0, 1) })
    const filtered = { case_filters: FILTER, gene_type: 'protein_coding', selection_size: 10 }
    expect(await json('gene_selection', filtered)).toEqual({ gene_selection: expected.slice(0, 1) })
    const empty = { ...all, case_ids: [EMPTY] }
    expect(await json('gene_selection', empty)).toEqual({ gene_selection: [] })
  })

  test.runIf(available.shared)(
    'has the members of the published example, in their order',
    async () => {
      const example = readFileSync(join(EXAMPLES, '34_analysis.json'), 'utf8')
      const asked = { case_ids: [OPEN, OTHER], gene_ids: [GENES[0]], selection_size: 1 }
      const ours = await json('gene_selection', { ...asked, min_median_log2_uqfpkm: 0 })
      expect(shapeOf(ours)).toEqual(shapeOf(JSON.parse(example)))
    },
  )

  const usual = { case_ids: [OPEN], gene_type: 'protein_coding', selection_size: 1 }
  test.each([
    [
      'neither genes nor type',
      { ...usual, gene_type: undefined },
      'neither gene_ids nor gene_type',
    ],
    ['both', { ...usual, gene_ids: ['g'] }, 'both gene_ids and gene_type'],
    ['another type', { ...usual, gene_type: 'lncRNA' }, 'use protein_coding'],
    ['no size', { ...usual, selection_size: undefined }, 'selection_size is missing'],
    ['half a size', { ...usual, selection_size: 1.5 }, 'use a whole number from 1'],
    ['no gene', { ...usual, selection_size: 0 }, 'use a whole number from 1'],
    ['a word as size', { ...usual, selection_size: 'ten' }, 'selection_size is not accepted'],
    ['a word as median', { ...usual, min_median_log2_uqfpkm: 'x' }, 'use a number'],
    ['no cases', { ...usual, case_ids: undefined }, 'give case_ids or case_filters'],
  ])('%s is refused with 400', async (_, asked, message) => {
    expect(await refused('gene_selection', asked)).toEqual([400, expect.stringContaining(message)])
  })
})

describe('who may be reported', () => {
  const genes = { gene_ids: [GENES[0]] }
  const asked = {
    values: (case_ids: readonly string[]) => ({ ...PLAIN, ...genes, case_ids }),
    gene_selection: (case_ids: readonly string[]) => ({ ...genes, selection_size: 1, case_ids }),
  }
  const tokens = () => ({ none: undefined, bad: 'nonsense', alpha, beta, admin })
  const NONE = "You don't have access to the data: Please specify a X-Auth-Token: expression of "
  const BAD = 'Your token is invalid or expired. Please get a new token.'
  const REFUSED =
    "You don't have access to the data: expression of 1 case does not allow read access"

  test.each([
    ['open cases', [OPEN, OTHER], { none: 200, bad: 200, alpha: 200, beta: 200, admin: 200 }],
    [
      'a case by its file',
      [OPEN, BY_FILE],
      { none: 403, bad: 403, alpha: 200, beta: 403, admin: 200 },
    ],
    [
      'a case by its project',
      [BY_PROJECT],
      { none: 403, bad: 403, alpha: 403, beta: 200, admin: 200 },
    ],
    [
      'two cases',
      [BY_FILE, BY_PROJECT],
      { none: 403, bad: 403, alpha: 403, beta: 403, admin: 200 },
    ],
    [
      'a case without a record',
      [STRAY],
      { none: 403, bad: 403, alpha: 403, beta: 403, admin: 200 },
    ],
  ] as const)('%s', async (_, cases, expected) => {
    for (const at of ['values', 'gene_selection'] as const) {
      for (const [who, secret] of Object.entries(tokens())) {
        const headers = secret === undefined ? {} : { 'X-Auth-Token': secret }
        const response = await post(at, asked[at](cases), headers)
        const told = await response.text()
        expect([at, who, response.status]).toEqual([
          at,
          who,
          expected[who as keyof typeof expected],
        ])
        if (response.status === 403) expect(told).not.toContain('0d000000')
      }
    }
  })

  test('the refusal says of how many cases, and which of three reasons it has', async () => {
    const body = asked.values([BY_FILE, OPEN, BY_PROJECT])
    expect(await refused('values', body)).toEqual([403, `${NONE}2 cases is controlled`])
    expect(await refused('values', body, { 'X-Auth-Token': 'x' })).toEqual([403, BAD])
    expect(await refused('values', body, { 'X-Auth-Token': alpha })).toEqual([403, REFUSED])
  })

  test('a file that became controlled after its values were imported guards them', async () => {
    const [open, closed] = [idOf(51), idOf(52)]
    const file = (id: string, access: string) =>
      recordOf(
        { id, name: `${id}.tsv`, bytes: Buffer.from('x') },
        { access, acl: ['ALPHA-1'], cases: [{ case_id: BY_FILE }] },
      )
    const records = { ...RECORDS, files: [file(open, 'open'), file(closed, 'controlled')] }
    const files = [open, closed, idOf(53)]
    const cases = [OPEN, OTHER, BY_FILE].map((caseId, i) => ({
      caseId,
      fileId: files[i] as string,
    }))
    const rows = [{ geneId: GENES[0], symbol: null, values: Uint32Array.of(1, 2, 3) }]
    const later = await openExpressionWorld(records, { kind: 'fixed', cases, rows })
    const { secret } = await later.engine.shared.tokens.create({ user: 'a', projects: ['ALPHA-1'] })
    const ask = (caseId: string, token?: string) =>
      later.engine.commons.expression.values({
        caseIds: [caseId],
        geneIds: [GENES[0]],
        unit: 'uqfpkm',
        format: 'tsv',
        token,
      })
    await ask(OPEN).then((answer) => answer[Symbol.asyncDispose]())
    await ask(BY_FILE).then((answer) => answer[Symbol.asyncDispose]())
    await expect(ask(OTHER)).rejects.toMatchObject({ code: 'unauthenticated' })
    await ask(OTHER, secret).then((answer) => answer[Symbol.asyncDispose]())
    await later.close()
  })

  test('values that were imported as controlled are closed though their file is open', async () => {
    const file = recordOf(
      { id: idOf(51), name: 'open.tsv', bytes: Buffer.from('x') },
      { access: 'open', cases: [{ case_id: BY_FILE }] },
    )
    const cases = [
      { caseId: OPEN },
      { caseId: BY_FILE, fileId: file.file_id, access: 'controlled' as const },
    ]
    const rows = [{ geneId: GENES[0], symbol: null, values: Uint32Array.of(1, 2) }]
    const records = { ...RECORDS, files: [file] }
    const closed = await openExpressionWorld(records, { kind: 'fixed', cases, rows })
    const ask = async (project: string | undefined) => {
      const { tokens } = closed.engine.shared
      const token = project && (await tokens.create({ user: project, projects: [project] })).secret
      const made = await closed.engine.commons.expression.values({
        caseIds: [OPEN, BY_FILE],
        geneIds: [GENES[0]],
        unit: 'uqfpkm',
        format: 'tsv',
        token,
      })
      await made[Symbol.asyncDispose]()
    }
    await expect(ask(undefined)).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(ask('BETA-2')).rejects.toMatchObject({ code: 'forbidden' })
    await ask('ALPHA-1')
    await closed.close()
  })

  test('a token that has ended opens nothing', async () => {
    const { secret, id } = await world.engine.shared.tokens.create({
      user: 'd',
      projects: ['ALPHA-1'],
    })
    const headers = { 'X-Auth-Token': secret }
    expect((await post('values', asked.values([BY_FILE]), headers)).status).toBe(200)
    await world.engine.shared.tokens.revoke(id)
    expect(await refused('values', asked.values([BY_FILE]), headers)).toEqual([403, BAD])
  })
})

describe('releases', () => {
  test('without expression nothing has values, and without a release nothing is reported', async () => {
    const bare = await openExpressionWorld(RECORDS)
    const { engine } = bare
    const cases = { caseIds: [OPEN], geneIds: [GENES[0]], token: undefined }
    const body = async (answer: ReturnType<typeof engine.commons.expression.values>) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of (await answer).body) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString()
    }
    const available = JSON.parse(await body(engine.commons.expression.availability(cases)))
    expect(available).toMatchObject({
      cases: { with_gene_expression_count: 0 },
      genes: { with_gene_expression_count: 0 },
    })
    const values = engine.commons.expression.values({ ...cases, unit: 'uqfpkm', format: 'tsv' })
    expect(await body(values)).toBe('gene_id\n')
    const selection = { ...cases, geneType: undefined, size: 1, leastMedian: 1 }
    expect(await body(engine.commons.expression.geneSelection(selection))).toBe(
      '{"gene_selection":[]}',
    )
    await bare.close()
    const closed = engine.commons.expression.availability(cases)
    await expect(closed).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a damaged file is reported by its name, and tried again', async () => {
    const damaged = await openExpressionWorld({}, MATRIX)
    const path = join(damaged.folder, 'releases/first/expression.arrow')
    const bytes = await readFile(path)
    const changed = Buffer.from(bytes)
    changed[300]! ^= 1
    await writeFile(path, changed)
    const ask = () => damaged.engine.commons.expression.availability({ caseIds: [OPEN] })
    const damage = {
      code: 'unavailable',
      message: expect.stringContaining('"expression.arrow"'),
    }
    await expect(ask()).rejects.toMatchObject(damage)
    await writeFile(path, bytes)
    expect((await ask()).length).toBeGreaterThan(0)
    await damaged.close()
  })
})

describe('differential', () => {
  const TWO = { case_ids: [OPEN], other_case_ids: [OTHER] }

  test('compares two groups in each gene; equal values say nothing', async () => {
    expect(await json('differential', TWO)).toEqual({
      cases: 1,
      other_cases: 1,
      genes: [
        expect.objectContaining({ gene_id: GENES[1], symbol: null, statistic: 0, p_value: 1 }),
        {
          gene_id: GENES[0],
          symbol: 'ONE',
          cases: 1,
          other_cases: 1,
          log2_uqfpkm_median: 0,
          other_log2_uqfpkm_median: 1,
          log2_fold_change: -1,
          statistic: 0,
          method: 'exact',
          p_value: 1,
          adjusted_p_value: 1,
        },
        expect.objectContaining({ gene_id: GENES[2], statistic: 0.5, p_value: null }),
      ],
    })
  })

  test('without a second group it is all others; cases in both are in the first', async () => {
    const counts = { cases: 2, other_cases: 3 }
    const all = [OPEN, OTHER, BY_FILE, BY_PROJECT, STRAY]
    const headers = { 'X-Auth-Token': admin }
    const few = { case_ids: [OTHER, OPEN.toUpperCase()], gene_ids: [GENES[0], GENES[1]] }
    const rest = await json('differential', few, headers)
    expect(rest).toMatchObject(counts)
    expect(await json('differential', { ...few, other_case_ids: all }, headers)).toEqual(rest)
  })

  test('a group by a filter; one without values leaves no genes', async () => {
    const of = (value: string) => ({ op: '=', content: { field: 'cases.case_id', value } })
    const filters = { case_filters: of(OPEN), other_case_filters: of(OTHER) }
    expect(await json('differential', filters)).toEqual(await json('differential', TWO))
    const none = { case_ids: [OPEN], other_case_filters: of(EMPTY) }
    expect(await json('differential', none)).toEqual({ cases: 1, other_cases: 0, genes: [] })
  })

  test('a table, by format or Accept', async () => {
    const response = await post('differential', { ...TWO, format: 'tsv' })
    const lines = (await response.text()).split('\n')
    expect(response.headers.get('content-type')).toBe('text/tab-separated-values')
    expect(lines[0]?.split('\t').slice(-3)).toEqual(['method', 'p_value', 'adjusted_p_value'])
    expect(lines[2]).toBe(`${GENES[0]}\tONE\t1\t1\t0\t1\t-1\t0\texact\t1\t1`)
    const csv = await post('differential', TWO, { Accept: 'text/csv' })
    expect((await csv.text()).split('\n')[2]).toBe(lines[2]?.replaceAll('\t', ','))
  })

  test('values of controlled cases need a right, of either group', async () => {
    for (const body of [
      { case_ids: [OPEN], gene_ids: [GENES[0]] },
      { case_ids: [BY_FILE], other_case_ids: [OPEN] },
      { case_ids: [OPEN], other_case_ids: [BY_FILE] },
    ]) {
      expect((await refused('differential', body))[0]).toBe(403)
      expect((await refused('differential', body, { 'X-Auth-Token': beta }))[0]).toBe(403)
    }
    const both = { case_ids: [OPEN], other_case_ids: [BY_FILE] }
    expect(await json('differential', both, { 'X-Auth-Token': alpha })).toMatchObject({ cases: 1 })
  })

  test.each([
    [{}, /no cases are given/],
    [{ other_case_ids: [OPEN] }, /no cases are given/],
    [{ ...TWO, other_case_filters: {} }, /other_case_ids and other_case_filters/],
    [{ case_ids: [OPEN], other_case_filters: { op: 'none' } }, /other_case_filters/],
    [{ ...TWO, gene_ids: [] }, /gene_ids/],
    [{ ...TWO, format: 'xml' }, /format is not accepted; use json or tsv or csv/],
  ])('%j is refused', async (body, message) => {
    expect(await refused('differential', body)).toEqual([400, expect.stringMatching(message)])
  })

  test('more values than may be tested are refused before they are read', async () => {
    const case_ids = [OPEN, OTHER, BY_FILE, BY_PROJECT, STRAY]
    const [status, message] = await refused('differential', { case_ids })
    expect([status, message]).toEqual([
      400,
      expect.stringContaining('are 15 values; request at most 12'),
    ])
  })
})

describe('coexpression', () => {
  test('correlates a gene with the others', async () => {
    const headers = { 'X-Auth-Token': admin }
    const case_ids = [OPEN, OTHER, BY_FILE, BY_PROJECT]
    const asked = { case_ids, gene_id: GENES[0] }
    // R 4.5: x <- log2(c(0, 1, 3, 7) + 1); y <- log2(c(8, 8, 8, 0) + 1); cor.test(x, y);
    // cor.test(x, y, method = "spearman", exact = FALSE)
    const { genes, ...facts } = await json('coexpression', asked, headers)
    expect(facts).toEqual({ gene_id: GENES[0], symbol: 'ONE', cases: 4 })
    const all = genes as Record<string, number | string>[]
    expect(all.map(({ gene_id }) => gene_id)).toEqual([GENES[2], GENES[1]])
    const { pearson, pearson_p_value, spearman, spearman_p_value } = all[0] ?? {}
    expect(pearson).toBeCloseTo(-0.774596669241483, 12)
    expect(pearson_p_value).toBeCloseTo(0.225403330758517, 12)
    expect([spearman, spearman_p_value]).toEqual([pearson, pearson_p_value])
  })

  test.each([
    [{ case_ids: [OPEN] }, /gene_id is missing/],
    [{ case_ids: [OPEN], gene_id: NO_GENE }, /has no expression values/],
    [{ case_ids: [OPEN], gene_id: 7 }, /gene_id is not accepted/],
    [{ gene_id: GENES[0] }, /no cases are given/],
  ])('%j is refused', async (body, message) => {
    expect(await refused('coexpression', body)).toEqual([400, expect.stringMatching(message)])
  })

  test('values of controlled cases need a right', async () => {
    const body = { case_ids: [OPEN, BY_FILE], gene_id: GENES[0] }
    expect((await refused('coexpression', body))[0]).toBe(403)
    const found = await json('coexpression', body, { 'X-Auth-Token': alpha })
    expect(found).toMatchObject({ cases: 2, genes: [{ pearson: null }, { pearson: null }] })
  })
})
