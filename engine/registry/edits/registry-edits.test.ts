import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../shared/executor.ts'
import { parseDictionary } from '../naaccr-xml/read-dictionary.ts'
import { LineBatches } from '../ndjson-batch/line-batches.ts'
import type { EditedPatient } from './edit-patients.ts'
import { type EditFormat, RegistryEdits, type RuleSet, readRules } from './registry-edits.ts'
import { parseRules } from './rule-file.ts'

// Runs files through all edits, with the rules of the package and with made-up rules.

const TUMORS = [
  ...[
    'primarySite 4',
    'histologicTypeIcdO3 4 digits',
    'behaviorCodeIcdO3 1 digits',
    'laterality 1 digits',
  ],
  ...['dateOfDiagnosis 8 date', 'ageAtDiagnosis 3 digits', 'regionalNodesPositive 2 digits'],
  ...[
    'regionalNodesExamined 2 digits',
    'summaryStage2018 1 digits',
    'typeOfReportingSource 1 digits',
  ],
  ...[
    'diagnosticConfirmation 1 digits',
    'overRideAgeSiteMorph 1 digits',
    'overRideSiteType 1 digits',
  ],
  ...[
    'rxSummChemo 2 digits',
    'rxDateChemo 8 date',
    'tumorRecordNumber 2',
    'eodMets 2',
    'metsAtDxBone 1 digits',
  ],
  ...[
    'metsAtDxBrain 1 digits',
    'metsAtDxLiver 1 digits',
    'metsAtDxLung 1 digits',
    'metsAtDxDistantLn 1 digits',
    'metsAtDxOther 1 digits',
  ],
  ...['sequenceNumberCentral 2 digits'],
]
const PATIENTS = [
  ...[
    'patientIdNumber 8',
    'dateOfBirth 8 date',
    'dateOfLastContact 8 date',
    'sex 1 digits',
    'vitalStatus 1 digits',
  ],
  ...[
    'causeOfDeath 4',
    'icdRevisionNumber 1 digits',
    'race1 2 digits',
    'race2 2 digits',
    'race3 2 digits',
    'race4 2 digits',
    'race5 2 digits',
  ],
]
const defined = (element: string) => (item: string) => {
  const [id, length, type = 'text'] = item.split(' ')
  return `<ItemDef naaccrId="${id}" length="${length}" parentXmlElement="${element}" dataType="${type}"/>`
}
const URI = 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml'
const dictionary = parseDictionary(
  `<NaaccrDictionary naaccrVersion="250" dictionaryUri="${URI}"><ItemDefs>${TUMORS.map(defined('Tumor')).join('')}${PATIENTS.map(defined('Patient')).join('')}</ItemDefs></NaaccrDictionary>`,
)

const edits = new RegistryEdits({
  batches: new LineBatches(inlineExecutor),
  clock: () => new Date('2024-06-30T12:00:00Z'),
})
const shipped = await readRules(undefined)

type Values = Readonly<Record<string, string>>
const itemsOf = (values: Values) =>
  Object.entries(values)
    .map(([id, value]) => `<Item naaccrId="${id}">${value}</Item>`)
    .join('')
const patient = (values: Values, ...tumors: readonly Values[]) =>
  `<Patient>${itemsOf(values)}${tumors.map((one) => `\n<Tumor>${itemsOf(one)}</Tumor>`).join('')}</Patient>\n`
const fileOf = (...patients: readonly string[]) =>
  `<NaaccrData baseDictionaryUri="${URI}" recordType="I" specificationVersion="1.8" xmlns="http://naaccr.org/naaccrxml">\n${patients.join('')}</NaaccrData>`

interface Given {
  readonly rules?: RuleSet
  readonly format?: EditFormat
  readonly codes?: ReadonlyMap<
    string,
    readonly { readonly code: string; readonly description: string }[]
  >
}

async function check(file: string, { rules = shipped, format, codes = new Map() }: Given = {}) {
  const chunks = (async function* () {
    yield Buffer.from(file)
  })()
  const edited = await edits.check(chunks, {
    findDictionary: async () => dictionary,
    findCodes: async () => codes,
    rules,
    format,
  })
  const out = await text(edited.body)
  return { out, summary: edited.summary() }
}

const patientsIn = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EditedPatient)

const ruleCalled = (name: RegExp) => {
  const [rule, ...others] = shipped.rules.filter((one) => name.test(one.name))
  if (!rule || others.length > 0) throw new Error(`${others.length + 1} rules are called ${name}`)
  return rule
}

