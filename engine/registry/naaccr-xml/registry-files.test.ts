import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import { newState } from '../../shared/support/new-state.ts'
import { MultiplePrimaries } from '../multiple-primaries/service.ts'
import { LineBatches } from '../ndjson-batch/line-batches.ts'
import { parseSchema } from '../staging/algorithm/parse.ts'
import { madeContent } from '../staging/algorithm/support/made-version.ts'
import type { StagingVersion } from '../staging/store/staging-version.ts'
import { ADMIN, EDITOR, OF, openStaging, READER } from '../staging/store/support/made-staging.ts'
import { parseAlgorithmTable } from './algorithm-table.ts'
import type { PatientAnswer } from './answers.ts'
import { parseDictionary } from './read-dictionary.ts'
import { type FileRun, RegistryFiles } from './registry-files.ts'

// Runs files through all steps. The algorithm has an output whose name repeats that of another item.

const itemDef = (id: string, length: number, element: string, more = '') =>
  `<ItemDef naaccrId="${id}" length="${length}" parentXmlElement="${element}" ${more}/>`
const dictionary = parseDictionary(`<NaaccrDictionary naaccrVersion="250"
  dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml"><ItemDefs>
  ${itemDef('patientIdNumber', 8, 'Patient')}${itemDef('primarySite', 4, 'Tumor')}
  ${itemDef('histologicTypeIcdO3', 4, 'Tumor')}${itemDef('behaviorCodeIcdO3', 1, 'Tumor')}
  ${itemDef('dateOfDiagnosis', 8, 'Tumor')}
  ${itemDef('given', 20, 'Tumor')}${itemDef('derivedOne', 3, 'Tumor')}
  ${itemDef('dateOfLastContact', 8, 'Patient')}${itemDef('vitalStatus', 1, 'Patient')}
  ${itemDef('vitalStatusRecode', 1, 'Patient')}${itemDef('causeOfDeath', 4, 'Patient')}
  ${itemDef('icdRevisionNumber', 1, 'Patient')}${itemDef('race1', 2, 'Patient')}
  ${itemDef('sequenceNumberCentral', 2, 'Tumor')}${itemDef('recordNumberRecode', 2, 'Tumor')}
  ${itemDef('survDateActiveFollowup', 8, 'Tumor')}${itemDef('survFlagActiveFollowup', 1, 'Tumor')}
  ${itemDef('survMosActiveFollowup', 4, 'Tumor')}${itemDef('survDaysActiveFollowup', 5, 'Tumor')}
  ${itemDef('survDatePresumedAlive', 8, 'Tumor')}${itemDef('survFlagPresumedAlive', 1, 'Tumor')}
  ${itemDef('survMosPresumedAlive', 4, 'Tumor')}${itemDef('survDateDxRecode', 8, 'Tumor')}
  ${itemDef('seerCauseSpecificCod', 1, 'Tumor')}${itemDef('seerOtherCod', 1, 'Tumor')}
  ${itemDef('derivedTwo', 9, 'Tumor', 'recordTypes="A"')}${itemDef('remarks', 9, 'Tumor')}
  </ItemDefs></NaaccrDictionary>`)

const content = madeContent(
  [
    parseSchema({
      id: 'made',
      schema_selection_table: 'selection',
      inputs: [
        { key: 'site', naaccr_xml_id: 'primarySite', table: 'primary_site' },
        { key: 'hist', naaccr_xml_id: 'histologicTypeIcdO3', table: 'histology' },
        { key: 'year_dx', naaccr_xml_id: 'dateOfDiagnosis', table: 'year' },
        { key: 'given', naaccr_xml_id: 'given' },
      ],
      outputs: [
        { key: 'one', naaccr_xml_id: 'derivedOne' },
        { key: 'two', naaccr_xml_id: 'derivedTwo' },
        { key: 'three' },
      ],
      mappings: [{ id: 'm', tables: [{ id: 't' }] }],
    }),
  ],
  {
    t: {
      columns: ['INPUT given', 'ENDPOINT one', 'ENDPOINT two', 'ENDPOINT three'],
      rows: [['*', 'VALUE:{{given}}', 'VALUE:{{given}}', 'VALUE:{{given}}']],
    },
  },
)

let version: StagingVersion
let files: RegistryFiles
beforeAll(async () => {
  const state = await newState()
  const { staging } = openStaging(state)
  await staging.catalogue.createAlgorithm(ADMIN, 'made', { name: 'Made' })
  await staging.catalogue.createVersion(ADMIN, OF, { type: 'PRODUCTION' })
  const { schemas, tables } = content
  const all = { schemas: [...schemas.values()], tables: [...tables.values()] }
  await staging.editableVersion(EDITOR, OF).batch(all)
  version = staging.version(READER, OF)
  const batches = new LineBatches(inlineExecutor)
  files = new RegistryFiles({
    batches,
    multiplePrimaries: new MultiplePrimaries({ state, batches }),
  })
})

