import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CommonsServer, startCommons } from './commons-server.ts'
import { type RawAnswer, type RawRequest, sendRaw } from './raw-request.ts'

// Sends the requests of real clients, byte for byte as their sources build them, and checks what the clients
// need from the answers (data-commons.md 8.1 step 2 and 3, 8.2, 8.3). The clients need not be installed.

let server: CommonsServer

beforeAll(async () => {
  server = await startCommons({ scale: 'demo' })
})
afterAll(async () => {
  const problems = server.lines.filter((line) => line.includes('request failed'))
  await server[Symbol.asyncDispose]()
  expect(problems).toEqual([])
})

type Hit = Record<string, never> & { readonly [name: string]: unknown }

interface List {
  readonly data: {
    readonly hits: readonly Hit[]
    readonly aggregations?: Record<
      string,
      {
        readonly buckets?: readonly { readonly key: string; readonly doc_count: number }[]
        readonly stats?: Record<string, number | null>
      }
    >
    readonly pagination: Record<string, number | string>
  }
  readonly warnings: Record<string, string>
}

async function ask(asked: RawRequest): Promise<RawAnswer> {
  const answer = await sendRaw(server.address, asked)
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer
}

async function askJson<Body = List>(asked: RawRequest): Promise<Body> {
  const { headers, text } = await ask(asked)
  expect(headers['content-type']).toBe('application/json')
  return JSON.parse(text)
}

