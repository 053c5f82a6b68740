import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import type { EditedPatient } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'

// Edits by the command agree with a second reading of some rules from the text of the file.

const FILES = publicData('data/naaccr')

type Items = Readonly<Record<string, string>>

/** Items of each tumor with those of its patient, extracted by patterns. */
function tumorsIn(file: string): readonly Items[] {
  return file
    .split('</Patient>')
    .slice(0, -1)
    .flatMap((patient) => {
      const [head = '', ...tumors] = patient.split('<Tumor>')
      return tumors.map((tumor) => ({ ...itemsIn(head), ...itemsIn(tumor) }))
    })
}

const itemsIn = (text: string): Items =>
  Object.fromEntries(
    [...text.matchAll(/<Item naaccrId="(\w+)"[^>]*>([^<]+)</g)].map(([, id, value]) => [id, value]),
  )

const count = (text = '') => (/^[0-8][0-9]$|^90$/.test(text) ? Number(text) : Number.NaN)
const isWhole = (text = '') => /^\d{8}$/.test(text)
const isSkinCarcinoma = ({ primarySite = '', histologicTypeIcdO3: hist = '' }: Items) =>
  /^C44/.test(primarySite) && Number(hist) >= 8000 && Number(hist) <= 8110

/** The condition that violates a rule, by the rule's name. */
const BROKEN: Readonly<Record<string, (items: Items) => boolean>> = {
  'No more nodes are positive than were examined': (items) =>
    count(items.regionalNodesPositive) > count(items.regionalNodesExamined),
  'Nodes that were not examined are coded 98': (items) =>
    items.regionalNodesExamined === '00' && (items.regionalNodesPositive ?? '98') !== '98',
  'Nodes coded 98 were not examined': (items) =>
    items.regionalNodesPositive === '98' && (items.regionalNodesExamined ?? '00') !== '00',
  'The summary stage 0 is of a tumor in situ': (items) =>
    Number(items.dateOfDiagnosis?.slice(0, 4)) >= 2018 &&
    items.summaryStage2018 === '0' &&
    (items.behaviorCodeIcdO3 ?? '2') !== '2',
  'Female genital organs fit the sex': (items) =>
    /^C5[124578]/.test(items.primarySite ?? '') && items.sex === '1',
  'Male genital organs fit the sex': (items) =>
    /^C6[0-3]/.test(items.primarySite ?? '') && items.sex === '2',
  'Skin carcinomas of basal and squamous cells are not reportable': (items) =>
    isSkinCarcinoma(items) && items.behaviorCodeIcdO3 === '3',
  'Who is alive has no cause of death': (items) =>
    items.vitalStatus === '1' && (items.causeOfDeath ?? '0000') !== '0000',
}

describe.skipIf(!available.shared)('edits of a published file', () => {
  let data = ''
  const file = join(FILES, 'samples/naaccr-xml-sample-v250-incidence-1000.xml.gz')
  const dictionary = join(FILES, 'dictionaries/naaccr-dictionary-250.xml.gz')
  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'casemill-edits-'))
    const lookups = join(FILES, 'naaccr-lookups-250.zip')
    const words = ['import', 'naaccr', dictionary, '--lookups', lookups, '--data', data]
    expect(await runProgram(words)).toMatchObject({ status: 0 })
  })
  afterAll(() => rmSync(data, { recursive: true, force: true }))

  const edit = (...words: readonly string[]) => runProgram(['edits', ...words, '--data', data])
  const patientsIn = (out: string) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EditedPatient)

  test('are reported as a second reading of the rules has them, tumor by tumor', async () => {
    const { status, out, err } = await edit(file)
    expect(status).toBe(1)
    const tumors = tumorsIn(gunzipSync(readFileSync(file)).toString())
    const edited = patientsIn(out).flatMap((one) => {
      const ofPatient = one.edits.map(({ name }) => name)
      return one.tumors.map((tumor) => [...ofPatient, ...tumor.edits.map(({ name }) => name)])
    })
    expect(edited).toHaveLength(1000)
    let broken = 0
    for (const [i, items] of tumors.entries()) {
      for (const [name, isBroken] of Object.entries(BROKEN)) {
        const wanted = isBroken(items)
        if (wanted) broken++
        expect([i, name, edited[i]?.includes(name)]).toEqual([i, name, wanted])
      }
      // Whole dates compare as texts; the second reading skips partial ones.
      const { dateOfDiagnosis: diagnosis = '', dateOfLastContact: contact = '' } = items
      if (!isWhole(diagnosis) || !isWhole(contact)) continue
      const name = 'Diagnosis is not after last contact'
      expect([i, edited[i]?.includes(name)]).toEqual([i, diagnosis > contact])
    }
    expect(broken).toBeGreaterThan(100)
    expect(err).toMatch(
      /944 patients with 1000 tumors, by 8\d rules and the codes of 2\d\d items\n/,
    )
  })

  test('by the rules that are printed are the same; by own ones they are those alone', async () => {
    const { out: rules, status } = await edit('--print-rules')
    expect(status).toBe(0)
    const path = join(data, 'rules.txt')
    writeFileSync(path, rules)
    const [one, other] = [await edit(file), await edit(file, '--rules', path)]
    expect(other.out).toBe(one.out)
    const own =
      'edit A0001\nname: No breast\nrequire: not primarySite in (C500-C509)\nmessage: Look at it.\n'
    writeFileSync(path, own)
    const table = await edit(file, '--rules', path, '--format', 'tsv')
    const breasts = tumorsIn(gunzipSync(readFileSync(file)).toString()).filter(({ primarySite }) =>
      primarySite?.startsWith('C50'),
    )
    const rows = table.out.split('\n').slice(1, -1)
    expect(rows).toHaveLength(breasts.length)
    expect(
      rows.every((row) => row.includes('\tA0001\tNo breast\tLook at it.\tprimarySite\t')),
    ).toBe(true)
  })

  test('by rules that are wrong are refused, with the place', async () => {
    const path = join(data, 'wrong.txt')
    writeFileSync(path, "edit A0001\nname: Two\nrequire: a = '1'\n  and b < '2'\nmessage: m\n")
    const { status, out, err } = await edit(file, '--rules', path)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toMatch(/in "wrong\.txt", line 4, column 9: codes are compared by = and !=/)
  })

  test('of a file that passes all have the exit status 0', async () => {
    const path = join(data, 'fine.txt')
    writeFileSync(
      path,
      'edit A0001\nname: Any\nrequire: sex is given or sex is empty\nmessage: m\n',
    )
    const { status, err } = await edit(file, '--rules', path)
    expect({ status, err }).toEqual({
      status: 0,
      err: expect.stringMatching(/1000 tumors, by 1 rules and the codes of 2\d\d items\n$/),
    })
  })
})
