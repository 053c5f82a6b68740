import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGunzip, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { depth } from '../../../test/depth.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Dictionary } from './dictionary.ts'
import type { ItemFault, Patient } from './model.ts'
import { parseDictionary, readDictionary } from './read-dictionary.ts'
import { openFile } from './read-file.ts'
import { patientsOf } from './support/patients-of.ts'

const FOLDER = join(publicData(), 'data/naaccr')
const CODES = {
  'bad-naaccr-item-number': 'wrong_number',
  'value-to-long': 'too_long',
  'data-item-2': 'wrong_level',
} as const

const DICTIONARY = `<?xml version="1.0"?>
<NaaccrDictionary dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" naaccrVersion="250"
  specificationVersion="1.8" xmlns="http://naaccr.org/naaccrxml">
  <ItemDefs>
    <ItemDef naaccrId="registryId" naaccrNum="40" length="10" dataType="digits" parentXmlElement="NaaccrData"/>
    <ItemDef naaccrId="patientIdNumber" naaccrNum="20" length="8" dataType="digits" parentXmlElement="Patient"/>
    <ItemDef naaccrId="nameLast" naaccrNum="2230" length="40" recordTypes="A,M,C" parentXmlElement="Patient"/>
    <ItemDef naaccrId="primarySite" naaccrNum="400" length="4" dataType="mixed" parentXmlElement="Tumor"/>
    <ItemDef naaccrId="dateOfDiagnosis" naaccrNum="390" length="8" dataType="date" parentXmlElement="Tumor"/>
    <ItemDef naaccrId="textRemarks" naaccrNum="2680" length="5" allowUnlimitedText="true" parentXmlElement="Tumor"/>
  </ItemDefs>
</NaaccrDictionary>`
const made = parseDictionary(DICTIONARY)

const ROOT =
  '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" recordType="I" specificationVersion="1.7" xmlns="http://naaccr.org/naaccrxml">'
const fileOf = (body: string) => `<?xml version="1.0"?>\n${ROOT}\n${body}\n</NaaccrData>\n`

interface ReadAll {
  readonly patients: readonly Patient[]
  readonly faults: readonly ItemFault[]
}

async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  find: (uri: string) => Dictionary | undefined,
  strict = false,
): Promise<ReadAll> {
  const file = await openFile(chunks, async (uri) => find(uri), { strict })
  const patients: Patient[] = []
  const read = patientsOf(file, { strict })
  let next = await read.next()
  for (; !next.done; next = await read.next()) patients.push(next.value)
  const faults = [...next.value.rootFaults, ...patients.flatMap((one) => one.faults)]
  return { patients, faults }
}

