import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import type { App } from '../../../server/http/compose.ts'
import { copyMadeRelease } from '../../made-release.ts'
import { openEngine } from '../../places.ts'
import { appOf } from '../search/support/app.ts'

// Tests data-commons.md 11.35 and 11.36 over HTTP on a made release: a request that cannot match says so and
// suggests what was meant, and a cohort is either applied or rejected.

let folder = ''
let engine: Engine
let app: App
let bamId = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-warnings-'))
  const dataFolder = join(folder, 'data')
  await copyMadeRelease(dataFolder)
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
  const bam = join(folder, 'made.bam')
  await makeBam({ path: bam, seed: 5, style: 'htslib', scale: 'tiny' })
  bamId = (await engine.commons.importBam({ path: bam, access: 'open' })).file.id
  const tp53 = { geneId: 'ENSG00000141510', symbol: 'TP53', chromosome: 'chr17' }
  const unknown = { name: null, biotype: null, strand: null }
  await engine.shared.genes.replaceAll([{ ...tp53, ...unknown, start: 7661779, end: 7687550 }])
  await engine.start()
  app = appOf(engine)
})
afterAll(async () => {
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const is = (field: string, ...value: readonly unknown[]) => ({
  op: 'in',
  content: { field, value },
})

const queryOf = (parameters: Readonly<Record<string, unknown>>) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()

async function asked(path: string, parameters: Readonly<Record<string, unknown>> = {}) {
  const response = await app.request(`${path}?${queryOf(parameters)}`)
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  const body = isJson ? JSON.parse(text) : undefined
  const header = response.headers.get('x-warnings')
  return { status: response.status, text, body, warnings: body?.warnings, header }
}

async function posted(path: string, parameters: unknown, query = '') {
  const response = await app.request(path + query, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(parameters),
  })
  const text = await response.text()
  return { status: response.status, text, header: response.headers.get('x-warnings') }
}

/** Returns fields of the first record. */
async function first(path: string, fields: string): Promise<Readonly<Record<string, string>>> {
  const { body } = await asked(path, { fields, size: 1 })
  return body.data.hits[0]
}

describe('11.36: an answer with nothing to warn about', () => {
  test.each(['/files', '/cases', '/ssm_occurrences'])('%s has none', async (path) => {
    const { status, warnings, header } = await asked(path, { size: 2 })
    expect([status, warnings, header]).toEqual([200, {}, null])
  })

  test('blank parameters are absent, known or not', async () => {
    const blank = { filters: '', case_filters: '{}', filter: '', facets: ' ' }
    const { warnings, header } = await asked('/cases', blank)
    expect([warnings, header]).toEqual([{}, null])
  })
})

describe('11.36: values that no record has', () => {
  test.each([
    ['/files', is('access', 'opn'), 'no record has "opn" in access; did you mean "open"?'],
    ['/files', is('cases.case_id', 'x*'), 'no record has "x*" in cases.case_id'],
    ['/cases', is('genes.symbol', 'qqqqq'), 'no record has "qqqqq" in gene.symbol'],
  ])('%s %j', async (path, filters, text) => {
    const { status, body, warnings, header } = await asked(path, { filters })
    expect([status, warnings, header]).toEqual([200, { filters: text }, `filters: ${text}`])
    expect(body.data.pagination.total).toBe(0)
  })

  test('a chromosome without chr', async () => {
    const { chromosome = '' } = await first('/ssms', 'chromosome')
    const bare = chromosome.replace('chr', '')
    expect(bare).not.toBe(chromosome)
    const text = `no record has "${bare.toLowerCase()}" in chromosome; did you mean "${chromosome.toLowerCase()}"?`
    const { warnings } = await asked('/ssms', { filters: is('chromosome', bare) })
    expect(warnings).toEqual({ filters: text })
    // A region is found with and without `chr`.
    const region = await asked('/ssms', { filters: is('region', bare) })
    expect(region.warnings).toEqual({})
    expect(region.body.data.pagination.total).toBeGreaterThan(0)
    const nowhere = await asked('/ssms', { filters: is('region', 'chr99:1-5') })
    expect(nowhere.warnings.filters).toContain('no record has "chr99" in region')
  })

  test('tables, manifests and analyses say it in the header', async () => {
    const text = 'no record has "opn" in access; did you mean "open"?'
    const filters = is('access', 'opn')
    for (const more of [{ format: 'tsv' }, { format: 'csv' }, { return_type: 'manifest' }]) {
      const { status, header } = await asked('/files', { filters, ...more })
      expect([more, status, header]).toEqual([more, 200, `filters: ${text}`])
    }
    const cohort = is('primary_site', 'brest')
    for (const path of ['/analysis/survival', '/analysis/mutated_cases_count_by_project']) {
      const { status, header } = await asked(path, { case_filters: cohort })
      expect([path, status]).toEqual([path, 200])
      expect(header).toMatch(/^case_filters: no record has "brest" in primary_site; did you mean /)
    }
    const top = await asked('/analysis/top_mutated_genes_by_project', { case_filters: cohort })
    expect(top.warnings.case_filters).toContain('no record has "brest"')
  })

  test('ids of genes and cases, with the id of a symbol', async () => {
    const gene = await first('/genes', 'gene_id,symbol')
    const path = '/analysis/top_cases_counts_by_genes'
    const { header } = await asked(path, { gene_ids: `${gene.gene_id},${gene.symbol}` })
    expect(header).toBe(
      `gene_ids: no gene has the id "${gene.symbol}"; did you mean "${gene.gene_id}"?`,
    )
    const one = await first('/cases', 'case_id,submitter_id')
    const values = await posted('/gene_expression/values', {
      case_ids: [one.submitter_id],
      gene_ids: [gene.gene_id],
      tsv_units: 'uqfpkm',
    })
    expect([values.status, values.header]).toEqual([
      200,
      `case_ids: no case has the id "${one.submitter_id}"; did you mean "${one.case_id}"?`,
    ])
  })

  test('an answer is valid for its own warnings alone', async () => {
    const plain = await app.request('/cases?size=1')
    const held = { 'If-None-Match': plain.headers.get('etag') ?? '' }
    expect((await app.request('/cases?size=1', { headers: held })).status).toBe(304)
    expect((await app.request('/cases?size=1&sizes=1', { headers: held })).status).toBe(200)
  })
})

describe('11.36: unknown names', () => {
  test.each([
    [{ filters: is('acess', 'open') }, 'has no field "acess" to filter by; did you mean "access"?'],
    [
      { filters: is('genes.symbl', 'TP53') },
      'has no field "genes.symbl" to filter by; did you mean "genes.symbol"?',
    ],
    [
      { filters: is('sample_type', 'x') },
      'to filter by; did you mean "cases.samples.sample_type"?',
    ],
    [{ filters: is('qqqqqq', 'x') }, 'files has no field "qqqqqq" to filter by'],
    [
      { case_filters: is('primry_site', 'x') },
      'case_filters.content.field: files has no field "primry_site" to filter by; did you mean "primary_site"?',
    ],
    [{ sort: 'file_siz' }, 'has no field "file_siz" to sort by; did you mean "file_size"?'],
  ])('%j is 400 and says what was meant', async (parameters, text) => {
    const { status, body } = await asked('/files', parameters)
    expect(status).toBe(400)
    expect(body.message).toContain(text)
  })

  test('analyses say what was meant, too', async () => {
    const filters = is('gene.symbl', 'TP53')
    for (const path of ['/analysis/survival', '/analysis/top_mutated_genes_by_project']) {
      const { status, body } = await asked(path, { filters })
      expect([path, status]).toEqual([path, 400])
      expect(body.message).toContain('did you mean "gene.symbol"?')
    }
  })

  test('fields, facets and histograms', async () => {
    const parameters = { fields: 'acess,zzzzz', facets: 'genes.symbl', histograms: 'file_siz:10' }
    const { status, warnings } = await asked('/files', parameters)
    expect([status, warnings]).toEqual([
      200,
      {
        fields: 'unrecognized values: [acess, zzzzz]; did you mean "access" for "acess"?',
        facets: 'unrecognized values: [genes.symbl]; did you mean "genes.symbol"?',
        histograms: 'unrecognized values: [file_siz]; did you mean "file_size"?',
      },
    ])
  })

  test('parameters', async () => {
    const one = await asked('/files', { filter: '{}x', size: 1 })
    const text = 'unrecognized values: [filter]; did you mean "filters"?'
    expect([one.status, one.warnings]).toEqual([200, { parameters: text }])
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`q${i}`, 'x']))
    expect((await asked('/all', { query: 'a', ...many })).header).toBe(
      'parameters: unrecognized values: [q0, q1, q2, q3, q4, and 495 more]',
    )
    const odd = await posted('/files', { toString: 1, __proto__x: [{}], size: 1 })
    expect([odd.status, odd.header]).toEqual([
      200,
      'parameters: unrecognized values: [toString, __proto__x]',
    ])
  })
})

