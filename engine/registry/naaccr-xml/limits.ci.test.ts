import { describe, expect, test } from 'vitest'
import {
  MAX_ATTRIBUTES,
  MAX_FOREIGN_DEPTH,
  MAX_ITEMS,
  MAX_PATIENT_BYTES,
  MAX_PATIENT_TUMORS,
} from './limits.ts'
import { parseDictionary } from './read-dictionary.ts'
import { openFile } from './read-file.ts'
import { STEP_BYTES } from './split-file.ts'
import { patientsOf } from './support/patients-of.ts'

// Limits reject files that would cost much. No more of such a file is read than one patient may have.

const dictionaryOf = (version: number) =>
  parseDictionary(`<NaaccrDictionary naaccrVersion="${version}"
  dictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-${version}.xml"><ItemDefs>
  <ItemDef naaccrId="patientIdNumber" startColumn="42" length="8" parentXmlElement="Patient"/>
  <ItemDef naaccrId="primarySite" startColumn="60" length="4" parentXmlElement="Tumor"/>
  <ItemDef naaccrId="textRemarks" length="5" allowUnlimitedText="true" parentXmlElement="Tumor"/>
  </ItemDefs></NaaccrDictionary>`)
const DICTIONARIES = [dictionaryOf(180), dictionaryOf(250)]

const ROOT =
  '<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-250.xml" recordType="I" specificationVersion="1.7" xmlns="http://naaccr.org/naaccrxml" xmlns:o="http://other"'
const LINE = `I${' '.repeat(15)}180${' '.repeat(22)}00000001`.padEnd(4048)

/** A file that continues as long as it is read, and counts its characters. */
function endless(begin: string, part: (i: number) => string) {
  const read = { characters: 0 }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(begin)
    for (let i = 0; read.characters < 8 * MAX_PATIENT_BYTES; ) {
      let text = ''
      while (text.length < STEP_BYTES) text += part(i++)
      read.characters += text.length
      yield Buffer.from(text)
    }
  }
  return { read, chunks: chunks() }
}

async function readAll(chunks: AsyncIterable<Uint8Array>, replaceable?: ReadonlySet<string>) {
  const find = async (uri: string) => DICTIONARIES.find((one) => one.uri === uri)
  const file = await openFile(chunks, find)
  let patients = 0
  for await (const _ of patientsOf(file, { replaceable })) patients++
  return patients
}

const attribute = (i: number) => ` a${i}=""`
const unknown = (i: number) => `<Item naaccrId="x${i}">1</Item>`
const TUMOR = `${ROOT}><Patient><Tumor>`

interface Row {
  readonly begin: string
  readonly part: (i: number) => string
  readonly message: RegExp
}

