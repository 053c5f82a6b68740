import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { datasetOf } from '../../engine/commons/datasets/index.ts'
import { mappingOf } from '../../engine/commons/datasets/mapping.ts'
import { Resolver } from '../../engine/commons/files/download/resolve.ts'
import { frameOf } from '../../engine/commons/render/frame.ts'
import { readWanted } from '../../engine/commons/slicing/select.ts'
import type { Engine } from '../../engine/index.ts'
import { Scratch } from '../../engine/shared/executor.ts'
import { type Executor, inlineExecutor } from '../../engine/shared/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import type { App } from '../../server/http/compose.ts'
import { appOf } from '../commons/search/support/app.ts'
import { openEngine } from '../places.ts'

// Short requests that could cost much. Invalid ones must be rejected before the expensive part, so that no job
// runs for them. Valid ones must not be processed by the main thread.

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const MIB = 1 << 20

let folder = ''
let engine: Engine
let app: App
const jobs: string[] = []
const executor: Executor = {
  parallelism: 1,
  run(job, input, options) {
    jobs.push(job.name)
    return inlineExecutor.run(job, input, options)
  },
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-costly-'))
  const made = { dataFolder: folder, executor: inlineExecutor, scale: 'tiny', seed: 5 } as const
  await buildMadeRelease({ ...made, id: 'first' })
  engine = await openEngine({ dataFolder: folder, executor })
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  jobs.length = 0
})

const post = (path: string, body: string, type = JSON_TYPE) =>
  app.request(path, { method: 'POST', headers: { 'content-type': type }, body })

const several = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const uuid = (i: number) => `${String(i).padStart(8, '0')}-000a-4000-8000-00000000cafe`
const leaf = (field: string, value: unknown, op = 'in') => ({ op, content: { field, value } })
const text = (value: unknown) => JSON.stringify(value)
const names = (count: number) => `{${several(count, (i) => `"k${i}":1`)}}`

interface Refused {
  readonly what: string
  readonly path: string
  readonly body: () => string
  readonly type?: string
  readonly status?: number
  readonly told: string
}

