import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  finished,
  PROCEDURES,
  packagesOf,
  tableOf,
} from '../../engine/registry/codes/support/made-codes.ts'
import { runCommand } from '../support/command.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-import-codes-'))
})
afterAll(() => rm(folder, { recursive: true }))

const at = (name: string) => join(folder, name)

function give(name: string, text: string): string {
  writeFileSync(at(name), text)
  return at(name)
}

const run = (...args: readonly string[]) =>
  runCommand(['import', ...args], { CASEMILL_DATA: at('data') })

const LEFT_OUT = 'PRODUCTID, NDC_EXCLUDE_FLAG, LISTING_RECORD_CERTIFIED_THROUGH'

test('a bad row keeps all out and is named; the report names each row, without it the rest is loaded', async () => {
  const products = give('products.txt', finished(['0001-0001', 'A'], ['1-1', 'B']))
  const packages = give('packages.txt', packagesOf('0001-0001-10'))
  const tables = ['ndc', products, packages]
  const lines = [
    'products.txt\tfinished products, 2 rows: 1 loaded, 0 merged, 1 refused',
    `left out\t${LEFT_OUT}`,
    'packages.txt\tpackages, 1 rows: 0 loaded, 1 merged, 0 refused',
    'left out\tPRODUCTID',
    'refused\tproducts.txt:3 PRODUCTNDC\t"1-1" is not a product code like 0002-3227',
  ]
  expect(await run(...tables, '--report', at('rows.tsv'))).toEqual({
    status: 1,
    signal: null,
    out: `${lines.join('\n')}\n`,
    err: 'casemill: 1 row is refused, so nothing was loaded; mend the tables, or leave such rows out by --skip-bad\n',
  })
  expect(readFileSync(at('rows.tsv'), 'utf8').split('\n')).toEqual([
    'file\tline\tfate\tcode\tcolumn\treason',
    'products.txt\t2\tload\t0001-0001\t\t',
    'products.txt\t3\trefuse\t\tPRODUCTNDC\t"1-1" is not a product code like 0002-3227',
    'packages.txt\t2\tmerge\t0001-0001\t\t',
    '',
  ])
  const loaded = await run(...tables, '--skip-bad', '--changes', at('changes.tsv'), '--json')
  expect(loaded).toMatchObject({ status: 0, err: '' })
  expect(JSON.parse(loaded.out)).toMatchObject({
    dryRun: false,
    loaded: true,
    refused: [{ line: 3 }],
    records: { added: 1, changed: 0, removed: 0, reappeared: 0, same: 0 },
  })
  expect(readFileSync(at('changes.tsv'), 'utf8')).toBe('change\tcode\nadded\t0001-0001\n')
})

test('a dry run makes nothing, not even a data folder', async () => {
  const row = { HCPCS_CD: 'A0001', HCPCS_SQNC_NUM: '00100', HCPCS_LONG_DESC_TXT: 'one' }
  const table = give('procedures.txt', tableOf(PROCEDURES, [row]))
  const dry = await run('hcpcs', table, '--dry-run', '--data', at('none'))
  expect(dry).toMatchObject({
    status: 0,
    out: expect.stringMatching(
      /\nrecords\t1 added, 0 changed, 0 removed, 0 reappeared, 0 as they were\n$/,
    ),
  })
  expect(existsSync(at('none'))).toBe(false)
})
