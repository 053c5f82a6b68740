import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MadePortal } from './graphql/support/made-portal.ts'

// Sets are used in every place that takes filters, and must give the same answer as the ids of their members
// (docs/reference/sets.md).

let portal: MadePortal
let clock = new Date('2026-01-05T10:00:00Z')

beforeAll(async () => {
  portal = await MadePortal.open(() => clock)
})
afterAll(() => portal[Symbol.asyncDispose]())

type Json = Readonly<Record<string, unknown>>

async function asked(path: string, body?: Json, method = body ? 'POST' : 'GET') {
  const response = await portal.request(path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined, response }
}

const is = (field: string, ...value: readonly string[]) => ({ op: 'in', content: { field, value } })
const and = (...content: readonly unknown[]) => ({ op: 'and', content })

async function idsOf(dataset: string, idField: string, request: Json = {}): Promise<string[]> {
  const { body } = await asked(`/${dataset}`, { fields: idField, size: 10_000, ...request })
  return body.data.hits.map((hit: Record<string, string>) => hit[idField]).toSorted()
}

async function make(type: string, request: Json = {}) {
  const { status, body } = await asked('/sets', { type, ...request })
  expect(status).toBe(201)
  return body.data as { readonly set_id: string; readonly size: number; readonly lost: number }
}

const FEMALE = is('cases.demographic.gender', 'female')

