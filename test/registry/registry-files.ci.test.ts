import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ended, runProgram } from '../../bin/support/program.ts'
import { openEngine } from '../../engine/index.ts'
import type { PatientAnswer, StagedByVersion, StagingVersion } from '../../engine/registry/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { sample } from '../depth.ts'

// Files of registries processed by the command agree with requests for each tumor, whose inputs are extracted
// here from the text of the file.

const FILES = publicData('data/naaccr')
const ALGORITHM = 'eod_public'
const CALLER = { user: 'test', roles: new Set(['ADMIN'] as const) }

describe.skipIf(!available.shared)('a file of a registry', () => {
  let data = ''
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'casemill-registry-'))
    const archive = publicData('data/staging/eod_public-3.3.zip')
    expect(await runProgram(['import', 'staging', archive, '--data', data])).toMatchObject({
      status: 0,
    })
  })
  afterAll(() => rmSync(data, { recursive: true, force: true }))

  const dictionary = (version: string) =>
    join(FILES, 'dictionaries', `naaccr-dictionary-${version}.xml.gz`)
  const registry = (file: string, version: string, ...more: readonly string[]) =>
    runProgram([
      ...['registry', file, '--dictionary', dictionary(version), '--data', data],
      ...['--algorithm', ALGORITHM, '--version', 'latest', ...more],
    ])
  const sampleOf = (version: string) =>
    join(FILES, `samples/naaccr-xml-sample-v${version}-incidence-1000.xml.gz`)
  /** The output for the sample of a version, made once for all tests that use it. */
  const staged = new Map<string, Promise<Ended>>()
  const stagedSample = (version: string) => {
    const ended = staged.get(version) ?? registry(sampleOf(version), version)
    staged.set(version, ended)
    return ended
  }
  const answersOf = (out: string) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as PatientAnswer)

  test.each(['250', '220', '180'])('of version %s is staged as requests are', async (version) => {
    const { status, out, err } = await stagedSample(version)
    expect(status).toBe(0)
    const answers = answersOf(out)
    const found = answers.flatMap(({ tumors }) => tumors)
    const tumors = tumorsIn(gunzipSync(readFileSync(sampleOf(version))).toString())
    expect(found).toHaveLength(1000)
    const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
    try {
      const { staging, multiplePrimaries, recodes } = engine.registry
      const by = staging.version(CALLER, { algorithm: ALGORITHM, version: 'latest' })
      for (const [i, items] of sample([...tumors.flat().entries()], 250)) {
        const { result, schema_id } = await stagedByRequests(by, items)
        expect([i, found[i]?.result, found[i]?.schema_id]).toEqual([i, result, schema_id])
        for (const recode of ['seer', 'iccc', 'aya', 'behavior']) {
          const input = recodedOf(items)
          const asked = input.hist ? recodes.recode(input, { recode }) : input
          expect({ i, ...input, ...found[i]?.recodes?.[recode] }).toEqual({
            i,
            ...input,
            ...asked,
          })
        }
      }
      const failed = found.filter((tumor) => tumor.result !== 'STAGED').length
      expect(err).toContain(`warning: tumors not staged: ${failed}\n`)
      for (const [i, some] of tumors.entries()) {
        if (some.length < 2) continue
        const { groups } = await multiplePrimaries.patient({ tumours: some.map(tumourOf) })
        expect([i, answers[i]?.primaries?.groups]).toEqual([i, groups])
      }
    } finally {
      await engine.close()
    }
  })

  test('is a table with a row for each tumor, which says what the lines say', async () => {
    const file = sampleOf('250')
    const recodes = ['--recode', 'seer:2023', 'summary-grade']
    const tumors = answersOf((await registry(file, '250', ...recodes)).out).flatMap(
      ({ tumors: some, primaries }) =>
        some.map((tumor, input) => {
          const group = primaries?.tumours.find((one) => one.input === input)?.group
          return { ...tumor, primary: group === undefined ? '' : String(group + 1) }
        }),
    )
    const { status, out } = await registry(file, '250', '--format', 'tsv', ...recodes)
    expect(status).toBe(0)
    const [header = '', ...rows] = out.trimEnd().split('\n')
    const columns = header.split('\t')
    expect(rows).toHaveLength(1000)
    for (const [i, row] of rows.entries()) {
      const cells = Object.fromEntries(row.split('\t').map((cell, at) => [columns[at], cell]))
      const tumor = tumors[i]
      const expected = {
        line: String(tumor?.line),
        result: tumor?.result,
        schema_id: tumor?.schema_id ?? '',
        primary: tumor?.primary,
        'seer.site_group': tumor?.recodes?.seer?.site_group ?? '',
        'summary-grade.grade': tumor?.recodes?.['summary-grade']?.grade ?? '',
        ...tumor?.output,
      }
      expect(cells).toMatchObject(expected)
    }
  })

  test('is written back with its results, and nothing else is changed', async () => {
    const file = sampleOf('250')
    const text = gunzipSync(readFileSync(file)).toString()
    const written = await registry(file, '250', '--format', 'xml')
    expect(written.status).toBe(0)
    const tumors = tumorsIn(written.out).flat()
    const before = tumorsIn(text).flat()
    const found = answersOf((await stagedSample('250')).out).flatMap((one) => one.tumors)
    for (const [i, tumor] of found.entries()) {
      // The standard has no item of this name for the version of an algorithm.
      const { derived_version: _, ...output } = tumor.output
      const given = Object.entries(output).filter(([, value]) => value !== '')
      expect(tumors[i]).toEqual({ ...before[i], ...Object.fromEntries(given) })
    }
    // Processing the output again replaces the results with equal ones.
    const again = join(data, 'written.xml')
    writeFileSync(again, written.out)
    expect((await registry(again, '250', '--format', 'xml')).out).toBe(written.out)
    const added = /\r?\n *<Item naaccrId="(schemaId|derived\w+)">[^<]*<\/Item>/g
    expect(written.out.replace(added, '')).toBe(text.replace(added, ''))
  })

  test('with faults is staged, and they are counted; a broken one names line and path', async () => {
    const file = join(FILES, 'samples/naaccr-xml-sample-v250-abstract-100.xml.gz')
    const text = gunzipSync(readFileSync(file)).toString()
    const faulty = join(data, 'faulty.xml.gz')
    const wrong = text.replaceAll('<Item naaccrId="sex">2<', '<Item naaccrId="sex">SECRET<')
    const women = text.match(/<Item naaccrId="sex">2</g)?.length
    expect(women).toBeGreaterThan(10)
    writeFileSync(faulty, gzipSync(wrong))
    const { status, out, err } = await registry(faulty, '250')
    expect(status).toBe(0)
    expect(err).toMatch(
      new RegExp(`faults of items: \\d+\\n(.*\\n)*  sex: too_long, ${women} times, first on line`),
    )
    expect(err + out).not.toContain('SECRET')
    const site = wrong.match(/<Item naaccrId="primarySite">/)?.[0] ?? ''
    const secret = 'SECRET'.repeat(100_000)
    writeFileSync(faulty, wrong.replace(site, `${site}${secret}<!-- -->${secret}`))
    const refused = await registry(faulty, '250')
    expect(refused.status).toBe(1)
    const errors = answersOf(refused.out).filter((answer) => 'error' in answer)
    // The first patient that has the item.
    const [, before = ''] =
      new RegExp(`^(.*)<Patient>.*?${site}`, 's').exec(
        wrong.slice(0, wrong.indexOf(site) + site.length),
      ) ?? []
    const place = before.split('\n').length
    expect(errors).toMatchObject([{ line: place, error: { code: 'too_large' } }])
    expect(refused.err).toContain(`patients not answered: 1\n  too_large, once, on line ${place}\n`)
    expect(refused.err).toContain('sex: too_long')
    expect(refused.err + refused.out).not.toContain('SECRET')
    writeFileSync(faulty, text.replace('<Tumor>', '<Tumors>'))
    const broken = await registry(faulty, '250')
    expect(broken.status).not.toBe(0)
    expect(broken.err).toMatch(
      /line \d+, \/NaaccrData\/Patient\[1\]: there is <Tumors> in Patient; give Item or Tumor/,
    )
  })

  test('of version 25 is staged by its item of the sex where an algorithm asks for that at birth', async () => {
    // C48.2 and 8441 stand for primary peritoneal carcinoma only in women (EOD 3.3, its selection tables).
    const item = (id: string, value: string) => `<Item naaccrId="${id}">${value}</Item>`
    const tumor = `<Tumor>${item('primarySite', 'C482')}${item('histologicTypeIcdO3', '8441')}${item('behaviorCodeIcdO3', '3')}${item('dateOfDiagnosis', '20240510')}</Tumor>`
    const patients = ['2', '4', ''].map((sex) => `<Patient>${item('sex', sex)}${tumor}</Patient>\n`)
    const root =
      '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" recordType="I" specificationVersion="1.8" xmlns="http://naaccr.org/naaccrxml">'
    const file = join(data, 'sex.xml')
    writeFileSync(file, `${root}\n${patients.join('')}</NaaccrData>`)
    const { out, err } = await registry(file, '250')
    const tumors = answersOf(out).flatMap((one) => one.tumors)
    expect(tumors.map(({ schema_id: id, discriminators }) => id ?? discriminators)).toEqual([
      ...['primary_peritoneal_carcinoma', ['sex'], ['sex']],
    ])
    expect(err).toContain('equal: 1\n  sexAssignedAtBirth: sex, once, on line 2\n')
    expect(err).toContain('not read: 1\n  sexAssignedAtBirth: sex, once, on line 3\n')
  })

  test('is staged by the algorithm of each year, and by the pediatric one besides', async () => {
    for (const archive of ['tnm-2.1', 'pediatric-1.3']) {
      const path = publicData(`data/staging/${archive}.zip`)
      await runProgram(['import', 'staging', path, '--data', data])
    }
    const item = (id: string, value: string) => `<Item naaccrId="${id}">${value}</Item>`
    const tumor = (site: string, hist: string, year: string, age: string) =>
      `<Tumor>${item('primarySite', site)}${item('histologicTypeIcdO3', hist)}${item('behaviorCodeIcdO3', '3')}${item('ageAtDiagnosis', age)}${item('dateOfDiagnosis', year)}</Tumor>\n`
    const tumors = [
      ...[tumor('C509', '8500', '2024', '060'), tumor('C509', '8500', '2016', '060')],
      ...[tumor('C402', '9180', '2024', '012'), tumor('C509', '8500', '2010', '060')],
    ]
    const root =
      '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-260.xml" recordType="I" specificationVersion="1.8" xmlns="http://naaccr.org/naaccrxml">'
    const file = join(data, 'years.xml')
    writeFileSync(file, `${root}<Patient>\n${tumors.join('')}</Patient></NaaccrData>`)
    const words = ['registry', file, '--data', data, '--dictionary', dictionary('260')]
    const { out, err } = await runProgram([...words, '--recode', 'none'])
    const named = (one: StagedByVersion) => `${one.algorithm} ${one.version} ${one.schema_id}`
    const answers = answersOf(out).flatMap((one) => one.tumors)
    // The Toronto stage applies to the bone of a child of 12, but not to the breast of a woman of 60 (pediatric
    // 1.3, its selection tables).
    expect(answers.map((one) => [one, ...(one.further ?? [])].map(named))).toEqual([
      ['eod_public 3.3 breast'],
      ['tnm 2.1 breast'],
      [
        'eod_public 3.3 bone_appendicular_skeleton',
        'pediatric 1.3 malignant_bone_tumors_osteosarcoma',
      ],
      ['undefined undefined undefined'],
    ])
    expect(err).toContain('NO_ALGORITHM, once, on line 5\n')
    const table = join(data, 'table.tsv')
    const header = 'algorithm\tversion\tyears\tages\tsites\texcept_schemas'
    writeFileSync(table, `${header}\ntnm\t2.1\t-2010\t\tC500-C509\n`)
    const own = await runProgram([...words, '--algorithm', 'auto', '--algorithm-table', table])
    const results = answersOf(own.out).flatMap((one) => one.tumors.map(named))
    expect(results.filter((name) => name.startsWith('tnm'))).toEqual(['tnm 2.1 breast'])
  })

  test('whose dictionary is missing names it', async () => {
    const file = join(FILES, 'samples/naaccr-xml-sample-v250-abstract-100.xml.gz')
    const { status, err } = await registry(file, '220')
    expect(status).not.toBe(0)
    expect(err).toMatch(/dictionary of NAACCR 250 is not there/)
  })
})

