import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'

// Shards of registry files, joined, against casemill registry of the whole files.

const DATA = publicData('data/naaccr')
const DICTIONARIES = ['250', '180'].map((version) =>
  join(DATA, 'dictionaries', `naaccr-dictionary-${version}.xml.gz`),
)

/** Patients of the sample that are enough for several blocks and shards. */
const PATIENTS = 110

describe.skipIf(!available.shared)('shards of a registry file', () => {
  let folder = ''
  let plans = 0
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casemill-registry-shards-'))
    const archive = publicData('data/staging/pediatric-1.3.zip')
    const imported = await runProgram(['import', 'staging', archive, '--data', join(folder, 'd')])
    expect(imported).toMatchObject({ status: 0 })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const sampleText = () => {
    const name = 'samples/naaccr-xml-sample-v250-incidence-1000.xml.gz'
    const [head = '', ...patients] = gunzipSync(readFileSync(join(DATA, name)))
      .toString()
      .split(/(?=<Patient>)/)
    return { head, patients: patients.slice(0, PATIENTS), end: '</NaaccrData>\n' }
  }
  const file = (name: string, content: string | Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const options = (more: readonly string[]) => [
    ...['--dictionary', ...DICTIONARIES, '--data', join(folder, 'd')],
    ...['--algorithm', 'pediatric', '--version', 'latest', ...more],
  ]

  /** Runs all shards, the last one first. */
  async function joined(files: readonly string[], more: readonly string[], shards: number) {
    const plan = join(folder, `plan-${++plans}`)
    const size = ['--shards', `${shards}`, '--out', plan]
    const planned = await runProgram(['plan', 'registry', ...files, ...options(more), ...size])
    expect(planned).toMatchObject({ status: 0 })
    const count = Number(planned.out)
    for (let shard = count; shard > 0; shard--) {
      const run = await runProgram(['shard', `${shard}/${count}`, '--plan', plan])
      expect(run).toMatchObject({ status: 0 })
    }
    return { count, ...(await runProgram(['join', '--plan', plan])) }
  }
  const whole = (path: string, more: readonly string[]) =>
    runProgram(['registry', path, ...options(more)])

  test.each(['ndjson', 'tsv', 'xml'])('gives the same as the whole file, as %s', async (format) => {
    const { head, patients, end } = sampleText()
    // Results of an earlier run, a fault and a comment with a patient in it.
    const odd = patients.with(
      70,
      `<!-- <Patient></Patient> -->${(patients[70] ?? '').replace('<Tumor>', '<Item naaccrId="sex">77</Item><Tumor>')}`,
    )
    const path = file(`same-${format}.xml`, [head, ...odd, end].join(''))
    const { count, ...all } = await joined([path], ['--format', format], 3)
    expect(count).toBeGreaterThan(2)
    expect(all).toEqual(await whole(path, ['--format', format]))
  })

  test('of fixed columns gives the same as the whole file', async () => {
    const line = (patient: number, site: string) =>
      `I${' '.repeat(15)}180${' '.repeat(22)}${String(patient).padStart(8, '0')}`
        .padEnd(539, ' ')
        .concat(site)
        .padEnd(4048, ' ')
    const lines = Array.from({ length: 100 }, (_, i) => line(i >> 1, i % 2 ? 'C509' : 'C649'))
    const path = file('fixed.txt', lines.join('\n'))
    const { count, ...all } = await joined([path], [], 3)
    expect(count).toBeGreaterThan(1)
    expect(all).toEqual(await whole(path, []))
    expect(all.out.trimEnd().split('\n')).toHaveLength(50)
  })

  test.each(['ndjson', 'xml'])(
    'of a file that is broken ends where the whole file does, as %s',
    async (format) => {
      const { head, patients, end } = sampleText()
      const broken = patients.with(90, '<Patient><Tumor></Patient>')
      const path = file(`broken-${format}.xml`, [head, ...broken, end].join(''))
      const { count, ...all } = await joined([path], ['--format', format], 3)
      expect(count).toBeGreaterThan(1)
      expect(all).toEqual(await whole(path, ['--format', format]))
      expect(all).toMatchObject({ status: 1, err: expect.stringContaining('go on from line') })
      const strict = ['--format', format, '--strict']
      const refused = await joined([path], strict, 2)
      expect(refused).toMatchObject({ status: 1, out: '' })
      expect(refused.err).toContain('Patient[91]')
    },
  )

  test('of several files, one of them gzip, gives the results of each after one header', async () => {
    const { head, patients, end } = sampleText()
    const one = file('one.xml', [head, ...patients.slice(0, 60), end].join(''))
    const two = file('two.xml.gz', gzipSync([head, ...patients.slice(60), end].join('')))
    const all = await joined([one, two], ['--format', 'tsv'], 2)
    const each = [await whole(one, ['--format', 'tsv']), await whole(two, ['--format', 'tsv'])]
    const [first = '', second = ''] = each.map(({ out }) => out)
    expect(all.out).toBe(first + second.slice(second.indexOf('\n') + 1))
    expect(all.err).toContain('all 2 files: 110 patients')
    const refused = await runProgram([
      ...['plan', 'registry', one, two, ...options(['--format', 'xml'])],
      ...['--out', join(folder, 'refused')],
    ])
    expect(refused).toMatchObject({ status: 2 })
    expect(refused.err).toContain('make a plan for each')
  })
})
