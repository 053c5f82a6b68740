import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from './available.ts'
import { casemill, example } from './example.ts'
import { readMphVectors } from './registry/support/mph-vectors.ts'
import { readRecodeVectors } from './registry/support/recode-vectors.ts'
import { archiveOf, type Recorded, readVectors } from './registry/support/staging-vectors.ts'

// Runs the programs of examples/ that stage, as in a checkout. The expected results come from the original libraries.

describe.skipIf(!available.shared)('with a published algorithm', () => {
  let folder = ''
  const at = (name: string) => join(folder, name)
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casemill-examples-'))
    await casemill('import', 'staging', archiveOf('eod_public'), '--data', at('data'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('stage-cases counts results as the original library gave them', async () => {
    type Stage = Extract<Recorded, { readonly op: 'stage' }>
    const rows = readVectors<Recorded>('peer-eod_public-stage.jsonl.gz').filter(
      (row): row is Stage => row.op === 'stage',
    )
    writeFileSync(
      at('cases.ndjson'),
      rows.map(({ input }) => `${JSON.stringify(input)}\n`).join(''),
    )
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
  })

  test('registrar stages, groups and counts primaries as the original libraries do', async () => {
    // Pairs of tumours whose outcome the original library has decided, each as a patient.
    const pairs = readMphVectors('csv-2000-2022')
      .filter(({ expected }) => /^(SINGLE|MULTIPLE)_/.test(expected.result))
      .slice(0, 200)
    // The edition that both have.
    const groups = readRecodeVectors('recode-seer').filter(
      ({ version, input: { site, hist } }) => version === '2008' && site && hist,
    )
    const lone = groups.map(({ input }) => ({
      primary_site: input.site,
      histology_icd_o3: input.hist,
      behavior_icd_o3: input.behavior ?? '3',
      date_of_diagnosis_year: '2018',
    }))
    const patients = [
      ...pairs.map(({ input1, input2 }) => [input1, input2]),
      ...lone.map((one) => [one]),
    ]
    writeFileSync(
      at('patients.ndjson'),
      patients.map((tumours) => `${JSON.stringify(tumours)}\n`).join(''),
    )
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
  })
})
