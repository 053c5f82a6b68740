import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-copies-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) =>
  runProgram(['import', ...args], { CASEMILL_DATA: join(folder, 'data') })

const COPIES = 'gene_id\tgene_name\tchromosome\tstart\tend\tcopy_number\n'
const SEGMENTS = 'Sample\tChromosome\tStart\tEnd\tNum_Probes\tSegment_Mean\n'

test('import copy-number takes tables of genes and of segments, and nothing else', async () => {
  const tables = join(folder, 'tables')
  mkdirSync(tables)
  const copies = `${COPIES}ENSG1.2\tA\tchr1\t5\t9\t0\nENSG2.2\tB\tchr1\t9\t5\t1\n`
  writeFileSync(join(tables, 'a.tsv.gz'), gzipSync(copies))
  writeFileSync(join(tables, 'b.seg'), `${SEGMENTS}TCGA-AA-0001-01\t1\t5\t9\t3\t0.01\n`)
  writeFileSync(join(tables, 'cases.json'), '[{"case_id":"c1"}]')
  const without = await run('copy-number', tables)
  expect(without.out).toContain('a.tsv.gz: not taken: it names no sample, and no record tells')

  const records = join(folder, 'files.json')
  writeFileSync(
    records,
    '[{"file_id":"f1","file_name":"a.tsv.gz","cases":[{"case_id":"c1","project":{"project_id":"P"}}]}]',
  )
  expect((await run('commons', records)).status).toBe(0)
  const made = await run('copy-number', tables)
  expect(made).toMatchObject({ status: 0, err: '' })
  expect(made.out.replaceAll(`${tables}/`, '').split('\n')).toEqual([
    'cases.json: not taken: it is no copy-number table',
    'a.tsv.gz: copy-number table, 2 rows: 1 cnv_occurrences, 1 rows not taken',
    '  column gene_id: 2 taken, 0 empty, 2 written without the version, or in upper case',
    'b.seg: copy-number table, 1 rows',
    '  copy numbers of which no record is made: 1 neutral',
    '',
    'rows that were not taken:',
    '  a.tsv.gz:3: start and end are no span: 9 to 5',
    '',
    'Data Release 3.0:',
    '  projects: 1',
    expect.stringContaining('1 are named but not described'),
    '  cases: 2',
    expect.stringContaining('2 are named but not described'),
    '  files: 1',
    '  cnvs: 1',
    '  cnv_occurrences: 1',
    '  1 cases have no project',
    '',
  ])
})
