import { expect, test } from 'vitest'
import { HCPCS_EDITOR, openedCodes, PROCEDURES, READER, tableOf } from '../support/made-codes.ts'

type Row = readonly [code: string, sequence: string, part: string, added?: string, ended?: string]

const table = (...rows: readonly Row[]) =>
  tableOf(
    PROCEDURES,
    rows.map(([HCPCS_CD, HCPCS_SQNC_NUM, HCPCS_LONG_DESC_TXT, added = '', ended = '']) => ({
      HCPCS_CD,
      HCPCS_SQNC_NUM,
      HCPCS_LONG_DESC_TXT,
      HCPCS_CD_ADD_DT: added,
      HCPCS_TERMNTN_DT: ended,
    })),
  )

const FIRST = '2026-03-01T12:00:00.000Z'
const LATER = '2026-04-01T12:00:00.000Z'

test('rows of a code are joined by their numbers, and the first one has the days', async () => {
  const { hcpcs, importHcpcs } = await openedCodes()
  const { report, rows } = await importHcpcs(
    table(
      ['A0001', '00300', 'three'],
      ['B0001', '00100', 'alone', '19850101'],
      ['A0001', '00100', 'one', '20020101', '20021231'],
      ['A0001', '00200', 'two'],
    ),
  )
  expect(rows.map(({ fate, code }) => [fate, code])).toEqual([
    ['load', 'A0001'],
    ['load', 'B0001'],
    ['merge', 'A0001'],
    ['merge', 'A0001'],
  ])
  expect(report.tables).toMatchObject([{ dropped: ['HCPCS_SHRT_DESC_TXT'] }])
  expect((await hcpcs.procedure(READER, 'A0001')).record).toEqual({
    hcpcs_code: 'A0001',
    description: 'one two three',
    cms_approval_date: '2002-01-01',
    cms_discontinuation_date: '2002-12-31',
    date_added: FIRST,
    date_modified: FIRST,
  })
  expect((await hcpcs.procedure(READER, 'B0001')).record).not.toHaveProperty(
    'cms_discontinuation_date',
  )
})

test('rows that are not in UTF-8 are read as windows-1252, and refused strictly', async () => {
  const { hcpcs, importHcpcs } = await openedCodes()
  const content = Buffer.from(table(['A0001', '00100', 'caf\u00e9']), 'latin1')
  const strictly = importHcpcs(content, { strict: true })
  await expect(strictly).rejects.toThrow(/^not in UTF-8: 1 row of "table-1\.tsv"; convert/)
  expect((await importHcpcs(content)).report).toMatchObject({ loaded: true })
  expect((await hcpcs.procedure(READER, 'A0001')).record).toMatchObject({
    description: 'caf\u00e9',
  })
})

test.each([
  ['HCPCS_CD', ['A001', '00100', 'x']],
  ['HCPCS_CD', ['a0001', '00100', 'x']],
  ['HCPCS_SQNC_NUM', ['A0002', 'first', 'x']],
  ['HCPCS_SQNC_NUM', ['A0001', '00100', 'x']],
  ['HCPCS_CD_ADD_DT', ['A0002', '00100', 'x', '2002-01-01']],
  ['HCPCS_TERMNTN_DT', ['A0002', '00100', 'x', '20020101', '20020230']],
] as const)('a bad %s is refused', async (column, bad) => {
  const { importHcpcs } = await openedCodes()
  const { rows, report } = await importHcpcs(table(['A0001', '00100', 'one'], bad))
  expect(rows).toMatchObject([{ fate: 'load' }, { fate: 'refuse', line: 3, column }])
  expect(report.loaded).toBe(false)
})

test('what the registry says stays, and what an editor wrote stands until the table says another thing', async () => {
  const { hcpcs, clock, importHcpcs } = await openedCodes()
  await importHcpcs(table(['A0001', '00100', 'one', '20020101']))
  const { record } = await hcpcs.procedure(READER, 'A0001')
  await hcpcs.update(HCPCS_EDITOR, 'A0001', { ...record, description: 'ours', oral: true })
  clock.to(LATER)
  const again = await importHcpcs(table(['A0001', '00100', 'one', '20020101', '20271231']))
  expect(again.changes).toEqual([{ code: 'A0001', change: 'changed' }])
  expect((await hcpcs.procedure(READER, 'A0001')).record).toEqual({
    hcpcs_code: 'A0001',
    description: 'ours',
    oral: true,
    cms_approval_date: '2002-01-01',
    cms_discontinuation_date: '2027-12-31',
    date_added: FIRST,
    date_modified: LATER,
  })
  await importHcpcs(table(['A0001', '00100', 'theirs', '20020101']))
  expect((await hcpcs.procedure(READER, 'A0001')).record).toMatchObject({ description: 'theirs' })
  expect((await hcpcs.procedure(READER, 'A0001')).record).not.toHaveProperty(
    'cms_discontinuation_date',
  )
})

test('codes that the table has no more stay with the day of it, and are reported once in each direction', async () => {
  const { hcpcs, clock, importHcpcs } = await openedCodes()
  const both = table(['A0001', '00100', 'one'], ['A0002', '00100', 'two'])
  await hcpcs.create(HCPCS_EDITOR, { hcpcs_code: 'Z0001', generic_name: 'Ours' })
  await importHcpcs(both)
  const before = (await hcpcs.procedure(READER, 'A0002')).record
  clock.to(LATER)
  const one = await importHcpcs(table(['A0001', '00100', 'one']))
  expect(one.changes).toEqual([{ code: 'A0002', change: 'removed' }])
  expect(one.report.records).toMatchObject({ removed: 1, same: 1 })
  const removed = { ...before, date_removed: LATER }
  expect((await hcpcs.procedure(READER, 'A0002')).record).toEqual(removed)
  expect((await hcpcs.procedure(READER, 'Z0001')).record).not.toHaveProperty('date_removed')
  const [entry] = await hcpcs.history(READER, 'A0002')
  expect(entry).toMatchObject({ type: 'MOD', old: before, new: removed })
  expect(entry?.old).not.toHaveProperty('date_removed')
  await hcpcs.update(HCPCS_EDITOR, 'A0002', { ...before, oral: true })
  expect((await hcpcs.procedure(READER, 'A0002')).record.date_removed).toBe(LATER)
  expect((await importHcpcs(table(['A0001', '00100', 'one']))).changes).toEqual([])
  expect((await importHcpcs(both)).changes).toEqual([{ code: 'A0002', change: 'reappeared' }])
  expect((await hcpcs.procedure(READER, 'A0002')).record).not.toHaveProperty('date_removed')
  expect((await importHcpcs(both)).report.records).toMatchObject({ same: 2 })
})

test('a procedure that was deleted is made again by the next import', async () => {
  const { hcpcs, importHcpcs } = await openedCodes()
  const one = table(['A0001', '00100', 'one'])
  await importHcpcs(one)
  await hcpcs.delete(HCPCS_EDITOR, 'A0001')
  expect((await importHcpcs(one)).changes).toEqual([{ code: 'A0001', change: 'added' }])
  expect((await hcpcs.search(READER, { q: 'one' })).total).toBe(1)
  const history = await hcpcs.history(READER, 'A0001', { order: 'ASC' })
  expect(history.map(({ type, old, new: next }) => [type, !!old, !!next])).toEqual([
    ['ADD', false, true],
    ['DEL', true, false],
    ['ADD', false, true],
  ])
})