async function* piecesOf(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}
/** Returns the bytes of a text in Latin-1, in pieces. */
async function* latinPieces(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const readMade = (text: string, length = 1 << 16, strict = false) =>
  readAll(piecesOf(text, length), () => made, strict)
const errorOf = (text: string) =>
  readMade(text).then(
    () => 'no error',
    (error: unknown) => (error instanceof EngineError ? `${error.code}: ${error.message}` : error),
  )

const shortName = (name: string) => name.replace(/^.*--invalid_|\.xml$/g, '')

/**
 * Expected reports for invalid files. The line is that which `grep -n` finds for the error (`Patien>`, `<Ite `,
 * `someAttribute`, ...), and the path comes from counting the elements above it. Text outside of the root has no
 * path.
 */
const PLACES: Readonly<Record<string, RegExp>> = {
  'bad-attribute-1': /^line 7, \/NaaccrData: Patient has no attributes/,
  'bad-attribute-2': /^line 9, \/NaaccrData\/Patient\[1\]: Tumor has no attributes/,
  'bad-tag-1': /^line 5, \/NaaccrData: the root is <NaaccrDat>/,
  'bad-tag-2': /^line 7, \/NaaccrData: there is <Patien>/,
  'bad-tag-3': /^line 9, \/NaaccrData\/Patient\[1\]: there is <Tumo>/,
  'bad-tag-4': /^line 10, \/NaaccrData\/Patient\[1\]\/Tumor\[1\]: there is <Ite>/,
  'extension-missing-namespace-1': /^line 7, \/NaaccrData: there is <MySpecialData>/,
  'garbage-1': /^line 1: text data outside of root/,
  'missing-required-attribute-1': /^line 5, \/NaaccrData: .*baseDictionaryUri is missing/,
  'namespace-1': /^line 5: duplicate attribute: xmlns/,
  'unbalanced-tags-1': /^line 13, \/NaaccrData: unclosed tag/,
  'unbalanced-tags-2': /^line 12, \/NaaccrData: unexpected close tag/,
  'unbalanced-tags-3': /^line 11, \/NaaccrData\/Patient\[1\]\/Tumor\[1\]: unexpected close tag/,
  'bad-data-item-2': /^line 8, \/NaaccrData\/Patient\[1\]\/Item\[1\]: wrong_level/,
  'bad-data-item-3': /^line 8, \/NaaccrData\/Patient\[1\]\/Item\[1\]: unknown_item/,
  'bad-data-item-4': /^line 10, \/NaaccrData\/Patient\[1\]\/Tumor\[1\]\/Item\[1\]: unknown_item/,
  'bad-naaccr-item-number': /^line 8, \/NaaccrData\/Patient\[1\]\/Item\[1\]: wrong_number/,
  'unknown-data-item-1':
    /^line 10, \/NaaccrData\/Patient\[1\]\/Tumor\[1\]\/Item\[1\]: unknown_item/,
  'value-to-long-1': /^line 8, \/NaaccrData\/Patient\[1\]\/Item\[1\]: too_long/,
  'default-namespace-missing-1': /^line 5, \/NaaccrData: the namespace .* is not declared/,
  'user-attribute-missing-namespace-1':
    /^line 5, \/NaaccrData: attribute otherAttribute has no declared namespace/,
  'user-attribute-missing-namespace-2':
    /^line 5, \/NaaccrData: attribute other:otherAttribute has no declared namespace/,
}

test('a file that has come already does not keep others waiting', async () => {
  const patient = '<Patient><Item naaccrId="patientIdNumber">00000001</Item><Tumor/></Patient>\n'
  const file = fileOf(patient.repeat(150_000))
  let turns = 0
  let turn = setImmediate(function next() {
    turns++
    turn = setImmediate(next)
  })
  const { patients } = await readMade(file, file.length)
  clearImmediate(turn)
  expect(patients).toHaveLength(150_000)
  // Each turn takes some milliseconds. Before, there was only one turn.
  expect(turns).toBeGreaterThan(5)
})

test.each([1 << 16, 40])(
  'an item of the root that is there again after patients is told, in pieces of %d bytes',
  async (length) => {
    const item = (value: string) => `<Item naaccrId='registryId'>${value}</Item>`
    const text = fileOf(`${item('1')}\n${'<Patient/>\n'.repeat(9)}${item('2')}`)
    const { faults } = await readMade(text, length)
    const told = faults.map(({ code, line, path }) => [code, line, path])
    expect(told).toContainEqual(['doubled_item', 13, '/NaaccrData/Item[2]'])
    const once = await readMade(fileOf(`${'<Patient/>\n'.repeat(9)}${item('2')}`), length)
    expect(once.faults.map(({ code }) => code)).not.toContain('doubled_item')
  },
)

test('patients, tumors and items come with their lines, in whatever pieces the file comes', async () => {
  const body = `<Item naaccrId="registryId">0000000001</Item>
<Patient>
 <Item naaccrId="patientIdNumber" naaccrNum="20">00000001</Item>
 <Tumor><Item naaccrId="primarySite">C509</Item><Item naaccrId="textRemarks">a &lt; b &#233; <![CDATA[<&>]]></Item></Tumor>
 <Tumor/>
</Patient>
<Patient/>`
  const expected = [
    {
      line: 4,
      items: new Map([['patientIdNumber', '00000001']]),
      tumors: [
        {
          line: 6,
          items: new Map([
            ['primarySite', 'C509'],
            ['textRemarks', 'a < b é <&>'],
          ]),
        },
        { line: 7, items: new Map() },
      ],
      faults: [],
    },
    { line: 9, items: new Map(), tumors: [], faults: [] },
  ]
  const lengths = fc.integer({ min: 1, max: 600 })
  await fc.assert(
    fc.asyncProperty(lengths, async (length) => {
      expect((await readMade(fileOf(body), length)).patients).toEqual(expected)
    }),
    { seed: 250, numRuns: depth(12, 60) },
  )
})

test('what is wrong with an item is reported with its place, and never with its value', async () => {
  const body = `<Item naaccrId="registryId">12</Item>
<Patient>
<Item naaccrId="patientIdNumber" naaccrNum="21">123456789</Item>
<Item naaccrId="nameLast">SECRET</Item>
<Tumor>
<Item naaccrId="primarySite">c509</Item><Item naaccrId="nope">SECRET</Item>
<Item naaccrId="dateOfDiagnosis">20251301</Item><Item naaccrId="textRemarks">longer than five</Item>
</Tumor></Patient>`
  const { patients, faults } = await readMade(fileOf(body))
  expect(faults.map(({ code, item, line, path }) => [code, item, line, path])).toEqual([
    ['too_short', 'registryId', 3, '/NaaccrData/Item[1]'],
    ['wrong_number', 'patientIdNumber', 5, '/NaaccrData/Patient[1]/Item[1]'],
    ['too_long', 'patientIdNumber', 5, '/NaaccrData/Patient[1]/Item[1]'],
    ['unknown_item', 'nameLast', 6, '/NaaccrData/Patient[1]/Item[2]'],
    ['wrong_type', 'primarySite', 8, '/NaaccrData/Patient[1]/Tumor[1]/Item[1]'],
    ['unknown_item', 'nope', 8, '/NaaccrData/Patient[1]/Tumor[1]/Item[2]'],
    ['wrong_type', 'dateOfDiagnosis', 9, '/NaaccrData/Patient[1]/Tumor[1]/Item[3]'],
  ])
  expect(JSON.stringify(faults)).not.toMatch(/SECRET|123456789|c509|20251301/)
  expect([...(patients[0]?.items ?? [])]).toEqual([['patientIdNumber', '123456789']])
})

test.each([
  ['<Patient>text</Patient>', /text outside of items/],
  ['<Tumor/>', /there is <Tumor> in NaaccrData; give Item or Patient/],
  ['<Patient><Tumor><Tumor/></Tumor></Patient>', /there is <Tumor> in Tumor; give Item/],
  ['<Patient>&secret;</Patient>', /entity/],
])('%s is refused with its place', async (body, message) => {
  const error = await errorOf(fileOf(body))
  expect(error).toMatch(/^bad_input: line \d+, \/NaaccrData/)
  expect(error).toMatch(message)
})

/**
 * For each kind: the item as written, its fault, the value that is used, and the reason for rejection in strict
 * mode.
 */
const MISPLACED = [
  [
    '<Patient><Item naaccrId="primarySite">C509</Item></Patient>',
    'wrong_level primarySite /NaaccrData/Patient[1]/Item[1]',
    [],
    /is in Patient; it belongs into Tumor/,
  ],
  [
    '<Item naaccrId="patientIdNumber">00000001</Item><Patient/>',
    'wrong_level patientIdNumber /NaaccrData/Item[1]',
    [],
    /is in NaaccrData; it belongs into Patient/,
  ],
  [
    '<Patient><Tumor/><Item naaccrId="patientIdNumber">00000001</Item></Patient>',
    'wrong_order patientIdNumber /NaaccrData/Patient[1]/Item[1]',
    [['patientIdNumber', '00000001']],
    /line 3, .*items of Patient come before/,
  ],
  [
    '<Patient/><Item naaccrId="registryId">0000000001</Item>',
    'wrong_order registryId /NaaccrData/Item[1]',
    [],
    /items of NaaccrData come before/,
  ],
  [
    '<Patient><Item naaccrId="patientIdNumber">00000001</Item><Item naaccrId="patientIdNumber">00000002</Item></Patient>',
    'doubled_item patientIdNumber /NaaccrData/Patient[1]/Item[2]',
    [['patientIdNumber', '00000001']],
    /twice in one Patient/,
  ],
  [
    '<Patient><Item naaccrId="patientIdNumber"/><Item naaccrId="patientIdNumber">00000002</Item></Patient>',
    'doubled_item patientIdNumber /NaaccrData/Patient[1]/Item[2]',
    [['patientIdNumber', '00000002']],
    /twice in one Patient/,
  ],
  [
    '<Patient><Item>00000001</Item></Patient>',
    'wrong_attribute  /NaaccrData/Patient[1]/Item[1]',
    [],
    /lacks its attribute naaccrId/,
  ],
  [
    '<Patient><Item naaccrId="patientIdNumber" x="1">00000001</Item></Patient>',
    'wrong_attribute patientIdNumber /NaaccrData/Patient[1]/Item[1]',
    [['patientIdNumber', '00000001']],
    /no attribute x/,
  ],
  [
    '<Patient><Item naaccrId="patientIdNumber">0000<b>0</b>0001</Item></Patient>',
    'wrong_type patientIdNumber /NaaccrData/Patient[1]/Item[1]',
    [],
    /text only/,
  ],
  [
    '<Patient><Item naaccrId="patientIdNumber" naaccrNum="x">00000001</Item></Patient>',
    'wrong_number patientIdNumber /NaaccrData/Patient[1]/Item[1]',
    [['patientIdNumber', '00000001']],
    /no whole number/,
  ],
] as const

test.each(MISPLACED)('%s is a fault, and the file goes on', async (body, fault, items, message) => {
  const { patients, faults } = await readMade(fileOf(`${body}\n<Patient/>`))
  expect(patients).toHaveLength(2)
  expect(faults.map(({ code, item, path }) => `${code} ${item} ${path}`)).toEqual([fault])
  expect([...(patients[0]?.items ?? [])]).toEqual(items)
  await expect(readMade(fileOf(body), 1 << 16, true)).rejects.toThrow(message)
})

/** W3C XML Schema 1.0, part 2, 3.2.7. */
test.each([
  ['2025-01-31T12:00:00Z', 0],
  ['2025-01-31T12:00:00.5+01:00', 0],
  ['2025-01-31T12:00:00', 0],
  ['2024-08-23', 1],
  ['20240823', 1],
  ['2024-13-23T12:00:00Z', 1],
  ['yesterday', 1],
])('timeGenerated %s has %i faults', async (time, count) => {
  const file = fileOf('<Patient/>').replace('recordType', `timeGenerated="${time}" recordType`)
  const { patients, faults } = await readMade(file)
  expect(patients).toHaveLength(1)
  const fault = { code: 'wrong_type', item: 'timeGenerated', line: 2, path: '/NaaccrData' }
  expect(faults).toMatchObject(Array(count).fill(fault))
  const strictly = readMade(file, 1 << 16, true)
  if (count === 0) await strictly
  else await expect(strictly).rejects.toThrow(/^line 2, .* is no time/)
})

test('patients before what ends a file come, in whatever pieces it comes', async () => {
  const broken = [Buffer.from('<Patient><Tumor></Patient>'), Buffer.from([0xc3, 0x28])]
  const whole = Buffer.from(`${ROOT}<Patient/><Patient/>\n`)
  for (const bytes of broken) {
    for (const length of [1, 7, 1 << 16]) {
      const file = Buffer.concat([whole, bytes, Buffer.from('<Patient/></NaaccrData>')])
      const chunks = (async function* () {
        for (let at = 0; at < file.length; at += length) yield file.subarray(at, at + length)
      })()
      const opened = await openFile(chunks, async () => made)
      let patients = 0
      const reading = (async () => {
        for await (const _ of patientsOf(opened)) patients++
      })()
      await expect(reading).rejects.toMatchObject({ code: 'bad_input' })
      expect(patients).toBe(2)
    }
  }
})

test('a document type is refused, and so is what is no UTF-8 and what ends early', async () => {
  const typed = fileOf('').replace('<NaaccrData', '<!DOCTYPE a [<!ENTITY b "c">]><NaaccrData')
  expect(await errorOf(typed)).toMatch(/document type is not accepted/)
  expect(await errorOf('')).toMatch(/ends before <NaaccrData>/)
  expect(await errorOf(fileOf('<Patient>').slice(0, -20))).toMatch(/bad_input/)
  const misplaced = latinPieces(fileOf('<Patient>\xe9</Patient>'), 99)
  await expect(readAll(misplaced, () => made)).rejects.toThrow(/outside of items, .* not UTF-8/)
})

test('bytes that are not UTF-8, and control characters, are a fault of their item', async () => {
  const patient = (name: string, id: number) => `<Patient>
<Item naaccrId="patientIdNumber">${id}</Item>
<Tumor><Item naaccrId="primarySite">C509</Item><Item naaccrId="textRemarks">${name}</Item></Tumor></Patient>
`
  // The bytes of Latin-1 for accents are not UTF-8. XML 1.0 (2.2 Char) has no control characters but tab and breaks.
  const names = ['plain', 'Ren\xe9e', '\xc9', 'a\x0bb', '\0', 'M\xfcller']
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 5000 }),
      async (chosen, length) => {
        const body = chosen.map((name, i) => patient(name, 10_000_000 + i)).join('')
        const { patients, faults } = await readAll(latinPieces(fileOf(body), length), () => made)
        expect(patients.map(({ tumors }) => tumors[0]?.items.get('textRemarks'))).toEqual(
          chosen.map((name) => name.replace(/[^\x20-\x7e]/g, '\uFFFD')),
        )
        expect(faults.map(({ code, item, line }) => [code, item, line])).toEqual(
          chosen.flatMap((name, i) =>
            name === 'plain' ? [] : [['unreadable', 'textRemarks', 5 + 3 * i]],
          ),
        )
        if (chosen.some((name) => name !== 'plain')) {
          const strict = readAll(latinPieces(fileOf(body), length), () => made, true)
          await expect(strict).rejects.toMatchObject({ code: 'bad_input' })
        }
      },
    ),
    { seed: 42, numRuns: depth(25, 300) },
  )
})