const recodedOf = (items: Items) => ({
  site: items.primarySite,
  hist: items.histologicTypeIcdO3,
  behavior: items.behaviorCodeIcdO3,
  year: items.dateOfDiagnosis?.slice(0, 4),
})

type Items = Readonly<Record<string, string>>

/** Items of the tumors of each patient, including those of the patient. */
function tumorsIn(text: string): readonly (readonly Items[])[] {
  const itemsIn = (part: string): Items =>
    Object.fromEntries(
      [...part.matchAll(/<Item naaccrId="(\w+)">([^<]+)<\/Item>/g)].map(([, id, value]) => [
        id,
        value,
      ]),
    )
  return [...text.matchAll(/<Patient>(.*?)<\/Patient>/gs)].map(([, patient = '']) => {
    const [own = ''] = patient.split('<Tumor>')
    return [...patient.matchAll(/<Tumor>(.*?)<\/Tumor>/gs)].map(([, tumor = '']) => ({
      ...itemsIn(own),
      ...itemsIn(tumor),
    }))
  })
}

/** Takes the two steps of a client: it determines the schema with all inputs, and stages with the schema's inputs. */
async function stagedByRequests(by: StagingVersion, items: Items) {
  const textOf = (key: string, item = '') => {
    if (key === 'year_dx') return items[item]?.slice(0, 4)
    // Files up to version 25 have `sex`, whereas EOD 3.3 requests the newer item; codes 1 and 2 are the same.
    return items[item] ?? (item === 'sexAssignedAtBirth' ? items.sex : undefined)
  }
  const inputOf = (inputs: readonly { key: string; naaccr_xml_id?: string }[]) =>
    Object.fromEntries(
      inputs.flatMap(({ key, naaccr_xml_id: item }) => {
        const value = textOf(key, item)
        return value === undefined ? [] : [[key, value]]
      }),
    )
  const { primarySite: site, histologicTypeIcdO3: hist } = items
  const candidates = await by.lookup({ site, hist })
  const found = await by.lookup({
    site,
    hist,
    ...inputOf(candidates.flatMap(({ discriminators = [] }) => discriminators)),
  })
  const [one] = found
  if (found.length !== 1 || !one) {
    const all = inputOf(candidates.flatMap(({ discriminators = [] }) => discriminators))
    return by.stage({ site, hist, ...all })
  }
  return by.stage(inputOf((await by.entity('schema', one.id)).record.inputs))
}

const tumourOf = (items: Items) => ({
  primary_site: items.primarySite,
  histology_icd_o3: items.histologicTypeIcdO3,
  histology_icd_o2: items.histologyIcdO2,
  behavior_icd_o3: items.behaviorCodeIcdO3,
  behavior_icd_o2: items.behaviorIcdO2,
  laterality: items.laterality,
  date_of_diagnosis_year: items.dateOfDiagnosis?.slice(0, 4),
  date_of_diagnosis_month: items.dateOfDiagnosis?.slice(4, 6) || undefined,
  date_of_diagnosis_day: items.dateOfDiagnosis?.slice(6, 8) || undefined,
})