async function* piecesOf(file: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(file)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function process(file: string, more: Partial<FileRun> = {}, length = 1 << 16) {
  const findDictionary = async () => dictionary
  const run = { version, findDictionary, recodes: [], ...more }
  const staged = await files.stage(piecesOf(file, length), run)
  return { out: await text(staged.body), summary: staged.summary(), errors: staged.errors() }
}

const root = (prefix = '') =>
  `<${prefix && `${prefix}:`}NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" recordType="I" specificationVersion="1.7" xmlns${prefix && `:${prefix}`}="http://naaccr.org/naaccrxml" xmlns:o="http://other">`
const item = (id: string, value: string) => `<Item naaccrId="${id}">${value}</Item>`
const CASE = `${item('primarySite', 'C000')}${item('histologicTypeIcdO3', '8000')}${item('dateOfDiagnosis', '20200131')}`

const GIVEN = `<?xml version="1.0"?>\r
<!-- é 𝒳 -->
${root()}
  <Patient>
    ${item('patientIdNumber', '1')}
    <o:more><o:Tumor/></o:more>
    <Tumor>
      ${CASE}
      <!-- <Tumor> --> ${item('derivedOne', 'old')}
      <Item naaccrId='derivedTwo'/>
      ${item('given', 'a&lt;b')} <o:x>𝒳</o:x>
    </Tumor>
    <Tumor
    />
  </Patient><Patient/>
  <Patient><Tumor>${CASE}${item('given', '1234')}</Tumor></Patient>
  <o:end/>
</NaaccrData>
`

test('a file is written back with its results alone, in whatever pieces it comes', async () => {
  const lengths = fc.integer({ min: 1, max: 900 })
  // derivedTwo does not exist in this record type, and the third output of the algorithm has no item.
  const expected = GIVEN.replace(
    `<Tumor>\n      ${CASE}`,
    `<Tumor>\n      ${item('derivedOne', 'a&lt;b')}\n      ${CASE}`,
  ).replace(` ${item('derivedOne', 'old')}`, '')
  await fc.assert(
    fc.asyncProperty(lengths, async (length) => {
      const { out, summary } = await process(GIVEN, { format: 'xml' }, length)
      expect(out).toBe(expected)
      expect(summary.counts.filter(({ kind }) => kind === 'left_out')).toEqual([
        { kind: 'left_out', code: 'too_long', of: 'derivedOne', count: 1, line: 16 },
      ])
    }),
    { seed: 400, numRuns: depth(10, 60) },
  )
})

test('an item of results is removed where there is none, and reported; what is also an input stays', async () => {
  const file = `${root()}
  <Patient>
    <Tumor>
      ${item('primarySite', 'C000')}
      ${item('derivedOne', 'old')}
      ${item('given', '1')}
      <Item naaccrId="derivedTwo">SECRET</Item>
    </Tumor>
    <Tumor>${item('derivedOne', '')}</Tumor>
  </Patient>
</NaaccrData>`
  const { out, summary } = await process(file, { format: 'xml' })
  // derivedTwo does not exist in this record type, so its value is unknown.
  expect(out).toBe(
    file.replace(`\n      ${item('derivedOne', 'old')}`, '').replace(item('derivedOne', ''), ''),
  )
  expect(summary.counts.filter(({ kind }) => kind === 'removed')).toEqual([
    { kind: 'removed', code: 'no_result', of: 'derivedOne', count: 1, line: 3 },
  ])
})

test('a tumor without items is opened, and a prefix is kept', async () => {
  const p = (id: string, value: string) => `<n:Item naaccrId="${id}">${value}</n:Item>`
  const tumor = `${CASE.replaceAll('Item', 'n:Item')}${p('given', 'yes')}`
  const file = `${root('n')}<n:Patient><n:Tumor>${tumor}</n:Tumor><n:Tumor/></n:Patient></n:NaaccrData>`
  const { out } = await process(file, { format: 'xml' })
  expect(out).toBe(file.replace('<n:Tumor>', `<n:Tumor>${p('derivedOne', 'yes')}`))
})

test('items are repeated with each tumor as the file has them', async () => {
  const items = ['primarySite', 'given', 'vitalStatus', 'primarySite']
  const file = `${root()}<Patient>${item('vitalStatus', '1')}
    <Tumor>${CASE}${item('given', 'a&lt;b')}</Tumor><Tumor/></Patient></NaaccrData>`
  const { out } = await process(file, { items })
  const { tumors } = JSON.parse(out.split('\n')[0] ?? '') as PatientAnswer
  expect(tumors.map((tumor) => tumor.items)).toEqual([
    { primarySite: 'C000', given: 'a<b', vitalStatus: '1' },
    { vitalStatus: '1' },
  ])
  const table = (await process(file, { items, format: 'tsv' })).out.slice(0, -1).split('\n')
  const rows = table.map((row) => row.split('\t'))
  const columns = ['item.primarySite', 'item.given', 'item.vitalStatus']
  const places = columns.map((name) => rows[0]?.indexOf(name) ?? -1)
  expect(rows.slice(1).map((row) => places.map((place) => row[place]))).toEqual([
    ['C000', 'a<b', '1'],
    ['', '', '1'],
  ])
  expect(new Set(rows.map((row) => row.length)).size).toBe(1)
})

test('an item that the file cannot have is refused before anything is read', async () => {
  await expect(process(GIVEN, { items: ['primarysite'] })).rejects.toMatchObject({
    code: 'bad_input',
    at: 'items',
  })
  const items = Array.from({ length: 101 }, (_, i) => `item${i}`)
  await expect(process(GIVEN, { items })).rejects.toMatchObject({ code: 'too_many' })
})

describe('versions that are for some tumors', () => {
  const years = 'algorithm\tversion\tyears\tages\tsites\texcept_schemas\n'
  const from = (algorithm: string, row: string) => ({
    algorithm,
    version,
    rules: parseAlgorithmTable(`${years}${algorithm}\t\t${row}\n`),
  })
  const old = item('derivedOne', 'old')
  const tumor = (year: string) =>
    `<Tumor>${CASE.replace('2020', year)}${item('given', year.slice(1))}${old}</Tumor>\n`
  const file = `${root()}<Patient>\n${tumor('2020')}${tumor('2021')}</Patient></NaaccrData>`

  test('stage those alone; of the others nothing is written or removed', async () => {
    const chosen = [from('first', '2020'), from('second', '2019-2020')]
    const { out, summary } = await process(file, { version: chosen })
    const [patient] = out.trimEnd().split('\n')
    const { tumors } = JSON.parse(patient ?? '') as PatientAnswer
    const made = { version: '1.0', result: 'STAGED', schema_id: 'made' }
    expect(tumors).toMatchObject([
      { algorithm: 'first', ...made, further: [{ algorithm: 'second', ...made }] },
      { result: 'NO_ALGORITHM', output: {} },
    ])
    expect(summary.counts).toEqual(
      expect.arrayContaining([
        { kind: 'result', code: 'STAGED', of: 'second', count: 1, line: 2 },
        { kind: 'result', code: 'NO_ALGORITHM', count: 1, line: 3 },
      ]),
    )
    const written = await process(file, { version: chosen, format: 'xml' })
    const [first = '', second = ''] = written.out.split('\n').slice(1)
    expect(first).toContain(item('derivedOne', '020'))
    expect(first).not.toContain(old)
    expect(second).toBe(tumor('2021').trimEnd())
    const table = await process(file, { version: chosen, format: 'tsv' })
    const [header = '', ...rows] = table.out.slice(0, -1).split('\n')
    const at = (name: string) => header.split('\t').indexOf(name)
    const cells = rows.map((row) => row.split('\t'))
    expect(cells.map((row) => [row[at('algorithm')], row[at('further_algorithms')]])).toEqual([
      ['first', 'second'],
      ['', ''],
    ])
    expect(cells.map((row) => row[at('second.three')])).toEqual(['020', ''])
  })

  test('one that is named stages all, and is written into its own alone', async () => {
    const one = from('made', '2020')
    const { out } = await process(file, { version: one })
    const { tumors } = JSON.parse(out) as PatientAnswer
    expect(tumors.map(({ result }) => result)).toEqual(['STAGED', 'STAGED'])
    const written = await process(file, { version: one, format: 'xml' })
    expect(written.out.split('\n')[2]).toBe(tumor('2021').trimEnd())
    expect(written.summary.counts).toContainEqual({
      kind: 'left_out',
      code: 'not_for_the_tumor',
      count: 1,
      line: 3,
    })
  })

  test('have no say where a schema for all others takes the tumor', async () => {
    const chosen = [from('made', '2020\t\t\tmade'), from('other', '2021\t\t\tnone')]
    const { out } = await process(file, { version: chosen })
    const { tumors } = JSON.parse(out) as PatientAnswer
    expect(tumors.map(({ algorithm, result }) => algorithm ?? result)).toEqual([
      ...['NO_ALGORITHM', 'other'],
    ])
  })
})

test('a table has a row for each tumor; tabs and line ends are blanks', async () => {
  const file = `${root()}<Patient>${item('patientIdNumber', '1')}<Tumor>${CASE}${item('given', 'a\tb\nc')}</Tumor>
<Tumor>${CASE}</Tumor></Patient><Patient/></NaaccrData>`
  const { out } = await process(file, { format: 'tsv', recodes: ['seer'] })
  const [header = '', ...rows] = out.split('\n').map((line) => line.split('\t'))
  const cells = rows
    .slice(0, -1)
    .map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])))
  expect(cells).toMatchObject([
    { line: '1', patientIdNumber: '1', result: 'STAGED', derivedOne: 'a b c', three: 'a b c' },
    { line: '3', patientIdNumber: '1', 'seer.site_group': '20010', 'seer.name': 'Lip' },
  ])
})

