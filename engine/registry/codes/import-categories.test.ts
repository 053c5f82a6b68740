import { expect, test } from 'vitest'
import { EngineError } from '../../shared/errors.ts'
import {
  finished,
  HCPCS_EDITOR,
  type MadeCodes,
  NDC_EDITOR,
  openedCodes,
  PROCEDURES,
  packagesOf,
  READER,
  refusal,
  tableOf,
} from './support/made-codes.ts'
import type { CodeImport, ImportedCodes, RowFate } from './tables/import-run.ts'

/** Opens an area with two products, one of which has packages, and a procedure. */
async function opened(): Promise<MadeCodes> {
  const made = await openedCodes()
  await made.importNdc(
    finished(['0002-0485', 'Alpha'], ['12345-678', 'Beta']),
    packagesOf('0002-0485-04', '0002-0485-54'),
  )
  await made.importHcpcs(
    tableOf(PROCEDURES, [{ HCPCS_CD: 'J9999', HCPCS_SQNC_NUM: '0100', HCPCS_LONG_DESC_TXT: 'x' }]),
  )
  made.clock.to('2026-04-01T00:00:00.000Z')
  return made
}

async function take(
  made: MadeCodes,
  area: 'ndc' | 'hcpcs',
  table: string,
  run: Partial<CodeImport> = {},
): Promise<{ readonly report: ImportedCodes; readonly rows: readonly RowFate[] }> {
  const rows: RowFate[] = []
  const all = { user: 'import', onRow: (row: RowFate) => void rows.push(row), ...run }
  const report = await made[area].importCategories(await made.give(table), all)
  return { report, rows }
}

const seerOf = async ({ ndc }: MadeCodes, code: string) =>
  (await ndc.product(READER, code)).record.seer

test('categories, classes and drugs of products are taken over, whichever way a code is written', async () => {
  const made = await opened()
  const table = [
    'NDC,SEER*Rx Category,Major Drug Class,seer_rx_id,Orphan Drug,Remarks',
    '00002-0485-04,"Chemotherapy; Hormonal Therapy","Alkylating, other",imatinib,Y,x',
    '00002048554,chemotherapy;HORMONAL_THERAPY,"Alkylating, other",imatinib,yes,y',
    '12345-678,Ancillary,,,,',
  ]
  const { report, rows } = await take(made, 'ndc', table.join('\n'))
  expect(rows.map(({ line, fate, code }) => [line, fate, code])).toEqual([
    [2, 'load', '0002-0485'],
    [3, 'merge', '0002-0485'],
    [4, 'load', '12345-678'],
  ])
  expect(report).toMatchObject({
    loaded: true,
    tables: [{ layout: 'categories of products', rows: 3, dropped: ['Remarks'] }],
    records: { added: 0, changed: 2, removed: 0, reappeared: 0, same: 0 },
  })
  expect(await seerOf(made, '0002-0485')).toEqual({
    seer_rx_id: 'imatinib',
    categories: ['CHEMOTHERAPY', 'HORMONAL_THERAPY'],
    major_drug_class: 'Alkylating, other',
    orphan_drug: true,
    date_modified: '2026-04-01T00:00:00.000Z',
  })
  expect(await seerOf(made, '12345-678')).toMatchObject({ categories: ['ANCILLARY'] })
})

test('more rows than there can be codes are refused before one is judged', async () => {
  const made = await opened()
  const table = `ndc,class\n${'1,1\n'.repeat(1_000_001)}`
  await expect(take(made, 'ndc', table)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('has 1000001 rows; import it in parts of at most 1000000'),
  })
})

test('an editor’s other members stay, empty cells take away, and the history has each step', async () => {
  const made = await opened()
  const seer = { subcategory: 'kept', major_drug_class: 'goes', orphan_drug: true }
  const { revision } = await made.ndc.update(NDC_EDITOR, '12345-678', { seer })
  await take(made, 'ndc', 'ndc\tclass\tcategories\n12345-678\t\tCHEMOTHERAPY\n')
  expect(await seerOf(made, '12345-678')).toEqual({
    categories: ['CHEMOTHERAPY'],
    subcategory: 'kept',
    orphan_drug: true,
    date_modified: '2026-04-01T00:00:00.000Z',
  })
  // A caller who holds the earlier revision gets an error.
  const stale = made.ndc.update(NDC_EDITOR, '12345-678', { seer }, [String(revision)])
  expect((await refusal(() => stale)).code).toBe('precondition_failed')
  const [last, before] = await made.ndc.history(READER, '12345-678')
  expect(last).toMatchObject({
    type: 'MOD',
    user: 'import',
    comment: expect.stringMatching(/^imported from table-\d+.tsv$/),
  })
  expect([last?.old?.seer?.major_drug_class, last?.new?.seer?.categories]).toEqual([
    ...['goes', ['CHEMOTHERAPY']],
  ])
  expect(before).toMatchObject({ type: 'MOD', user: NDC_EDITOR.user })
})

test('quotes and numbers that R and pandas write are read as they were meant', async () => {
  const made = await opened()
  // Rscript -e 'write.table(data.frame(ndc="12345-678", class="a \"b\"", orphan_drug=1), sep="\t", row.names=FALSE)'
  // with "1.0" as pandas.to_csv has it where other cells are empty, and the column of classes twice
  const table =
    '"ndc"\t"class"\t"orphan_drug"\t"class"\n"12345-678"\t"a \\"b\\""\t1.0\t"a \\"b\\""\n'
  await take(made, 'ndc', table)
  expect(await seerOf(made, '12345-678')).toMatchObject({
    major_drug_class: 'a "b"',
    orphan_drug: true,
  })
})

