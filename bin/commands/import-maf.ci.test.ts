import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-maf-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) =>
  runProgram(['import', 'maf', ...args], { CASEMILL_DATA: join(folder, 'data') })

const HEADER =
  '#version 2.4\nChromosome\tStart_position\tReference_Allele\tTumor_Seq_Allele2\tTumor_Sample_Barcode\n'

test('import maf takes the mutation tables of a folder, plain or gzip, and nothing else', async () => {
  const tables = join(folder, 'tables')
  mkdirSync(tables)
  writeFileSync(join(tables, 'a.hg38.maf'), `${HEADER}1\t5\tC\tT\tTCGA-AA-0001-01\n1\t0\tC\tT\tx\n`)
  writeFileSync(
    join(tables, 'b.hg38.maf.gz'),
    gzipSync(`${HEADER}chr1\t5\tC\tT\tTCGA-AA-0002-01\n`),
  )
  writeFileSync(join(tables, 'cases.json'), '[{"case_id":"c1"}]')
  const made = await run(tables)
  expect(made).toMatchObject({ status: 0, err: '' })
  expect(made.out.replaceAll(`${tables}/`, '').split('\n')).toEqual([
    'cases.json: not taken: it is no mutation table (MAF)',
    'a.hg38.maf: mutation table (MAF), 2 rows: 1 ssm_occurrences, 1 rows not taken',
    'b.hg38.maf.gz: mutation table (MAF), 1 rows: 1 ssm_occurrences',
    '',
    'rows that were not taken:',
    '  a.hg38.maf:4: start and end are no span: 0 to 0',
    '',
    'Data Release 1.0:',
    '  cases: 2',
    expect.stringContaining('2 are named but not described'),
    '  ssms: 1',
    '  ssm_occurrences: 2',
    '  2 cases have no project',
    '',
  ])
  const again = await run('--dry-run', '--json', join(tables, 'b.hg38.maf.gz'))
  expect(JSON.parse(again.out)).toMatchObject({
    dataRelease: 'Data Release 2.0',
    datasets: { ssms: { records: 1 }, ssm_occurrences: { records: 2 } },
  })
})

test('import maf without any mutation table is one line and a status', async () => {
  const path = join(folder, 'cases.json')
  writeFileSync(path, '[{"case_id":"c1"}]')
  expect(await run(path)).toEqual({
    status: 1,
    signal: null,
    out: '',
    err: `casemill: nothing can be taken from "${path}": it is no mutation table (MAF)\n`,
  })
})