const REFUSED: readonly Refused[] = [
  {
    what: 'a body of many different names',
    path: '/files',
    body: () => names(10_001),
    told: '10000 different names',
  },
  {
    what: 'a filter text of many different names',
    path: '/files',
    body: () => text({ filters: names(10_001) }),
    told: '10000 different names',
  },
  {
    what: 'a form of many different names',
    path: '/files',
    body: () => several(10_001, (i) => `k${i}=1`).join('&'),
    type: FORM_TYPE,
    told: '10000 form fields',
  },
  {
    what: 'a form of separators',
    path: '/files',
    body: () => '&'.repeat(4 * MIB),
    type: FORM_TYPE,
    told: '10000 form fields',
  },
  {
    what: 'a body of many values',
    path: '/data',
    body: () => text({ ids: several(100_002, String) }),
    told: '100000 values',
  },
  {
    what: 'more parameters than any request needs',
    path: '/files',
    body: () => ' '.repeat(5 * MIB + 1),
    status: 413,
    told: 'limit of 5242880',
  },
  {
    what: 'a long pattern',
    path: '/files',
    body: () => text({ filters: leaf('file_name', '*'.repeat(4 * MIB)) }),
    told: 'the limit is 1000',
  },
  {
    what: 'many patterns',
    path: '/files',
    body: () =>
      text({
        filters: leaf(
          'file_name',
          several(1001, (i) => `*${i}*x`),
        ),
      }),
    told: 'more than 1000 values with "*"',
  },
  {
    what: 'many values of two filters',
    path: '/files',
    body: () =>
      text({
        filters: leaf('file_id', several(60_000, uuid)),
        case_filters: text(leaf('case_id', several(5_537, uuid))),
      }),
    told: 'case_filters.content.value: the filters have more than 65536 values',
  },
  {
    what: 'much text in values of two filters',
    path: '/analysis/top_mutated_genes_by_project',
    body: () =>
      text({
        filters: leaf('symbol', ['x'.repeat(3 * MIB)]),
        case_filters: leaf('submitter_id', 'x'.repeat(MIB + 1)),
      }),
    told: 'case_filters.content.value: the filters have more than 4194304 bytes of text',
  },
  {
    what: 'a long name of a field in a filter',
    path: '/files',
    body: () => text({ filters: leaf('.'.repeat(4 * MIB), 'a') }),
    told: 'field has 4194304 characters; the limit is 1000',
  },
  ...['fields', 'expand', 'facets', 'sort'].flatMap((name): Refused[] => [
    {
      what: `a long name in ${name}`,
      path: '/files',
      body: () => text({ [name]: '.:'.repeat(501) }),
      told: 'a name of more characters than the limit of 1000',
    },
    {
      what: `long ${name}`,
      path: '/files',
      body: () => text({ [name]: several(9000, () => 'x'.repeat(40)) }),
      told: 'more characters than the limit of 262144',
    },
  ]),
  {
    what: 'facets of thousands of conditions on each of their fields',
    path: '/files',
    body() {
      const { fields } = mappingOf(datasetOf('files'))
      const content = several(3000, (i) => leaf(fields[i % 300] ?? '', undefined, 'not'))
      return text({ facets: fields.slice(0, 300).join(), filters: { op: 'and', content } })
    },
    told: 'the limit is 1000000000',
  },
  ...['/data', '/manifest'].flatMap((path): Refused[] => [
    {
      what: `an array of many ids at ${path}`,
      path,
      body: () => text({ ids: several(10_001, uuid) }),
      told: 'more than 10000 ids',
    },
    {
      what: `a text of many ids at ${path}`,
      path,
      body: () => `ids=${several(10_001, uuid).join()}`,
      type: FORM_TYPE,
      told: 'more than 10000 ids',
    },
    {
      what: `a text of commas at ${path}`,
      path,
      body: () => text({ ids: ','.repeat(4 * MIB) }),
      told: 'more than 10000 ids',
    },
  ]),
  ...['/data', '/manifest'].map(
    (path): Refused => ({
      what: `an id of megabytes at ${path}`,
      path,
      body: () => text({ ids: ['x'.repeat(2 * MIB)] }),
      told: 'an id has 2097152 characters; the limit is 65536',
    }),
  ),
  {
    what: 'many files to look up versions of',
    path: '/files/versions',
    body: () => text({ ids: several(5001, uuid) }),
    told: 'more than 5000 ids',
  },
  {
    what: 'nested lists of many files to look up versions of',
    path: '/files/versions',
    body: () => text({ ids: several(11, (j) => several(500, (i) => uuid(500 * j + i))) }),
    told: 'more than 5000 ids',
  },
  {
    what: 'a manifest of many files',
    path: '/files/versions/manifest',
    body: () => `id\n${several(5001, uuid).join('\n')}`,
    type: 'text/tsv',
    told: 'more than 5000 ids',
  },
  {
    what: 'a manifest of line breaks',
    path: '/files/versions/manifest',
    body: () => `id\n${'\n'.repeat(4 * MIB)}`,
    type: 'text/tsv',
    told: 'more than 10000 lines',
  },
  {
    what: 'many cases to look up',
    path: '/gene_expression/availability',
    body: () => text({ case_ids: 'a,'.repeat(100_001) }),
    told: 'more ids than the limit of 100000',
  },
  {
    what: 'regions that are none',
    path: '/scrna_seq/gene_expression',
    body: () => text({ file_id: 'x', gene_ids: several(90_000, (i) => i) }),
    told: 'gene_ids[0]: expected string, received number',
  },
  {
    what: 'many curves',
    path: '/analysis/survival',
    body: () => text({ filters: several(257, () => ({})) }),
    told: 'at most 256',
  },
]

