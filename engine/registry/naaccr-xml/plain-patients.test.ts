import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { ItemDefinition } from './dictionary.ts'
import type { FileForm } from './file-form.ts'
import type { ItemFault, Patient } from './model.ts'
import { type BlockEnd, BlockReader } from './read-blocks.ts'
import { parseDictionary } from './read-dictionary.ts'
import { type BlockPlace, blocksOf, STEP_BYTES } from './split-file.ts'
import { XmlSplitter } from './split-xml.ts'

// Blocks, and patients in plain form, must give the same as reading the whole file with the XML parser.

const { items } = parseDictionary(`<NaaccrDictionary naaccrVersion="250"
  dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml"><ItemDefs>
  <ItemDef naaccrId="patientIdNumber" naaccrNum="20" length="8" dataType="digits" parentXmlElement="Patient"/>
  <ItemDef naaccrId="sex" naaccrNum="220" length="1" dataType="digits" parentXmlElement="Patient"/>
  <ItemDef naaccrId="nameLast" naaccrNum="2230" length="5" parentXmlElement="Patient"/>
  <ItemDef naaccrId="secret" naaccrNum="9" length="5" recordTypes="A" parentXmlElement="Patient"/>
  <ItemDef naaccrId="primarySite" naaccrNum="400" length="4" dataType="mixed" parentXmlElement="Tumor"/>
  <ItemDef naaccrId="state" naaccrNum="80" length="2" dataType="alpha" parentXmlElement="Tumor"/>
  <ItemDef naaccrId="psa" naaccrNum="81" length="5" dataType="numeric" parentXmlElement="Tumor"/>
  <ItemDef naaccrId="dateOfDiagnosis" naaccrNum="390" length="8" dataType="date" parentXmlElement="Tumor"/>
  <ItemDef naaccrId="textRemarks" naaccrNum="2680" length="5" allowUnlimitedText="true" parentXmlElement="Tumor"/>
  </ItemDefs></NaaccrDictionary>`)

const ROOT =
  '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" recordType="I" specificationVersion="1.7" xmlns="http://naaccr.org/naaccrxml" xmlns:o="http://other">'

const formOf = (prefix: string, isKept: boolean, isXml11 = false): FileForm => ({
  kind: 'xml',
  head: {
    baseDictionaryUri: 'http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml',
    userDictionaryUris: [],
    recordType: 'I',
    specificationVersion: '1.7',
    timeGenerated: undefined,
  },
  items: items as readonly ItemDefinition[],
  prefix,
  otherPrefixes: ['o'],
  isXml11,
  strict: false,
  used: items.map(({ id }) => id),
  replaceable: isKept ? ['primarySite', 'sex'] : undefined,
})

/** Everything that is reported about a file. */
interface Told {
  readonly patients: readonly unknown[]
  readonly faults: readonly ItemFault[]
  readonly error: string | undefined
  readonly rest: string
}

const plainly = ({ line, items: own, tumors, faults, source }: Patient) => ({
  line,
  items: [...own],
  faults,
  source,
  tumors: tumors.map((tumor) => ({ line: tumor.line, items: [...tumor.items] })),
})

const endOf = ({ error, rest }: BlockEnd) =>
  error ? { error: error.message, rest: '' } : { error: undefined, rest }

function readBlock(reader: BlockReader, bytes: Buffer, place: BlockPlace) {
  const patients: unknown[] = []
  const read = reader.patients(bytes, place)
  let next = read.next()
  for (; !next.done; next = read.next()) patients.push(plainly(next.value))
  return { patients, end: next.value }
}

/** Reads the whole file at once with the XML parser. */
function readWhole(file: string, form: FileForm): Told {
  const place: BlockPlace = {
    line: 1,
    patients: 0,
    rootItems: 0,
    rootIds: [],
    isFirst: true,
    end: 'file',
  }
  const { patients, end } = readBlock(new BlockReader(form), Buffer.from(file), place)
  return { patients, faults: end.rootFaults, ...endOf(end) }
}

/** Reads the blocks of a file that arrives in chunks of this size. */
async function readBlocks(file: string, size: number, form: FileForm): Promise<Told> {
  const bytes = Buffer.from(file)
  async function* steps() {
    for (let at = 0; at < bytes.length; at += size) {
      yield { bytes: bytes.subarray(at, at + size), isLast: true }
    }
  }
  const splitter = new XmlSplitter(form.prefix === '' ? '' : `${form.prefix}:`, form.isXml11)
  const reader = new BlockReader(form)
  const memoryFor = (length: number) => new Uint8Array(new SharedArrayBuffer(length))
  const patients: unknown[] = []
  const faults: ItemFault[] = []
  for await (const block of blocksOf({ steps: steps() }, splitter, new LoopTurns(), memoryFor)) {
    const some = readBlock(reader, Buffer.from(block.memory.buffer), block.place)
    patients.push(...some.patients)
    faults.push(...some.end.rootFaults)
    if (some.end.error || block.place.end !== 'patient') {
      return { patients, faults, ...endOf(some.end) }
    }
  }
  throw new EngineError('bad_input', 'no block ended the file')
}

