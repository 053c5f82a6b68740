import { dirname } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { newStates } from '../../../shared/support/new-state.ts'
import {
  HCPCS_EDITOR,
  type MadeCodes,
  NDC_EDITOR,
  openedCodes,
  PROCEDURES,
  READER,
  refusal,
  tableOf,
} from '../support/made-codes.ts'

let made: MadeCodes
beforeEach(async () => {
  made = await openedCodes()
})

const FIRST = '2026-03-01T12:00:00.000Z'
const LATER = '2026-04-01T12:00:00.000Z'

// registry/client-expectations.jsonl, S0087.
const WHOLE = {
  hcpcs_code: 'S0087',
  generic_name: 'Alemtuzumab',
  description: 'Injection, alemtuzumab, 30 mg',
  brand_names: ['Campath'],
  strength: '30 mg',
  fda_approval_year: '2001',
  fda_discontinuation_year: '2012',
  cms_approval_date: '2002-01-01',
  cms_discontinuation_date: '2002-12-31',
  categories: ['IMMUNOTHERAPY'],
  major_drug_class: 'Monoclonal Antibody',
  minor_drug_class: 'CD52',
  oral: false,
}

test('a procedure is made, changed as a whole and deleted, each time with an entry in the history', async () => {
  const made1 = await made.hcpcs.create(HCPCS_EDITOR, {
    ...WHOLE,
    odd: 1,
    date_added: 'x',
    score: 3,
  })
  expect(made1.record).toEqual({ ...WHOLE, date_added: FIRST, date_modified: FIRST })
  expect(await made.hcpcs.procedure(READER, 'S0087')).toEqual(made1)
  made.clock.to(LATER)
  const changed = await made.hcpcs.update(HCPCS_EDITOR, 'S0087', { oral: true, strength: null })
  expect(changed.record).toEqual({
    hcpcs_code: 'S0087',
    oral: true,
    date_added: FIRST,
    date_modified: LATER,
  })
  expect(changed.revision).toBeGreaterThan(made1.revision)
  await made.hcpcs.delete(HCPCS_EDITOR, 'S0087', [String(changed.revision)])
  await expect(() => made.hcpcs.procedure(READER, 'S0087')).rejects.toThrow(
    "HCPCS code 'S0087' does not exist.",
  )
  const user = 'HCPCS_EDITOR'
  expect(await made.hcpcs.history(READER, 'S0087')).toEqual([
    { revision: 3, type: 'DEL', date: LATER, user, old: changed.record },
    {
      revision: 2,
      type: 'MOD',
      date: LATER,
      user,
      old: made1.record,
      new: changed.record,
    },
    { revision: 1, type: 'ADD', date: FIRST, user, new: made1.record },
  ])
})

test.each([
  ['hcpcs_code', {}],
  ['hcpcs_code', { hcpcs_code: 's0087' }],
  ['hcpcs_code', { hcpcs_code: 'S00871' }],
  ['hcpcs_code', { hcpcs_code: null }],
  ['hcpcs_code', { hcpcs_code: 5 }],
  ['brand_names', { ...WHOLE, brand_names: 'Campath' }],
  ['brand_names[0]', { ...WHOLE, brand_names: [null] }],
  ['fda_approval_year', { ...WHOLE, fda_approval_year: '201' }],
  ['cms_approval_date', { ...WHOLE, cms_approval_date: '20020101' }],
  ['cms_discontinuation_date', { ...WHOLE, cms_discontinuation_date: '2002-02-30' }],
  ['categories[0]', { ...WHOLE, categories: ['BEST'] }],
  ['oral', { ...WHOLE, oral: 'no' }],
  ['', [WHOLE]],
])('a new one with a bad %s is refused', async (at, body) => {
  expect(await refusal(() => made.hcpcs.create(HCPCS_EDITOR, body))).toEqual({
    code: 'bad_input',
    at,
  })
})

