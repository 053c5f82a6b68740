import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import type { Dictionary } from './dictionary.ts'
import type { Patient } from './model.ts'
import { parseDictionary, readDictionary } from './read-dictionary.ts'
import { openFile } from './read-file.ts'
import { patientsOf } from './support/patients-of.ts'

const itemDef = (id: string, startColumn: number, length: number, element: string, more = '') =>
  `<ItemDef naaccrId="${id}" startColumn="${startColumn}" length="${length}" parentXmlElement="${element}" ${more}/>`
const made = parseDictionary(`<NaaccrDictionary naaccrVersion="180"
  dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-180.xml"><ItemDefs>
  ${itemDef('recordType', 1, 1, 'NaaccrData')}${itemDef('naaccrRecordVersion', 17, 3, 'NaaccrData')}
  ${itemDef('patientIdNumber', 42, 8, 'Patient')}${itemDef('sex', 50, 1, 'Patient')}
  ${itemDef('primarySite', 60, 4, 'Tumor', 'dataType="mixed"')}
  ${itemDef('keptText', 70, 6, 'Tumor', 'trim="none"')}${itemDef('confidential', 80, 4, 'Tumor', 'recordTypes="A,M,C"')}
  ${itemDef('lastOne', 4048, 1, 'Tumor')}${itemDef('beyond', 4049, 5, 'Tumor')}
  <ItemDef naaccrId="anywhere" length="4" parentXmlElement="Tumor"/>
  </ItemDefs></NaaccrDictionary>`)

/** Returns a line that has texts at their columns, counted from 1. */
function lineOf(texts: Readonly<Record<number, string>>, length = 4048): string {
  const cells = Array.from({ length }, () => ' ')
  for (const [column, text] of Object.entries({ 1: 'I', 17: '180', ...texts })) {
    cells.splice(Number(column) - 1, text.length, ...text)
  }
  return cells.join('')
}

async function* piecesOf(text: string, length = 1 << 16): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  dictionary: Dictionary = made,
  replaceable?: ReadonlySet<string>,
) {
  const find = async (uri: string) => (uri === dictionary.uri ? dictionary : undefined)
  const file = await openFile(chunks, find)
  const patients: Patient[] = []
  const read = patientsOf(file, { replaceable })
  let next = await read.next()
  for (; !next.done; next = await read.next()) patients.push(next.value)
  return { file, patients, ...next.value }
}

const entriesOf = ({ line, items, tumors }: Patient) => ({
  line,
  items: Object.fromEntries(items),
  tumors: tumors.map((tumor) => [tumor.line, Object.fromEntries(tumor.items)]),
})

const LINES = [
  lineOf({ 42: '00000001', 50: '1', 60: 'C509', 70: '  a  b' }),
  lineOf({ 42: '00000001', 50: '2', 60: ' C18', 80: 'SECR', 4048: 'x' }),
  lineOf({ 42: '00000002', 60: 'C509' }),
  lineOf({ 60: 'C509' }),
  lineOf({ 60: 'C509' }),
]

test('lines next to each other with one number are one patient, in whatever pieces they come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9000 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      async (length, end, isEnded) => {
        const text = LINES.join(end) + (isEnded ? end : '')
        const { patients } = await readAll(piecesOf(text, length))
        expect(patients.map(entriesOf)).toEqual([
          {
            line: 1,
            items: { patientIdNumber: '00000001', sex: '1' },
            tumors: [
              [1, { primarySite: 'C509', keptText: '  a  b' }],
              [2, { primarySite: 'C18', lastOne: 'x' }],
            ],
          },
          ...[
            {
              line: 3,
              items: { patientIdNumber: '00000002' },
              tumors: [[3, { primarySite: 'C509' }]],
            },
            { line: 4, items: {}, tumors: [[4, { primarySite: 'C509' }]] },
            { line: 5, items: {}, tumors: [[5, { primarySite: 'C509' }]] },
          ],
        ])
        expect(patients[0]?.faults).toMatchObject([
          { code: 'too_short', item: 'primarySite', line: 2, path: 'line 2, columns 60 to 63' },
        ])
      },
    ),
    { seed: 403, numRuns: 40 },
  )
})

test('a line of another length is reported, and has what it has', async () => {
  const text = [LINES[0], LINES[2]?.slice(0, 62), '', LINES[2]].join('\n')
  const { patients } = await readAll(piecesOf(text))
  expect(patients.map(({ line, faults, tumors }) => [line, faults, tumors[0]?.items.size])).toEqual(
    [
      [1, [], 2],
      [
        2,
        [
          {
            code: 'wrong_length',
            item: 'line',
            line: 2,
            path: 'line 2',
            message: 'a line of 62 characters; 4048 are expected',
          },
        ],
        0,
      ],
    ],
  )
})

