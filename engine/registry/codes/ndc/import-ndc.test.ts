import { expect, test } from 'vitest'
import {
  FINISHED,
  finished,
  NDC_EDITOR,
  openedCodes,
  packagesOf,
  READER,
  refusal,
  tableOf,
  UNFINISHED,
  unfinished,
} from '../support/made-codes.ts'

const FIRST = '2026-03-01T12:00:00.000Z'
const LATER = '2026-04-01T12:00:00.000Z'
const LAST = '2026-05-01T12:00:00.000Z'

test('every column of the finished layout is the member that it stands for', async () => {
  const { ndc, importNdc } = await openedCodes()
  const row = {
    PRODUCTID: '0002-1200_x',
    PRODUCTNDC: '0002-1200',
    PRODUCTTYPENAME: 'HUMAN PRESCRIPTION DRUG',
    PROPRIETARYNAME: 'Madeup',
    PROPRIETARYNAMESUFFIX: 'III',
    NONPROPRIETARYNAME: 'Made, up',
    DOSAGEFORMNAME: 'INJECTION, SOLUTION',
    ROUTENAME: 'INTRAVENOUS;   SUBCUTANEOUS',
    STARTMARKETINGDATE: '20120601',
    ENDMARKETINGDATE: '20180910',
    MARKETINGCATEGORYNAME: 'NDA',
    APPLICATIONNUMBER: 'NDA000001',
    LABELERNAME: 'Maker',
    SUBSTANCENAME: 'ONE; TWO; THREE',
    ACTIVE_NUMERATOR_STRENGTH: '70; 5600',
    ACTIVE_INGRED_UNIT: 'mg/1',
    PHARM_CLASSES: 'Agent [EPC],Activity, Odd [MoA]',
    DEASCHEDULE: 'CII',
    NDC_EXCLUDE_FLAG: 'N',
    LISTING_RECORD_CERTIFIED_THROUGH: '20181231',
  }
  const packages = tableOf(
    [
      ...['PRODUCTID', 'PRODUCTNDC', 'NDCPACKAGECODE', 'PACKAGEDESCRIPTION'],
      ...['STARTMARKETINGDATE', 'ENDMARKETINGDATE', 'NDC_EXCLUDE_FLAG', 'SAMPLE_PACKAGE'],
    ],
    [
      { PRODUCTNDC: '0002-1200', NDCPACKAGECODE: '0002-1200-50' },
      {
        PRODUCTNDC: '0002-1200',
        NDCPACKAGECODE: '0002-1200-30',
        PACKAGEDESCRIPTION: '1 VIAL',
        STARTMARKETINGDATE: '20120602',
        ENDMARKETINGDATE: '20190203',
        SAMPLE_PACKAGE: 'Y',
      },
    ],
  )
  const { report } = await importNdc(tableOf(FINISHED, [row]), packages)
  expect(report.tables).toEqual([
    expect.objectContaining({
      layout: 'finished products',
      dropped: ['PRODUCTID', 'NDC_EXCLUDE_FLAG', 'LISTING_RECORD_CERTIFIED_THROUGH'],
    }),
    expect.objectContaining({
      layout: 'packages with days',
      dropped: ['PRODUCTID', 'NDC_EXCLUDE_FLAG', 'SAMPLE_PACKAGE'],
    }),
  ])
  expect((await ndc.product(READER, '0002-1200')).record).toEqual({
    ndc: '0002-1200',
    type_name: 'HUMAN PRESCRIPTION DRUG',
    proprietary_name: 'Madeup',
    proprietary_name_suffix: 'III',
    non_proprietary_name: ['Made, up'],
    dosage_form_name: 'INJECTION, SOLUTION',
    route_name: ['INTRAVENOUS', 'SUBCUTANEOUS'],
    start_marketing_date: '20120601',
    end_marketing_date: '20180910',
    marketing_category_name: 'NDA',
    application_number: 'NDA000001',
    labeler_name: 'Maker',
    dea_schedule: 'CII',
    substances: [
      { name: 'ONE', strength: '70', unit: 'mg/1' },
      { name: 'TWO', strength: '5600' },
      { name: 'THREE' },
    ],
    pharm_class: ['Agent [EPC]', 'Activity, Odd [MoA]'],
    packages: [
      {
        package: '30',
        description: '1 VIAL',
        start_marketing_date: '20120602',
        end_marketing_date: '20190203',
      },
      { package: '50' },
    ],
    date_added: FIRST,
    date_modified: FIRST,
  })
})