describe('a set of cases', () => {
  let ids: string[] = []
  let others: string[] = []
  let setId = ''
  const inSet = () => is('cases.case_id', `set_id:${setId}`)
  const inIds = () => is('cases.case_id', ...ids)

  beforeAll(async () => {
    ids = await idsOf('cases', 'case_id', { filters: FEMALE })
    const all = await idsOf('cases', 'case_id')
    others = all.filter((id) => !ids.includes(id))
    const { set_id, size } = await make('case', { filters: FEMALE, set_type: 'ephemeral' })
    setId = set_id
    expect(size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(2)
    expect(others.length).toBeGreaterThan(2)
  })

  test('filters as its members do, by every operator, alone and beside ids and other sets', async () => {
    const few = await make('case', { filters: is('cases.case_id', others[0] as string) })
    const value = [`set_id:${setId}`, others[1] as string, `set_id:${few.set_id}`]
    const wanted = [...ids, ...others.slice(0, 2)].toSorted()
    expect(await idsOf('cases', 'case_id', { filters: inSet() })).toEqual(ids)
    expect(await idsOf('cases', 'case_id', { filters: is('case_id', ...value) })).toEqual(wanted)
    for (const op of ['=', 'IN']) {
      const one = { op, content: { field: 'cases.case_id', value: `set_id:${setId}` } }
      expect(await idsOf('cases', 'case_id', { filters: one })).toEqual(ids)
    }
    for (const op of ['exclude', 'excludeifany', '!=']) {
      const one = { op, content: { field: 'cases.case_id', value: [`set_id:${setId}`] } }
      expect(await idsOf('cases', 'case_id', { filters: one })).toEqual(others)
    }
  })

  test('an or of several sets is one list', async () => {
    const few = await make('case', { filters: is('cases.case_id', others[0] as string) })
    const either = {
      op: 'or',
      content: [inSet(), is('cases.case_id', `set_id:${few.set_id}`)],
    }
    const wanted = [...ids, others[0]].toSorted()
    expect(await idsOf('cases', 'case_id', { filters: either })).toEqual(wanted)
  })

  // Each place is requested twice: with the set, and with the ids of its members.
  const PLACES: readonly (readonly [what: string, path: string, body: (set: unknown) => Json])[] = [
    ['files', '/files', (set) => ({ filters: set, fields: 'file_id', size: 20 })],
    ['case_filters', '/files', (set) => ({ case_filters: set, fields: 'file_id', size: 20 })],
    ['facets', '/cases', (set) => ({ filters: set, facets: 'primary_site', size: 0 })],
    ['a manifest', '/files', (set) => ({ filters: set, return_type: 'manifest' })],
    ['a DRS manifest', '/files', (set) => ({ filters: set, return_type: 'drs_manifest' })],
    ['Parquet', '/cases', (set) => ({ filters: set, fields: 'case_id', format: 'parquet' })],
    ['clinical tables', '/clinical_tar', (set) => ({ case_filters: set, format: 'JSON' })],
    ['biospecimen tables', '/biospecimen_tar', (set) => ({ filters: set, format: 'JSON' })],
    ['survival', '/analysis/survival', (set) => ({ filters: [set, and(set)] })],
    ['groups', '/analysis/compare_fields', (set) => ({ filters: [set, {}] })],
    ['genes of groups', '/analysis/enrichment', (set) => ({ filters: [set, {}] })],
    ['top genes', '/analysis/top_mutated_genes_by_project', (set) => ({ case_filters: set })],
    ['the table of genes', '/analysis/top_mutated_genes', (set) => ({ case_filters: set })],
    ['the table of mutations', '/analysis/top_ssms', (set) => ({ case_filters: set })],
    ['an oncogrid', '/analysis/oncogrid', (set) => ({ case_filters: set })],
    ['pairs of genes', '/analysis/gene_associations', (set) => ({ case_filters: set })],
    ['mutations of cases', '/analysis/mutation_burden', (set) => ({ case_filters: set })],
    ['segments', '/analysis/copy_number_segments', (set) => ({ case_filters: set })],
    [
      'variables',
      '/analysis/variables',
      (set) => ({ case_filters: set, x: 'primary_site', y: 'burden' }),
    ],
    ['cases for box plots', '/case_ssms', (set) => ({ filters: set, fields: 'case_id' })],
    ['occurrences', '/ssm_occurrences', (set) => ({ filters: set, fields: 'case.case_id' })],
  ]
  test.each(PLACES)('is taken in %s', async (_, path, body) => {
    const [bySet, byIds] = [await asked(path, body(inSet())), await asked(path, body(inIds()))]
    expect(bySet.status).toBe(200)
    expect(bySet.text).toBe(byIds.text)
    const none = await asked(path, body(is('cases.case_id', 'nobody')))
    expect(bySet.text).not.toBe(none.text)
  })

  test('in a query string, as JSON text', async () => {
    const filters = encodeURIComponent(JSON.stringify(inSet()))
    const { body } = await asked(`/cases?filters=${filters}&size=0`)
    expect(body.data.pagination.total).toBe(ids.length)
    expect(body.warnings).toEqual({})
  })

  test('is refused where a field holds something else', async () => {
    const { status, body } = await asked('/genes', {
      filters: is('genes.gene_id', `set_id:${setId}`),
    })
    expect(status).toBe(400)
    expect(body.message).toContain('names a set of cases')
    const plain = await asked('/cases', { filters: is('primary_site', `set_id:${setId}`) })
    expect(plain.status).toBe(400)
  })

  test('an unknown one matches nothing and excludes nothing', async () => {
    for (const id of ['0'.repeat(32), 'gone', '']) {
      const { status, body } = await asked('/cases', {
        filters: is('cases.case_id', `set_id:${id}`),
      })
      expect([status, body.data.pagination.total, body.warnings]).toEqual([200, 0, {}])
    }
    const not = { op: 'exclude', content: { field: 'cases.case_id', value: ['set_id:gone'] } }
    expect(await idsOf('cases', 'case_id', { filters: not })).toHaveLength(
      ids.length + others.length,
    )
  })

  test('its ids are a table, alone or with others in an archive', async () => {
    const { text } = await asked(`/sets/${setId}/ids`)
    expect(text).toBe(`case_id\n${ids.join('\n')}\n`)
    const genes = await make('gene', { size: 3 })
    const form = (sets: readonly Json[]) =>
      portal.request('/tar_sets', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: [
          ...sets.map((set) => `sets=${encodeURIComponent(JSON.stringify(set))}`),
          'attachment=true&filters=%7B%7D&filename=both.tar.gz',
          'downloadCookieKey=ab12&downloadCookiePath=/',
        ].join('&'),
      })
    const one = await form([{ id: setId, type: 'case', filename: 'c.tsv' }])
    expect(one.headers.get('content-disposition')).toContain('c.tsv')
    expect(one.headers.get('set-cookie')).toContain('ab12=')
    expect(await one.text()).toBe(text)
    const both = await form([
      { id: setId, type: 'case', filename: '../c.tsv' },
      { id: genes.set_id, type: 'gene', filename: 'g.tsv' },
    ])
    expect(both.headers.get('content-disposition')).toContain('both.tar.gz')
    const tar = gunzipSync(Buffer.from(await both.arrayBuffer())).toString('latin1')
    expect(tar).toContain(`case_id\n${ids[0]}\n`)
    expect(tar).toContain('g.tsv')
    expect(tar).not.toContain('../')
    const unknown = await form([{ id: 'f'.repeat(32), type: 'case', filename: 'x' }])
    expect([unknown.status, unknown.headers.get('set-cookie')]).toEqual([404, null])
    expect(await unknown.text()).toMatch(/^\{"error":"/)
  })
})

// Covers every endpoint that takes filters according to the API description, including new ones.
describe('in every endpoint with filters', () => {
  interface Described {
    readonly $ref?: string
    readonly properties?: Readonly<Record<string, unknown>>
  }
  type Post = {
    readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Described }>> }
  }
  /** Endpoints whose `filters` is an array. */
  const LISTS = ['/analysis/compare_fields', '/analysis/enrichment', '/analysis/survival']
  /** The other required parameters of an endpoint. */
  let required: Readonly<Record<string, Json>> = {}
  let places: readonly (readonly [path: string, name: string])[] = []
  let kinds: readonly (readonly [field: string, set: string, ids: readonly string[]])[] = []

  beforeAll(async () => {
    const { body } = await asked('/openapi.json')
    const described = Object.entries<{ readonly post?: Post }>(body.paths)
    places = described.flatMap(([path, { post }]) => {
      const schema = post?.requestBody?.content['application/json']?.schema
      const shared = body.components.schemas[schema?.$ref?.split('/').at(-1) ?? '']
      const { properties = {} }: Described = shared ?? schema ?? {}
      const names = Object.keys(properties).filter((name) =>
        /^(other_case_|case_)?filters$/.test(name),
      )
      // These endpoints store filters instead of applying them.
      return path.includes('{') || path === '/sets' || path === '/cohorts'
        ? []
        : names.map((name) => [path, name] as const)
    })
    const all = { case: 'cases', gene: 'genes', ssm: 'ssms', file: 'files' }
    kinds = await Promise.all(
      Object.entries(all).map(async ([type, dataset]) => {
        const ids = (await idsOf(dataset, `${type}_id`)).slice(0, 12)
        const { set_id: id } = await make(type, { filters: is(`${dataset}.${type}_id`, ...ids) })
        return [`${dataset}.${type}_id`, `set_id:${id}`, ids] as const
      }),
    )
    const [gene, occurrence] = await Promise.all([
      asked('/analysis/top_mutated_genes_by_project', { size: 1, fields: 'gene_id' }),
      asked('/ssm_occurrences', { size: 1, fields: 'case.case_id' }),
    ])
    const [{ gene_id }] = gene.body.data.hits
    required = {
      '/analysis/gene_changes': { gene_id },
      '/analysis/variables': { x: 'primary_site', y: 'burden' },
      '/analysis/gene_copy_numbers': { gene_id },
      '/analysis/top_cases_counts_by_genes': { gene_ids: gene_id },
      '/analysis/top_ssms_by_gene': { gene_id },
      '/analysis/top_ssms_by_case': { case_id: occurrence.body.data.hits[0].case.case_id },
      '/gene_expression/coexpression': { gene_id },
      '/gene_expression/gene_selection': { selection_size: 3 },
      '/gene_expression/values': { tsv_units: 'uqfpkm', gene_ids: [gene_id] },
      '/gene_expression/set_scores': { gene_ids: [gene_id] },
      '/gene_expression/availability': { gene_ids: [gene_id] },
      '/gene_expression/differential': { case_filters: is('cases.primary_site', 'kidney') },
    }
    expect(places.length).toBeGreaterThan(50)
  })

  test.each(['in', 'excludeifany'])('%s a set is answered as its ids', async (op) => {
    const refused: string[] = []
    for (const [path, name] of places) {
      for (const [field, set, ids] of kinds) {
        const of = (...value: readonly string[]) => {
          const filter = { op, content: { field, value } }
          const isList = LISTS.includes(path) && name === 'filters'
          const body = { size: 20, ...required[path], [name]: isList ? [filter] : filter }
          // The portal's endpoints report nothing about an id without a record.
          return asked(`/auth/api/v0${path}`, body)
        }
        const [bySet, byIds] = [await of(set), await of(...ids)]
        const place = `${path} ${name} ${field}`
        // The answer of cases by project contains the time taken, which is removed.
        const [own, wanted] = [bySet, byIds].map(({ text }) => text.replace(/^\{"took":\d+/, ''))
        expect([place, bySet.status, own]).toEqual([place, byIds.status, wanted])
        if (bySet.status !== 200) refused.push(place)
      }
    }
    // Whether a place accepts this name.
    const isTaken = ([path, name]: (typeof places)[number]) =>
      refused.filter((one) => one.startsWith(`${path} ${name} `)).length < kinds.length
    const withExpression = places.filter((place) => !isTaken(place)).map(([path]) => path)
    expect(withExpression.filter((path) => !path.startsWith('/gene_expression/'))).toEqual([])
  })

  test('beside ids, in the genes of consequences', async () => {
    const [, set, ids] = kinds[1] as (typeof kinds)[number]
    const others = (await idsOf('genes', 'gene_id')).slice(30, 33)
    const found = await idsOf('ssms', 'ssm_id', { filters: is('genes.gene_id', set, ...others) })
    expect(found).toEqual(
      await idsOf('ssms', 'ssm_id', { filters: is('genes.gene_id', ...ids, ...others) }),
    )
    expect(found.length).toBeGreaterThan(0)
  })

  test('but not in ids of another database', async () => {
    const [, set] = kinds[1] as (typeof kinds)[number]
    const { status, body } = await asked('/ssms', {
      filters: is('clinical_annotations.civic.gene_id', set),
    })
    expect([status, body.message]).toEqual([400, expect.stringContaining('names a set of genes')])
  })
})

describe('a set that is changed', () => {
  test('grows and shrinks under its id, and an answer before is none after', async () => {
    const all = await idsOf('genes', 'gene_id')
    const [a, b, c, ...rest] = all as [string, string, string, ...string[]]
    const made = await make('gene', {
      filters: is('genes.gene_id', a, b, 'ENSG_UNKNOWN'),
      intent: 'user',
    })
    expect(made.size).toBe(2)
    const filters = encodeURIComponent(JSON.stringify(is('genes.gene_id', `set_id:${made.set_id}`)))
    const path = `/genes?filters=${filters}&size=0`
    const before = await asked(path)
    expect(before.body.data.pagination.total).toBe(2)
    const etag = before.response.headers.get('etag') ?? ''
    const append = (body: Json) => asked(`/sets/${made.set_id}/append`, body)
    const appended = await append({ filters: is('genes.gene_id', a, c), size: 5 })
    expect(appended.body.data).toMatchObject({ set_id: made.set_id, size: 3, lost: 0 })
    const after = await portal.request(path, { headers: { 'If-None-Match': etag } })
    expect(after.status).toBe(200)
    expect(JSON.parse(await after.text()).data.pagination.total).toBe(3)
    expect((await append({ size: 0 })).body.data.size).toBe(3)
    const own = is('genes.gene_id', `set_id:${made.set_id}`)
    const more = await append({ filters: { ...own, op: 'excludeifany' }, size: 2 })
    expect(more.body.data.size).toBe(5)
    expect(await idsOf('genes', 'gene_id', { filters: own })).toEqual(
      [a, b, c, ...rest.slice(0, 2)].toSorted(),
    )
    const less = await asked(`/sets/set_id:${made.set_id}/remove`, {
      filters: is('gene_id', ...rest),
    })
    expect(less.body.data.size).toBe(3)
    expect((await asked(`/sets/${made.set_id}`, undefined, 'DELETE')).status).toBe(204)
    expect((await asked(`/sets/${made.set_id}`)).status).toBe(404)
    expect((await append({})).status).toBe(404)
  })

  test('by several at the same time has the members of the one that is reported', async () => {
    const all = await idsOf('genes', 'gene_id')
    for (let round = 0; round < 5; round++) {
      const { set_id } = await make('gene', { filters: is('genes.gene_id', all[0] as string) })
      const others = all.slice(1, 7)
      const changes = await Promise.all(
        others.map((one) => asked(`/sets/${set_id}/append`, { filters: is('genes.gene_id', one) })),
      )
      const made = others.filter((_, i) => changes[i]?.status === 200)
      expect(made.length).toBeGreaterThan(0)
      expect(changes.filter(({ status }) => status === 409)).toHaveLength(6 - made.length)
      const members = [all[0], ...made]
      const filters = is('genes.gene_id', `set_id:${set_id}`)
      expect(await idsOf('genes', 'gene_id', { filters })).toEqual(members)
      expect((await asked(`/sets/${set_id}/ids`)).text).toBe(`gene_id\n${members.join('\n')}\n`)
    }
  })

  test('a frozen one is not', async () => {
    const { set_id } = await make('case', { set_type: 'frozen', size: 1 })
    expect((await asked(`/sets/${set_id}/append`, { size: 1 })).status).toBe(409)
  })
})

describe('sets together', () => {
  test('make another one, and every part is counted', async () => {
    const all = await idsOf('ssms', 'ssm_id')
    const lists = [all.slice(0, 6), all.slice(3, 8), all.slice(5, 10)]
    const sets = await Promise.all(
      lists.map((ids) => make('ssm', { filters: is('ssm_id', ...ids) })),
    )
    const ids = sets.map(({ set_id }) => set_id)
    const combine = (operation: string) => asked('/sets/combine', { sets: ids, operation })
    const memberSets = lists.map((list) => new Set(list))
    for (const [operation, passes] of [
      ['union', (id: string) => memberSets.some((set) => set.has(id))],
      ['intersection', (id: string) => memberSets.every((set) => set.has(id))],
      [
        'difference',
        (id: string) => memberSets[0]?.has(id) && !memberSets.slice(1).some((set) => set.has(id)),
      ],
    ] as const) {
      const { status, body } = await combine(operation)
      expect(status).toBe(201)
      const filters = is('ssms.ssm_id', `set_id:${body.data.set_id}`)
      expect(await idsOf('ssms', 'ssm_id', { filters })).toEqual(all.filter(passes))
      expect(body.data.parts).toHaveLength(7)
      for (const { in: within, not_in: outside, size } of body.data.parts) {
        const isIn = (one: string, id: string) => memberSets[ids.indexOf(one)]?.has(id)
        const counted = all.filter(
          (id) =>
            within.every((one: string) => isIn(one, id)) &&
            !outside.some((one: string) => isIn(one, id)),
        )
        expect(size).toBe(counted.length)
      }
    }
    expect((await asked('/sets/combine', { sets: ids, operation: 'xor' })).status).toBe(400)
    expect((await asked('/sets/combine', { sets: ids[0], operation: 'union' })).status).toBe(400)
    const cases = await make('case', { size: 1 })
    const mixed = { sets: [ids[0], cases.set_id], operation: 'union' }
    expect((await asked('/sets/combine', mixed)).status).toBe(400)
  })
})

test('a set expires when nobody has used it for its time', async () => {
  const kept = await make('case', { size: 2, set_type: 'mutable' })
  const passing = await make('case', { size: 2, set_type: 'instant' })
  const before = clock
  clock = new Date(before.getTime() + 2 * 3_600_000)
  expect((await asked(`/sets/${passing.set_id}`)).status).toBe(404)
  expect((await asked(`/sets/${kept.set_id}`)).status).toBe(200)
  // The removal that makes room also removes this set.
  await make('case', { size: 1 })
  clock = before
  expect((await asked(`/sets/${passing.set_id}`)).status).toBe(404)
})

test('of files, by the id of a file', async () => {
  const { set_id, size } = await make('file', { size: 4 })
  expect(size).toBe(4)
  const found = await idsOf('files', 'file_id', {
    filters: is('files.file_id', `set_id:${set_id}`),
  })
  expect(found).toHaveLength(4)
  const cases = { filters: is('files.file_id', `set_id:${set_id}`) }
  const byIds = { filters: is('files.file_id', ...found) }
  expect(await idsOf('cases', 'case_id', cases)).toEqual(await idsOf('cases', 'case_id', byIds))
})

test('what cannot be asked is reported', async () => {
  expect((await asked('/sets', {})).body.message).toContain('type')
  expect((await asked('/sets', { type: 'case', filters: is('nonsense', 'x') })).status).toBe(400)
  const many = Array.from({ length: 101 }, (_, i) => `set_id:${i}`)
  const { status, body } = await asked('/cases', { filters: is('case_id', ...many) })
  expect([status, body.message]).toEqual([400, expect.stringContaining('at most 100')])
  let deep: unknown = is('case_id', 'set_id:1')
  for (let i = 0; i < 1000; i++) deep = and(deep)
  expect((await asked('/cases', { filters: deep })).status).toBe(400)
})
