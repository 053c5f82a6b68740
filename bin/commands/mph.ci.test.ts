import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

let folder: string
let pairs: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-mph-'))
  pairs = join(folder, 'pairs.ndjson')
  writeFileSync(pairs, `${PAIR.repeat(600)}[]\n${PAIR}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hodgkin = (histology: string, year: string) => ({
  primary_site: 'C770',
  histology_icd_o3: histology,
  behavior_icd_o3: '3',
  date_of_diagnosis_year: year,
  date_of_diagnosis_month: '01',
})
const PAIR = `${JSON.stringify({ input1: hodgkin('9650', '1996'), input2: hodgkin('9667', '1998') })}\n`
const RANGES = [
  'HistologyLow,HistologyHigh,SameHistologyLow,SameHistologyHigh,HistologyGroup',
  '9590,9590,9591,9591,Lymphoma',
]

const run = (words: readonly string[], data = '') => runProgram(words, { CASEMILL_DATA: data })
const results = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).result ?? JSON.parse(line).line)

test('mph answers a line for each line, by the imported tables once there are some', async () => {
  const { status, out, err } = await run(['mph', pairs])
  const worry = `casemill: ${pairs}: 1 line has an error as result\n`
  expect({ status, err }).toEqual({ status: 1, err: worry })
  expect(out.split('\n')[600]).toContain(`{"line":601,"file":${JSON.stringify(pairs)},`)
  const single = Array.from({ length: 600 }, () => 'SINGLE_PRIMARY')
  expect(results(out)).toEqual([...single, 601, 'SINGLE_PRIMARY'])

  const data = join(folder, 'data')
  const file = join(folder, 'ranges.csv')
  writeFileSync(file, RANGES.join('\n'))
  const imported = await run(['import', 'hematopoietic', file], data)
  expect(imported).toMatchObject({ status: 0, err: '' })
  expect(imported.out.split('\n')[0]).toMatch(
    /^same disease until 2000\t1 rows added, \d+ removed, 0 as they were$/,
  )
  const answers = join(folder, 'answers.ndjson')
  expect(await run(['mph', pairs, '-o', answers], data)).toMatchObject({ status: 1, out: '' })
  expect(new Set(results(readFileSync(answers, 'utf8')))).toEqual(
    new Set(['MULTIPLE_PRIMARIES', 601]),
  )
})

test('import hematopoietic takes files or --shipped, and reports the same as JSON', async () => {
  const data = join(folder, 'other')
  const words = ['import', 'hematopoietic']
  expect(await run(words, data)).toMatchObject({ status: 2, out: '' })
  expect(await run([...words, '--shipped', pairs], data)).toMatchObject({ status: 2, out: '' })
  const { out, status } = await run([...words, '--shipped', '--dry-run', '--json'], data)
  expect(status).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ dryRun: true, tables: expect.any(Array) })
  const refused = await run([...words, pairs], data)
  expect(refused).toMatchObject({ status: 1, out: '' })
  expect(refused.err).toMatch(/^casemill: [^\n]*pairs\.ndjson[^\n]*\n$/)
})