test('the same table again changes nothing, and one that empties all leaves nothing', async () => {
  const made = await opened()
  const table = 'ndc\tcategories\tclass\n12345-678\tANCILLARY\tx\n'
  await take(made, 'ndc', table)
  const { revision } = await made.ndc.product(READER, '12345-678')
  made.clock.to('2026-05-01T00:00:00.000Z')
  expect((await take(made, 'ndc', table)).report.records).toMatchObject({ changed: 0, same: 1 })
  expect((await made.ndc.product(READER, '12345-678')).revision).toBe(revision)
  await take(made, 'ndc', 'ndc\tcategories\tclass\n12345-678\t\t\n')
  expect(await seerOf(made, '12345-678')).toBeUndefined()
})

test('a bad row is reported by line and column, and keeps all others out', async () => {
  const made = await opened()
  const table = [
    'ndc\tcategories\torphan_drug',
    '12345-678\tANCILLARY\tno',
    '12345-678\tCHEMOTHERAPY\tno',
    '99999-999\tANCILLARY\tno',
    '0002-0485\tCHEMOTHERPY\tno',
    '0002-0485\tANCILLARY\tperhaps',
    '0002-0485\tANCILLARY',
    '0002-0485\tRADIOPHARMACEUTICAL\tno',
  ].join('\n')
  const { report, rows } = await take(made, 'ndc', table)
  expect(
    rows
      .filter(({ fate }) => fate === 'refuse')
      .map(({ line, column, reason }) => [line, column, reason]),
  ).toEqual([
    [3, undefined, 'line 2 has other values for 12345-678'],
    [4, 'ndc', "NDC code '99999-999' does not exist."],
    [
      ...[5, 'categories'],
      '"CHEMOTHERPY" is none of HORMONAL_THERAPY, ANCILLARY, CHEMOTHERAPY, IMMUNOTHERAPY, RADIOPHARMACEUTICAL; did you mean "CHEMOTHERAPY"?',
    ],
    [6, 'orphan_drug', 'the cell is neither yes nor no; give true or false'],
    [7, undefined, 'the row has 2 columns, the header 3'],
  ])
  expect([report.loaded, report.records]).toEqual([false, undefined])
  expect(await seerOf(made, '12345-678')).toBeUndefined()
  const skipped = await take(made, 'ndc', table, { skipBad: true })
  expect(skipped.report.records).toMatchObject({ changed: 2 })
  expect(await seerOf(made, '0002-0485')).toMatchObject({ categories: ['RADIOPHARMACEUTICAL'] })
})

test('a dry run says what would change, and changes nothing', async () => {
  const made = await opened()
  const { report } = await take(made, 'ndc', 'ndc,drug\n12345-678,a\n', { dryRun: true })
  expect([report.dryRun, report.records?.changed]).toEqual([true, 1])
  expect(await seerOf(made, '12345-678')).toBeUndefined()
})

test('procedures take what published tables do not have, and keep what they have', async () => {
  const made = await opened()
  await made.hcpcs.create(HCPCS_EDITOR, { hcpcs_code: 'Z0001', strength: '30 mg' })
  const table = [
    'HCPCS\tGeneric Name\tBrand Name\tCategory\tOral (Y/N)\tFDA Approval Year',
    'J9999\talemtuzumab\tCampath; Lemtrada\tImmunotherapy\tN\t2001',
    'Z0001\timatinib\t\tChemotherapy\tY\t',
  ].join('\r\n')
  expect((await take(made, 'hcpcs', table)).report.records).toMatchObject({ changed: 2 })
  expect((await made.hcpcs.procedure(READER, 'J9999')).record).toMatchObject({
    description: 'x',
    generic_name: 'alemtuzumab',
    brand_names: ['Campath', 'Lemtrada'],
    categories: ['IMMUNOTHERAPY'],
    oral: false,
    fda_approval_year: '2001',
  })
  expect((await made.hcpcs.procedure(READER, 'Z0001')).record).toMatchObject({
    strength: '30 mg',
    generic_name: 'imatinib',
    oral: true,
  })
  const found = await made.hcpcs.search(READER, { category: ['IMMUNOTHERAPY'] })
  expect(found.records.map(({ hcpcs_code }) => hcpcs_code)).toEqual(['J9999'])
})

test('a table without a code, without a member, or with one twice is refused with its name', async () => {
  const made = await opened()
  const refused = async (table: string): Promise<string> => {
    const error: unknown = await take(made, 'ndc', table).catch((cause: unknown) => cause)
    return error instanceof EngineError && error.code === 'bad_input' ? error.message : 'taken'
  }
  expect(await refused('code,categories\n')).toMatch(
    /^in "table-\d+.tsv", the table has no column of codes \(ndc, /,
  )
  expect(await refused('ndc,remark\n')).toMatch(/the table has none of the columns seer_rx_id, /)
  expect(await refused('ndc,class,Major Drug Class\n')).toMatch(
    /"Major Drug Class" is major_drug_class, as another one is$/,
  )
  expect(await refused('ndc,ndc_11,class\n')).toMatch(/several columns of codes/)
  expect(await refused('')).toMatch(/has no line of column names$/)
  expect(await refused('ndc,class\n"1,2\n')).toMatch(/^in "table-\d+.tsv", line 2 opens a quote/)
  expect(await refused('ndc,class,class\n12345-678,x,y\n')).toMatch(
    /column class occurs twice in line 1, as columns 2 and 3, which differ in line 2; keep one$/,
  )
})