describe('recodes of patients', () => {
  // A woman who died of breast cancer with two tumors, of 2018 and 2019. Computed by hand: from 2018-01-31 to
  // 2019-03-01 are 394 days (`date -d`), 12.9 months of 365.24 / 12 days. From 2019-03-01 to itself are none.
  const patient = [
    ...[item('vitalStatus', '0'), item('dateOfLastContact', '20190301')],
    ...[item('icdRevisionNumber', '1'), item('causeOfDeath', 'C509'), item('race1', '02')],
  ].join('')
  const tumor = (date: string, sequence: string, more = '') =>
    `<Tumor>${item('primarySite', 'C509')}${item('histologicTypeIcdO3', '8500')}${item('behaviorCodeIcdO3', '3')}${item('dateOfDiagnosis', date)}${item('sequenceNumberCentral', sequence)}${more}</Tumor>`
  const old = item('vitalStatusRecode', '1') + item('vitalStatusRecode', '')
  const dead = `<Patient>${patient}${old}${tumor('20190301', '02', item('survMosActiveFollowup', '0099'))}${tumor('20180131', '01')}</Patient>`
  const file = `${root()}${dead}<Patient/></NaaccrData>`
  const run = { recodes: ['survival-time', 'iarc', 'race', 'cause-of-death'], endYear: '2023' }

  test('are told of the patient and of each tumor', async () => {
    const { out } = await process(file, run)
    const [first, second] = out.trimEnd().split('\n')
    const { recodes, tumors } = JSON.parse(first ?? '') as PatientAnswer
    expect(recodes).toEqual({
      'survival-time': {
        vital_status_recode: '0',
        date_of_last_contact_recode: '20190301',
        date_presumed_alive: '20190301',
      },
      race: { race_recode: '02' },
    })
    expect(tumors.map((one) => one.recodes)).toMatchObject([
      {
        'survival-time': { months: '0000', flag: '0', record_number: '2' },
        iarc: { primary: '0' },
      },
      { 'survival-time': { months: '0012', days: '00394', flag: '1' }, iarc: { primary: '1' } },
    ])
    expect(JSON.parse(second ?? '')).not.toHaveProperty('recodes')
    const { out: table } = await process(file, { ...run, format: 'tsv' })
    const [header = [], ...rows] = table.split('\n').map((line) => line.split('\t'))
    const cell = (row: number, name: string) => rows[row]?.[header.indexOf(name)]
    expect(cell(1, 'survival-time.months')).toBe('0012')
    expect(cell(1, 'race.race_recode')).toBe('02')
  })

  test('are written into items of the patient and of each tumor, in the place of others', async () => {
    const { out, summary } = await process(file, { ...run, format: 'xml' })
    const followed = (record: string, flag: string, months: string, days: string, date: string) =>
      [
        ...[item('seerCauseSpecificCod', '1'), item('seerOtherCod', '0')],
        ...[item('recordNumberRecode', record), item('survDateActiveFollowup', '20190301')],
        ...[item('survFlagActiveFollowup', flag), item('survMosActiveFollowup', months)],
        ...[item('survDaysActiveFollowup', days), item('survDatePresumedAlive', '20190301')],
        ...[item('survFlagPresumedAlive', flag), item('survMosPresumedAlive', months)],
        item('survDateDxRecode', date),
      ].join('')
    const written = file
      .replace(old, '')
      .replace(item('survMosActiveFollowup', '0099'), '')
      .replace('<Patient>', `<Patient>${item('vitalStatusRecode', '0')}`)
      .replace('<Tumor>', `<Tumor>${followed('02', '0', '0000', '00000', '20190301')}`)
      .replace(
        '</Tumor><Tumor>',
        `</Tumor><Tumor>${followed('01', '1', '0012', '00394', '20180131')}`,
      )
    expect(out).toBe(written)
    expect(summary.counts.filter(({ kind }) => kind === 'left_out')).toEqual([])
  })

  test('are removed where there is none', async () => {
    const { out, summary } = await process(
      file.replace(patient, '').replace(item('vitalStatusRecode', ''), ''),
      { ...run, format: 'xml' },
    )
    expect(out).not.toContain('vitalStatusRecode')
    expect(summary.counts).toContainEqual({
      kind: 'removed',
      code: 'no_result',
      of: 'vitalStatusRecode',
      count: 1,
      line: 1,
    })
  })
})