const ROWS: Readonly<Record<string, Row>> = {
  'attributes of an item': {
    begin: `${TUMOR}<Item naaccrId="primarySite"`,
    part: attribute,
    message: /Tumor\[1\]: the tag <Item> has more than 100 attributes; give at most 100$/,
  },
  'attributes of an element of another namespace': {
    begin: `${ROOT}><Patient><o:x`,
    part: attribute,
    message: /the tag <o:x> has more than 100 attributes/,
  },
  'attributes of the root': {
    begin: ROOT,
    part: attribute,
    message: /the tag <NaaccrData> has more than 100 attributes/,
  },
  'a value of an attribute without an end': {
    begin: `${TUMOR}<Item naaccrId="`,
    part: () => 'abc ',
    message: /the tag <Item> has more than 65536 characters; give at most 65536$/,
  },
  'a value in the root without an end': {
    begin: `${ROOT} timeGenerated="`,
    part: () => 'abc ',
    message: /the tag <NaaccrData> has more than 65536 characters/,
  },
  'a name without an end': {
    begin: `${TUMOR}<`,
    part: () => 'abc',
    message: /a text, comment or name has more than 1048576 characters; give at most 1048576$/,
  },
  'tumors of a patient': {
    begin: `${ROOT}><Patient>`,
    part: () => '<Tumor/>',
    message: /Patient\[1\]: one patient has more than 1000 tumors; give at most 1000$/,
  },
  'items of a tumor': {
    begin: TUMOR,
    part: unknown,
    message: /Tumor has more than 10000 items; give at most 10000$/,
  },
  'items of the root': {
    begin: `${ROOT}>`,
    part: unknown,
    message: /NaaccrData has more than 10000 items/,
  },
  'elements of another namespace': {
    begin: `${ROOT}><Patient>`,
    part: () => '<o:x/>',
    message: /one patient has more than 10000 elements of other namespaces/,
  },
  'elements of another namespace between patients': {
    begin: `${ROOT}>`,
    part: () => '<o:x><o:y/></o:x>',
    message: /one patient has more than 10000 elements of other namespaces/,
  },
  'levels of elements of another namespace': {
    begin: `${ROOT}><Patient>`,
    part: () => '<o:x>',
    message: /elements of other namespaces have more than 32 levels; give at most 32$/,
  },
  'the text of an item': {
    begin: `${TUMOR}<Item naaccrId="textRemarks">`,
    part: () => 'a\r',
    message: /a text, comment or name has more than 1048576 characters/,
  },
  'texts of an item': {
    begin: `${TUMOR}<Item naaccrId="textRemarks">`,
    part: () => 'a\r<?x y?>',
    message: /one patient has more than 4194304 bytes; give at most 4194304$/,
  },
  'a comment': {
    begin: `${TUMOR}<!--`,
    part: () => 'a-',
    message: /a text, comment or name has more than 1048576 characters/,
  },
  'lines of one patient': {
    begin: `${LINE}\n`,
    part: () => `${LINE.slice(0, 50)}\n`,
    message: /^line 1001: one patient has more than 1000 tumors; give at most 1000$/,
  },
  'characters of lines of one patient': {
    begin: `${LINE}\n`,
    part: () => `${LINE.padEnd(60_000)}\n`,
    message: /one patient has more than 4194304 bytes/,
  },
}

describe.each(Object.entries(ROWS))('%s', (_, { begin, part, message }) => {
  test.each([false, true])('are bounded where they are read (written back: %s)', async (isKept) => {
    const { read, chunks } = endless(begin, part)
    const reading = readAll(chunks, isKept ? new Set(['primarySite']) : undefined)
    await expect(reading).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(message),
    })
    // The limit, the chunk in which it was exceeded, and the step after it that was read ahead.
    expect(read.characters).toBeLessThan(MAX_PATIENT_BYTES + 2 * STEP_BYTES + 61_000)
  })
})

test('what lies within the limits is read', async () => {
  const foreign = '<o:a>'.repeat(MAX_FOREIGN_DEPTH) + '</o:a>'.repeat(MAX_FOREIGN_DEPTH)
  const attributes = Array.from({ length: MAX_ATTRIBUTES }, (_, i) => attribute(i)).join('')
  const items = Array.from({ length: MAX_ITEMS }, (_, i) => unknown(i)).join('')
  const tumors = `<Tumor>${items}</Tumor>${'<Tumor/>'.repeat(MAX_PATIENT_TUMORS - 1)}`
  const patient = `<Patient>${foreign}<o:x${attributes}/>${tumors}</Patient>`
  async function* chunks() {
    yield Buffer.from(`${ROOT}>${patient.repeat(3)}</NaaccrData>`)
  }
  expect(await readAll(chunks())).toBe(3)
})

test('a file that came as one piece is read in steps, and others are let in between', async () => {
  const lines = `${LINE}\n`.repeat(1000)
  const body = `${ROOT}>${'<Patient><Tumor/></Patient>'.repeat(200_000)}</NaaccrData>`
  for (const file of [lines, body]) {
    const bytes = Buffer.from(file)
    const steps: number[] = []
    async function* chunks() {
      // Like a typed array, it is read in parts, one per step.
      yield Object.assign(bytes, {
        subarray: (start: number, end: number) => {
          steps.push(end - start)
          return Uint8Array.prototype.subarray.call(bytes, start, end)
        },
      })
    }
    await readAll(chunks()).catch(() => {})
    expect(steps.length).toBeGreaterThan(1)
    expect(Math.max(...steps)).toBeLessThanOrEqual(16 << 10)
  }
})
