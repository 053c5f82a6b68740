import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hcpcs } from '../../../../../engine/registry/codes/hcpcs/hcpcs.ts'
import { Ndc } from '../../../../../engine/registry/codes/ndc/ndc.ts'
import { CodeRepository } from '../../../../../engine/registry/codes/repository.ts'
import type {
  CodeImport,
  ImportedCodes,
} from '../../../../../engine/registry/codes/tables/import-run.ts'
import { EngineError } from '../../../../../engine/shared/index.ts'
import type { JsonObject } from '../../../../../engine/shared/input/json-value.ts'
import { newState } from '../../../../../engine/shared/support/new-state.ts'
import {
  key,
  type MadeTable,
  oneOf,
  orMissing,
  value,
} from '../../../../../fixtures/tables/made-table.ts'
import type { GivenSource } from '../../support/documents.ts'
import { type Imported, written } from './imported.ts'

/** A code of a letter and four digits. */
const procedureCode = (row: number) =>
  `${'ABCDEGHJKLMPQRSTV'[row % 17]}${String(row).padStart(4, '0')}`
/** A code of labeler and product. */
const productCode = (row: number) =>
  `${String(50_000 + (row % 997))}-${String(row).padStart(4, '0')}`

/** Lists are compared by element, so a changed list would count as several differences. */
const alternating =
  (...texts: readonly string[]) =>
  (row: number) =>
    texts[row % texts.length] ?? ''

const day = oneOf('20020101', '19991231', '20100704')
const dayOrNone = orMissing('', day)

/** Tables of published codes, and of their categories. */
export const codeTables = (rows: number): readonly MadeTable[] => [
  {
    ...{ fileName: 'hcpcs.txt', rows },
    columns: [
      key('HCPCS_CD', procedureCode),
      key('HCPCS_SQNC_NUM', () => '00100'),
      value('HCPCS_LONG_DESC_TXT', oneOf('Injection, 5 mg', 'Tube, 5" long', "Patient's chair")),
      value('HCPCS_CD_ADD_DT', day),
      value('HCPCS_TERMNTN_DT', dayOrNone),
    ],
  },
  {
    ...{ fileName: 'ndc.txt', rows },
    columns: [
      key('PRODUCTID', (row) => `${productCode(row)}_x`),
      key('PRODUCTNDC', productCode),
      key('PRODUCTTYPENAME', () => 'HUMAN PRESCRIPTION DRUG'),
      value('PROPRIETARYNAME', oneOf('One', 'Two "forte"', 'None of these')),
      key('PROPRIETARYNAMESUFFIX', () => ''),
      key('NONPROPRIETARYNAME', alternating('alpha, beta', 'gamma')),
      value('DOSAGEFORMNAME', oneOf('TABLET, FILM COATED', 'INJECTION')),
      key('ROUTENAME', alternating('ORAL', 'TOPICAL')),
      value('STARTMARKETINGDATE', day),
      value('ENDMARKETINGDATE', dayOrNone),
      value('MARKETINGCATEGORYNAME', oneOf('NDA', 'BLA')),
      value('APPLICATIONNUMBER', oneOf('NDA018781', 'ANDA200157')),
      value('LABELERNAME', oneOf("Dr. Reddy's", 'Eli Lilly and Company')),
      // One substance has three values in lists at the same path.
      key('SUBSTANCENAME', () => 'ALPHA; BETA'),
      key('ACTIVE_NUMERATOR_STRENGTH', () => '10; .5'),
      key('ACTIVE_INGRED_UNIT', () => 'mg/1; mg/1'),
      key('PHARM_CLASSES', alternating('Insulin [CS]', 'Insulin Analog [EPC]')),
      value('DEASCHEDULE', orMissing('', oneOf('CII', 'CIV'))),
      key('NDC_EXCLUDE_FLAG', () => 'N'),
      key('LISTING_RECORD_CERTIFIED_THROUGH', () => '20271231'),
    ],
  },
  {
    ...{ fileName: 'hcpcs-categories.tsv', rows },
    columns: [
      key('hcpcs', procedureCode),
      value('generic_name', oneOf('alpha', 'alpha, beta', 'the "third"')),
      value('fda_approval_year', orMissing('', oneOf('1999', '2012'))),
      key('categories', alternating('Chemotherapy', 'Hormonal Therapy', 'Immunotherapy')),
      value('major_drug_class', orMissing('', oneOf('Antimetabolite', 'Alkylating agent'))),
      value('oral', oneOf('yes', 'no')),
    ],
  },
]

/** Imports tables of codes into an empty state, categories last. */
export async function readCodes(sources: readonly GivenSource[]): Promise<Imported> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-code-law-'))
  const state = await newState()
  try {
    const areas = { state, clock: () => new Date(0) }
    const [ndc, hcpcs] = [new Ndc(areas), new Hcpcs(areas)]
    const paths = await written(folder, sources)
    const pathOf = (name: string) => paths.filter((path) => path.endsWith(`/${name}`))
    const told: unknown[] = []
    const load = async (
      name: string,
      read: (path: string, run: CodeImport) => Promise<ImportedCodes>,
    ) => {
      for (const path of pathOf(name)) told.push(...(await toldOf((run) => read(path, run))))
    }
    await load('hcpcs.txt', (path, run) => hcpcs.import(path, run))
    await load('ndc.txt', (products, run) => ndc.import({ products }, run))
    await load('hcpcs-categories.tsv', (path, run) => hcpcs.importCategories(path, run))
    const records = { hcpcs: await recordsOf(state, 'hcpcs'), ndc: await recordsOf(state, 'ndc') }
    return { records, told: JSON.parse(JSON.stringify(told).replaceAll(folder, '')) }
  } finally {
    await state.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the import's report, or the error that ended it. */
async function toldOf(read: (run: CodeImport) => Promise<ImportedCodes>): Promise<unknown[]> {
  const refused: unknown[] = []
  const run: CodeImport = {
    user: 'law',
    onRow: ({ fate, column, reason }) => void (fate === 'refuse' && refused.push([column, reason])),
  }
  try {
    const { tables, differing } = await read(run)
    // Columns without a meaning lose no value.
    return [...tables.map(({ dropped: _dropped, ...table }) => table), differing, ...refused]
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return [error.message]
  }
}

async function recordsOf(
  state: Awaited<ReturnType<typeof newState>>,
  area: 'hcpcs' | 'ndc',
): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = []
  for await (const { code, listings, own } of new CodeRepository(state, area).recordsSince(0)) {
    // A record changed by a category contains the rest again.
    records.push({ code, content: JSON.parse(own ?? listings) })
  }
  return records
}