test('U+FFFF, which XML forbids, and U+FFFD, which a conversion leaves, are faults of their item', async () => {
  const item = (text: string) =>
    `<Patient><Tumor><Item naaccrId="textRemarks">${text}</Item></Tumor></Patient>\n`
  const { patients, faults } = await readMade(
    fileOf(['\uFFFF', '\uFFFD', 'abc'].map(item).join('')),
  )
  expect(patients.map(({ tumors }) => tumors[0]?.items.get('textRemarks'))).toEqual([
    '\uFFFD',
    '\uFFFD',
    'abc',
  ])
  expect(faults.map(({ code, line }) => [code, line])).toEqual([
    ['unreadable', 3],
    ['unreadable', 4],
  ])
})

test('a dictionary that is missing is named', async () => {
  const text = fileOf('')
  await expect(readAll(piecesOf(text, 99), () => undefined)).rejects.toThrow(
    /NAACCR 250 is not there; .*casemill import naaccr naaccr-dictionary-250.xml/,
  )
})

describe.skipIf(!available.shared)('files of the standard', () => {
  const dictionaries = new Map<string, Dictionary>()
  beforeAll(async () => {
    for (const name of readdirSync(join(FOLDER, 'dictionaries'))) {
      const dictionary = await readDictionary(join(FOLDER, 'dictionaries', name))
      dictionaries.set(dictionary.uri, dictionary)
    }
  })
  const find = (uri: string) => {
    // Files that test the reader name a dictionary that does not exist.
    return uri === 'whatever' ? { uri, version: '', items: [] } : dictionaries.get(uri)
  }

  const validity = available.shared
    ? readdirSync(join(FOLDER, 'validity')).filter((name) => name.endsWith('.xml'))
    : []

  test.runIf(available.shared)('every file that is not valid has its place above', () => {
    const names = validity.filter((name) => !name.startsWith('valid--'))
    expect(Object.keys(PLACES).toSorted()).toEqual(names.map(shortName).toSorted())
  })

  test.each(validity)('%s is judged as its name says, at its line and path', async (name) => {
    const text = readFileSync(join(FOLDER, 'validity', name), 'utf8')
    const outcome = await readAll(piecesOf(text, 50), find).catch((error: unknown) => {
      expect(error).toBeInstanceOf(EngineError)
      return (error as EngineError).message
    })
    const [kind = '', what = ''] = name.split('--')
    if (kind === 'valid') expect(outcome).toMatchObject({ faults: [] })
    else if (typeof outcome === 'string') expect(outcome).toMatch(PLACES[shortName(name)] as RegExp)
    else {
      expect(kind).toBe('invalid_library_only')
      const code = Object.entries(CODES).find(([part]) => what.includes(part))?.[1]
      const told = outcome.faults.map((fault) => `line ${fault.line}, ${fault.path}: ${fault.code}`)
      expect(told).toEqual([expect.stringMatching(PLACES[shortName(name)] as RegExp)])
      expect(outcome.faults.map((fault) => fault.code)).toEqual([code ?? 'unknown_item'])
    }
  })

  // zcat FILE | grep -c '<Patient>'; ... '<Tumor>'; ... '<Item '
  test.each([
    ['naaccr-xml-sample-v250-incidence-1000.xml.gz'],
    ['naaccr-xml-sample-v220-abstract-100.xml.gz'],
    ['naaccr-xml-sample-v180-incidence-1000.xml.gz'],
  ])('%s has as many patients, tumors and items as lines say', async (name) => {
    const path = join(FOLDER, 'samples', name)
    const text = gunzipSync(readFileSync(path)).toString()
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
    const { patients } = await readAll(createReadStream(path).pipe(createGunzip()), find)
    const tumors = patients.flatMap((patient) => patient.tumors)
    expect(patients).toHaveLength(count(/<Patient>/g))
    expect(tumors).toHaveLength(count(/<Tumor>/g))
    const items = [...patients, ...tumors].reduce((sum, one) => sum + one.items.size, 0)
    const outside = text.slice(0, text.indexOf('<Patient>')).match(/<Item /g)?.length ?? 0
    expect(items).toBe(count(/<Item [^>]*>[^<]/g) - outside)
  })
})
