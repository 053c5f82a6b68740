import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../../../shared/database/database.ts'
import { newState } from '../../../shared/support/new-state.ts'
import { callerOf, MadeClock } from '../../staging/store/support/made-staging.ts'
import { Hcpcs } from '../hcpcs/hcpcs.ts'
import { Ndc } from '../ndc/ndc.ts'
import type { CodeChange, CodeImport, ImportedCodes, RowFate } from '../tables/import-run.ts'

export { refusal } from '../../staging/store/support/made-staging.ts'

export const READER = callerOf()
export const NDC_EDITOR = callerOf('NDC_EDITOR')
export const HCPCS_EDITOR = callerOf('HCPCS_EDITOR')

type Content = string | Uint8Array

/** Results of an import, and what it reported. */
interface ImportOutcome {
  readonly report: ImportedCodes
  readonly rows: readonly RowFate[]
  readonly changes: readonly CodeChange[]
}

export interface MadeCodes extends AsyncDisposable {
  readonly ndc: Ndc
  readonly hcpcs: Hcpcs
  readonly clock: MadeClock
  /** Path of a new file. */
  give(content: Content): Promise<string>
  importNdc(
    products: Content,
    packages?: Content,
    run?: Partial<CodeImport>,
  ): Promise<ImportOutcome>
  importHcpcs(table: Content, run?: Partial<CodeImport>): Promise<ImportOutcome>
}

/** Opens both areas on the given database, or on a new one. */
export async function madeCodes(given?: Database): Promise<MadeCodes> {
  const state = given ?? (await newState())
  const folder = await mkdtemp(join(tmpdir(), 'casemill-codes-'))
  const clock = new MadeClock()
  const ndc = new Ndc({ state, clock: clock.read })
  const hcpcs = new Hcpcs({ state, clock: clock.read })
  let files = 0
  const give = async (content: Content) => {
    const path = join(folder, `table-${++files}.tsv`)
    await writeFile(path, content)
    return path
  }
  return {
    ndc,
    hcpcs,
    clock,
    give,
    async importNdc(products, packages, run) {
      const tables = {
        products: await give(products),
        packages: packages === undefined ? undefined : await give(packages),
      }
      return outcomeOf(run, (all) => ndc.import(tables, all))
    },
    async importHcpcs(table, run) {
      const path = await give(table)
      return outcomeOf(run, (all) => hcpcs.import(path, all))
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

/** Does the same as madeCodes, and cleans up after the test. */
export async function openedCodes(state?: Database): Promise<MadeCodes> {
  const made = await madeCodes(state)
  onTestFinished(() => made[Symbol.asyncDispose]())
  return made
}

async function outcomeOf(
  run: Partial<CodeImport> | undefined,
  load: (run: CodeImport) => Promise<ImportedCodes>,
): Promise<ImportOutcome> {
  const rows: RowFate[] = []
  const changes: CodeChange[] = []
  const report = await load({
    user: 'import',
    onRow: (row) => void rows.push(row),
    onChange: (change) => void changes.push(change),
    ...run,
  })
  return { report, rows, changes }
}

/** Builds a table from rows keyed by column name. Missing cells are empty. */
export function tableOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string>>[],
): string {
  const lines = rows.map((row) => columns.map((name) => row[name] ?? ''))
  return [columns, ...lines].map((cells) => `${cells.join('\t')}\n`).join('')
}

export const FINISHED = [
  ...['PRODUCTID', 'PRODUCTNDC', 'PRODUCTTYPENAME', 'PROPRIETARYNAME', 'PROPRIETARYNAMESUFFIX'],
  ...['NONPROPRIETARYNAME', 'DOSAGEFORMNAME', 'ROUTENAME', 'STARTMARKETINGDATE'],
  ...['ENDMARKETINGDATE', 'MARKETINGCATEGORYNAME', 'APPLICATIONNUMBER', 'LABELERNAME'],
  ...['SUBSTANCENAME', 'ACTIVE_NUMERATOR_STRENGTH', 'ACTIVE_INGRED_UNIT', 'PHARM_CLASSES'],
  ...['DEASCHEDULE', 'NDC_EXCLUDE_FLAG', 'LISTING_RECORD_CERTIFIED_THROUGH'],
]

export const UNFINISHED = [
  ...['PRODUCTID', 'PRODUCTNDC', 'PRODUCTTYPENAME', 'NONPROPRIETARYNAME', 'DOSAGEFORMNAME'],
  ...['STARTMARKETINGDATE', 'ENDMARKETINGDATE', 'MARKETINGCATEGORYNAME', 'LABELERNAME'],
  ...['SUBSTANCENAME', 'ACTIVE_NUMERATOR_STRENGTH', 'ACTIVE_INGRED_UNIT', 'DEASCHEDULE'],
  'LISTING_RECORD_CERTIFIED_THROUGH',
]

export const PACKAGES = ['PRODUCTID', 'PRODUCTNDC', 'NDCPACKAGECODE', 'PACKAGEDESCRIPTION']

export const PROCEDURES = [
  ...['HCPCS_CD', 'HCPCS_SQNC_NUM', 'HCPCS_LONG_DESC_TXT', 'HCPCS_SHRT_DESC_TXT'],
  ...['HCPCS_CD_ADD_DT', 'HCPCS_TERMNTN_DT'],
]

/** A table of finished products that have a code and a name. */
export const finished = (...products: readonly (readonly [code: string, name: string])[]) =>
  tableOf(
    FINISHED,
    products.map(([PRODUCTNDC, PROPRIETARYNAME]) => ({ PRODUCTNDC, PROPRIETARYNAME })),
  )

/** A table of unfinished products that have a code and a name. */
export const unfinished = (...products: readonly (readonly [code: string, name: string])[]) =>
  tableOf(
    UNFINISHED,
    products.map(([PRODUCTNDC, NONPROPRIETARYNAME]) => ({ PRODUCTNDC, NONPROPRIETARYNAME })),
  )

/** A table of packages by their whole codes. */
export const packagesOf = (...codes: readonly string[]) =>
  tableOf(
    PACKAGES,
    codes.map((NDCPACKAGECODE) => ({
      NDCPACKAGECODE,
      PRODUCTNDC: NDCPACKAGECODE.replace(/-\w*$/, ''),
      PACKAGEDESCRIPTION: `1 BOTTLE (${NDCPACKAGECODE})`,
    })),
  )