describe('11.36: a parameter that is given twice', () => {
  test('in the query string and in the body: the body counts', async () => {
    const { status, text } = await posted('/cases', { size: 1 }, '?size=5&filters=')
    const { data, warnings } = JSON.parse(text)
    expect([status, data.hits.length]).toEqual([200, 1])
    expect(warnings).toEqual({ size: 'given in the query string and in the body; the body counts' })
  })

  test.each(['size=1&size=2', 'pretty=true&pretty=true', 'format=tsv&format=json'])(
    '%s is 400 and says so',
    async (query) => {
      const response = await app.request(`/cases?${query}`)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('is given 2 times; give it once, as')
    },
  )

  test('two filters are 400, a list of names in parts is not', async () => {
    const filters = encodeURIComponent(JSON.stringify(is('access', 'open')))
    const twice = await app.request(`/files?filters=${filters}&filters=${filters}`)
    expect(twice.status).toBe(400)
    expect(await twice.text()).toContain('parameter filters is given 2 times')
    const parts = await app.request('/files?fields=access&fields=file_id')
    expect([parts.status, parts.headers.get('x-warnings')]).toEqual([200, null])
  })

  test('a flag of a download', async () => {
    const path = `/data/${bamId}?tarfile=true&tarfile=true`
    const response = await app.request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-warnings')).toBe('tarfile: given 2 times; give it once')
    await response.body?.cancel()
  })
})

