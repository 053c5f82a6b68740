import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { parseDictionary } from '../naaccr-xml/read-dictionary.ts'
import { LineBatches } from '../ndjson-batch/line-batches.ts'
import { parseConversion } from './conversion-rules.ts'
import type { ConversionFormat, ConvertedPatient } from './convert-patients.ts'
import { RegistryConversions } from './registry-conversions.ts'

// A made-up conversion with every kind of change. The expected result for each tumor, found by hand, is beside it.

const URI = 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml'
const defined = (id: string, length: number, element = 'Tumor', type = 'text') =>
  `<ItemDef naaccrId="${id}" length="${length}" parentXmlElement="${element}" dataType="${type}"/>`
const dictionary = parseDictionary(
  `<NaaccrDictionary naaccrVersion="250" dictionaryUri="${URI}"><ItemDefs>${[
    defined('patientIdNumber', 8, 'Patient'),
    defined('sex', 1, 'Patient', 'digits'),
    defined('tumorRecordNumber', 2),
    defined('schemaId', 5, 'Tumor', 'digits'),
    defined('primarySite', 4),
    defined('grade', 1),
    defined('oldFactor', 3),
    defined('newFactor', 3),
    defined('narrow', 1),
    defined('registryId', 10, 'NaaccrData', 'digits'),
  ].join('')}</ItemDefs></NaaccrDictionary>`,
)

const RULES = `# Made up.
convert A0010
name: Codes were moved by one
when: schemaId = '00530'
recode: grade (A -> B, B -> C, 9 -> empty)

convert A0020
name: The factor has its own item now
when: oldFactor is given and newFactor is empty
set: newFactor = oldFactor, oldFactor = empty

convert A0030
name: Pleura has a schema of its own
when: schemaId = '00360' and primarySite in (C384)
set: schemaId = '00370'

convert A0040
name: The new schema has no grade
when: schemaId = '00370'
set: grade = empty
review: Look at the report for the new factors.

convert A0050
name: Sex is coded anew
recode: sex (3 -> 9)

convert A0060
name: A value that is too long for its item stays
when: narrow is given
set: narrow = newFactor
`

const conversions = new RegistryConversions({
  batches: new LineBatches(inlineExecutor),
  clock: () => new Date('2024-06-30T12:00:00Z'),
})

interface Given {
  readonly rules?: string
  readonly format?: ConversionFormat
}

async function convert(file: string, { rules = RULES, format }: Given = {}) {
  const chunks = (async function* () {
    yield Buffer.from(file)
  })()
  const converted = await conversions.convert(chunks, {
    findDictionary: async () => dictionary,
    conversion: { text: rules, rules: parseConversion(rules) },
    format,
  })
  return { out: await text(converted.body), summary: converted.summary() }
}

const fileOf = (patients: string) =>
  `<NaaccrData baseDictionaryUri="${URI}" recordType="I" specificationVersion="1.8" xmlns="http://naaccr.org/naaccrxml">\n${patients}</NaaccrData>`

const item = (id: string, value: string) => `<Item naaccrId="${id}">${value}</Item>`

const FILE = fileOf(`<Patient>${item('patientIdNumber', '00000001')}${item('sex', '3')}
<Tumor>${item('tumorRecordNumber', '01')}${item('schemaId', '00530')}${item('grade', 'A')}</Tumor>
<Tumor>${item('tumorRecordNumber', '02')}${item('schemaId', '00530')}${item('grade', 'B')}${item('oldFactor', '0&amp;1')}</Tumor>
<Tumor>${item('tumorRecordNumber', '03')}${item('schemaId', '00530')}${item('grade', '9')}</Tumor>
</Patient>
<Patient>${item('patientIdNumber', '00000002')}${item('sex', '1')}
<!-- kept -->
<Tumor>${item('tumorRecordNumber', '01')}${item('schemaId', '00360')}${item('primarySite', 'C384')}${item('grade', '2')}</Tumor>
<Tumor>${item('tumorRecordNumber', '02')}${item('schemaId', '00360')}${item('primarySite', 'C341')}${item('grade', '2')}${item('newFactor', '010')}${item('narrow', '1')}</Tumor>
</Patient>
`)