test('bytes that are not UTF-8, and control characters, are a fault of their item alone', async () => {
  const lines = ['  \xe9', 'a\x0bb', 'abc'].map((text) => lineOf({ 60: 'C509', 70: text }))
  const latin = (async function* () {
    yield Buffer.from([LINES[2], ...lines].join('\n'), 'latin1')
  })()
  const { patients } = await readAll(latin)
  expect(patients.map(({ tumors }) => tumors[0]?.items.get('keptText'))).toEqual([
    undefined,
    '  \uFFFD   ',
    'a\uFFFDb   ',
    'abc   ',
  ])
  expect(patients.flatMap(({ faults }) => faults)).toMatchObject([
    { code: 'unreadable', item: 'keptText', line: 2, path: 'line 2, columns 70 to 75' },
    { code: 'unreadable', item: 'keptText', line: 3 },
  ])
})

test.each([
  ['a first line of another length', lineOf({}, 4000), /^line 1: it has 4000 characters; .* 4048$/],
  ['a version that is none', lineOf({ 17: 'abc' }), /^line 1: columns 17 to 19 have "abc"/],
  ['a word', 'Apples', /^line 1: columns 17 to 19 have ""/],
  ['a line without an end', lineOf({}) + '\n'.padEnd(70_000), /^line 2: it is longer than/],
  ['a version without a dictionary', lineOf({ 17: '160' }, 3339), /NAACCR 160 is not there/],
])('%s is refused', async (_, text, message) => {
  await expect(readAll(piecesOf(text))).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(message),
  })
})

test('a dictionary without columns says so', async () => {
  const items = made.items.map(({ startColumn: _, ...item }) => item)
  await expect(readAll(piecesOf(lineOf({})), { ...made, items })).rejects.toThrow(
    /the dictionary of NAACCR 180 has no columns; give the file as XML/,
  )
})

test('as XML it is the same file, with the places of its items', async () => {
  const lines = [lineOf({ 42: '00000001', 60: 'C509', 70: 'a<b&c' }), LINES[1], LINES[2]].join('\n')
  const { patients, rest } = await readAll(piecesOf(lines), made, new Set(['primarySite']))
  const text = patients.map(({ source }) => source?.text).join('') + rest
  const again = await readAll(piecesOf(text))
  const unplaced = (patient: Patient) => {
    const { items, tumors } = entriesOf(patient)
    return { items, tumors: tumors.map(([, tumor]) => tumor) }
  }
  expect(again.patients.map(unplaced)).toEqual(patients.map(unplaced))
  expect(text).toContain('<Item naaccrId="keptText">a&lt;b&amp;c </Item>')
  for (const { source } of patients) {
    const places = source?.tumors.flatMap(({ items }) => items) ?? []
    expect(places.length).toBeGreaterThan(0)
    for (const { start, end } of places) {
      expect(source?.text.slice(start, end)).toMatch(
        /^\n {6}<Item naaccrId="primarySite">[^<]+<\/Item>$/,
      )
    }
  }
})

describe.skipIf(!available.shared)('a published file', () => {
  test('written into columns by their dictionary is read as it was', async () => {
    const folder = join(publicData(), 'data/naaccr')
    const dictionary = await readDictionary(
      join(folder, 'dictionaries/naaccr-dictionary-180.xml.gz'),
    )
    const path = join(folder, 'samples/naaccr-xml-sample-v180-incidence-1000.xml.gz')
    const { patients } = await readAll(createReadStream(path).pipe(createGunzip()), dictionary)
    const columns = new Map(dictionary.items.map(({ id, startColumn = 0 }) => [id, startColumn]))
    const lines = patients.flatMap(({ items, tumors }) =>
      tumors.map((tumor) =>
        lineOf(
          Object.fromEntries(
            [...items, ...tumor.items].map(([id, value]) => [columns.get(id) ?? 0, value]),
          ),
        ),
      ),
    )
    const read = await readAll(piecesOf(`${lines.join('\r\n')}\r\n`), dictionary)
    const itemsOf = ({ items, tumors }: Patient) => ({
      items: Object.fromEntries(items),
      tumors: tumors.map((tumor) => Object.fromEntries(tumor.items)),
    })
    const withTumors = patients.filter(({ tumors }) => tumors.length > 0)
    expect(lines).toHaveLength(1000)
    expect(read.patients.map(itemsOf)).toEqual(withTumors.map(itemsOf))
  })
})
