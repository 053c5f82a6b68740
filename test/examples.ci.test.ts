import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../bin/support/program.ts'
import { makeBam } from '../fixtures/bam/make-bam.ts'
import { available } from './available.ts'
import { readMphVectors } from './registry/support/mph-vectors.ts'
import { readRecodeVectors } from './registry/support/recode-vectors.ts'
import { archiveOf, type Recorded, readVectors } from './registry/support/staging-vectors.ts'

// The programs of examples/ as they are run in a checkout, with truth from outside.

const ROOT = fileURLToPath(new URL('..', import.meta.url))

let folder = ''
const at = (name: string) => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-examples-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = promisify(execFile)

/** What an example prints, by line and cell. */
async function example(name: string, ...words: readonly string[]): Promise<string[][]> {
  const script = join(ROOT, 'examples', `${name}.ts`)
  const { stdout } = await run(process.execPath, ['--conditions=casemill-source', script, ...words])
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
}

/** Runs a command of the program, which has to do well. */
async function casemill(...words: readonly string[]): Promise<void> {
  expect(await runProgram([...words, '--data', at('data')])).toMatchObject({ status: 0 })
}

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

// Survival in acute myelogenous leukemia (Miller 1997), as R's package survival has it as `aml`: weeks,
// and whether who is followed still lives.
const AML = {
  Maintained: '9 13 13+ 18 23 28+ 31 34 45+ 48 161+',
  Nonmaintained: '5 5 8 8 12 16+ 23 27 30 33 43 45',
}

const AML_CASES = Object.entries(AML).flatMap(([disease_type, times]) =>
  times.split(' ').map((text, i) => {
    const time = Number.parseInt(text, 10)
    return {
      ...{ case_id: `${disease_type}-${i}`.toLowerCase(), disease_type },
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
  await casemill('import', 'commons', at('cases.json'))

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
  // DuckDB reads what was imported by itself, and counts what is in one and not in the other.
  const difference = await connection.runAndReadAll(`
    WITH given AS (SELECT case_id, disease_type, demographic.days_to_death FROM read_json('${at('cases.json')}'))
    SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM (FROM given EXCEPT SELECT case_id, disease_type, "demographic.days_to_death" FROM cases))`)
  expect(difference.getRows()).toEqual([[23n, 0n]])
  connection.closeSync()
  instance.closeSync()
})

test.skipIf(!available.shared)(
  'stage-cases counts results as the original library gave them',
  async () => {
    type Stage = Extract<Recorded, { readonly op: 'stage' }>
    const rows = readVectors<Recorded>('peer-eod_public-stage.jsonl.gz').filter(
      (row): row is Stage => row.op === 'stage',
    )
    writeFileSync(
      at('cases.ndjson'),
      rows.map(({ input }) => `${JSON.stringify(input)}\n`).join(''),
    )
    await casemill('import', 'staging', archiveOf('eod_public'))
    const expected = new Map<string, number>()
    const count = rows.length + 100
    for (const {
      expected: { result },
    } of [...rows, ...rows.slice(0, 100)]) {
      expected.set(result, (expected.get(result) ?? 0) + 1)
    }
    expect(expected.size).toBeGreaterThan(1)
    const words = [at('data'), 'eod_public', '3.3', at('cases.ndjson'), String(count)]
    const told = await example('stage-cases', ...words)
    expect(new Map(told.map(([result = '', times]) => [result, Number(times)]))).toEqual(expected)
  },
)

test.skipIf(!available.shared)(
  'registrar stages, groups and counts primaries as the original libraries do',
  async () => {
    // Pairs of tumours whose outcome the original library decides, each as a patient.
    const pairs = readMphVectors('csv-2000-2022')
      .filter(({ expected }) => /^(SINGLE|MULTIPLE)_/.test(expected.result))
      .slice(0, 200)
    // The edition that is common.
    const groups = readRecodeVectors('recode-seer').filter(
      ({ version, input: { site, hist } }) => version === '2008' && site && hist,
    )
    const lone = groups.map(({ input }) => ({
      ...{ primary_site: input.site, histology_icd_o3: input.hist },
      ...{ behavior_icd_o3: input.behavior ?? '3', date_of_diagnosis_year: '2018' },
    }))
    const patients = [
      ...pairs.map(({ input1, input2 }) => [input1, input2]),
      ...lone.map((one) => [one]),
    ]
    writeFileSync(
      at('patients.ndjson'),
      patients.map((tumours) => `${JSON.stringify(tumours)}\n`).join(''),
    )
    await casemill('import', 'staging', archiveOf('eod_public'))
    const [head, ...told] = await example(
      'registrar',
      ...[at('data'), 'eod_public', '3.3', at('patients.ndjson')],
    )
    expect(head).toEqual(['patient', 'tumour', 'primary', 'site_group', 'schema', 'result'])
    const primaries = Map.groupBy(told, ([patient]) => Number(patient))
    const counts = pairs.map(
      (_, i) => new Set(primaries.get(i + 1)?.map(([, , primary]) => primary)).size,
    )
    expect(counts).toEqual(
      pairs.map(({ expected }) => (expected.result === 'SINGLE_PRIMARY' ? 1 : 2)),
    )
    expect(new Set(counts).size).toBe(2)
    const found = groups.map((_, i) => primaries.get(pairs.length + i + 1)?.[0]?.[3])
    expect(found).toEqual(groups.map(({ expected }) => expected))
  },
)