describe('what is refused', () => {
  const code = async (call: () => unknown) => (await refusal(call)).code

  test('a code twice, a missing code, another code than the path has', async () => {
    await made.hcpcs.create(HCPCS_EDITOR, WHOLE)
    expect(await code(() => made.hcpcs.create(HCPCS_EDITOR, WHOLE))).toBe('already_exists')
    expect(await code(() => made.hcpcs.update(HCPCS_EDITOR, 'A0001', {}))).toBe('not_found')
    expect(await code(() => made.hcpcs.update(HCPCS_EDITOR, 'A0001', WHOLE))).toBe('bad_input')
    expect(await code(() => made.hcpcs.delete(HCPCS_EDITOR, 'A0001'))).toBe('conflict')
    expect(await code(() => made.hcpcs.procedure(READER, 's0087'))).toBe('not_found')
    expect(await code(() => made.hcpcs.history(READER, 'A0001'))).toBe('not_found')
  })

  test('any edit without the role', async () => {
    for (const caller of [READER, NDC_EDITOR]) {
      expect(await code(() => made.hcpcs.create(caller, WHOLE))).toBe('forbidden')
      expect(await code(() => made.hcpcs.update(caller, 'S0087', WHOLE))).toBe('forbidden')
      expect(await code(() => made.hcpcs.delete(caller, 'S0087'))).toBe('forbidden')
    }
  })

  test('an edit that has not seen the last one', async () => {
    const { revision } = await made.hcpcs.create(HCPCS_EDITOR, WHOLE)
    const held = [String(revision)]
    await made.hcpcs.update(HCPCS_EDITOR, 'S0087', WHOLE, held)
    const update = () => made.hcpcs.update(HCPCS_EDITOR, 'S0087', {}, held)
    const remove = () => made.hcpcs.delete(HCPCS_EDITOR, 'S0087', held)
    expect([await code(update), await code(remove)]).toEqual([
      'precondition_failed',
      'precondition_failed',
    ])
    expect((await made.hcpcs.procedure(READER, 'S0087')).record.oral).toBe(false)
  })
})

test('a search has words, categories, orders and days', async () => {
  const create = (hcpcs_code: string, members: object) =>
    made.hcpcs.create(HCPCS_EDITOR, { hcpcs_code, ...members })
  await create('J9207', { brand_names: ['Ixempra'], categories: ['CHEMOTHERAPY'] })
  await create('A9545', { categories: ['RADIOPHARMACEUTICAL', 'IMMUNOTHERAPY'] })
  made.clock.to(LATER)
  await create('C9240', { description: 'ixempra, 1 mg', categories: ['CHEMOTHERAPY'] })
  const codes = async (request: Parameters<typeof made.hcpcs.search>[1]) =>
    (await made.hcpcs.search(READER, request)).records.map(({ hcpcs_code }) => hcpcs_code)
  expect(await codes({})).toEqual(['A9545', 'C9240', 'J9207'])
  expect(await codes({ q: 'Ixempra' })).toEqual(['J9207', 'C9240'])
  expect(await codes({ q: 'Ixempra', category: ['IMMUNOTHERAPY'] })).toEqual([])
  expect(await codes({ category: ['IMMUNOTHERAPY'] })).toEqual(['A9545'])
  expect(await codes({ order: '-hcpcs_code' })).toEqual(['J9207', 'C9240', 'A9545'])
  expect(await codes({ order: '-date_added' })).toEqual(['C9240', 'A9545', 'J9207'])
  expect(await codes({ addedSince: '2026-03-02' })).toEqual(['C9240'])
  await made.hcpcs.delete(HCPCS_EDITOR, 'J9207')
  expect(await codes({ q: 'Ixempra' })).toEqual(['C9240'])
  expect(await refusal(async () => made.hcpcs.search(READER, { order: 'ndc' }))).toMatchObject({
    code: 'bad_input',
    at: 'order',
  })
})

test('another process sees edits, deletions and imports by searching', async () => {
  const states = await newStates(dirname(await made.give('')))
  onTestFinished(async () => {
    for (const state of states) await state.close()
  })
  const [one, other] = [await openedCodes(states[0]), await openedCodes(states[1])]
  await one.hcpcs.create(HCPCS_EDITOR, WHOLE)
  const total = async () => (await other.hcpcs.search(READER, { q: 'campath' })).total
  expect(await total()).toBe(1)
  await one.hcpcs.delete(HCPCS_EDITOR, 'S0087')
  expect(await total()).toBe(0)
  const row = { HCPCS_CD: 'S0087', HCPCS_SQNC_NUM: '00100', HCPCS_LONG_DESC_TXT: 'campath, 10 mg' }
  await one.importHcpcs(tableOf(PROCEDURES, [row]))
  expect(await total()).toBe(1)
})
