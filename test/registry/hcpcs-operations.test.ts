import { describe, expect, test } from 'vitest'
import { describeArea, type Step } from './support/area-tests.ts'
import { successOf } from './support/registry-answers.ts'

// Every operation of the procedures with every status that it declares.

const HCPCS = '/rest/hcpcs'
const CODE = `${HCPCS}/code/{code}`
const MADE = {
  hcpcs_code: 'Z0001',
  generic_name: 'Madeline',
  brand_names: ['Madelot'],
  oral: true,
  categories: ['ANCILLARY'],
  cms_approval_date: '2002-01-01',
  fda_approval_year: '2001',
}
const held = (tag: string) => ({ headers: { 'If-Match': tag } })

const area = await describeArea({
  area: 'hcpcs',
  names: { code: 'Z0001' },
  unknown: { code: 'Z9999' },
  rolesFor: () => ['HCPCS_EDITOR'],
  reads: /^$/,
  repeatable: ['category'],
})

area.testSteps('the life of a procedure', [
  [`GET ${HCPCS}`, 200],
  [`POST ${HCPCS}/code`, 201, {}, MADE],
  [`POST ${HCPCS}/code`, 409, {}, MADE],
  [`POST ${HCPCS}/code`, 400, {}, { ...MADE, hcpcs_code: 'z0002' }],
  [`POST ${HCPCS}/code`, 400, {}, { ...MADE, hcpcs_code: 'Z0002', oral: 'yes' }],
  [`GET ${CODE}`, 404, { code: 'Z0002' }],
  [`POST ${HCPCS}/code`, 201, {}, { hcpcs_code: 'Z0002' }, { who: 'HCPCS_EDITOR' }],
  [`GET ${CODE}`, 200],
  [`GET ${CODE}`, 404, { code: 'bad_code' }],
  [`GET ${HCPCS}`, 200, { query: 'q=madelot&category=ANCILLARY,CHEMOTHERAPY' }],
  [`GET ${HCPCS}`, 200, { query: 'order=-date_modified&page=2&per_page=1' }],
  [`GET ${HCPCS}`, 200, { query: 'added_since=2026-01-01&modified_since=2026-01-01' }],
  [`GET ${HCPCS}`, 400, { query: 'category=BEST' }],
  [`GET ${HCPCS}`, 400, { query: 'order=ndc' }],
  [`GET ${HCPCS}`, 400, { query: 'added_since=today' }],
  [`PUT ${CODE}`, 200, {}, { ...MADE, strength: '5 mg' }],
  [`PUT ${CODE}`, 200, { code: 'Z0002' }, {}, held('*')],
  [`PUT ${CODE}`, 400, {}, { hcpcs_code: 'Z0002' }],
  [`PUT ${CODE}`, 400, {}, { cms_approval_date: '20020101' }],
  [`PUT ${CODE}`, 412, {}, {}, held('"1"')],
  [`PUT ${CODE}`, 404, { code: 'Z9999' }, {}, held('*')],
  [`GET ${CODE}/history`, 200],
  [`GET ${CODE}/history`, 400, { query: 'order=up' }],
  [`DELETE ${CODE}`, 412, {}, undefined, held('"1"')],
  [`DELETE ${CODE}`, 204],
  [`DELETE ${CODE}`, 409],
  [`GET ${CODE}`, 404],
  [`GET ${CODE}/history`, 200],
  [`POST ${HCPCS}/code`, 201, {}, MADE],
] satisfies readonly Step[])

describe('a deleted procedure', () => {
  test('is not found by words either, and its history tells what it was', async () => {
    await successOf(await area.world.ask(`DELETE ${HCPCS}/code/Z0001`), 204)
    const found = await area.world.ask(`GET ${HCPCS}?q=madelot`)
    expect(found.headers.get('x-total-count')).toBe('0')
    expect(await successOf(found, 200)).toEqual([])
    const history = await area.world.ask(`GET ${HCPCS}/code/Z0001/history?per_page=1`)
    // The entries are created, changed and deleted, then created and deleted again.
    expect(history.headers.get('x-total-count')).toBe('5')
    expect(await successOf(history, 200)).toMatchObject([{ type: 'DEL', old: MADE }])
  })

  test('that is missing is reported in the words of the interface', async () => {
    const message = await area.refuses(`GET ${CODE}`, 404, {}, { names: { code: 'bad_code' } })
    expect(message).toBe("HCPCS code 'bad_code' does not exist.")
  })
})

area.testRefusals()
area.testRoles()
area.testSeen({ unsaid: /Z000|Madel|madelot|ANCILLARY|bad_code/, said: CODE })