describe('a rule that ships', () => {
  const breast = { primarySite: 'C504', histologicTypeIcdO3: '8500', behaviorCodeIcdO3: '3' }
  // For each rule: values that only this rule rejects, and values that it accepts. All other edits of the case pass.
  test.each<[RegExp, Values, Values, Values, Values]>([
    [
      /^Birth is not after diagnosis/,
      {},
      { dateOfDiagnosis: '20200101' },
      { dateOfBirth: '20200102' },
      { dateOfBirth: '2020' },
    ],
    [
      /^Diagnosis is not after last contact/,
      {},
      { dateOfDiagnosis: '20200301' },
      { dateOfLastContact: '202002' },
      { dateOfLastContact: '2020' },
    ],
    [/^Diagnosis is not in the future/, {}, { dateOfDiagnosis: '20240701' }, {}, {}],
    [
      /^Age fits/,
      { dateOfBirth: '19500615' },
      { dateOfDiagnosis: '20200614', ageAtDiagnosis: '070' },
      {},
      {},
    ],
    [
      /^No carcinoma of the prostate/,
      { sex: '1' },
      { primarySite: 'C619', histologicTypeIcdO3: '8140', ageAtDiagnosis: '039' },
      {},
      {},
    ],
    [/^Female genital organs/, { sex: '1' }, { primarySite: 'C541' }, {}, {}],
    [/^Male genital organs/, { sex: '2' }, { primarySite: 'C619' }, {}, {}],
    [/^Paired sites/, {}, { ...breast, laterality: '0' }, {}, {}],
    [/^Sites that are no pair/, {}, { primarySite: 'C619', laterality: '1' }, {}, {}],
    [/^Lymphoma and leukemia/, {}, { histologicTypeIcdO3: '9680', behaviorCodeIcdO3: '2' }, {}, {}],
    [
      /^Leukemia is of the marrow/,
      {},
      { histologicTypeIcdO3: '9861', primarySite: 'C509', laterality: '1' },
      {},
      {},
    ],
    [
      /^Skin carcinomas/,
      {},
      { primarySite: 'C440', histologicTypeIcdO3: '8070', behaviorCodeIcdO3: '3' },
      {},
      {},
    ],
    [
      /^The summary stage of a tumor in situ/,
      {},
      {
        ...breast,
        behaviorCodeIcdO3: '2',
        laterality: '1',
        dateOfDiagnosis: '2020',
        summaryStage2018: '1',
      },
      {},
      {},
    ],
    [
      /^The summary stage 0/,
      {},
      { ...breast, laterality: '1', dateOfDiagnosis: '2020', summaryStage2018: '0' },
      {},
      {},
    ],
    [
      /^No metastasis by one item/,
      {},
      { eodMets: '00', metsAtDxLiver: '1', metsAtDxBone: '0' },
      {},
      {},
    ],
    [/^No more nodes/, {}, { regionalNodesPositive: '05', regionalNodesExamined: '04' }, {}, {}],
    [/^Who is alive has no cause/, { vitalStatus: '1', causeOfDeath: 'C509' }, {}, {}, {}],
    [/^A cause of revision 10/, { icdRevisionNumber: '1', causeOfDeath: '1749' }, {}, {}, {}],
    [/^Who had no chemotherapy/, {}, { rxSummChemo: '00', rxDateChemo: '2020' }, {}, {}],
    [/^No race is there twice/, { race1: '02', race2: '02' }, {}, {}, {}],
    [/^Behind the last race/, { race1: '01', race2: '88', race3: '02' }, {}, {}, {}],
  ])('%s', async (name, ofPatient, ofTumor, breaking, passing) => {
    const { number, message, items } = ruleCalled(name)
    const hasOwn = Object.keys(breaking).length > 0
    const file = fileOf(patient({ ...ofPatient, ...breaking }, ofTumor))
    const [one] = patientsIn((await check(file)).out)
    const failed = [...(one?.edits ?? []), ...(one?.tumors[0]?.edits ?? [])]
    expect(failed.map((edit) => edit.number)).toEqual([number])
    expect(failed[0]).toMatchObject({ message, items })
    if (!hasOwn) return
    const { out } = await check(fileOf(patient({ ...ofPatient, ...passing }, ofTumor)))
    expect(patientsIn(out)[0]?.tumors[0]?.edits).toEqual([])
  })

  test('is not broken where its override is set, or where nothing is known', async () => {
    const young = { primarySite: 'C619', histologicTypeIcdO3: '8140', ageAtDiagnosis: '039' }
    const file = fileOf(
      patient({ sex: '1' }, { ...young, overRideAgeSiteMorph: '1' }, {}),
      patient({}),
    )
    const { out, summary } = await check(file)
    expect(
      patientsIn(out)
        .flatMap(({ edits: own, tumors }) => [own, ...tumors.map((one) => one.edits)])
        .flat(),
    ).toEqual([])
    expect(summary.counts).toEqual([])
  })

  test('is not applied, and reported, where the file cannot have an item that it reads', async () => {
    const { summary } = await check(fileOf(patient({})))
    const scope = ruleCalled(/^Who had surgery/).number
    expect(summary.notApplied).toContain(scope)
    // sexAssignedAtBirth is read from the sex of files of version 25.
    expect(summary.notApplied).not.toContain(ruleCalled(/^Male genital/).number)
    expect(summary.rules + summary.notApplied.length).toBe(shipped.rules.length)
  })
})