test('rows of packages with their products become products with their packages', async () => {
  const columns = [
    ...['NDC', 'FORMAT', 'PRODUCTTYPENAME', 'PROPRIETARYNAME', 'NONPROPRIETARYNAME'],
    ...['DOSAGEFORMNAME', 'ROUTENAME', 'APPLICATIONNUMBER', 'LABELERNAME', 'SUBSTANCENAME'],
    ...['ACTIVE_NUMERATOR_STRENGTH', 'ACTIVE_INGRED_UNIT', 'PHARM_CLASSES'],
    ...['PACKAGEDESCRIPTION', 'NINE_DIGIT_NDC', 'ELEVEN_DIGIT_NDC'],
  ]
  const one = { PROPRIETARYNAME: 'Madeup', FORMAT: '4-4-2' }
  const { ndc, importNdc } = await openedCodes()
  const { report, rows } = await importNdc(
    tableOf(columns, [
      { ...one, NDC: '0002197590', PACKAGEDESCRIPTION: '1 BOTTLE' },
      { ...one, NDC: '9920746601', FORMAT: '5-3-2' },
      { ...one, NDC: '0002197530', PACKAGEDESCRIPTION: '1 BAG' },
      { ...one, NDC: '6050500012', FORMAT: '5-4-1' },
    ]),
  )
  expect(rows.map(({ fate, code }) => [fate, code])).toEqual([
    ['load', '0002-1975'],
    ['load', '99207-466'],
    ['merge', '0002-1975'],
    ['load', '60505-0001'],
  ])
  expect(report.records).toEqual({ added: 3, changed: 0, removed: 0, reappeared: 0, same: 0 })
  expect((await ndc.product(READER, '0002-1975')).record.packages).toEqual([
    { package: '30', description: '1 BAG' },
    { package: '90', description: '1 BOTTLE' },
  ])
  expect((await ndc.product(READER, '60505-0001')).record.packages).toEqual([{ package: '2' }])
  await expect(importNdc(tableOf(columns, []), packagesOf())).rejects.toMatchObject({
    code: 'bad_input',
  })
})

test('of rows of one product, the one whose marketing began last counts, of such the first', async () => {
  const { ndc, importNdc } = await openedCodes()
  const row = (LABELERNAME: string, STARTMARKETINGDATE: string) => ({
    PRODUCTNDC: '0009-5023',
    LABELERNAME,
    STARTMARKETINGDATE,
  })
  const rows = [row('A', '20140703'), row('B', '20150101'), row('C', '20150101'), row('D', '')]
  const { report } = await importNdc(tableOf(UNFINISHED, rows))
  expect(report.tables).toMatchObject([{ rows: 4, loaded: 1, merged: 3 }])
  expect(report.differing).toEqual({ labeler_name: 1, start_marketing_date: 1 })
  expect((await ndc.product(READER, '0009-5023')).record).toMatchObject({ labeler_name: 'B' })
})

test('the same tables again change nothing, and other words do', async () => {
  const { ndc, clock, importNdc } = await openedCodes()
  const packages = packagesOf('0001-0001-01', '0001-0002-01')
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']), packages)
  const before = await ndc.product(READER, '0001-0001')
  clock.to(LATER)
  const again = await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']), packages)
  expect(again.report.records).toMatchObject({ added: 0, changed: 0, same: 2 })
  expect(again.changes).toEqual([])
  expect(await ndc.product(READER, '0001-0001')).toEqual(before)
  const { changes } = await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'C']), packages)
  expect(changes).toEqual([{ code: '0001-0002', change: 'changed' }])
  expect((await ndc.product(READER, '0001-0002')).record).toMatchObject({
    proprietary_name: 'C',
    date_added: FIRST,
    date_modified: LATER,
  })
})

