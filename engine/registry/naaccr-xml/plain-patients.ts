import { describeFault, faultOf, type ItemDefinition } from './dictionary.ts'
import { MAX_PATIENT_TUMORS, MAX_PIECE_CHARACTERS } from './limits.ts'
import type { ElementPlace, ItemFault, Patient, RecordType, Tumor } from './model.ts'
import type { BlockPlace } from './split-file.ts'

// Nearly all patients are written in one plain form: elements without comments, sections or foreign attributes,
// and known items in their places. These are read from bytes, several times as fast as by an XML parser. At
// anything else the reader stops before the patient, and Structure continues.
//
// Nothing is read behind the end of the bytes: a single such read makes V8 compile the loops for it, which then
// take twice as long.

const LESS = 60
const GREATER = 62
const SPACE = 32
const LF = 10
const CR = 13

const bytesOf = (text: string) => Buffer.from(text)
const PATIENT = bytesOf('<Patient>')
const PATIENT_END = bytesOf('</Patient>')
const TUMOR = bytesOf('<Tumor>')
const TUMOR_END = bytesOf('</Tumor>')
const ITEM = bytesOf('<Item naaccrId="')
const ITEM_END = bytesOf('</Item>')
const NUMBER = bytesOf(' naaccrNum="')
const QUOTE = 34
const TAB = 9
const ZERO = 48

/** Longer ids and numbers are not those of an item. */
const MAX_ID = 100
const MAX_DIGITS = 9

/** Classes of bytes in values. */
const DIGIT = 1
const UPPER = 2
const OTHER = 4
const LINE_END = 8
const NOT_ASCII = 16
const ENTITY = 32
const STOP = 64

/** U+FFFE and U+FFFF, which XML does not have, begin with this byte. */
const MAY_BE_NO_CHARACTER = 0xef

const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 48 && byte <= 57) return DIGIT
  if (byte >= 65 && byte <= 90) return UPPER
  if (byte === LF) return LINE_END
  if (byte === 38) return ENTITY
  if (byte === LESS || byte === GREATER || byte === MAY_BE_NO_CHARACTER) return STOP
  if (byte >= 0x80) return NOT_ASCII
  return byte >= SPACE || byte === 9 ? OTHER : STOP
})

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&apos;': "'",
}

interface Options {
  readonly items: readonly ItemDefinition[]
  readonly recordType: RecordType
  /** Items whose values are needed. The others are only checked. */
  readonly used: ReadonlySet<string>
  readonly replaceable: ReadonlySet<string> | undefined
}

/** An item that may be in files of this type. */
interface PlainItem {
  readonly definition: ItemDefinition
  readonly id: Buffer
  readonly isUsed: boolean
  readonly isReplaceable: boolean
  /** Number of the last element that contained the item. Shows items that occur twice in an element. */
  last: number
}

/** Place of an element that is being read. */
interface WrittenPlace extends ElementPlace {
  readonly items: ElementPlace['items'][number][]
}

/** Position after the last patient that was read. */
interface ReadUpTo {
  readonly end: number
  readonly line: number
  readonly patients: number
}

/** Reads patients of the plain form. */
export class PlainPatients {
  readonly #items = new Map<number, readonly PlainItem[]>()
  readonly #keepsText: boolean
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #line = 1
  #elements = 0
  #path = ''
  #faults: ItemFault[] = []

  constructor({ items, recordType, used, replaceable }: Options) {
    this.#keepsText = replaceable !== undefined
    const known = new Map(items.map((item) => [item.id, item]))
    for (const definition of known.values()) {
      if (!definition.recordTypes.includes(recordType)) continue
      const id = bytesOf(definition.id)
      const item: PlainItem = {
        definition,
        id,
        isUsed: used.has(definition.id),
        last: 0,
        isReplaceable: replaceable?.has(definition.id) ?? false,
      }
      const hash = id.reduce(hashed, 0)
      this.#items.set(hash, [...(this.#items.get(hash) ?? []), item])
    }
  }

