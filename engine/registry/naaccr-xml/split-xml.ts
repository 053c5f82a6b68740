import { type BeginPlace, FILE_BEGIN, lineEndsIn, type Splitter } from './split-file.ts'

const GREATER = 62
const LESS = 60
const SLASH = 47
const EXCLAMATION = 33
const QUESTION = 63
const DASH = 45
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const DOUBLE_QUOTE = 34
const SINGLE_QUOTE = 39

// States of the scanner.
const TEXT = 0
const OPENED = 1
const START_TAG = 2
const IN_DOUBLE = 3
const IN_SINGLE = 4
const END_TAG = 5
const DECLARATION = 6
const COMMENT_BEGIN = 7
const COMMENT = 8
const CDATA = 9
const INSTRUCTION = 10
const DECLARATION_BEGIN = 11
type State = number

/** Number of different root items that are remembered. Dictionaries have less than ten. */
const MAX_ROOT_IDS = 100
const MAX_TAG_BYTES = 1000
const NAACCR_ID = /\snaaccrId\s*=\s*(["'])([^"'&<]{1,100})\1/

/** Line ends of XML 1.1, which has two more kinds than XML 1.0. */
const LINE_END_OF_XML_1_1 = /\r[\n\u0085]|[\r\n\u0085\u2028]/g

/**
 * Finds the ends of patients in NAACCR XML by the depth of elements, without reading anything else. In XML that
 * is not well-formed it may find wrong ends, but only after the first error, where the reader of the block stops
 * anyway.
 */
export class XmlSplitter implements Splitter {
  patients: number
  rootItems: number
  readonly rootIds: string[]
  isBroken = false
  readonly #patient: Buffer
  readonly #item: Buffer
  readonly #isXml11: boolean
  #state: State = TEXT
  #at = 0
  /** Start of the name of a tag, or of the contents of a comment, section or instruction. */
  #from = 0
  #depth: number
  #isInPatient = false

  /**
   * @param prefix namespace prefix of the standard's own elements, including the colon, or empty
   * @param isXml11 whether the file is XML 1.1
   * @param begin of the bytes: of the file, or after a patient
   */
  constructor(prefix: string, isXml11: boolean, begin: BeginPlace = FILE_BEGIN) {
    this.patients = begin.patients
    this.rootItems = begin.rootItems
    this.rootIds = [...begin.rootIds]
    this.#depth = begin.isFirst ? 0 : 1
    this.#patient = Buffer.from(`${prefix}Patient`)
    this.#item = Buffer.from(`${prefix}Item`)
    this.#isXml11 = isXml11
  }

  next(bytes: Buffer): number | undefined {
    while (this.#at < bytes.length && !this.isBroken) {
      const byte = this.#skipped(bytes)
      if (byte === undefined) return undefined
      this.#state = this.#after(byte, bytes)
      if (byte !== GREATER || !this.#isInPatient || this.#depth !== 1) continue
      this.#isInPatient = false
      this.patients++
      return this.#at
    }
    return undefined
  }

  removed(bytes: number): void {
    this.#at -= bytes
    this.#from -= bytes
  }

  lineEnds(bytes: Buffer): number {
    if (!this.#isXml11) return lineEndsIn(bytes)
    return bytes.toString().match(LINE_END_OF_XML_1_1)?.length ?? 0
  }

  /** Skips bytes that cannot change the state. Returns the next byte that can. */
  #skipped(bytes: Buffer): number | undefined {
    const { length } = bytes
    let at = this.#at
    let byte = bytes[at++] as number
    switch (this.#state) {
      case TEXT:
        while (byte !== LESS && at < length) byte = bytes[at++] as number
        break
      case START_TAG:
      case END_TAG:
      case DECLARATION:
        while (isInTag(byte) && at < length) byte = bytes[at++] as number
        break
      case IN_DOUBLE:
        while (byte !== DOUBLE_QUOTE && byte !== LESS && at < length) byte = bytes[at++] as number
        break
      case COMMENT:
      case CDATA:
      case INSTRUCTION:
        while (byte !== GREATER && at < length) byte = bytes[at++] as number
        break
    }
    this.#at = at
    return byte
  }

  #after(byte: number, bytes: Buffer): State {
    const state = this.#state
    switch (state) {
      case TEXT:
        return byte === LESS ? OPENED : TEXT
      case OPENED:
        this.#from = this.#at - 1
        if (byte === SLASH) return END_TAG
        if (byte === QUESTION) return this.#contents(INSTRUCTION)
        if (byte === EXCLAMATION) return DECLARATION_BEGIN
        return this.#inTag(byte, bytes, START_TAG)
      case IN_DOUBLE:
      case IN_SINGLE:
        if (byte === LESS) this.isBroken = true
        return byte === (state === IN_DOUBLE ? DOUBLE_QUOTE : SINGLE_QUOTE) ? START_TAG : state
      case DECLARATION_BEGIN:
        if (byte === DASH) return COMMENT_BEGIN
        if (byte === OPEN_BRACKET) return this.#contents(CDATA)
        return this.#inTag(byte, bytes, DECLARATION)
      case COMMENT_BEGIN:
        return byte === DASH ? this.#contents(COMMENT) : this.#inTag(byte, bytes, DECLARATION)
      case COMMENT:
        return this.#isEnd(bytes, byte, DASH, 2) ? TEXT : state
      case CDATA:
        return this.#isEnd(bytes, byte, CLOSE_BRACKET, 2) ? TEXT : state
      case INSTRUCTION:
        return this.#isEnd(bytes, byte, QUESTION, 1) ? TEXT : state
      default:
        return this.#inTag(byte, bytes, state)
    }
  }

  #contents(state: State): State {
    this.#from = this.#at
    return state
  }

  #isEnd(bytes: Buffer, byte: number, before: number, count: number): boolean {
    const at = this.#at - 1
    if (byte !== GREATER || at - count < this.#from) return false
    return bytes[at - 1] === before && bytes[at - count] === before
  }

  #inTag(byte: number, bytes: Buffer, state: State): State {
    if (byte === LESS) this.isBroken = true
    if (byte === GREATER) {
      if (state === START_TAG) this.#begin(bytes)
      else if (state === END_TAG) this.#depth--
      return TEXT
    }
    if (state === START_TAG && byte === DOUBLE_QUOTE) return IN_DOUBLE
    if (state === START_TAG && byte === SINGLE_QUOTE) return IN_SINGLE
    return state
  }

  #begin(bytes: Buffer): void {
    if (this.#depth === 1) {
      this.#isInPatient = this.#hasName(bytes, this.#patient)
      if (this.#hasName(bytes, this.#item)) this.#addRootItem(bytes)
    }
    const isSelfClosing = bytes[this.#at - 2] === SLASH
    if (!isSelfClosing) this.#depth++
  }

  /** Remembers the item, for the reader of a later block. */
  #addRootItem(bytes: Buffer): void {
    this.rootItems++
    if (this.rootIds.length >= MAX_ROOT_IDS) return
    const tag = bytes.toString('utf8', this.#from, Math.min(this.#at, this.#from + MAX_TAG_BYTES))
    const [, , id] = NAACCR_ID.exec(tag) ?? []
    if (id !== undefined && !this.rootIds.includes(id)) this.rootIds.push(id)
  }

  #hasName(bytes: Buffer, name: Buffer): boolean {
    const end = this.#from + name.length
    if (bytes.compare(name, 0, name.length, this.#from, Math.min(end, bytes.length)) !== 0) {
      return false
    }
    const after = bytes[end] as number
    return after === GREATER || after === SLASH || after <= 32
  }
}

/** Returns whether a byte in a tag neither ends the tag nor starts a value. */
const isInTag = (byte: number): boolean =>
  byte > GREATER ||
  (byte !== GREATER && byte !== LESS && byte !== DOUBLE_QUOTE && byte !== SINGLE_QUOTE)
