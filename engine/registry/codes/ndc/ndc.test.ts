import { beforeEach, describe, expect, test } from 'vitest'
import { callerOf } from '../../staging/store/support/made-staging.ts'
import {
  finished,
  HCPCS_EDITOR,
  type MadeCodes,
  NDC_EDITOR,
  openedCodes,
  packagesOf,
  READER,
  refusal,
} from '../support/made-codes.ts'

let made: MadeCodes
beforeEach(async () => {
  made = await openedCodes()
  await made.importNdc(
    finished(['0001-0001', 'Alpha'], ['0001-0002', 'beta'], ['0001-0003', 'Gamma ray']),
    packagesOf('0001-0001-10'),
  )
  made.clock.to(LATER)
})

const FIRST = '2026-03-01T12:00:00.000Z'
const LATER = '2026-04-01T12:00:00.000Z'

describe('an update', () => {
  const seer = {
    seer_rx_id: 'r1',
    categories: ['CHEMOTHERAPY', 'ANCILLARY'],
    subcategory: 's',
    major_drug_class: 'M',
    minor_drug_class: 'm',
    orphan_drug: true,
    exclusive_oncologic_agent: false,
  }

  test('keeps what the registry says, and nothing else of the body', async () => {
    const body = {
      ndc: 7,
      proprietary_name: 'X',
      packages: 'none',
      date_added: null,
      odd: {},
      seer: { ...seer, date_modified: '1999-01-01T00:00:00.000Z', odd: 1, major: null },
    }
    const { record, revision } = await made.ndc.update(NDC_EDITOR, '0001-0001', body)
    expect(record).toEqual({
      ndc: '0001-0001',
      proprietary_name: 'Alpha',
      packages: [expect.anything()],
      seer: { ...seer, date_modified: LATER },
      date_added: FIRST,
      date_modified: LATER,
    })
    expect(await made.ndc.product(READER, '0001-0001')).toEqual({ record, revision })
  })

  test('without anything to say takes it away', async () => {
    for (const body of [{}, { seer: null }, { seer: {} }, { seer: { subcategory: null } }]) {
      await made.ndc.update(NDC_EDITOR, '0001-0001', { seer })
      const { record } = await made.ndc.update(NDC_EDITOR, '0001-0001', body)
      expect(record).not.toHaveProperty('seer')
    }
  })

  test('names a category once', async () => {
    const categories = ['ANCILLARY', 'CHEMOTHERAPY', 'ANCILLARY']
    const { record } = await made.ndc.update(NDC_EDITOR, '0001-0001', { seer: { categories } })
    expect(record.seer?.categories).toEqual(['ANCILLARY', 'CHEMOTHERAPY'])
  })

  test.each([
    ['', []],
    ['', null],
    ['', 'x'],
    ['seer', { seer: [] }],
    ['seer', { seer: true }],
    ['seer.categories', { seer: { categories: 'ANCILLARY' } }],
    ['seer.categories[1]', { seer: { categories: ['ANCILLARY', 'BEST'] } }],
    ['seer.orphan_drug', { seer: { orphan_drug: 'yes' } }],
    ['seer.subcategory', { seer: { subcategory: 1 } }],
  ])('with a bad %s is refused', async (at, body) => {
    const call = () => made.ndc.update(NDC_EDITOR, '0001-0001', body)
    expect(await refusal(call)).toEqual({ code: 'bad_input', at })
    expect((await made.ndc.product(READER, '0001-0001')).record).not.toHaveProperty('seer')
  })

  test('is for editors of the area, and for a code that is there', async () => {
    for (const caller of [READER, HCPCS_EDITOR]) {
      const call = () => made.ndc.update(caller, '0001-0001', {})
      expect(await refusal(call)).toMatchObject({ code: 'forbidden' })
    }
    const update = (code: string) => () => made.ndc.update(callerOf('ADMIN'), code, {})
    expect(await refusal(update('0001-0009'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(update('0001-0001-11'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(update('0001000110'))).toMatchObject({ code: 'bad_input' })
    expect((await made.ndc.update(NDC_EDITOR, '0001-0001-10', {})).record.ndc).toBe('0001-0001')
  })

  test('is held to the revision that its editor has seen', async () => {
    const { revision } = await made.ndc.product(READER, '0001-0001')
    const held = [String(revision)]
    const next = await made.ndc.update(NDC_EDITOR, '0001-0001', { seer }, held)
    expect(next.revision).toBeGreaterThan(revision)
    const late = () => made.ndc.update(NDC_EDITOR, '0001-0001', {}, held)
    expect(await refusal(late)).toMatchObject({ code: 'precondition_failed' })
    expect(await made.ndc.product(READER, '0001-0001')).toEqual(next)
    await made.ndc.update(NDC_EDITOR, '0001-0001', {}, 'any')
  })

  test('is in the history with what was before and after', async () => {
    const before = (await made.ndc.product(READER, '0001-0001')).record
    const { record, revision } = await made.ndc.update(NDC_EDITOR, '0001-0001', { seer })
    const [first, second, ...more] = await made.ndc.history(READER, '0001-0001')
    const entry = { type: 'MOD', user: 'NDC_EDITOR', date: LATER, revision }
    expect(first).toEqual({ ...entry, old: before, new: record })
    expect(second).toMatchObject({ type: 'ADD', user: 'import', new: before })
    expect(more).toEqual([])
    const page = await made.ndc.history(READER, '0001-0001', { page: 2, perPage: 1, order: 'ASC' })
    expect(page).toEqual([first])
  })
})

describe('a search', () => {
  const codes = async (request: Parameters<typeof made.ndc.search>[1]) =>
    (await made.ndc.search(READER, request)).records.map(({ ndc }) => ndc.slice(-1)).join('')

  test('is by code without words, and has scores with them', async () => {
    const all = await made.ndc.search(READER)
    expect(all.records.map(({ ndc, score }) => [ndc, score])).toEqual([
      ['0001-0001', undefined],
      ['0001-0002', undefined],
      ['0001-0003', undefined],
    ])
    const { total, records } = await made.ndc.search(READER, { q: 'gamma' })
    expect(total).toBe(1)
    expect(records).toEqual([
      { ...(await made.ndc.product(READER, '0001-0003')).record, score: expect.any(Number) },
    ])
    expect(records[0]?.score).toBeGreaterThan(0)
  })

  test('finds codes, and what has all of the words', async () => {
    expect(await codes({ q: '0001-0002' })).toBe('2')
    expect(await codes({ q: 'ray gam' })).toBe('3')
    expect(await codes({ q: 'alpha beta' })).toBe('')
  })

  test('sees what was just written', async () => {
    expect(await codes({ q: 'kinase' })).toBe('')
    await made.ndc.update(NDC_EDITOR, '0001-0002', {
      seer: { major_drug_class: 'Kinase inhibitor' },
    })
    expect(await codes({ q: 'kinase' })).toBe('2')
    await made.ndc.update(NDC_EDITOR, '0001-0002', {})
    expect(await codes({ q: 'kinase' })).toBe('')
  })

  test('goes by category and by whether the registry says something', async () => {
    const seer = { categories: ['ANCILLARY', 'CHEMOTHERAPY'] }
    await made.ndc.update(NDC_EDITOR, '0001-0002', { seer })
    await made.ndc.update(NDC_EDITOR, '0001-0003', { seer: { subcategory: 's' } })
    expect(await codes({ hasSeerInfo: true })).toBe('23')
    expect(await codes({ hasSeerInfo: false })).toBe('1')
    expect(await codes({ category: ['CHEMOTHERAPY'] })).toBe('2')
    expect(await codes({ category: ['CHEMOTHERAPY', 'HORMONAL_THERAPY'] })).toBe('2')
    expect(await codes({ category: ['HORMONAL_THERAPY'] })).toBe('')
    expect(await codes({ category: [] })).toBe('123')
  })

  test('leaves out what was removed, unless it is asked for', async () => {
    await made.importNdc(finished(['0001-0001', 'Alpha']))
    expect(await codes({})).toBe('1')
    expect(await codes({ includeRemoved: true })).toBe('123')
    expect(await codes({ removedSince: '2026-04-01' })).toBe('23')
    expect(await codes({ removedSince: '2026-04-02' })).toBe('')
    expect(await codes({ removedSince: '2026-04-01', includeRemoved: false })).toBe('')
  })

  test('goes by days, the first one included', async () => {
    await made.ndc.update(NDC_EDITOR, '0001-0002', {})
    expect(await codes({ addedSince: '2026-03-01' })).toBe('123')
    expect(await codes({ addedSince: '2026-03-02' })).toBe('')
    expect(await codes({ modifiedSince: '2026-03-02' })).toBe('2')
    expect(await codes({ modifiedSince: LATER })).toBe('2')
  })

  test('is ordered by names and dates in both directions', async () => {
    await made.ndc.update(NDC_EDITOR, '0001-0002', {})
    expect(await codes({ order: '-ndc' })).toBe('321')
    expect(await codes({ order: 'proprietary_name' })).toBe('123')
    expect(await codes({ order: '-proprietary_name' })).toBe('321')
    expect(await codes({ order: '-date_modified' })).toBe('213')
    expect(await codes({ order: 'date_added' })).toBe('123')
  })

  test('has pages, and nothing past the last', async () => {
    expect(await codes({ page: '2', perPage: '2' })).toBe('3')
    expect(await made.ndc.search(READER, { page: 1_000_000_000, perPage: 1000 })).toEqual({
      total: 3,
      records: [],
    })
  })

  test.each([
    ['page', { page: '0' }],
    ['page', { page: '1000000001' }],
    ['page', { page: '1.5' }],
    ['per_page', { perPage: '1001' }],
    ['per_page', { perPage: '-1' }],
    ['order', { order: 'name' }],
    ['order', { order: '--ndc' }],
    ['order', { order: '' }],
    ['added_since', { addedSince: '2026-02-30' }],
    ['modified_since', { modifiedSince: 'yesterday' }],
    ['removed_since', { removedSince: '20260301' }],
  ])('with a bad %s is refused', async (at, request) => {
    const call = async () => made.ndc.search(READER, request)
    expect(await refusal(call)).toEqual({ code: 'bad_input', at })
  })
})