describe('refused before any job runs', () => {
  test.each(REFUSED)('$what', async ({ path, body, type, status = 400, told }) => {
    const answer = await post(path, body(), type)
    const { message } = (await answer.json()) as { message: string }
    expect([answer.status, message]).toEqual([status, expect.stringContaining(told)])
    expect(jobs).toEqual([])
  })

  test('what is within the bounds is answered', async () => {
    // The transfer client sends a manifest like this, with all values as strings, including the filter
    // (data-commons.md 8.1).
    const filters = text({ op: 'and', content: [leaf('files.file_id', several(65_536, uuid))] })
    const asked = { filters, fields: 'file_id', from: '0', size: '65536' }
    expect((await post('/v0/files', text(asked))).status).toBe(200)
    expect((await post('/files/versions', text({ ids: several(5000, uuid) }))).status).toBe(404)
    expect((await post('/data', text({ ids: several(10_000, uuid) }))).status).toBe(404)
  })
})

describe('what comes behind an unknown one is not looked up', () => {
  test('of ten thousand ids of files', async () => {
    const asked: number[] = []
    const files = {
      findAll: async (ids: readonly string[]) => {
        asked.push(ids.length)
        return new Map()
      },
    }
    const resolver = new Resolver(files as never, new Scratch())
    const found = resolver.found(several(10_000, uuid), undefined, {
      isHidden: async () => false,
      latestOf: async () => new Map(),
    })
    await expect(found).rejects.toThrow('no file has')
    expect(asked).toEqual([100])
  })

  test('of a hundred thousand genes', async () => {
    const asked: number[] = []
    const found = readWanted(
      [],
      several(100_000, (i) => `G${i}`),
      async (symbols) => {
        asked.push(symbols.length)
        return new Map()
      },
    )
    await expect(found).rejects.toThrow('gene "G0" is not in the gene model')
    // The second read looks for other spellings of the named value.
    expect(asked).toEqual([500, 1])
  })
})

describe('answered, but not by the thread that serves everybody', () => {
  const total = async (filters: unknown) => {
    const { data } = (await (await post('/files', text({ filters, size: 0 }))).json()) as {
      data: { pagination: { total: number } }
    }
    return data.pagination.total
  }

  test.each([
    ['thousands of values', leaf('file_id', several(2000, uuid))],
    [
      'hundreds of patterns',
      leaf(
        'file_name',
        several(900, (i) => `*x${i}*y`),
      ),
    ],
    [
      'thousands of conditions',
      { op: 'and', content: several(2000, (i) => leaf('file_name', `n${i}`, '=')) },
    ],
  ])('the filter of %s is planned by a job', async (_, filters) => {
    expect(await total(filters)).toBe(0)
    expect(jobs).toEqual(['query.evaluate'])
  })

  test('a filter of few conditions is not', async () => {
    expect(await total(leaf('file_id', several(20, uuid)))).toBe(0)
    expect(jobs).toEqual([])
  })

  test.each([{ pretty: true }, { format: 'xml' }])(
    'facets as %j are written by a job',
    async (form) => {
      const facets = mappingOf(datasetOf('files')).fields.join()
      const answer = await post('/files', text({ facets, size: 0, ...form }))
      expect((await answer.text()).length).toBeGreaterThan(16 << 10)
      expect(jobs).toContain('render.frame')
    },
  )
})

describe('the text of facets', () => {
  const pagination = { count: 0, total: 0, size: 0, from: 0, sort: '', page: 0, pages: 0 }
  const frame = (aggregations: Uint8Array, pretty: boolean) =>
    frameOf(
      { format: 'json', envelope: { pagination, aggregations, warnings: {} }, pretty, empty: true },
      { executor },
    )

  test('is passed on, and not read', async () => {
    const aggregations = Buffer.from('this is no JSON')
    const { tail } = await frame(aggregations, false)
    expect(tail.some((part) => part === aggregations)).toBe(true)
  })

  test('is not indented when that would take hundreds of megabytes', async () => {
    const large = new Uint8Array((32 << 20) + 1)
    await expect(frame(large, true)).rejects.toMatchObject({ code: 'too_many', at: 'facets' })
    expect(jobs).toEqual([])
  })
})

test('thousands of conditions on the cases of mutated genes are answered', async () => {
  const content = several(9000, (i) => leaf('case.submitter_id', `x${i}`, 'exclude'))
  const answer = await post(
    '/analysis/top_mutated_genes_by_project',
    text({ filters: { op: 'and', content }, size: 1 }),
  )
  expect(answer.status).toBe(200)
})
