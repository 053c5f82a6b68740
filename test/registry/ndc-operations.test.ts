import { describe, expect, test } from 'vitest'
import { describeArea, type Step } from './support/area-tests.ts'
import { loadProducts } from './support/made-tables.ts'
import { successOf } from './support/registry-answers.ts'

// Every operation of the drug products with every status that it declares.

const NDC = '/rest/ndc'
const CODE = `${NDC}/code/{code}`
const SEER = { categories: ['CHEMOTHERAPY'], minor_drug_class: 'made' }

const area = await describeArea({
  area: 'ndc',
  names: { code: '0001-0001' },
  unknown: { code: '0001-9999' },
  rolesFor: () => ['NDC_EDITOR'],
  reads: /^$/,
  repeatable: ['category'],
  prepare: ({ engine }) => loadProducts(engine, ['0001-0001', 'Madeline'], ['0001-0002', 'Other']),
})

const LIFE: readonly Step[] = [
  [`GET ${NDC}`, 200],
  [
    `GET ${NDC}`,
    200,
    { query: 'q=madeline&category=CHEMOTHERAPY,ANCILLARY&category=IMMUNOTHERAPY' },
  ],
  [`GET ${NDC}`, 200, { query: 'include_removed=true&has_seer_info=false&page=1000000000' }],
  [`GET ${NDC}`, 200, { query: 'order=-proprietary_name&per_page=1&removed_since=2026-01-01' }],
  [`GET ${NDC}`, 200, { query: 'added_since=2026-01-01&modified_since=2026-01-01T00:00:00Z' }],
  [`GET ${NDC}`, 400, { query: 'category=BEST' }],
  [`GET ${NDC}`, 400, { query: 'has_seer_info=perhaps' }],
  [`GET ${NDC}`, 400, { query: 'include_removed=1' }],
  [`GET ${NDC}`, 400, { query: 'page=0' }],
  [`GET ${NDC}`, 400, { query: 'per_page=1001' }],
  [`GET ${NDC}`, 400, { query: 'order=hcpcs_code' }],
  [`GET ${NDC}`, 400, { query: 'removed_since=2026-02-30' }],
  [`GET ${CODE}`, 200],
  [`GET ${CODE}`, 200, { code: '0001-0001-10' }],
  [`GET ${CODE}`, 200, { code: '0001000110' }],
  [`GET ${CODE}`, 200, { code: '00001000110' }],
  [`GET ${CODE}`, 404, { code: '0001-0001-11' }],
  [`GET ${CODE}`, 400, { code: '0001' }],
  [`GET ${CODE}`, 400, { code: '9999999999' }],
  [`PUT ${CODE}`, 200, {}, { seer: SEER }],
  [`PUT ${CODE}`, 200, { code: '0001-0002-10' }, { seer: SEER }, { who: 'NDC_EDITOR' }],
  [`PUT ${CODE}`, 200, { code: '0001-0002' }, {}, { headers: { 'If-Match': '*' } }],
  [`PUT ${CODE}`, 400, {}, { seer: { categories: ['BEST'] } }],
  [`PUT ${CODE}`, 400, {}, []],
  [`PUT ${CODE}`, 400, { code: '0001000110' }, {}],
  [`PUT ${CODE}`, 412, {}, {}, { headers: { 'If-Match': '"1"' } }],
  [`PUT ${CODE}`, 412, {}, {}, { headers: { 'If-Match': 'W/"2"' } }],
  [`PUT ${CODE}`, 404, { code: '0001-9999' }, {}, { headers: { 'If-Match': '*' } }],
  [`GET ${NDC}`, 200, { query: 'has_seer_info=true' }],
  [`GET ${CODE}/history`, 200],
  [`GET ${CODE}/history`, 200, { query: 'page=2&per_page=1&order=ASC' }],
  [`GET ${CODE}/history`, 400, { query: 'page=0' }],
  [`GET ${CODE}/history`, 400, { code: 'x' }],
]

area.testSteps('the life of a product', LIFE)

describe('headers', () => {
  const ask = async (path: string, headers = {}, body?: unknown) => {
    const method = body === undefined ? 'GET' : 'PUT'
    return area.world.ask(`${method} ${path}`, { headers, body })
  }

  test('the total goes with a page, with an empty one, too, and with HEAD', async () => {
    const first = await ask(`${NDC}?per_page=1`)
    expect(first.headers.get('x-total-count')).toBe('2')
    expect(await successOf(first, 200)).toHaveLength(1)
    const past = await ask(`${NDC}?page=3`)
    expect(past.headers.get('x-total-count')).toBe('2')
    expect(await successOf(past, 200)).toEqual([])
    const head = await area.world.ask(`HEAD ${NDC}`)
    expect([head.status, head.headers.get('x-total-count')]).toEqual([200, '2'])
  })

  test('a revision is the ETag, and two editors do not overwrite each other unseen', async () => {
    const path = `${NDC}/code/0001-0001`
    const read = await ask(path)
    const held = { 'If-Match': read.headers.get('etag') ?? '' }
    expect(held['If-Match']).toMatch(/^"\d+"$/)
    const written = await ask(path, held, { seer: SEER })
    expect(written.status).toBe(200)
    expect(written.headers.get('etag')).not.toBe(read.headers.get('etag'))
    expect((await ask(path, held, {})).status).toBe(412)
    const now = await ask(path)
    expect(now.headers.get('etag')).toBe(written.headers.get('etag'))
    expect(await successOf(now, 200)).toMatchObject({ seer: SEER })
  })
})

area.testRefusals()
area.testRoles()
area.testSeen({ unsaid: /0001-|Madeline|madeline|CHEMOTHERAPY/, said: CODE })
