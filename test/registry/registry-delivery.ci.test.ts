import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import type { PatientAnswer } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'

// A delivery like those to central registries: files of three NAACCR versions, with diagnoses of thirty years,
// one item in the wrong place and one file that breaks within a patient. The published samples are changed to
// that here.

const NAACCR = publicData('data/naaccr')
const ARCHIVES = ['cs-02.05.50', 'tnm-2.1', 'eod_public-3.3', 'pediatric-1.3']

const YEARS: Readonly<Record<string, readonly number[]>> = {
  180: [2004, 2010, 2015],
  220: [2016, 2017, 2018],
  250: [2018, 2021, 2023, 1998],
}
const VERSIONS = Object.keys(YEARS)

/** The algorithms for a tumor by its year, for adults or for a child. */
function algorithmsOf(year: number, age: number): readonly string[] {
  if (year < 2004) return []
  if (year < 2016) return ['cs']
  if (year < 2018) return ['tnm']
  return age < 20 ? ['eod_public', 'pediatric'] : ['eod_public']
}

interface Tumor {
  readonly year: number
  readonly age: number
}

/** Sets the value of an item of each tumor by its number, from 0. */
const withItem = (text: string, id: string, newValue: (number: number, old: string) => string) => {
  let number = 0
  return text.replace(
    new RegExp(`(naaccrId="${id}"[^>]*>)(\\d+)`, 'g'),
    (_, start: string, old: string) => `${start}${newValue(number++, old)}`,
  )
}

describe.skipIf(!available.shared)('a mixed delivery', () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-delivery-'))
  const data = join(folder, 'data')
  const pathOf = (version: string) => join(folder, `delivery-${version}.xml`)
  const tumors = new Map<string, readonly Tumor[]>()

  beforeAll(async () => {
    for (const archive of ARCHIVES) {
      const path = publicData(`data/staging/${archive}.zip`)
      expect(await runProgram(['import', 'staging', path, '--data', data])).toMatchObject({
        status: 0,
      })
    }
    for (const version of VERSIONS) {
      const dictionary = join(NAACCR, `dictionaries/naaccr-dictionary-${version}.xml.gz`)
      expect(await runProgram(['import', 'naaccr', dictionary, '--data', data])).toMatchObject({
        status: 0,
      })
      writeFileSync(pathOf(version), delivered(version))
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function delivered(version: string): string {
    const sample = join(NAACCR, `samples/naaccr-xml-sample-v${version}-abstract-100.xml.gz`)
    const years = YEARS[version] ?? []
    const yearOf = (number: number) => years[number % years.length] ?? 0
    const ageOf = (number: number) => (number % 10 === 1 ? 7 : 61)
    let text = gunzipSync(readFileSync(sample)).toString()
    text = withItem(text, 'dateOfDiagnosis', (i, old) => `${yearOf(i)}${old.slice(4)}`)
    text = withItem(text, 'ageAtDiagnosis', (i) => String(ageOf(i)).padStart(3, '0'))
    const count = text.split('<Tumor>').length - 1
    const made = Array.from({ length: count }, (_, i) => ({ year: yearOf(i), age: ageOf(i) }))
    tumors.set(version, made)
    if (version === '250') {
      // An item of patients is misplaced within a tumor.
      return text.replace(/(<Tumor>\s*)/, '$1<Item naaccrId="vitalStatus">1</Item>')
    }
    // The file ends within its last tumor.
    return version === '220' ? text.slice(0, text.lastIndexOf('<Tumor>') + 60) : text
  }

  const answersIn = (path: string) =>
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as PatientAnswer)

  test('goes through in one command, each tumor by the algorithm of its year', async () => {
    const out = join(folder, 'results')
    const paths = VERSIONS.map(pathOf)
    const { status, err } = await runProgram(['registry', ...paths, '-o', out, '--data', data])
    expect(status).toBe(1)
    const told = { staged: 0, tumors: 0, patients: 0 }
    for (const version of VERSIONS) {
      const answers = answersIn(join(out, `delivery-${version}.ndjson`))
      const staged = answers.flatMap((patient) => patient.tumors)
      const all = tumors.get(version) ?? []
      told.patients += answers.length
      told.tumors += staged.length
      told.staged += staged.filter(({ result }) => result === 'STAGED').length
      for (const [i, tumor] of staged.entries()) {
        const { year, age } = all[i] as Tumor
        const [first, ...further] = algorithmsOf(year, age)
        expect([version, i, tumor.algorithm]).toEqual([version, i, first])
        if (first === undefined) expect(tumor.result).toBe('NO_ALGORITHM')
        // The pediatric algorithm is not applied if it has no schema for the site.
        expect(further).toEqual(
          expect.arrayContaining((tumor.further ?? []).map((one) => one.algorithm)),
        )
      }
    }
    const cut = answersIn(join(out, 'delivery-220.ndjson')).flatMap((patient) => patient.tumors)
    expect(cut.length).toBeGreaterThan(90)
    expect(cut.length).toBeLessThan(tumors.get('220')?.length ?? 0)
    // The output tells a registrar how many tumors each algorithm staged, which were not staged, and how to continue.
    expect(err).toContain(`all 3 files: ${told.patients} patients with ${told.tumors} tumors\n`)
    expect(err).toMatch(/ {2}tumors staged by cs: \d+\n/)
    expect(err).toMatch(
      /delivery-220\.xml: line \d+, .*patients before it are answered, go on from line \d+/,
    )
    expect(err).toMatch(/faults of items: 1\n {2}vitalStatus: wrong_level, once, on line \d+/)
    expect(err).toContain('1 of 3 files have faults')
    const sums = [...err.matchAll(/ {2}tumors staged by \w+: (\d+)/g)].map(([, sum]) => Number(sum))
    // Results of the pediatric algorithm are additional ones.
    const pediatric = Number(/tumors staged by pediatric: (\d+)/.exec(err)?.[1])
    expect(sums.reduce((sum, one) => sum + one, 0) - pediatric).toBe(told.staged)
  })

  test('has the results that each of its files has alone', async () => {
    const alone = join(folder, 'alone.ndjson')
    await runProgram(['registry', pathOf('180'), '-o', alone, '--data', data])
    const together = readFileSync(join(folder, 'results/delivery-180.ndjson'), 'utf8')
    expect(readFileSync(alone, 'utf8')).toBe(together)
  })

  test.each([
    [['180', '220'], [], /there are 2 files; give a folder for their results, such as -o results/],
    [
      ['180', '180'],
      ['-o', join(folder, 'twice')],
      /two files would be written to ".*180\.ndjson"/,
    ],
  ])('of %j with %j is refused before anything is read', async (versions, more, message) => {
    const words = ['registry', ...versions.map(pathOf), ...more, '--data', data]
    const { status, out, err } = await runProgram(words)
    expect([status, out]).toEqual([1, ''])
    expect(err).toMatch(message)
  })
})