describe('single items', () => {
  const codes = new Map([
    ['behaviorCodeIcdO3', ['0', '1', '2', '3'].map((code) => ({ code, description: '' }))],
    ['regionalNodesPositive', ['00', '01-88', '90', ''].map((code) => ({ code, description: '' }))],
    // The value has another form than its codes, so it is not checked.
    ['laterality', [{ code: 'see note', description: '' }]],
  ])

  test('are of their form, their codes and the calendar; no value is reported', async () => {
    const file = fileOf(
      patient(
        { patientIdNumber: '123456789', dateOfBirth: '19990229', nope: '1' },
        { behaviorCodeIcdO3: '7', regionalNodesPositive: '89', laterality: '7' },
        { behaviorCodeIcdO3: '3', regionalNodesPositive: '88', dateOfDiagnosis: 'SECRET' },
      ),
    )
    const rules = {
      text: 'edit A1\nname: n\nrequire: sex is given or sex is empty\nmessage: m',
      rules: [],
    }
    const { out, summary } = await check(file, {
      codes,
      rules: { ...rules, rules: parseRules(rules.text) },
    })
    const [one] = patientsIn(out)
    const told = (some: EditedPatient['edits'] = []) =>
      some.map(({ number, items, line }) => [number, items[0], line])
    expect(told(one?.edits)).toEqual([
      ['S0010', 'patientIdNumber', 2],
      ['S0040', 'nope', 2],
      ['S0120', 'dateOfBirth', 2],
    ])
    expect(one?.tumors.map((tumor) => told(tumor.edits))).toEqual([
      [
        ['S0110', 'behaviorCodeIcdO3', 3],
        ['S0110', 'regionalNodesPositive', 3],
      ],
      [['S0030', 'dateOfDiagnosis', 4]],
    ])
    expect(out).not.toContain('SECRET')
    expect(summary).toMatchObject({ patients: 1, tumors: 2, rules: 1, codedItems: 2 })
    expect(summary.counts).toContainEqual({ kind: 'edit', code: 'S0110', count: 2, line: 3 })
  })
})

test('a table has a row for each edit that is not passed, and none for patients that pass all', async () => {
  const fine = patient({ patientIdNumber: '1' }, { primarySite: 'C509' })
  const wrong = patient(
    { patientIdNumber: '2', sex: '1' },
    { primarySite: 'C541', tumorRecordNumber: '07' },
  )
  const file = fileOf(...Array.from({ length: 700 }, () => fine), wrong, fine, wrong)
  const { out } = await check(file, { format: 'tsv' })
  const [header, ...rows] = out.split('\n')
  expect(header).toBe('line\tpatientIdNumber\ttumorRecordNumber\tedit\tname\tmessage\titems\terror')
  const { number, name } = ruleCalled(/^Female genital/)
  expect(rows.map((row) => row.split('\t').slice(0, 5))).toEqual([
    ['1403', '2', '07', number, name],
    ['1407', '2', '07', number, name],
    [''],
  ])
})

test('a file that breaks is edited up to there', async () => {
  const file = fileOf(patient({ patientIdNumber: '1' }), patient({ patientIdNumber: '2' }))
  await expect(check(file.slice(0, -20))).rejects.toThrow(
    /the 1 patient before it is answered|the 2 patients before it are answered/,
  )
})