describe('a conversion', () => {
  test('changes what its rules say, in the file and nowhere else', async () => {
    const { out, summary } = await convert(FILE)
    const itemsIn = (part: string) =>
      Object.fromEntries(
        [...part.matchAll(/naaccrId="(\w+)">([^<]*)</g)].map(([, id, value]) => [id, value]),
      )
    const tumors = [...out.matchAll(/<Tumor>(.*?)<\/Tumor>/gs)].map(([, tumor = '']) =>
      itemsIn(tumor),
    )
    expect(tumors).toEqual([
      // Each code moves by one, not by two.
      { tumorRecordNumber: '01', schemaId: '00530', grade: 'B' },
      { tumorRecordNumber: '02', schemaId: '00530', grade: 'C', newFactor: '0&amp;1' },
      { tumorRecordNumber: '03', schemaId: '00530' },
      // A rule sees what the rules before it have changed.
      { tumorRecordNumber: '01', schemaId: '00370', primarySite: 'C384' },
      {
        tumorRecordNumber: '02',
        schemaId: '00360',
        primarySite: 'C341',
        grade: '2',
        newFactor: '010',
        narrow: '1',
      },
    ])
    expect(itemsIn(out.split('<Tumor>')[0] ?? '')).toMatchObject({ sex: '9' })
    expect(out).toContain('<!-- kept -->')
    expect(summary).toMatchObject({ patients: 2, tumors: 5, rules: 6, notApplied: [] })
    expect(summary.counts).toEqual(
      expect.arrayContaining([
        { kind: 'converted', code: 'A0010', of: 'grade', count: 3, line: 3 },
        { kind: 'review', code: 'A0040', count: 1, line: 9 },
        { kind: 'left_out', code: 'too_long', of: 'narrow', count: 1, line: 10 },
      ]),
    )
  })

  test('a file to which no rule applies is copied byte by byte', async () => {
    const rules = "convert A0010\nname: None\nwhen: schemaId = '99999'\nset: grade = empty\n"
    expect((await convert(FILE, { rules })).out).toBe(FILE)
  })

  test('tells each change and each review of a tumor', async () => {
    const { out } = await convert(FILE, { format: 'ndjson' })
    const [first, second] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ConvertedPatient)
    expect(first).toMatchObject({
      patientIdNumber: '00000001',
      changes: [{ rule: 'A0050', item: 'sex', before: '3', after: '9' }],
    })
    expect(first?.tumors[1]).toMatchObject({
      tumorRecordNumber: '02',
      changes: [
        { rule: 'A0010', item: 'grade', before: 'B', after: 'C' },
        { rule: 'A0020', item: 'newFactor', before: '', after: '0&1' },
        { rule: 'A0020', item: 'oldFactor', before: '0&1', after: '' },
      ],
    })
    expect(second?.tumors[0]?.reviews).toEqual([
      {
        rule: 'A0040',
        name: 'The new schema has no grade',
        review: 'Look at the report for the new factors.',
      },
    ])
  })

  test('a table has a row for each change and each review', async () => {
    const { out } = await convert(FILE, { format: 'tsv' })
    const [header, ...rows] = out.trimEnd().split('\n')
    expect(header).toBe(
      'line\tpatientIdNumber\ttumorRecordNumber\trule\tname\titem\tbefore\tafter\treview\terror',
    )
    expect(rows).toHaveLength(9)
    expect(rows[1]).toBe('3\t00000001\t01\tA0010\tCodes were moved by one\tgrade\tA\tB\t\t')
  })

  test('a rule for items that the file cannot have is not applied, and reported', async () => {
    const rules = "convert A0010\nname: Of another version\nset: unknownItem = '1'\n"
    const { out, summary } = await convert(FILE, { rules })
    expect(out).toBe(FILE)
    expect(summary).toMatchObject({ rules: 0, notApplied: ['A0010'] })
  })

  test.each([
    ["set: grade = 'AB'", /rule A0010: it gives grade the code "AB", which is too long/],
    ['recode: schemaId (00530 -> X)', /rule A0010: .*"X", which is too short/],
    ["set: grade = '1', sex = '1'", /items of tumors and of patients; make it two rules/],
    ["when: grade = '1'\nset: sex = '1'", /it changes items of patients by grade/],
    ["set: registryId = '0000000001'", /it changes an item of the whole file/],
  ])('%s is refused before anything is read', async (lines, message) => {
    await expect(convert(FILE, { rules: `convert A0010\nname: One\n${lines}\n` })).rejects.toThrow(
      message,
    )
  })
})

test('rules of a folder are parsed once, and again when their file changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-conversions-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const conversions = new RegistryConversions({ batches: new LineBatches(inlineExecutor), folder })
  writeFileSync(join(folder, 'made.txt'), RULES)
  const { rules } = await conversions.rules('made')
  expect((await conversions.rules('made')).rules).toBe(rules)
  writeFileSync(join(folder, 'made.txt'), RULES.replace('3 -> 9', '3 -> 8'))
  expect((await conversions.rules('made')).rules).not.toEqual(rules)
})