test.each(['23', '9999', '2o23'])('an end year of %s is refused', async (endYear) => {
  await expect(process(GIVEN, { recodes: [], endYear })).rejects.toThrow(/give four digits/)
})

test('a patient that is not accepted is reported by the line of the file, and hides nothing', async () => {
  const part = 'SECRET'.repeat(100_000)
  const long = item('given', `${part}<!-- -->${part}`)
  const body = `<Patient>${item('patientIdNumber', '123456789')}</Patient>
<Patient>
<Tumor>${CASE}${long}</Tumor></Patient>
<Patient><Tumor>${item('nope', 'SECRET')}</Tumor></Patient>`
  const file = `${root()}\n${body}</NaaccrData>`
  const counts = [
    { kind: 'fault', code: 'too_long', of: 'patientIdNumber', count: 1, line: 2 },
    { kind: 'fault', code: 'too_long', of: 'given', count: 1, line: 4 },
    { kind: 'fault', code: 'unknown_item', of: 'nope', count: 1, line: 5 },
    { kind: 'refused', code: 'too_large', count: 1, line: 3 },
    { kind: 'result', code: 'FAILED_MISSING_SITE_OR_HISTOLOGY', count: 1, line: 5 },
  ]
  for (const format of ['ndjson', 'tsv', 'xml'] as const) {
    const { out, summary, errors } = await process(file, { format })
    expect({ format, errors, summary }).toEqual({
      format,
      errors: 1,
      summary: { patients: 3, tumors: 2, counts },
    })
    if (format === 'xml') expect(out).toBe(file)
    else expect(out).not.toContain('SECRET')
    if (format === 'tsv') expect(out).toMatch(/^3\t.*too_large: the line is longer/m)
    if (format === 'ndjson') {
      const answers = out.trimEnd().split('\n')
      expect(JSON.parse(answers[1] ?? '')).toMatchObject({ line: 3, error: { code: 'too_large' } })
    }
  }
})