describe('11.36: slices', () => {
  const headerOf = async (query: string) => {
    const response = await app.request(`/slicing/view/${bamId}?${query}`)
    await response.arrayBuffer()
    return [response.status, response.headers.get('x-warnings')]
  }

  test('a reference in the other spelling', async () => {
    expect(await headerOf('region=chr17:1-5000')).toEqual([206, null])
    expect(await headerOf('region=17:1-5000')).toEqual([
      206,
      'regions: the file has no reference "17"; did you mean "chr17"?',
    ])
  })

  test('a gene in another case', async () => {
    const { status, body } = await asked(`/slicing/view/${bamId}`, { gencode: 'tp53' })
    expect(status).toBe(400)
    expect(body.message).toContain('did you mean "TP53"?')
  })
})

test('a table beyond 1,000 columns warns', async () => {
  const groups = (await asked('/cases/_mapping')).body.expand.join(',')
  const wide = { expand: groups, size: 200 }
  const ndjson = await asked('/cases', { ...wide, format: 'ndjson' })
  expect(ndjson.header).toBe(null)
  for (const [format, separator] of [
    ['tsv', '\t'],
    ['csv', ','],
  ] as const) {
    const { text, header } = await asked('/cases', { ...wide, format })
    const columns = text.slice(0, text.indexOf('\n')).split(separator).length
    expect(columns).toBeGreaterThan(1000)
    expect(header).toMatch(`format: the table has ${columns} columns; request fewer by fields`)
  }
})

