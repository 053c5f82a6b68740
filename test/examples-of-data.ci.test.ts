import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBam } from '../fixtures/bam/make-bam.ts'
import { available } from './available.ts'
import { casemill, example } from './example.ts'

// Runs the programs of examples/ as in a checkout, and compares them with outside references.
// examples.ci.test.ts has those that stage.

let folder = ''
const at = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-examples-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = promisify(execFile)

test.skipIf(!available.samtools)(
  'slice-bam writes what samtools finds in the regions',
  async () => {
    await makeBam({
      path: at('sample.bam'),
      scale: 'small',
      seed: 1,
      style: 'htslib',
      index: 'bai',
    })
    const regions = ['chr1:1-400000', 'chr2']
    const [line = []] = await example('slice-bam', at('sample.bam'), at('slice.bam'), ...regions)
    expect(line).toEqual([at('slice.bam'), expect.stringMatching(/^\d+ bytes$/)])
    const view = async (...words: string[]) =>
      (await run('samtools', ['view', ...words], { maxBuffer: 1 << 28 })).stdout
    const sliced = await view(at('slice.bam'))
    expect(sliced.split('\n').length).toBeGreaterThan(100)
    expect(sliced).toBe(await view(at('sample.bam'), ...regions))
  },
)

// Survival in acute myelogenous leukemia (Miller 1997), from R's package survival (`aml`): time in weeks, and
// whether the patient is still alive.
const AML = {
  Maintained: '9 13 13+ 18 23 28+ 31 34 45+ 48 161+',
  Nonmaintained: '5 5 8 8 12 16+ 23 27 30 33 43 45',
}

const AML_CASES = Object.entries(AML).flatMap(([disease_type, times]) =>
  times.split(' ').map((text, i) => {
    const time = Number.parseInt(text, 10)
    return {
      case_id: `${disease_type}-${i}`.toLowerCase(),
      disease_type,
      project: { project_id: 'AML' },
      demographic: text.endsWith('+')
        ? { vital_status: 'Alive' }
        : { vital_status: 'Dead', days_to_death: time },
      ...(text.endsWith('+') ? { follow_ups: [{ days_to_follow_up: time }] } : {}),
    }
  }),
)

test('survival tells what R tells of the same patients, and table-to-duckdb gives DuckDB all of them', async () => {
  writeFileSync(at('cases.json'), JSON.stringify(AML_CASES))
  await casemill('import', 'commons', at('cases.json'), '--data', at('data'))

  // print(survfit(Surv(time, status) ~ x, data = aml))
  // s <- survdiff(Surv(time, status) ~ x, data = aml); chi <- sum((s$obs - s$exp)^2 / s$exp)
  // sprintf("%.12g %.12g", chi, pchisq(chi, 1, lower.tail = FALSE))
  const told = await example('survival', at('data'), 'disease_type', ...Object.keys(AML))
  expect(told.slice(0, 3)).toEqual([
    ['cohort', 'donors', 'deaths', 'median'],
    ['Maintained', '11', '7', '31'],
    ['Nonmaintained', '12', '11', '23'],
  ])
  const [chiSquared = Number.NaN, p = Number.NaN] = (told[3] ?? []).map((cell) =>
    Number(cell.split(' ')[1]),
  )
  expect(chiSquared).toBeCloseTo(3.13517198559, 10)
  expect(p).toBeCloseTo(0.0766203050194, 12)

  const fields = ['case_id', 'disease_type', 'demographic.days_to_death']
  const words = [at('data'), 'cases', at('cases.duckdb'), ...fields]
  expect(await example('table-to-duckdb', ...words)).toEqual([
    [
      ...['cases', '23 rows'],
      'id VARCHAR, case_id VARCHAR, demographic.days_to_death BIGINT, disease_type VARCHAR',
    ],
  ])
  const instance = await DuckDBInstance.create(at('cases.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  // DuckDB reads the imported data and counts the differences in both directions.
  const difference = await connection.runAndReadAll(`
    WITH given AS (SELECT case_id, disease_type, demographic.days_to_death FROM read_json('${at('cases.json')}'))
    SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM (FROM given EXCEPT SELECT case_id, disease_type, "demographic.days_to_death" FROM cases))`)
  expect(difference.getRows()).toEqual([[23n, 0n]])
  connection.closeSync()
  instance.closeSync()
})