test.each([
  [['sear'], /no such recode; give one of seer, /],
  [['seer:1999'], /no such version; give one of 2008, /],
  [['icd-10'], /no such recode/],
  [['survival-time'], /needs the last year of the study; give the end year/],
  [['all'], /needs the last year of the study/],
  [['seer', 'seer:2023'], /given twice/],
])('recodes %j are refused', async (recodes, message) => {
  await expect(process(GIVEN, { recodes })).rejects.toThrow(message)
})

test('a file that is cut anywhere ends by an error, never as a whole one', async () => {
  const inside = fc.integer({ min: 0, max: GIVEN.trimEnd().length - 1 })
  const formats = fc.constantFrom('ndjson', 'tsv', 'xml')
  await fc.assert(
    fc.asyncProperty(inside, formats, async (length, format) => {
      await expect(process(GIVEN.slice(0, length), { format }, 100)).rejects.toMatchObject({
        code: 'bad_input',
      })
    }),
    { seed: 401, numRuns: depth(20, 100) },
  )
})

test('bytes that are changed anywhere are answered or refused, and nothing else happens', async () => {
  const bytes = Buffer.from(GIVEN)
  const at = fc.integer({ min: 0, max: bytes.length - 1 })
  const changes = fc.array(fc.tuple(at, fc.integer({ min: 0, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(changes, async (some) => {
      const changed = Buffer.from(bytes)
      for (const [i, byte] of some) changed[i] = byte
      const run = { version, findDictionary: async () => dictionary, format: 'xml' } as const
      const source = (async function* () {
        yield changed
      })()
      const outcome = await files
        .stage(source, run)
        .then(({ body }) => text(body))
        .catch((error: { readonly code?: string }) => error.code ?? error)
      expect(outcome).toEqual(expect.any(String))
    }),
    { seed: 402, numRuns: depth(100, 300) },
  )
})