/** Values at a dotted path in a record, through arrays. */
function valuesAt(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((member) => valuesAt(member, path))
  if (path === '') return [value]
  if (typeof value !== 'object' || value === null) return []
  const [name = '', ...rest] = path.split('.')
  return valuesAt((value as Record<string, unknown>)[name], rest.join('.'))
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''

describe('GenomicDataCommons (data-commons.md 8.2)', () => {
  // The package configures httr like this; libcurl adds the codings.
  const headers = {
    'User-Agent': 'libcurl/7.88.1 r-curl/5.2.1 httr/1.4.7',
    'Accept-Encoding': 'deflate, gzip, br, zstd',
    Accept: 'application/json',
    'Content-Type': 'application/json',
  }
  const entities = [
    ...['projects', 'cases', 'files', 'annotations', 'ssms', 'cnvs', 'ssm_occurrences'],
    ...['cnv_occurrences', 'genes'],
  ]
  const parameters = '?format=JSON&pretty=FALSE&size=10&from=0'
  const mappingOf = (entity: string) =>
    askJson<{
      readonly _mapping: Record<string, Record<string, string>>
      readonly defaults: readonly string[]
      readonly expand: readonly string[]
      readonly fields: readonly string[]
    }>({ target: `/${entity}/_mapping${parameters}`, headers })

  /** `response()`: the request behind `results`, `count`, `ids`, `aggregations` and `manifest`. */
  async function post(entity: string, more: Readonly<Record<string, unknown>> = {}) {
    const { defaults } = await mappingOf(entity)
    const body = {
      facets: '',
      fields: defaults.join(','),
      expand: '',
      from: 0,
      size: 10,
      format: 'JSON',
      pretty: 'FALSE',
      ...more,
    }
    const text = JSON.stringify(body)
    return askJson({ method: 'POST', target: `/${entity}`, headers, body: text })
  }

  const total = async (entity: string, filters?: unknown) => {
    const { data } = await post(entity, { size: 1, ...(filters === undefined ? {} : { filters }) })
    return data.pagination.total
  }

  test('status() sees six keys in their order and OK', async () => {
    const status = await askJson<Record<string, unknown>>({
      target: '//status?format=JSON&pretty=FALSE&size=10&from=0',
      headers,
    })
    const keys = ['commit', 'data_release', 'data_release_version', 'status', 'tag', 'version']
    expect(Object.keys(status)).toEqual(keys)
    expect(status.status).toBe('OK')
  })

  test.each(entities)(
    'mapping("%s") becomes a data frame, and its fields agree',
    async (entity) => {
      const mapping = await mappingOf(entity)
      const entries = Object.entries(mapping._mapping)
      expect(entries.length).toBeGreaterThan(0)
      for (const [full, entry] of entries) {
        expect(Object.keys(entry)).toEqual(['description', 'doc_type', 'field', 'full', 'type'])
        expect(entry.full).toBe(full)
        expect(full).toBe(`${entry.doc_type}.${entry.field}`)
      }
      const fields = entries.map(([, { field }]) => field)
      expect([...mapping.fields].sort()).toEqual([...fields].sort())
      for (const field of mapping.defaults) expect(fields).toContain(field)
      expect(mapping.defaults.length).toBeGreaterThan(0)
    },
  )

  test('available_expand() has the groups that the package checks', async () => {
    const cases = ['diagnoses', 'demographic', 'exposures']
    const wanted = [...cases, 'follow_ups.other_clinical_attributes']
    expect((await mappingOf('cases')).expand).toEqual(expect.arrayContaining(wanted))
    const occurrences = ['case', 'ssm', 'case.project']
    expect((await mappingOf('ssm_occurrences')).expand).toEqual(expect.arrayContaining(occurrences))
  })

  test.each(entities)(
    'results(%s()) has the id column, and ids() and count() agree',
    async (entity) => {
      const idField = `${entity.replace(/s$/, '')}_id`
      const { data, warnings } = await post(entity)
      expect(warnings).toEqual({})
      expect(data.hits.length).toBe(10)
      for (const hit of data.hits) {
        expect(isText(hit[idField])).toBe(true)
        expect(hit.id).toBe(hit[idField])
      }
      expect(await total(entity)).toBe(data.pagination.total)
      const second = await post(entity, { from: '10', size: '5', expand: [], facets: [] })
      expect(second.data.pagination).toMatchObject({ from: 10, size: 5, count: 5, page: 3 })
      const ids = new Set([...data.hits, ...second.data.hits].map(({ id }) => id))
      expect(ids.size).toBe(15)
    },
  )

  test('the package finds as much as its own tests expect', async () => {
    for (const entity of ['cases', 'files', 'annotations']) {
      expect(await total(entity)).toBeGreaterThanOrEqual(1000)
    }
    expect(await total('projects')).toBeGreaterThanOrEqual(35)
    const all = await post('projects', { size: Number(await total('projects')) })
    expect(all.data.hits.length).toBe(await total('projects'))
  })

  test('aggregations() of all default fields gives buckets and, for numbers, stats', async () => {
    const { defaults } = await mappingOf('files')
    const { data, warnings } = await post('files', { facets: defaults, size: 1 })
    expect(warnings).toEqual({})
    expect(Object.keys(data.aggregations ?? {}).sort()).toEqual([...defaults].sort())
    const access = data.aggregations?.access?.buckets ?? []
    expect(access.map(({ key }) => key).sort()).toEqual(['controlled', 'open'])
    const counted = access.reduce((sum, { doc_count: count }) => sum + count, 0)
    expect(counted).toBe(data.pagination.total)
    for (const bucket of access)
      expect(bucket.doc_count).toBe(await total('files', equals('access', bucket.key)))
    expect(data.aggregations?.file_size).toEqual({
      stats: {
        count: expect.any(Number),
        min: expect.any(Number),
        max: expect.any(Number),
        avg: expect.any(Number),
        sum: expect.any(Number),
      },
    })
    const one = await post('projects', { facets: 'program.name', size: 0 })
    expect(Object.keys(one.data.aggregations ?? {})).toEqual(['program.name'])
  })

  const leaf = (op: string, field: string, value?: unknown) => ({
    op,
    content: { field, ...(value === undefined ? {} : { value }) },
  })
  const equals = (field: string, value: unknown) => leaf('=', field, value)

  test('filter() in every form of its grammar', async () => {
    const all = Number(await total('files'))
    const open = Number(await total('files', equals('access', 'open')))
    expect(open).toBeGreaterThan(0)
    // `%in%` with one value and with several, `%exclude%`, `!`, missing().
    expect(await total('files', leaf('in', 'access', 'open'))).toBe(open)
    expect(await total('files', leaf('in', 'access', ['open', 'controlled']))).toBe(all)
    expect(await total('files', leaf('exclude', 'access', ['open']))).toBe(all - open)
    expect(await total('files', leaf('NOT', 'access', 'open'))).toBe(all - open)
    const lacking = Number(await total('files', leaf('is', 'platform', 'MISSING')))
    expect(await total('files', leaf('NOT', 'platform', 'MISSING'))).toBe(all - lacking)
    // `&` and `|` take two operands each and nest to the left.
    const parts = ['BAM', 'VCF', 'TSV', 'MAF', 'TXT'].map((format) => equals('data_format', format))
    const either = parts.reduce<unknown>(
      (left, right) => ({ op: 'or', content: [left, right] }),
      parts[0],
    )
    const formats = ['BAM', 'VCF', 'TSV', 'MAF', 'TXT']
    expect(await total('files', either)).toBe(
      await total('files', leaf('in', 'data_format', formats)),
    )
    const both = {
      op: 'and',
      content: [either, equals('cases.project.project_id', 'DEMO-ADRENAL')],
    }
    expect(await total('files', both)).toBeGreaterThan(0)
    const larger = Number(await total('files', leaf('>', 'file_size', '1000000')))
    expect(await total('files', leaf('<=', 'file_size', 1_000_000))).toBe(all - larger)
    // An empty object stands for no filter, because jsonlite writes NULL like this.
    expect(await total('files', {})).toBe(all)
  })

  test('manifest() has the columns that are written to the file', async () => {
    const filters = equals('data_category', 'Clinical')
    const { data } = await post('files', { filters, size: await total('files', filters) })
    expect(data.hits.length).toBe(data.pagination.total)
    for (const hit of data.hits) {
      for (const column of ['id', 'file_name', 'md5sum', 'state'])
        expect(isText(hit[column])).toBe(true)
      expect(hit.file_size).toEqual(expect.any(Number))
      expect(hit.acl).toEqual(expect.arrayContaining([expect.any(String)]))
      expect(Object.keys(hit).length).toBeGreaterThanOrEqual(6)
    }
  })

  test('gdc_clinical() gets one demographic and lists of the rest', async () => {
    const some = await post('cases', { fields: 'case_id', size: 50 })
    const ids = some.data.hits.map((hit) => hit.case_id)
    const expand = ['diagnoses', 'demographic', 'exposures', 'follow_ups.other_clinical_attributes']
    const filters = leaf('in', 'case_id', ids)
    expect(await total('cases', filters)).toBe(50)
    const { data, warnings } = await post('cases', { filters, expand, size: 50 })
    expect(warnings).toEqual({})
    for (const hit of data.hits) {
      expect(isText(hit.submitter_id)).toBe(true)
      if ('demographic' in hit) expect(Array.isArray(hit.demographic)).toBe(false)
      for (const group of ['diagnoses', 'exposures', 'follow_ups']) {
        if (group in hit) expect(Array.isArray(hit[group])).toBe(true)
      }
    }
    for (const group of ['demographic', 'diagnoses', 'exposures', 'follow_ups']) {
      expect(
        data.hits.some((hit) => group in hit),
        group,
      ).toBe(true)
    }
  })
})

describe('TCGAbiolinks (data-commons.md 8.3)', () => {
  const headers = {
    'User-Agent': 'libcurl/7.88.1 r-curl/5.2.1 httr/1.4.7',
    'Accept-Encoding': 'deflate, gzip, br, zstd',
    Accept: 'application/json, text/xml, application/xml, */*',
  }
  const get = <Body = List>(target: string) => askJson<Body>({ target, headers })
  /** `utils::URLencode`, which keeps the characters that RFC 3986 reserves. */
  const urlEncode = (text: string) =>
    encodeURIComponent(text).replace(
      /%(5B|5D|21|24|26|27|28|29|2A|2B|2C|3B|3D|3A|2F|3F|40|23)/g,
      (encoded) => decodeURIComponent(encoded),
    )
  const inList = (field: string, values: readonly string[]) =>
    `{"op":"in","content":{"field":"${field}","value":["${values.join('","')}"]}}`
  const project = 'DEMO-ADRENAL'

  test('every entry point asks for the status and the projects first', async () => {
    expect((await get<Record<string, unknown>>('/status')).status).toBe('OK')
    const { data } = await get('/projects?size=1000&format=json')
    expect(data.hits.length).toBe(data.pagination.total)
    for (const hit of data.hits) {
      expect(hit.id).toBe(hit.project_id)
      expect(hit.project_id).toContain('-')
      expect(isText(hit.name)).toBe(true)
    }
    expect(data.hits.map(({ id }) => id)).toContain(project)
  })

  const summaryOf = async () => {
    const target = `/projects/${project}?expand=summary,summary.data_categories&pretty=true`
    type Single = { readonly data: { readonly summary: Record<string, unknown> } }
    return (await get<Single>(target)).data.summary
  }

  test('the summary has its groups where they are not named', async () => {
    const target = `/projects/${project}?expand=summary&fields=project_id`
    const { data } = await get<{ readonly data: { readonly summary: object } }>(target)
    const { data_categories, ...others } = await summaryOf()
    expect(data.summary).toEqual({
      ...others,
      data_categories,
      experimental_strategies: expect.arrayContaining([
        expect.objectContaining({ experimental_strategy: expect.any(String) }),
      ]),
    })
  })

  test('getProjectSummary() has counts by data category', async () => {
    const summary = await summaryOf()
    expect(summary.file_count).toEqual(expect.any(Number))
    expect(summary.case_count).toEqual(expect.any(Number))
    const categories = summary.data_categories as readonly Record<string, unknown>[]
    expect(categories.length).toBeGreaterThan(3)
    for (const category of categories) {
      expect(isText(category.data_category)).toBe(true)
      expect(category.file_count).toEqual(expect.any(Number))
      expect(category.case_count).toEqual(expect.any(Number))
    }
  })

  /** The URL that `GDCquery` builds. */
  const queryTarget = (expand: string, size: number, conditions: readonly string[]) => {
    const filters = `{"op":"and","content":[${conditions.join(',')}]}`
    const options = [
      'pretty=true',
      `expand=${expand}`,
      `size=${size}`,
      `filters=${urlEncode(filters)}`,
    ]
    return `/files/?${[...options, 'format=JSON'].join('&')}`
  }
  const wide =
    'cases,cases.samples.portions.analytes.aliquots,cases.project,center,analysis,cases.samples'

  test('GDCquery() has the columns of its results', async () => {
    const conditions = [
      inList('cases.project.project_id', [project]),
      inList('files.experimental_strategy', ['RNA-Seq']),
      inList('files.data_category', ['Transcriptome Profiling']),
      inList('files.access', ['open']),
      inList('cases.samples.sample_type', ['Primary Tumor', 'Solid Tissue Normal']),
    ]
    const { data, warnings } = await get(queryTarget(wide, 1000, conditions))
    expect(warnings).toEqual({})
    expect(data.pagination.count).toBeGreaterThan(0)
    const columns = [
      ...['file_id', 'file_name', 'md5sum', 'state', 'data_type', 'data_category', 'access'],
      ...['experimental_strategy', 'data_format'],
    ]
    for (const hit of data.hits) {
      for (const column of columns) expect(isText(hit[column]), column).toBe(true)
      expect(hit.file_size).toEqual(expect.any(Number))
      expect(hit.access).toBe('open')
      expect(valuesAt(hit, 'cases.project.project_id')).toContain(project)
      for (const path of ['submitter_id', 'sample_type']) {
        expect(valuesAt(hit, `cases.samples.${path}`).some(isText), path).toBe(true)
      }
      const aliquots = valuesAt(hit, 'cases.samples.portions.analytes.aliquots.submitter_id')
      expect(aliquots.some(isText)).toBe(true)
      expect(Array.isArray(hit.analysis)).toBe(false)
      for (const path of ['analysis.analysis_id', 'analysis.workflow_type']) {
        expect(valuesAt(hit, path).every(isText), path).toBe(true)
      }
      if ('center' in hit) expect(Array.isArray(hit.center)).toBe(false)
    }
    // Nothing matches this workflow and platform, so the package asks again without them.
    const none = [...conditions, inList('files.analysis.workflow_type', ['HTSeq - Counts'])]
    const more = [...none, inList('files.platform', ['Illumina HiSeq'])]
    expect((await get(queryTarget(wide, 1000, more))).data.pagination.count).toBe(0)
  })

  test('GDCquery() of clinical supplements asks for less', async () => {
    const conditions = [
      inList('cases.project.project_id', [project]),
      inList('files.data_category', ['Clinical']),
    ]
    const { data } = await get(queryTarget('cases,cases.project,center,analysis', 1000, conditions))
    expect(data.pagination.count).toBeGreaterThan(0)
    for (const hit of data.hits) expect(valuesAt(hit, 'cases.submitter_id').some(isText)).toBe(true)
  })

  const clinicTarget = (expand: string, filters: string, size: string) =>
    `/cases/?pretty=true&expand=${expand}&size=${size}&filters=${filters}&format=json`
  const clinical =
    'diagnoses,follow_ups,diagnoses.treatments,annotations,family_histories,demographic,exposures'

  test('GDCquery_clinic() finds the columns that it takes apart by name', async () => {
    const filters = urlEncode(
      `{"op":"and","content":[${inList('cases.project.project_id', [project])}]}`,
    )
    const { data, warnings } = await get(clinicTarget(clinical, filters, '2000'))
    expect(warnings).toEqual({})
    expect(data.hits.length).toBe(data.pagination.total)
    const suffixes = {
      diagnoses: /_diagnosis\d*$/,
      demographic: /_demographic$/,
      exposures: /_exposure\d*$/,
      follow_ups: /_follow_up\d*$/,
      'diagnoses.treatments': /_treatment\d*$/,
    }
    for (const [group, suffix] of Object.entries(suffixes)) {
      const found = data.hits.flatMap((hit) =>
        valuesAt(hit, `${group}.submitter_id`).map((id) => [hit.submitter_id, id]),
      )
      expect(found.length, group).toBeGreaterThan(0)
      for (const [owner, id] of found) {
        expect(String(id)).toMatch(suffix)
        expect(String(id).startsWith(String(owner))).toBe(true)
      }
    }
    for (const group of ['demographic', 'exposures']) {
      for (const column of ['updated_datetime', 'created_datetime', 'state']) {
        const values = data.hits.flatMap((hit) => valuesAt(hit, `${group}.${column}`))
        expect(values.length, `${group}.${column}`).toBeGreaterThan(0)
        expect(values).not.toContain(undefined)
      }
    }
    for (const column of ['days_to_follow_up', 'disease_response']) {
      const values = data.hits.flatMap((hit) => valuesAt(hit, `follow_ups.${column}`))
      expect(
        values.some((value) => value !== undefined && value !== null),
        column,
      ).toBe(true)
    }
    // The package sends NA if it could not determine the size.
    expect((await get(clinicTarget(clinical, filters, ''))).data.pagination.size).toBe(10)
  })

  test('GDCquery_clinic() of biospecimen goes down to the aliquots', async () => {
    const groups = ['samples', 'samples.portions', 'samples.portions.analytes']
    const expand = [...groups, 'samples.portions.analytes.aliquots'].join()
    const filters = urlEncode(
      `{"op":"and","content":[${inList('cases.project.project_id', [project])}]}`,
    )
    const { data } = await get(clinicTarget(expand, filters, '2000'))
    const aliquots = data.hits.flatMap((hit) =>
      valuesAt(hit, 'samples.portions.analytes.aliquots.submitter_id'),
    )
    expect(aliquots.filter(isText).length).toBeGreaterThan(data.hits.length)
  })

  test('getDataCategorySummary() takes fields together with expand', async () => {
    const filters = urlEncode(
      `{"op":"and","content":[${inList('cases.project.project_id', [project])}]}`,
    )
    const fields = 'cases.submitter_id,data_category'
    // R prints a hundred thousand in two ways, depending on how it was computed.
    for (const size of ['100000', '1e+05']) {
      const target = `/files/?&expand=cases&size=${size}&fields=${fields}&filters=${filters}`
      const { data } = await get(target)
      expect(data.pagination).toMatchObject({ size: 100_000, count: data.pagination.total })
      for (const hit of data.hits) {
        expect(isText(hit.data_category)).toBe(true)
        // Only the requested fields are returned, without the default ones.
        expect(hit).not.toHaveProperty('file_name')
        expect(valuesAt(hit, 'cases.submitter_id').some(isText)).toBe(true)
      }
    }
  })

  test('getSampleFilesSummary() gets the files of each case', async () => {
    const filters = urlEncode(
      `{"op":"and","content":[${inList('cases.project.project_id', [project])}]}`,
    )
    const expand = 'summary,summary.data_categories,files'
    const target = `/cases/?pretty=true&expand=${expand}&size=1000&filters=${filters}`
    const { data } = await get(target)
    const files = data.hits.flatMap((hit) => (hit.files as readonly Hit[] | undefined) ?? [])
    expect(files.length).toBeGreaterThan(data.hits.length)
    for (const column of ['data_category', 'data_type', 'experimental_strategy', 'platform']) {
      expect(
        files.some((file) => isText(file[column])),
        column,
      ).toBe(true)
    }
  })

  test('getSubmitterID() expands a field, which is no group', async () => {
    const filters = urlEncode(
      `{"op":"and","content":[${inList('cases.project.project_id', [project])}]}`,
    )
    const options = 'pretty=true&expand=files.access&fields=submitter_id&size=1000'
    const { data, warnings } = await get(`/cases/?${options}&filters=${filters}`)
    expect(warnings).toEqual({})
    for (const hit of data.hits) expect(isText(hit.submitter_id)).toBe(true)
    expect(data.hits.flatMap((hit) => valuesAt(hit, 'files.access'))).toContain('open')
  })

  test('getBarcodeInfo() asks with raw quotes for cases, samples and aliquots at once', async () => {
    const some = await get(
      `/cases?fields=submitter_id,submitter_sample_ids,submitter_aliquot_ids&size=20`,
    )
    const barcodes = [
      ...some.data.hits.slice(0, 8).map((hit) => hit.submitter_id),
      ...some.data.hits.slice(8, 16).map((hit) => valuesAt(hit, 'submitter_sample_ids')[0]),
      ...some.data.hits.slice(16).map((hit) => valuesAt(hit, 'submitter_aliquot_ids')[0]),
    ].filter(isText) as string[]
    const expand =
      'samples,follow_ups,project,diagnoses,diagnoses.treatments,annotations,family_histories,demographic,exposures'
    const quoted = barcodes.map((barcode) => `"${barcode}"`).join(',')
    const one = (field: string) =>
      `${urlEncode(`{"op":"in","content":{"field":"${field}","value":[`)}${quoted}${urlEncode(']}}')}`
    const conditions = ['cases.submitter_id', 'submitter_sample_ids', 'submitter_aliquot_ids'].map(
      one,
    )
    const filters = `${urlEncode('{"op":"or","content":[')}${conditions.join(',')}${urlEncode(']}')}`
    expect(filters).toContain('"')
    const target = `/cases/?pretty=true&expand=${expand}&size=${barcodes.length}&filters=${filters}`
    const { data, warnings } = await get(target)
    expect(warnings).toEqual({})
    expect(data.hits.length).toBe(barcodes.length)
    for (const hit of data.hits) {
      expect(valuesAt(hit, 'samples.submitter_id').some(isText)).toBe(true)
      expect(valuesAt(hit, 'project.project_id').every(isText)).toBe(true)
    }
  })

  test('getAliquot_ids() and getFFPE() get fields far down, one of them a legacy one', async () => {
    const aliquot = 'samples.portions.analytes.aliquots'
    const fields = `${aliquot}.aliquot_id,${aliquot}.submitter_id`
    const { data, warnings } = await get(`/cases/?fields=${fields}&size=10`)
    expect(warnings).toEqual({})
    for (const hit of data.hits) {
      expect(valuesAt(hit, `${aliquot}.aliquot_id`).length).toBe(
        valuesAt(hit, `${aliquot}.submitter_id`).length,
      )
    }
    const samples = await get('/cases/?pretty=true&expand=samples&size=100')
    const marks = samples.data.hits.flatMap((hit) => valuesAt(hit, 'samples.is_ffpe'))
    expect(marks.some((mark) => typeof mark === 'boolean')).toBe(true)
  })
})

describe('gdc-client (data-commons.md 8.1, steps 2 and 3)', () => {
  const headers = {
    'User-Agent': 'gdc-client/1.6.1',
    'Accept-Encoding': 'gzip, deflate',
    Accept: '*/*',
    'Content-Type': 'application/json',
  }
  const wanted = ['file_id', 'file_size', 'md5sum', 'access']
  const lists = ['annotations.annotation_id', 'metadata_files.file_id', 'index_files.file_id']

  test('files are described from all-string values and a filter inside a text', async () => {
    const { data } = await askJson({ target: '/v0/files?size=25', headers })
    const ids = data.hits.map(({ id }) => id)
    const condition = { op: 'in', content: { field: 'files.file_id', value: ids } }
    const body = JSON.stringify({
      fields: [...wanted, ...lists].join(','),
      filters: JSON.stringify({ op: 'and', content: [condition] }),
      from: '0',
      size: String(ids.length),
    })
    const found = await askJson({ method: 'POST', target: '/v0/files', headers, body })
    expect(found.data.hits.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const hit of found.data.hits) {
      expect(['open', 'controlled']).toContain(hit.access)
      expect(hit.file_size).toEqual(expect.any(Number))
      expect(hit.md5sum).toMatch(/^[0-9a-f]{32}$/)
    }
    const legacy = { method: 'POST', target: '/v0/legacy/files', headers, body } as const
    const refused = await sendRaw(server.address, legacy)
    expect(refused.status).toBe(404)
    expect(JSON.parse(refused.text)).toHaveProperty('error')
  })
})