  /**
   * Yields patients up to the first that is not plain.
   * @param bytes UTF-8, from the end of a patient
   */
  *read(bytes: Buffer, { line, patients }: BlockPlace): Generator<Patient, ReadUpTo> {
    const read = { end: 0, line, patients }
    for (;;) {
      this.#bytes = bytes
      this.#at = read.end
      this.#line = read.line
      const patient = this.#patient(read.end, read.patients + 1)
      if (!patient) return read
      read.end = this.#at
      read.line = this.#line
      read.patients++
      yield patient
    }
  }

  #patient(start: number, number: number): Patient | undefined {
    this.#faults = []
    this.#skipBlanks()
    const line = this.#line
    if (!this.#skip(PATIENT)) return undefined
    const place = this.#beginElement(start, `/NaaccrData/Patient[${number}]`)
    const items = this.#itemsOf('Patient', place, start)
    if (!items) return undefined
    const path = this.#path
    const tumors: Tumor[] = []
    const places: ElementPlace[] = []
    while (this.#skip(TUMOR)) {
      if (tumors.length === MAX_PATIENT_TUMORS) return undefined
      const at = this.#line
      const tumor = this.#beginElement(start, `${path}/Tumor[${tumors.length + 1}]`)
      const own = this.#itemsOf('Tumor', tumor, start)
      if (!own || !this.#skip(TUMOR_END)) return undefined
      tumors.push({ line: at, items: own })
      places.push(tumor)
      this.#skipBlanks()
    }
    if (!this.#skip(PATIENT_END)) return undefined
    const patient = { line, items, tumors, faults: this.#faults }
    if (!this.#keepsText) return patient
    const text = this.#bytes.toString('latin1', start, this.#at)
    return { ...patient, source: { text, patient: place, tumors: places } }
  }

  #beginElement(start: number, path: string): WrittenPlace {
    this.#elements++
    this.#path = path
    return { start: this.#at - start, isSelfClosed: false, items: [] }
  }

  /**
   * Returns the used items of an element, or undefined if one is not plain.
   * @param start position to which places are relative
   */
  #itemsOf(
    element: 'Patient' | 'Tumor',
    place: WrittenPlace,
    start: number,
  ): Map<string, string> | undefined {
    const values = new Map<string, string>()
    for (let count = 1; ; count++) {
      this.#skipBlanks()
      const begin = this.#at
      const line = this.#line
      if (!this.#skip(ITEM)) return values
      const item = this.#item()
      if (!item || item.definition.element !== element) return undefined
      const isDoubled = item.last === this.#elements
      item.last = this.#elements
      if (isDoubled || !this.#hasNumber(item.definition)) return undefined
      const from = this.#at
      const classes = this.#skipValue()
      const to = this.#at
      if (!this.#skip(ITEM_END) || to - from > MAX_PIECE_CHARACTERS) return undefined
      // Positions count characters.
      if (this.#keepsText && (classes & NOT_ASCII) !== 0) return undefined
      const { definition, isUsed } = item
      if (item.isReplaceable) {
        place.items.push({ id: definition.id, start: begin - start, end: this.#at - start })
      }
      if (to === from) continue
      const isFine = isPlainlyFine(definition, classes, to - from)
      if (isFine && !isUsed) continue
      const value = textOf(this.#bytes, from, to, classes)
      if (value === undefined) return undefined
      if (!isFine) this.#check(value, definition, { line, count })
      if (isUsed) values.set(definition.id, value)
    }
  }

  #check(
    value: string,
    definition: ItemDefinition,
    { line, count }: { readonly line: number; readonly count: number },
  ): void {
    const fault = faultOf(value, definition)
    if (!fault) return
    const [code, message] = describeFault(fault, value, definition)
    const path = `${this.#path}/Item[${count}]`
    this.#faults.push({ code, item: definition.id, line, path, message })
  }

  #skipBlanks(): void {
    const bytes = this.#bytes
    const { length } = bytes
    let at = this.#at
    for (; at < length; at++) {
      const byte = bytes[at]
      if (byte === LF) this.#line++
      else if (byte === CR) {
        if (at + 1 === length || bytes[at + 1] !== LF) this.#line++
      } else if (byte !== SPACE && byte !== TAB) break
    }
    this.#at = at
  }

  /** Skips these bytes, or returns false if there are others. */
  #skip(expected: Buffer): boolean {
    const bytes = this.#bytes
    const at = this.#at
    const { length } = expected
    if (at + length > bytes.length) return false
    for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[i]) return false
    this.#at = at + length
    return true
  }

  /** Skips the id of an item and its quote, and returns the item. */
  #item(): PlainItem | undefined {
    const bytes = this.#bytes
    const from = this.#at
    const most = Math.min(from + MAX_ID, bytes.length)
    let hash = 0
    let at = from
    for (; at < most && bytes[at] !== QUOTE; at++) hash = hashed(hash, bytes[at] as number)
    if (at === most) return undefined
    this.#at = at + 1
    for (const item of this.#items.get(hash) ?? []) {
      if (isEqual(bytes, from, at, item.id)) return item
    }
    return undefined
  }

  /** Skips the rest of a start tag, which may have the number of its item. */
  #hasNumber({ number }: ItemDefinition): boolean {
    const bytes = this.#bytes
    if (this.#skip(NUMBER)) {
      let given = 0
      const from = this.#at
      let at = from
      for (; CLASSES[bytes[at] as number] === DIGIT && at < from + MAX_DIGITS; at++) {
        given = 10 * given + (bytes[at] as number) - ZERO
      }
      if (at === from || given !== number || bytes[at] !== QUOTE) return false
      this.#at = at + 1
    }
    return bytes[this.#at++] === GREATER
  }

  /** Skips a value and returns the classes of its bytes. */
  #skipValue(): number {
    const bytes = this.#bytes
    const { length } = bytes
    const from = this.#at
    let classes = 0
    let at = from
    for (; at < length; at++) {
      const one = CLASSES[bytes[at] as number] as number
      if (one === STOP) break
      classes |= one
    }
    this.#at = at
    if ((classes & LINE_END) !== 0) {
      for (let i = from; i < at; i++) if (bytes[i] === LF) this.#line++
    }
    return classes
  }
}

const hashed = (hash: number, byte: number) => (31 * hash + byte) & 0x3fffffff

function isEqual(bytes: Buffer, from: number, to: number, id: Buffer): boolean {
  if (to - from !== id.length) return false
  for (let i = 0; i < id.length; i++) if (bytes[from + i] !== id[i]) return false
  return true
}

/** Returns whether a value has no fault, as far as the classes of its bytes show. */
function isPlainlyFine(
  { dataType, length, isUnlimited }: ItemDefinition,
  classes: number,
  given: number,
): boolean {
  switch (dataType) {
    case 'digits':
      return classes === DIGIT && given === length
    case 'alpha':
      return classes === UPPER && given === length
    case 'mixed':
      return (classes & ~(DIGIT | UPPER)) === 0 && given === length
    case 'numeric':
      return classes === DIGIT && given <= length
    case 'text':
      return (classes & (ENTITY | NOT_ASCII)) === 0 && (given <= length || isUnlimited)
    default:
      return false
  }
}

/** Returns a value, or undefined if it has entities other than the common ones. */
function textOf(bytes: Buffer, from: number, to: number, classes: number): string | undefined {
  if (classes < NOT_ASCII) return shortText(bytes, from, to)
  const text = bytes.toString('utf8', from, to)
  if ((classes & ENTITY) === 0) return text
  const decoded = text.replace(/&[^;]*;?/g, (entity) => ENTITIES[entity] ?? NO_ENTITY)
  return decoded.includes(NO_ENTITY) ? undefined : decoded
}

/** A character that no value has. */
const NO_ENTITY = '\0'

/** Decodes ASCII. Most values have a few characters, for which a native call would take longer. */
function shortText(bytes: Buffer, from: number, to: number): string {
  const one = bytes[from] as number
  const two = bytes[from + 1] as number
  const three = bytes[from + 2] as number
  switch (to - from) {
    case 1:
      return String.fromCharCode(one)
    case 2:
      return String.fromCharCode(one, two)
    case 3:
      return String.fromCharCode(one, two, three)
    default:
      return bytes.toString('latin1', from, to)
  }
}