test('what is in no table any more is removed, once, and comes back', async () => {
  const { ndc, clock, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']))
  clock.to(LATER)
  const { report, changes } = await importNdc(finished(['0001-0001', 'A']))
  expect(report.records).toMatchObject({ removed: 1, same: 1 })
  expect(changes).toEqual([{ code: '0001-0002', change: 'removed' }])
  const gone = (await ndc.product(READER, '0001-0002')).record
  expect(gone).toMatchObject({ proprietary_name: 'B', date_removed: LATER, date_modified: FIRST })
  clock.to(LAST)
  expect((await importNdc(finished(['0001-0001', 'A']))).report.records).toEqual({
    added: 0,
    changed: 0,
    removed: 0,
    reappeared: 0,
    same: 1,
  })
  expect((await ndc.product(READER, '0001-0002')).record).toEqual(gone)
  const back = await importNdc(finished(['0001-0002', 'B'], ['0001-0001', 'A']))
  expect(back.changes).toEqual([{ code: '0001-0002', change: 'reappeared' }])
  const { date_removed: _, ...others } = gone
  expect((await ndc.product(READER, '0001-0002')).record).toEqual({
    ...others,
    date_modified: LAST,
  })
  const types = (await ndc.history(READER, '0001-0002')).map(({ type, old }) => [
    type,
    old?.date_removed,
  ])
  expect(types).toEqual([
    ['MOD', LATER],
    ['MOD', undefined],
    ['ADD', undefined],
  ])
})

test('unfinished products remove no finished ones, and say less than these', async () => {
  const { ndc, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']))
  const { report } = await importNdc(unfinished(['0001-0002', 'b'], ['0001-0003', 'c']))
  expect(report.records).toEqual({ added: 1, changed: 0, removed: 0, reappeared: 0, same: 1 })
  expect((await ndc.product(READER, '0001-0002')).record.proprietary_name).toBe('B')
  const without = await importNdc(finished(['0001-0001', 'A']))
  expect(without.changes).toEqual([{ code: '0001-0002', change: 'changed' }])
  expect((await ndc.product(READER, '0001-0002')).record).toMatchObject({
    non_proprietary_name: ['b'],
  })
  const neither = await importNdc(unfinished(['0001-0003', 'c']))
  expect(neither.changes).toEqual([{ code: '0001-0002', change: 'removed' }])
})

test('a partial set removes nothing', async () => {
  const { ndc, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']))
  const partial = await importNdc(finished(['0001-0003', 'C']), undefined, { partial: true })
  expect(partial.changes).toEqual([{ code: '0001-0003', change: 'added' }])
  expect((await ndc.product(READER, '0001-0001')).record.date_removed).toBeUndefined()
})

test('products without their packages leave known packages alone, an empty table takes them away', async () => {
  const { ndc, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A']), packagesOf('0001-0001-1'))
  await importNdc(finished(['0001-0001', 'AA']))
  expect((await ndc.product(READER, '0001-0001')).record).toMatchObject({
    proprietary_name: 'AA',
    packages: [{ package: '1' }],
  })
  await importNdc(finished(['0001-0001', 'AA']), packagesOf())
  expect((await ndc.product(READER, '0001-0001')).record.packages).toBeUndefined()
})

test('what the registry says outlives imports, removal and re-appearance', async () => {
  const { ndc, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']))
  const seer = { categories: ['ANCILLARY'], orphan_drug: false }
  const { record } = await ndc.update(NDC_EDITOR, '0001-0001', { seer })
  for (const table of [['0001-0001', 'AA'] as const, ['0001-0002', 'B'] as const]) {
    await importNdc(finished(table))
    expect((await ndc.product(READER, '0001-0001')).record.seer).toEqual(record.seer)
  }
})

const BAD = [
  ['PRODUCTNDC', { PRODUCTNDC: '0001-12', PROPRIETARYNAME: 'X' }],
  ['PRODUCTNDC', { PROPRIETARYNAME: 'X' }],
  ['STARTMARKETINGDATE', { PRODUCTNDC: '0001-0009', STARTMARKETINGDATE: '20231301' }],
  ['ENDMARKETINGDATE', { PRODUCTNDC: '0001-0009', ENDMARKETINGDATE: 'soon' }],
] as const

test.each(BAD)('a bad %s keeps all rows out, or is left out alone', async (column, bad) => {
  const { ndc, importNdc } = await openedCodes()
  const table = tableOf(FINISHED, [{ PRODUCTNDC: '0001-0001', PROPRIETARYNAME: 'A' }, bad])
  const outcome = await importNdc(table)
  expect(outcome.report).toMatchObject({
    loaded: false,
    tables: [{ rows: 2, loaded: 1, refused: 1 }],
  })
  expect(outcome.report.records).toBeUndefined()
  expect(outcome.rows[1]).toMatchObject({ line: 3, fate: 'refuse', column })
  expect((await ndc.search(READER)).total).toBe(0)
  const skipped = await importNdc(table, undefined, { skipBad: true })
  expect(skipped.report).toMatchObject({ loaded: true, records: { added: 1 } })
})

test('packages of other products, or of none, are refused', async () => {
  const { importNdc } = await openedCodes()
  const table = tableOf(
    ['PRODUCTID', 'PRODUCTNDC', 'NDCPACKAGECODE', 'PACKAGEDESCRIPTION'],
    [
      { PRODUCTNDC: '0001-0001', NDCPACKAGECODE: '0001-0002-01' },
      { PRODUCTNDC: '0001-0001', NDCPACKAGECODE: '02' },
      { PRODUCTNDC: '0001-0001', NDCPACKAGECODE: '0001-0001-XX' },
      { PRODUCTNDC: '0001-0009', NDCPACKAGECODE: '0001-0009-01' },
      { PRODUCTNDC: '0001-0001', NDCPACKAGECODE: '0001-0001-01' },
      { PRODUCTNDC: '0001-0001', NDCPACKAGECODE: '0001-0001-01' },
    ],
  )
  const { rows, report } = await importNdc(finished(['0001-0001', 'A']), table)
  expect(rows.slice(1).map(({ fate, column }) => [fate, column])).toEqual([
    ['refuse', 'NDCPACKAGECODE'],
    ['refuse', 'NDCPACKAGECODE'],
    ['refuse', 'NDCPACKAGECODE'],
    ['refuse', 'PRODUCTNDC'],
    ['merge', undefined],
    ['merge', undefined],
  ])
  expect(report.loaded).toBe(false)
})

test('a dry run reports the same and does nothing', async () => {
  const { ndc, importNdc } = await openedCodes()
  await importNdc(finished(['0001-0001', 'A'], ['0001-0002', 'B']))
  const dry = await importNdc(finished(['0001-0001', 'C'], ['0001-0003', 'D']), undefined, {
    dryRun: true,
  })
  const before = await ndc.search(READER)
  expect(before.records.map(({ proprietary_name }) => proprietary_name)).toEqual(['A', 'B'])
  const done = await importNdc(finished(['0001-0001', 'C'], ['0001-0003', 'D']))
  expect(dry.changes).toEqual(done.changes)
  expect(dry.report.records).toEqual(done.report.records)
  expect([dry.report.dryRun, done.report.dryRun]).toEqual([true, false])
})

test('more products than are read at a time are joined with what is known', async () => {
  const { ndc, importNdc } = await openedCodes()
  const codes = Array.from({ length: 1300 }, (_, i) => `1000-${String(i).padStart(4, '0')}`)
  const table = (wanted: readonly string[]) =>
    finished(...wanted.map((code) => [code, code] as const))
  await importNdc(table(codes.filter((_, i) => i % 2 === 0)))
  const { report } = await importNdc(table(codes.filter((_, i) => i % 3 === 0)))
  // python3 -c "a=set(range(0,1300,2)); b=set(range(0,1300,3)); print(len(b-a), len(a-b), len(a&b))"
  expect(report.records).toMatchObject({ added: 217, removed: 433, same: 217 })
  expect((await ndc.search(READER)).total).toBe(434)
  expect((await ndc.search(READER, { includeRemoved: true })).total).toBe(867)
})

test('progress goes up to the whole in each phase, and an abort loads nothing', async () => {
  const { ndc, importNdc } = await openedCodes()
  const steps: string[] = []
  await importNdc(finished(['0001-0001', 'A']), packagesOf('0001-0001-1'), {
    onProgress: ({ phase, done, total }) => {
      if (done === total) steps.push(phase)
    },
  })
  expect(steps).toEqual(['reading', 'storing'])
  const signal = AbortSignal.abort()
  await expect(importNdc(finished(['0001-0002', 'B']), undefined, { signal })).rejects.toThrow()
  expect(await refusal(() => ndc.product(READER, '0001-0002'))).toMatchObject({ code: 'not_found' })
})