const blank = fc.constantFrom('', '\n', '\r\n  ', ' \t', '\r', '\n\n')
const value = fc.constantFrom(
  ...[
    '00000001',
    '1',
    '2',
    'C509',
    'c509',
    'CO',
    '1.5',
    '20240229',
    '20240230',
    '',
    'a b',
    'é',
    'a\nb',
  ],
  ...[
    'a\r\nb',
    '&lt;&amp;',
    '&#65;',
    '&quot;',
    'x'.repeat(7),
    '<![CDATA[</Patient>]]>',
    '<o:x/>',
    ']]>',
  ],
  ...['\uFFFD', '<Patient></Patient>', '<!-- </Patient> -->', '1&2', '\u0085'],
)
const id = fc.constantFrom(...items.map((item) => item.id), 'unknown')
const attributes = fc
  .tuple(id, fc.constantFrom('', '', '', '20', '400', '0400', 'x', '"'))
  .map(([name, number]) => {
    if (number === '"') return `naaccrId='${name}'`
    return `naaccrId="${name}"${number === '' ? '' : ` naaccrNum="${number}"`}`
  })
const item = fc.tuple(attributes, value, fc.boolean()).map(([own, text, isPlain]) => {
  if (text === '' && !isPlain) return `<Item ${own}/>`
  return `<Item ${own}>${text}</Item>`
})
const plainItems = fc
  .uniqueArray(fc.constantFrom('patientIdNumber', 'sex', 'nameLast'), { maxLength: 3 })
  .map((names) => names.map((name) => `<Item naaccrId="${name}">1</Item>`))
const itemsOf = fc.oneof({ weight: 3, arbitrary: plainItems }, fc.array(item, { maxLength: 4 }))
const tumorItems = fc.oneof(
  fc.constant([
    '<Item naaccrId="primarySite" naaccrNum="400">C509</Item>',
    '<Item naaccrId="dateOfDiagnosis">20240229</Item>',
  ]),
  fc.array(item, { maxLength: 4 }),
)
const joined = (some: fc.Arbitrary<readonly string[]>) =>
  fc.tuple(some, blank).map(([parts, space]) => parts.map((part) => space + part).join(''))
const tumor = fc
  .tuple(joined(tumorItems), blank)
  .map(([own, space]) => `${space}<Tumor>${own}${space}</Tumor>`)
const patient = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(joined(itemsOf), fc.array(tumor, { maxLength: 3 }), blank)
      .map(([own, tumors, space]) => `${space}<Patient>${own}${tumors.join('')}${space}</Patient>`),
  },
  fc.constantFrom(
    ...['<Patient/>', '<!-- <Patient> -->', '<?x > <Patient?>', '<o:x a=">"><Patient/></o:x>'],
    ...[
      '<Item naaccrId="unknown">1</Item>',
      '<Patient',
      '</Patient>',
      '<Patient a="</Patient>">',
      'text',
    ],
  ),
)

test('blocks are read as the whole file is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(patient, { maxLength: 12 }),
      fc.integer({ min: 1, max: 300 }),
      fc.boolean(),
      fc.constantFrom('', 'n'),
      async (patients, size, isKept, prefix) => {
        const text = `<?xml version="1.0"?>\n${ROOT}${patients.join('\n')}</NaaccrData>\n`
        const file = prefix === '' ? text : prefixed(text)
        const form = formOf(prefix, isKept)
        const whole = readWhole(file, form)
        const read = await readBlocks(file, size, form)
        expect(read.error === undefined).toBe(whole.error === undefined)
        // The parser searches all of the following text for the end of a reference, and then finds another error.
        const error = file.includes('1&2') ? whole.error : read.error
        const faults = read.faults
        expect({ ...read, faults, error }).toEqual({
          ...whole,
          faults: whole.faults,
        })
      },
    ),
    { seed: 411, numRuns: depth(1000, 20_000) },
  )
})

const prefixed = (text: string) =>
  text.replace(/<(\/?)(NaaccrData|Patient|Tumor|Item)\b/g, '<$1n:$2').replace('xmlns=', 'xmlns:n=')

test('lines of XML 1.1 end as its parser says', async () => {
  const patients = '<Patient>\u0085\r\u0085\u2028\r\n<Tumor/></Patient>\u2028'.repeat(3)
  const file = `<?xml version="1.1"?>${ROOT}${patients}</NaaccrData>`
  const form = formOf('', false, true)
  expect(await readBlocks(file, 10, form)).toEqual(readWhole(file, form))
})

test('a file that comes as one chunk is divided', async () => {
  const plain = '<Patient><Item naaccrId="sex">1</Item><Tumor></Tumor></Patient>\n'
  const file = `${ROOT}${plain.repeat(5000)}</NaaccrData>`
  expect(await readBlocks(file, STEP_BYTES, formOf('', true))).toEqual(
    readWhole(file, formOf('', true)),
  )
})
