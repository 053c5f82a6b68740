import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MadePortal } from '../graphql/support/made-portal.ts'

// Exact requests of public clients, each of which was once answered differently from what the client expects.

let portal: MadePortal

beforeAll(async () => {
  portal = await MadePortal.open()
})
afterAll(() => portal[Symbol.asyncDispose]())

async function posted(path: string, body: unknown) {
  const response = await portal.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

const totalOf = async (path: string, body: unknown) =>
  (await posted(path, { size: 0, ...(body as object) })).body.data?.pagination.total

const is = (field: string, ...value: readonly unknown[]) => ({
  op: 'in',
  content: { field, value },
})

describe('an and or or of an empty list is no restriction', () => {
  const none = { op: 'and', content: [] }

  // ProteinPaint sends these requests for a whole cohort.
  test('for the cases of an expression plot', async () => {
    const body = { fields: 'case_id', case_filters: none, size: 10_000 }
    const { status, body: answered } = await posted('/cases', body)
    expect(status).toBe(200)
    expect(answered.data.pagination.total).toBe(await totalOf('/cases', {}))
    expect(answered.warnings).toEqual({})
  })

  test('for a survival curve', async () => {
    const { status, body } = await posted('/analysis/survival', { filters: [none] })
    expect(status).toBe(200)
    expect(body).toEqual((await posted('/analysis/survival', { filters: [{}] })).body)
    expect(body.results[0].donors.length).toBeGreaterThan(0)
  })

  const open = is('access', 'open')
  test.each([
    ['an or', { op: 'or', content: [] }, {}],
    ['one in another', { op: 'and', content: [{ op: 'or', content: [none] }] }, {}],
    ['beside a condition', { op: 'and', content: [none, open] }, open],
    ['as an alternative', { op: 'or', content: [none, open] }, {}],
  ])('%s', async (_, filters, same) => {
    expect(await totalOf('/files', { filters })).toBe(await totalOf('/files', { filters: same }))
    expect(await totalOf('/files', { case_filters: none, filters })).toBe(
      await totalOf('/files', { filters: same }),
    )
  })

  test.each([
    '/analysis/top_mutated_genes_by_project',
    '/analysis/mutated_cases_count_by_project',
    '/genes',
    '/annotations',
    '/ssm_occurrences',
  ])('%s', async (path) => {
    const { status, body } = await posted(path, { filters: none, case_filters: none })
    const { body: all } = await posted(path, {})
    expect(status).toBe(200)
    expect(body.data ?? body.aggregations).toEqual(all.data ?? all.aggregations)
    expect(body.warnings).toEqual(all.warnings)
  })

  test('other errors of the request are reported as before', async () => {
    const filters = { op: 'or', content: [none, is('no_such_field', 1)] }
    const { status, body } = await posted('/files', { filters })
    expect(status).toBe(400)
    expect(body.error).toMatch(/filters\.content\[1\]/)
  })
})

describe('a negative condition on a value that no record has is no mistake', () => {
  // gdctools sends these operators in each query.
  test.each(['!=', 'exclude', 'excludeifany'])('%s', async (op) => {
    const filters = {
      op: 'and',
      content: [
        { op, content: { field: 'data_format', value: ['BCR Biotab'] } },
        is('access', 'open'),
      ],
    }
    const { body } = await posted('/files', { filters })
    expect(body.data.pagination.total).toBeGreaterThan(0)
    expect(body.warnings).toEqual({})
  })

  // The portal's set pages send these requests; an unknown set matches nothing.
  test.each([
    ['/genes', 'genes.gene_id', '='],
    ['/ssms', 'ssms.ssm_id', 'in'],
    ['/files', 'cases.case_id', 'in'],
    ['/cases', 'cases.case_id', 'exclude'],
  ])('a set that is not known: %s by %s', async (path, field, op) => {
    const filters = { op, content: { field, value: ['set_id:b1f0c2d4e6'] } }
    const { body } = await posted(path, { filters, size: 0 })
    const none = op === 'exclude' ? await totalOf(path, {}) : 0
    expect([body.data.pagination.total, body.warnings]).toEqual([none, {}])
    const chosen = await totalOf(path, { case_filters: is('cases.case_id', 'set_id:b1f0c2d4e6') })
    expect(chosen).toBe(0)
  })

  test('a positive one is still told', async () => {
    const { body } = await posted('/files', { filters: is('data_format', 'BCR Biotab') })
    expect(body.warnings.filters).toMatch(/no record has "bcr biotab" in data_format/)
  })

  // The portal's list of files and its cart treat any warning as a failure.
  test.each([
    { filters: is('data_format', 'BCR Biotab', 'BAM') },
    { case_filters: is('cases.primary_site', 'nowhere'), facets: 'access,no_such', size: 0 },
    { fields: 'file_id,no_such', unknown: 1 },
  ])('%j at the address of the portal is told in the header alone', async (asked) => {
    const [own, plain] = await Promise.all(
      ['/auth/api/v0/files', '/v0/files'].map((path) => posted(path, asked)),
    )
    expect(own?.body).toEqual({ data: plain?.body.data, warnings: {} })
    expect(plain?.body.warnings).not.toEqual({})
    expect(own?.headers.get('x-warnings')).toBe(plain?.headers.get('x-warnings'))
  })
})

// By data-commons.md 1.4, the first value counts.
describe('a comparison of several values', () => {
  test.each(['<', '<=', '>', '>='])('by %s takes the first, and says so', async (op) => {
    const field = 'diagnoses.age_at_diagnosis'
    const filters = (...value: readonly unknown[]) => ({ op, content: { field, value } })
    const told = `filters.content.value of "${op}" has 3 values, and only the first counts, "20000"`
    const [several, one] = [filters('20000', 1, 99_000), filters(20_000)]
    const total = await totalOf('/cases', { filters: one })
    expect(total).toBeGreaterThan(0)
    const found = await posted('/cases', { filters: several, size: 0 })
    expect([found.body.data.pagination.total, found.body.warnings]).toEqual([
      ...[total, { filters: told }],
    ])
    const survival = await posted('/analysis/survival', { filters: [several] })
    expect(survival.headers.get('x-warnings')).toContain('and only the first counts')
    const query = `query ($f: FiltersArgument) { explore { cases { hits(filters: $f, first: 0) { total } } }
      repository { files { hits(case_filters: $f, first: 0) { total } } } }`
    const graph = await posted('/graphql', { query, variables: { f: several } })
    expect([graph.body.data.explore.cases.hits.total, graph.body.errors]).toEqual([
      total,
      undefined,
    ])
    const cohort = `case_${told}`
    expect(graph.headers.get('x-warnings')).toBe(`filters: ${told} | case_filters: ${cohort}`)
    const plain = await posted('/graphql', { query, variables: { f: one } })
    expect(plain.headers.get('x-warnings')).toBeNull()
  })

  test('names some places of many', async () => {
    const content = { field: 'file_size', value: [1, 2] }
    const filters = {
      op: 'and',
      content: Array.from({ length: 2000 }, () => ({ op: '>', content })),
    }
    const { body } = await posted('/files', { filters, size: 0 })
    expect(body.data.pagination.total).toBe(await totalOf('/files', {}))
    expect(body.warnings.filters).toMatch(/; \d+ more such comparisons$/)
    expect(body.warnings.filters.length).toBeLessThan(2000)
  })
})

describe('attachment=true with JSON answers the bare array of records', () => {
  const fetched = async (path: string) => {
    const response = await portal.request(path)
    const text = await response.text()
    return { text, header: response.headers.get('x-warnings'), body: JSON.parse(text) }
  }

  // R and Python recipes read fromJSON(file)$associated_entities.
  test('of files', async () => {
    const { body, text } = await fetched(
      '/files?attachment=true&format=JSON&size=2&fields=file_id&facets=access',
    )
    const listed = await fetched('/files?format=JSON&size=2&fields=file_id')
    expect(body).toEqual(listed.body.data.hits)
    expect(text).toBe(JSON.stringify(body))
  })

  // The portal's cart and cohort pages request indented JSON.
  test.each(['/cases', '/files', '/analysis/top_mutated_genes_by_project'])(
    '%s, as the portal asks',
    async (path) => {
      const asked = 'attachment=True&format=JSON&pretty=True&size=30&filename=metadata.cart.json'
      const { body, text } = await fetched(`${path}?${asked}`)
      const listed = await fetched(`${path}?size=30`)
      expect(body).toEqual(listed.body.data.hits)
      const plain = text.replaceAll(/(_score": \d+)\.0/g, '$1')
      expect(plain).toBe(JSON.stringify(body, null, 2))
    },
  )

  test('none, and warnings in the header', async () => {
    const { text, header } = await fetched(
      `/files?attachment=true&pretty=true&filters=${JSON.stringify(is('access', 'opn'))}`,
    )
    expect(text).toBe('[]')
    expect(header).toMatch(/no record has "opn"/)
  })

  test('a manifest is no list of records', async () => {
    const response = await portal.request('/files?attachment=true&return_type=manifest')
    expect(await response.text()).toMatch(/^id\tfilename/)
  })
})

describe('the form by which the portal downloads', () => {
  const form = async (path: string, body: string) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const response = await portal.request(path, { method: 'POST', headers, body })
    return { response, cookie: response.headers.getSetCookie(), text: await response.text() }
  }
  const end = 'downloadCookieKey=ab12&downloadCookiePath=/'

  test.each([
    ['/files', 'return_type=manifest&size=10000'],
    ['/files', 'format=JSON&pretty=True&fields=file_id&size=1000'],
    ['/clinical_tar', 'format=JSON&size=10'],
    ['/analysis/survival', ''],
  ])('%s %s: an answer ends the cookie that the page waits for', async (path, more) => {
    const { response, cookie } = await form(path, `filters=%7B%7D&${more}&attachment=true&${end}`)
    expect(response.status).toBe(200)
    expect(cookie).toEqual(['ab12=; Path=/; Max-Age=0'])
    expect(response.headers.get('x-warnings') ?? '').not.toMatch(/downloadCookie/)
  })

  // On a page below a folder, a browser uses that folder as the cookie's path, because the page sets none.
  test.each([
    ['https://portal.example/cases/0009e0cb?bioId=1', ['/', '/cases']],
    ['https://portal.example/', ['/']],
    ['https://portal.example/analysis_page', ['/']],
    ['https://other.example/cases/0009e0cb', ['/']],
    ['https://portal.example/a;b/c', ['/']],
    ['no address', ['/']],
  ])('from %s: the cookies of %j end', async (referer, paths) => {
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Referer: referer,
      Host: 'portal.example',
    }
    const body = `filters=%7B%7D&return_type=manifest&${end}`
    const response = await portal.request('/files', { method: 'POST', headers, body })
    expect(await response.text()).toMatch(/^id\tfilename/)
    const ends = paths.map((path) => `ab12=; Path=${path}; Max-Age=0`)
    expect(response.headers.getSetCookie()).toEqual(ends)
  })

  test('an error leaves the cookie, and the page finds its text', async () => {
    const filters = encodeURIComponent('{"op":"in"}')
    const { response, cookie, text } = await form('/files', `filters=${filters}&${end}`)
    expect([response.status, cookie]).toEqual([400, []])
    expect(text).toMatch(/^\{"error":"/)
  })

  test.each([
    'downloadCookieKey=null&downloadCookiePath=/',
    'downloadCookieKey=a%0D%0Ab&downloadCookiePath=/',
    'downloadCookieKey=a%3D1&downloadCookiePath=/',
    'downloadCookieKey=sessionid&downloadCookiePath=/',
    'downloadCookieKey=ab12&downloadCookiePath=/%3B+Domain%3Dx',
    'downloadCookieKey=ab12&downloadCookiePath=/%0D%0AX:+1',
    'downloadCookieKey=ab12&downloadCookieKey=cd34',
  ])('%s: no cookie', async (named) => {
    const { response, cookie } = await form('/files', `filters=%7B%7D&size=1&${named}`)
    expect([response.status, cookie]).toEqual([200, []])
  })

  // The headers are W3C's Fetch Metadata Request Headers.
  test.each([
    ['same-origin', ['ab12=; Path=/; Max-Age=0']],
    ['same-site', ['ab12=; Path=/; Max-Age=0']],
    ['none', ['ab12=; Path=/; Max-Age=0']],
    ['cross-site', []],
  ])('a page of the site %s ends the cookies %j', async (site, ends) => {
    const headers = { 'Sec-Fetch-Site': site, Host: 'portal.example' }
    const response = await portal.request(`/files?size=1&${end}`, { headers })
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, ends])
  })

  test('nothing that it sends is warned of', async () => {
    const sent = `${end}&tsv_format=x&hash=1&annotations=true&related_files=true`
    const { text } = await form('/files', `filters=%7B%7D&size=1&${sent}`)
    expect(JSON.parse(text).warnings).toEqual({})
  })
})

// The portal and ProteinPaint never merge a cohort into `filters`, because it may name other files than the list.
describe('case_filters choose a set of cases first', () => {
  const all = async (path: string, body: object) =>
    (await posted(path, { size: 100_000, ...body })).body.data.hits as readonly { id: string }[]
  const idsOf = async (path: string, body: object) =>
    (await all(path, { fields: '', ...body })).map(({ id }) => id)

  const or = (...content: readonly unknown[]) => ({ op: 'or', content })
  const and = (...content: readonly unknown[]) => ({ op: 'and', content })
  const not = (op: string, field: string, ...value: readonly unknown[]) => ({
    op,
    content: { field, value },
  })
  const COHORTS: readonly (readonly [string, unknown])[] = [
    ['one condition', is('primary_site', 'kidney')],
    ['two on one file', and(is('files.access', 'open'), is('files.data_format', 'bam'))],
    [
      'two alternatives of one case',
      and(
        or(is('demographic.gender', 'female'), is('demographic.gender', 'male')),
        or(is('demographic.vital_status', 'Dead'), is('files.data_format', 'bam')),
        or(is('primary_site', 'kidney'), is('files.access', 'controlled')),
      ),
    ],
    ['an exclusion of all files', not('excludeifany', 'files.access', 'controlled')],
    ['an exclusion', not('exclude', 'primary_site', 'kidney')],
    ['a missing value', { op: 'is', content: { field: 'demographic.vital_status' } }],
    ['a gene', and(is('genes.symbol', 'TP53'), is('demographic.gender', 'female'))],
    [
      'a gene or another',
      or(is('genes.symbol', 'TP53'), and(is('genes.symbol', 'EGFR'), is('files.access', 'open'))),
    ],
  ]
  const LISTS = [
    ['/cases', 'case_id', is('files.data_format', 'bam')],
    ['/files', 'cases.case_id', and(is('access', 'open'), is('cases.demographic.gender', 'male'))],
    ['/genes', 'case.case_id', is('case.demographic.gender', 'male')],
    ['/ssms', 'occurrence.case.case_id', is('occurrence.case.demographic.gender', 'male')],
    ['/ssm_occurrences', 'case.case_id', is('case.files.access', 'open')],
    ['/projects', 'cases.case_id', is('cases.demographic.gender', 'male')],
    ['/annotations', 'case_id', is('cases.files.access', 'open')],
  ] as const
  const PAIRS = COHORTS.flatMap(([name, cohort]) =>
    LISTS.map(([path, field, filters]) => ({ name, cohort, path, field, filters })),
  )

  // The portal's clinical page needs the whole cohort, also for the field that selects it.
  test.each([
    ['/cases', 'cases.case_id', 'demographic.gender'],
    ['/files', 'cases.case_id', 'cases.demographic.gender'],
  ])('facets of %s count the cohort alone', async (path, idField, facets) => {
    const cohort = is('demographic.gender', 'male')
    const facetsOf = async (body: object) =>
      (await posted(path, { size: 0, facets, ...body })).body.data.aggregations
    const ids = await idsOf('/cases', { filters: cohort })
    const counted = await facetsOf({ case_filters: cohort })
    expect(counted).toEqual(await facetsOf({ filters: is(idField, ...ids) }))
    expect(counted).not.toEqual(await facetsOf({}))
  })

  test.each(PAIRS)('$path by $name', async ({ path, field, cohort, filters }) => {
    const chosen = await idsOf('/cases', { filters: cohort })
    const ofThem = new Set(await idsOf(path, { filters: is(field, ...chosen) }))
    expect(await idsOf(path, { case_filters: cohort })).toEqual([...ofThem])
    const listed = await idsOf(path, { filters })
    expect(await idsOf(path, { case_filters: cohort, filters })).toEqual(
      listed.filter((id) => ofThem.has(id)),
    )
  })

  test('two files of one case', async () => {
    const bam = is('files.data_format', 'bam')
    const other = not('!=', 'files.data_format', 'bam')
    const both = await idsOf('/cases', { case_filters: bam, filters: other })
    expect(both.length).toBeGreaterThan(0)
    const survival = { case_filters: bam, filters: [other] }
    const { body } = await posted('/analysis/survival', survival)
    const known = await posted('/analysis/survival', { filters: [is('case_id', ...both)] })
    expect(body.results[0]?.donors.length).toBe(known.body.results[0].donors.length)
    // No file has both formats.
    const one = and(is('files.data_format', 'bam'), is('files.data_format', 'tsv'))
    expect(await idsOf('/cases', { filters: one })).toEqual([])
  })
})

// ProteinPaint looks the case up by this id, as in tables of mutations.
test.each(['/ssm_occurrences', '/cnv_occurrences'])(
  '%s: tumor_sample_uuid is an aliquot of the case',
  async (path) => {
    const fields = 'case.case_id,case.observation.sample.tumor_sample_uuid'
    const { body } = await posted(path, { fields, size: 20 })
    for (const { case: found } of body.data.hits) {
      const uuid = found.observation[0].sample.tumor_sample_uuid
      const filters = is('samples.portions.analytes.aliquots.aliquot_id', uuid)
      const cases = await posted('/cases', { filters, fields: 'case_id' })
      expect(cases.body.data.hits.map(({ id }: { id: string }) => id)).toEqual([found.case_id])
    }
  },
)

test.each(['arrow', 'parquet'])('%s without a record has the columns asked for', async (format) => {
  const filters = JSON.stringify(is('access', 'nobody'))
  const query = `fields=file_id,file_size,cases.case_id&format=${format}&filters=${filters}`
  const response = await portal.request(`/files?${query}`)
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  for (const name of ['file_id', 'file_size', 'cases.case_id']) expect(text).toContain(name)
})

// The portal's cart requests this format; public programs read File ID, File Name, Sample ID and Sample Type.
test('tsv_format=sample-sheet answers the sample sheet', async () => {
  const fields =
    'file_id,file_name,data_category,data_type,cases.project.project_id,cases.submitter_id'
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const sent = `filters=%7B%7D&fields=${fields}&format=TSV&tsv_format=sample-sheet&size=40&attachment=True`
  const response = await portal.request('/files', { method: 'POST', headers, body: sent })
  const [header, ...lines] = (await response.text()).trimEnd().split('\n')
  expect(header?.split('\t')).toEqual([
    ...['File ID', 'File Name', 'Data Category', 'Data Type', 'Project ID', 'Case ID'],
    ...['Sample ID', 'Sample Type', 'Tissue Type', 'Tumor Descriptor', 'Specimen Type'],
    'Preservation Method',
  ])
  const expand = 'cases,cases.samples,cases.project'
  const { body } = await posted('/files', { size: 40, expand })
  expect(lines).toHaveLength(body.data.hits.length)
  for (const [i, line] of lines.entries()) {
    const file = body.data.hits[i]
    const [id, name, , , projects, cases, samples, types] = line.split('\t')
    expect([id, name]).toEqual([file.file_id, file.file_name])
    const rows = (file.cases ?? []).flatMap((one: { samples?: readonly object[] }) =>
      (one.samples ?? [{}]).map((sample) => ({ case: one, sample })),
    )
    const listed = (values: readonly (string | undefined)[]) =>
      values.some(Boolean) ? values.map((value) => value ?? '').join(', ') : ''
    type Row = {
      case: { submitter_id: string; project: { project_id: string } }
      sample: { submitter_id?: string; sample_type?: string }
    }
    expect([projects, cases, samples, types]).toEqual([
      listed(rows.map((row: Row) => row.case.project.project_id)),
      listed(rows.map((row: Row) => row.case.submitter_id)),
      listed(rows.map((row: Row) => row.sample.submitter_id)),
      listed(rows.map((row: Row) => row.sample.sample_type)),
    ])
  }
})

// The portal builds its facet cards from the mapping, and calls string methods on every description.
test('/gql/_mapping answers the fields of cases and files by their full names', async () => {
  const asked = async (path: string) => JSON.parse(await (await portal.request(path)).text())
  const fields = await asked('/auth/api/v0/gql/_mapping')
  const [cases, files] = await Promise.all(
    ['/cases', '/files'].map((at) => asked(`${at}/_mapping`)),
  )
  const plain = Object.entries<object>(fields).map(([name, field]) => [
    ...[name, { ...field, description: '' }],
  ])
  expect(Object.fromEntries(plain)).toEqual({ ...cases._mapping, ...files._mapping })
  for (const [name, field] of Object.entries<Record<string, unknown>>(fields)) {
    expect(field.full).toBe(name)
    expect(Object.values(field).map((one) => typeof one)).toEqual(Array(5).fill('string'))
  }
  expect(fields['cases.diagnoses.age_at_diagnosis']).toBeDefined()
  expect(fields['files.access']).toBeDefined()
})

// The portal's classification takes an age to be in days, unless its description contains the word year.
test.each([
  ['cases.demographic.age_at_index', true],
  ['cases.exposures.age_at_onset', true],
  ['cases.exposures.age_at_last_exposure', true],
  ['cases.family_histories.relationship_age_at_diagnosis', true],
  ['files.cases.demographic.age_at_index', true],
  ['cases.diagnoses.age_at_diagnosis', false],
])('/gql/_mapping: %s is in years: %j', async (name, isInYears) => {
  const fields = JSON.parse(await (await portal.request('/gql/_mapping')).text())
  expect(fields[name].description.includes('year')).toBe(isInYears)
})

test('/history has the date of the first release of a file', async () => {
  const { body } = await posted('/files', { size: 1, fields: 'data_release' })
  const [{ id, data_release: releases }] = body.data.hits
  const [first] = JSON.parse(await (await portal.request(`/history/${id}`)).text())
  expect(first.data_release).toBe(releases.split(' - ')[0])
  expect(first.release_date).toMatch(/^\d{4}-\d\d-\d\d$/)
})

// The portal's box plot requests this.
test('/case_ssms answers as /cases does', async () => {
  const body = {
    fields: 'diagnoses.age_at_diagnosis',
    filters: { op: 'not', content: { field: 'cases.diagnoses.age_at_diagnosis' } },
    size: 10_000,
  }
  const { status, body: answered } = await posted('/case_ssms', body)
  expect(status).toBe(200)
  expect(answered.data.hits.length).toBeGreaterThan(0)
  expect(answered).toEqual((await posted('/cases', body)).body)
})

// The portal's tables of genes and mutations, with the forms that it posts.
describe('the tables of mutation frequency', () => {
  // The first line of a table downloaded from the public service on 2024-03-18.
  const GENE_COLUMNS = [
    ...['gene_id', 'symbol', 'name', 'cytoband', 'type', 'num_cohort_ssm_affected_cases'],
    ...['num_cohort_ssm_cases', 'cohort_ssm_affected_cases_percentage'],
    ...['num_gdc_ssm_affected_cases', 'num_gdc_ssm_cases', 'gdc_ssm_affected_cases_percentage'],
    ...['num_cohort_cnv_cases', 'num_cohort_cnv_gain_cases', 'cohort_cnv_gain_cases_percentage'],
    ...['num_cohort_cnv_loss_cases', 'cohort_cnv_loss_cases_percentage', 'num_mutations'],
    'annotations',
  ]
  // The columns by which public programs read tables of one gene that were downloaded in 2025.
  const mutationColumns = (affected: string, of: string, percentage: string) => [
    ...['ssm_id', 'dna_change', 'protein_change', 'type', 'consequence', affected, of, percentage],
    ...['num_gdc_ssm_affected_cases', 'num_gdc_ssm_cases', 'gdc_ssm_affected_cases_percentage'],
    ...['vep_impact', 'sift_impact', 'sift_score', 'polyphen_impact', 'polyphen_score'],
  ]
  const COHORT_COLUMNS = mutationColumns(
    ...(['num_cohort_ssm_affected_cases', 'num_cohort_ssm_cases'] as const),
    'cohort_ssm_affected_cases_percentage',
  )

  type Row = Readonly<Record<string, string>>

  async function table(name: string, parameters: Readonly<Record<string, unknown>>) {
    const texts = Object.entries(parameters).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    const response = await portal.request(`/analysis/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams(Object.fromEntries(texts))),
    })
    const text = await response.text()
    const isTable = response.status === 200 && text[0] !== '['
    if (!isTable) return { response, columns: [], rows: [] as Row[], text }
    const [header = '', ...lines] = text.replace(/\n$/, '').split('\n')
    const columns = header.split('\t')
    const rows = lines.map((line): Row => {
      const cells = line.split('\t')
      expect(cells).toHaveLength(columns.length)
      return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
    })
    return { response, columns, rows, text }
  }

  const and = (...content: readonly unknown[]) => ({ op: 'and', content })
  const COHORT = and(is('cases.primary_site', 'kidney'), is('cases.files.access', 'open'))
  const tested = (kind: string) => is('cases.available_variation_data', kind)
  const cases = (...conditions: readonly unknown[]) =>
    totalOf('/cases', { filters: and(...conditions) })
  const percentOf = (part: number, whole: number) => ((100 * part) / whole).toFixed(2)

  /** Ids of the cohort's cases. With them, conditions on its files share no element with other conditions. */
  async function cohortCases() {
    const { body } = await posted('/cases', { filters: COHORT, fields: 'case_id', size: 10_000 })
    return is('cases.case_id', ...body.data.hits.map(({ id }: { id: string }) => id))
  }

  test('genes: each number is what a search counts', async () => {
    const asked = { filters: {}, case_filters: COHORT, attachment: 'true', filename: 'g.tsv' }
    const { response, columns, rows } = await table('top_mutated_genes', asked)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=g.tsv')
    expect(response.headers.get('content-type')).toBe('text/tab-separated-values')
    expect(columns).toEqual(GENE_COLUMNS)
    const cohort = await cohortCases()
    const [ssm, all, cnv] = [
      await cases(cohort, tested('ssm')),
      await cases(tested('ssm')),
      await cases(cohort, tested('cnv')),
    ]
    const scores = rows.map((row) => Number(row.num_cohort_ssm_affected_cases))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    const everyGene = await posted('/analysis/top_mutated_genes_by_project', { filters: cohort })
    expect(rows).toHaveLength(everyGene.body.data.pagination.total)
    for (const row of [...rows.slice(0, 4), ...rows.slice(-2)]) {
      const gene = is('genes.gene_id', row.gene_id)
      const mutated = {
        op: 'not',
        content: { field: 'genes.case.ssm.observation.observation_id', value: 'MISSING' },
      }
      const affected = await cases(cohort, gene, mutated)
      const everywhere = await cases(gene, mutated)
      const copies = (change: string) => cases(cohort, gene, is('cnvs.cnv_change', change))
      const { body } = await posted('/genes', { filters: gene })
      const [record] = body.data.hits
      const [gains, losses] = [await copies('Gain'), await copies('Loss')]
      const mutations = await posted('/ssms', {
        size: 0,
        case_filters: cohort,
        filters: is('genes.gene_id', row.gene_id),
      })
      expect(Object.values(row)).toEqual(
        [
          ...[record.gene_id, record.symbol, record.name ?? '', record.cytoband?.join(', ') ?? ''],
          ...[record.biotype, affected, ssm, percentOf(affected, ssm)],
          ...[everywhere, all, percentOf(everywhere, all)],
          ...[cnv, gains, percentOf(gains, cnv), losses, percentOf(losses, cnv)],
          mutations.body.data.pagination.total,
          record.is_cancer_gene_census ? 'Cancer Gene Census' : '',
        ].map(String),
      )
    }
  })

  /** The expected cells: the canonical consequence as `/ssms` shows it, and the counts. */
  async function mutationCells(row: Row, cohort: unknown, of: number, geneId?: string) {
    const expand =
      'consequence.transcript,consequence.transcript.gene,consequence.transcript.annotation'
    const filters = is('ssms.ssm_id', row.ssm_id)
    const [ssm] = (await posted('/ssms', { filters, expand })).body.data.hits
    const canonical = ssm.consequence
      .map((one: { transcript: unknown }) => one.transcript)
      .filter((one: { is_canonical: boolean }) => one.is_canonical)
    const shown =
      canonical.find((one: { gene: { gene_id: string } }) => one.gene.gene_id === geneId) ??
      canonical[0]
    const occurrences = (...more: readonly unknown[]) =>
      totalOf('/ssm_occurrences', { filters: and(is('ssm.ssm_id', row.ssm_id), ...more) })
    const [affected, everywhere] = [await occurrences(cohort), await occurrences()]
    const all = await cases(tested('ssm'))
    const { vep_impact, sift_impact, sift_score, polyphen_impact, polyphen_score } =
      shown.annotation
    const score = (value?: number) =>
      value === undefined ? '' : Number.isInteger(value) ? `${value}.0` : String(value)
    return [
      ...[ssm.ssm_id, ssm.genomic_dna_change],
      [shown.gene.symbol, shown.aa_change].filter(Boolean).join(' '),
      ...[TYPES[ssm.mutation_subtype as keyof typeof TYPES]],
      ...[CONSEQUENCES[shown.consequence_type as keyof typeof CONSEQUENCES]],
      ...[affected, of, percentOf(affected, of), everywhere, all, percentOf(everywhere, all)],
      ...[vep_impact, sift_impact ?? '', score(sift_score)],
      ...[polyphen_impact ?? '', score(polyphen_score)],
    ].map(String)
  }
  // The patterns by which the portal's own tests find these types in the tables.
  const TYPES = {
    'Single base substitution': 'Substitution',
    'Small deletion': 'Deletion',
    'Small insertion': 'Insertion',
  }
  const CONSEQUENCES = {
    missense_variant: 'Missense',
    synonymous_variant: 'Synonymous',
    frameshift_variant: 'Frameshift',
    stop_gained: 'Stop Gained',
    splice_donor_variant: 'Splice Donor',
    splice_acceptor_variant: 'Splice Acceptor',
    inframe_deletion: 'Inframe Deletion',
  }

  test('mutations: filters say which, case_filters of which cases', async () => {
    const impact = 'ssms.consequence.transcript.annotation.vep_impact'
    const filters = is(impact, 'HIGH')
    const { columns, rows } = await table('top_ssms', { filters, case_filters: COHORT })
    expect(columns).toEqual(COHORT_COLUMNS)
    const cohort = await cohortCases()
    expect(rows).toHaveLength(await totalOf('/ssms', { filters, case_filters: cohort }))
    expect(rows.length).toBeGreaterThan(2)
    const of = await cases(cohort, tested('ssm'))
    for (const row of [rows[0] as Row, rows.at(-1) as Row]) {
      expect(Object.values(row)).toEqual(await mutationCells(row, cohort, of))
    }
  })

  test('mutations of a gene are parts of the cases with any in it', async () => {
    const [{ gene_id: id, symbol }] = (await table('top_mutated_genes', {})).rows as [Row, ...Row[]]
    const { columns, rows } = await table('top_ssms_by_gene', {
      filters: {},
      case_filters: COHORT,
      gene_id: id,
    })
    const names = ['num_ssm_affected_cases', `num_${symbol}_cases`] as const
    expect(columns).toEqual(mutationColumns(...names, 'ssm_affected_cases_percentage'))
    const cohort = await cohortCases()
    const gene = is('genes.gene_id', id)
    expect(rows).toHaveLength(await totalOf('/ssms', { filters: gene, case_filters: cohort }))
    const mutated = {
      op: 'not',
      content: { field: 'genes.case.ssm.observation.observation_id', value: 'MISSING' },
    }
    const of = await cases(cohort, gene, mutated)
    const row = rows[0] as Row
    expect(Object.values(row)).toEqual(await mutationCells(row, cohort, of, id))
  })

  test('mutations of a case are counted over its project', async () => {
    const [hit] = (
      await posted('/ssm_occurrences', { size: 1, fields: 'case.case_id,case.project.project_id' })
    ).body.data.hits
    const { case_id: id, project } = hit.case
    const { columns, rows } = await table('top_ssms_by_case', { filters: {}, case_id: id })
    const name = project.project_id
    const names = [`num_${name}_ssm_affected_cases`, `num_${name}_cases`] as const
    expect(columns).toEqual(mutationColumns(...names, `${name}_ssm_affected_cases_percentage`))
    const own = await totalOf('/ssms', { filters: is('occurrence.case.case_id', id) })
    expect(rows).toHaveLength(own)
    const inProject = is('cases.project.project_id', name)
    const of = await cases(inProject, tested('ssm'))
    const row = rows[0] as Row
    expect(Object.values(row)).toEqual(await mutationCells(row, inProject, of))
  })

  test.each(['top_mutated_genes', 'top_ssms'])(
    '%s as JSON says what the table does',
    async (name) => {
      const { rows } = await table(name, { case_filters: COHORT })
      for (const pretty of ['false', 'true']) {
        const { text } = await table(name, { case_filters: COHORT, format: 'JSON', pretty })
        const body = JSON.parse(text)
        expect(text).toBe(JSON.stringify(body, null, pretty === 'true' ? 2 : 0))
        expect(body.length).toBe(rows.length)
        const cells = Object.entries(body[0]).map(([key, value]) => {
          if (key.endsWith('_percentage')) return Number(value).toFixed(2)
          return value === null
            ? ''
            : key.endsWith('_score') && Number.isInteger(value)
              ? `${value}.0`
              : String(value)
        })
        expect(cells).toEqual(Object.values(rows[0] as Row))
      }
    },
  )

  test('a wrong cohort in filters restricts what counts, and no denominator', async () => {
    const asFilters = await table('top_mutated_genes', {
      filters: is('cases.primary_site', 'kidney'),
    })
    const asCases = await table('top_mutated_genes', {
      case_filters: is('cases.primary_site', 'kidney'),
    })
    const affected = ({ rows }: { rows: readonly Row[] }) =>
      rows.map((row) => [row.gene_id, row.num_cohort_ssm_affected_cases, row.num_mutations])
    expect(affected(asFilters)).toEqual(affected(asCases))
    const [one, other] = [asFilters.rows[0], asCases.rows[0]]
    expect(one?.num_cohort_ssm_cases).toBe(one?.num_gdc_ssm_cases)
    expect(Number(other?.num_cohort_ssm_cases)).toBeLessThan(Number(one?.num_cohort_ssm_cases))
  })

  test.each([
    ['top_ssms_by_gene', {}, 400, /gene_id is missing/],
    ['top_ssms_by_gene', { gene_id: 'ENSG0' }, 404, /no gene with the id "ENSG0"/],
    ['top_ssms_by_case', {}, 400, /case_id is missing/],
    ['top_ssms_by_case', { case_id: 'x' }, 404, /no case with the id "x"/],
    ['top_ssms', { filters: is('cnvs.cnv_change', 'Gain') }, 400, /cnvs\.cnv_change/],
    ['top_mutated_genes', { filters: is('no_such', 'x') }, 400, /no_such/],
  ])('%s %j: %d', async (name, parameters, status, message) => {
    const { response, text } = await table(name, parameters)
    expect([response.status, JSON.parse(text).message]).toEqual([
      status,
      expect.stringMatching(message),
    ])
  })

  test('nobody in the cohort: the header alone', async () => {
    const { columns, rows } = await table('top_mutated_genes', {
      case_filters: is('cases.case_id', 'x'),
    })
    expect([columns, rows]).toEqual([GENE_COLUMNS, []])
  })
})

describe('case_filters choose a set of cases first', () => {
  const and = (...content: readonly unknown[]) => ({ op: 'and', content })
  let cohorts: readonly unknown[] = []
  beforeAll(async () => {
    const { body } = await posted('/analysis/top_mutated_genes_by_project', { size: 3 })
    const genes = body.data.hits.map(({ symbol }: { readonly symbol: string }) => symbol)
    const files = { filters: is('access', 'open'), fields: 'data_format', size: 1 }
    const [opened] = (await posted('/files', files)).body.data.hits
    cohorts = [
      is('cases.demographic.gender', 'female'),
      // All genes of these cases count, not only this one.
      is('genes.symbol', genes[0]),
      and(is('genes.symbol', genes[1]), is('cases.demographic.gender', 'female', 'male')),
      and(is('files.data_format', opened.data_format), is('files.access', 'open')),
    ]
  })

  const genes = is('genes.biotype', 'protein_coding')
  test.each([
    ['/analysis/top_mutated_genes_by_project', { fields: 'symbol', size: 50 }],
    ['/analysis/top_mutated_genes_by_project', { fields: 'symbol', size: 50, filters: genes }],
    ['/analysis/top_mutated_cases_by_gene', { fields: 'submitter_id', size: 50 }],
    ['/analysis/top_mutated_cases_by_gene', { fields: 'case_id', size: 50, filters: genes }],
    ['/analysis/mutated_cases_count_by_project', {}],
    ['/analysis/oncogrid', {}],
    ['/analysis/survival', { filters: [{}] }],
    ['/analysis/top_mutated_genes', { format: 'json' }],
    ['/analysis/top_ssms', { format: 'json' }],
    ['/genes', { fields: 'gene_id', size: 50, filters: genes }],
    ['/ssms', { fields: 'ssm_id', size: 50 }],
    ['/ssm_occurrences', { fields: 'ssm_occurrence_id', size: 50 }],
    ['/files', { fields: 'file_id', size: 50, filters: is('files.data_format', 'BAM') }],
    ['/files', { facets: 'data_type', size: 0 }],
    ['/annotations', { fields: 'annotation_id', size: 50 }],
    ['/cases', { fields: 'case_id', size: 50, filters: is('files.access', 'controlled') }],
    ['/projects', { fields: 'project_id', size: 50 }],
  ])('%s with %j', async (path, body) => {
    for (const cohort of cohorts) {
      const found = await posted('/cases', { filters: cohort, fields: 'case_id', size: 10_000 })
      const ids = found.body.data.hits.map(({ case_id: id }: { readonly case_id: string }) => id)
      expect(ids.length).toBeGreaterThan(0)
      const byFilter = await posted(path, { ...body, case_filters: cohort })
      const byIds = await posted(path, { ...body, case_filters: is('cases.case_id', ...ids) })
      expect(byFilter.status).toBe(200)
      expect({ ...byFilter.body, took: 0 }).toEqual({ ...byIds.body, took: 0 })
    }
  })
})