describe('11.35: case_filters', () => {
  /** A filter with an unknown field, which every reader of it rejects. */
  const cohort = is('no.such.field', 'x')
  let setId = ''
  const ids = () => ({
    bam_file_id: bamId,
    ids: bamId,
    file_id: bamId,
    file_ids: bamId,
    set_id: setId,
  })
  beforeAll(async () => {
    const { text } = await posted('/sets', { type: 'case', size: 1 })
    setId = (JSON.parse(text) as { readonly data: { readonly set_id: string } }).data.set_id
  })
  /** Parameters that are required as well. */
  const needed = {
    gene_id: 'ENSG00000141510',
    case_id: '00000000-0000-4000-8000-000000000000',
    type: 'case',
    gene_ids: ['ENSG00000141510'],
    tsv_units: 'uqfpkm',
    selection_size: 5,
    query: 'a',
    x: 'primary_site',
    y: 'vital_status',
  }
  const HONOURED = /^\/(gene_expression|analysis)\/|^\/[a-z_]+$|^\/sets\/.*(append|remove)$/
  const READS_NONE = new Set([
    ...['/data', '/manifest', '/all', '/quick_search', '/files/versions', '/tar_sets'],
  ])
  /** The bodies of these operations have no parameters. */
  const WHOLE = new Set([
    ...['/slicing/view', '/files/versions/manifest', '/cohorts'],
    ...['/graphql', '/graphql/{word}'],
  ])

  interface Documented {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { tags: string[] }>>>>
  }

  async function endpoints(tags: RegExp) {
    const { paths } = (await asked('/openapi.json')).body as Documented
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(
        ([
          method,
          {
            tags: [tag = ''],
          },
        ]) => (tags.test(tag) ? [{ method: method.toUpperCase(), path }] : []),
      ),
    )
  }

  const filled = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => (ids() as Record<string, string>)[name] ?? 'x')

  test('is honoured or refused in the query string of every endpoint', async () => {
    const all = await endpoints(/^(?!registry|staging)/)
    expect(all.length).toBeGreaterThan(60)
    for (const { method, path } of all.filter(({ path }) => !path.startsWith('/rest'))) {
      const query = queryOf({ ...needed, case_filters: cohort })
      const response = await app.request(`${filled(path)}?${query}`, { method })
      const text = await response.text()
      expect([method, path, response.status, text]).toEqual([
        method,
        path,
        400,
        expect.stringContaining('case_filters'),
      ])
    }
  })

  test('is honoured or refused in every body of parameters', async () => {
    const all = await endpoints(/^(search|analysis|download|slicing|versions)$/)
    const bodies = all.filter(({ method, path }) => method === 'POST' && !WHOLE.has(path))
    expect(bodies.length).toBeGreaterThan(30)
    for (const { path } of bodies) {
      const { status, text } = await posted(filled(path), { ...needed, case_filters: cohort })
      expect([path, status, text]).toEqual([path, 400, expect.stringContaining('case_filters')])
      const isTaken = text.includes('no field')
      expect([path, isTaken]).toEqual([path, HONOURED.test(path) && !READS_NONE.has(path)])
    }
  })
})

describe('a 404 says what is near', () => {
  test.each([
    ['/Files', '; did you mean /files?'],
    ['/history', '; did you mean /history/{file_id}?'],
    ['/legacy/files', ''],
  ])('%s', async (path, hint) => {
    const { status, body } = await asked(path)
    expect([status, body.message]).toEqual([404, `there is nothing at this path${hint}`])
  })

  test('of an id: the record of that name, or the dataset whose it is', async () => {
    const gene = await first('/genes', 'gene_id,symbol')
    const bySymbol = await asked(`/genes/${gene.symbol}`)
    expect([bySymbol.status, bySymbol.body.message]).toEqual([
      404,
      `there is no gene with the gene_id "${gene.symbol}"; the gene of this symbol has the gene_id "${gene.gene_id}"`,
    ])
    const one = await first('/cases', 'case_id,submitter_id')
    expect((await asked(`/files/${one.case_id}`)).body.message).toContain(
      'it is the case_id of a case, which is found at /cases',
    )
    expect((await asked(`/cases/${one.submitter_id}`)).body.message).toContain(
      `the case of this submitter_id has the case_id "${one.case_id}"`,
    )
    expect((await asked('/cases/nobody')).body.message).toBe(
      'there is no case with the case_id "nobody"',
    )
  })
})
