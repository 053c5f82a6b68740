import { EngineError } from '../../shared/errors.ts'
import {
  type Definitions,
  describeFault,
  faultOf,
  type ItemDefinition,
  versionOf,
} from './dictionary.ts'
import { type FindDictionary, findDefinitions } from './find-dictionaries.ts'
import { MAX_PATIENT_TUMORS, TOO_LARGE_PATIENT } from './limits.ts'
import {
  type FileHead,
  type ItemFault,
  type Items,
  type Patient,
  RECORD_TYPES,
  type Tumor,
} from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import type { BeginPlace, BlockPlace } from './split-file.ts'
import { FixedSplitter, withoutBlanks } from './split-fixed-columns.ts'
import { shown } from './xml.ts'
import { XmlText } from './xml-text.ts'

// Fixed-column lines, the exchange format of registries until version 18. Each tumor is one line, which
// repeats the items of its patient. They are read as the reference library of the standard does.

/** Line length in characters by record type, for version 18 and for earlier versions. */
const LENGTHS = {
  '180': { A: 24_194, M: 24_194, C: 6154, I: 4048 },
  before: { A: 22_824, M: 22_824, C: 5564, I: 3339 },
} as const
const LONGEST_LINE = 1 << 16

/** Adjacent lines with the same value belong to one patient. */
const SAME_PATIENT = 'patientIdNumber'

/** Returns whether a file that starts with this text has fixed columns. */
export const isFixed = (text: string): boolean => RECORD_TYPES.some((type) => text[0] === type)

interface Line {
  /** 1-based number in the file. */
  readonly number: number
  readonly text: string
}

/** A patient that may have more lines. */
interface Begun {
  readonly first: Line
  readonly items: Items
  readonly tumors: Tumor[]
  readonly faults: ItemFault[]
}

/** An item with its 0-based, half-open position in a line. */
interface Column {
  readonly item: ItemDefinition
  readonly start: number
  readonly end: number
}

/**
 * Reads the first line of a fixed-column file.
 * @throws EngineError `bad_input`, naming the line, or the dictionary if it is missing
 */
export async function openFixedColumns(
  begun: string,
  find: FindDictionary,
): Promise<Omit<OpenedFile, 'prefix'>> {
  const text = begun.split(/[\r\n]+/).find((line) => line !== '')
  if (text === undefined) throw new EngineError('bad_input', 'line 1: the file has no line')
  const { head, length, version } = headOf({ number: 1, text })
  const definitions = await findDefinitions([head.baseDictionaryUri], find)
  if (columnsOf(definitions.all(), head, length).length === 0) {
    throw wrong(1, `the dictionary of NAACCR ${version} has no columns; give the file as XML`)
  }
  return {
    kind: 'fixed',
    head,
    definitions,
    faults: [],
    splitter: fixedSplitter({ head, definitions }),
  }
}

/** Returns a splitter that finds the ends of patients in a file, or in a part of it. */
export function fixedSplitter(
  { head, definitions }: Pick<OpenedFile, 'head' | 'definitions'>,
  begin?: BeginPlace,
): FixedSplitter {
  const columns = columnsOf(definitions.all(), head, lengthOf(head))
  return new FixedSplitter(
    columns.find(({ item }) => item.id === SAME_PATIENT),
    begin,
  )
}

function headOf({ text }: Line) {
  const version = text.slice(16, 19).trim()
  const recordType = RECORD_TYPES.find((type) => type === text[0])
  if (!/^\d{3}$/.test(version) || !recordType) {
    throw wrong(
      1,
      `columns 17 to 19 have ${JSON.stringify(shown(version))}; give the version, such as 180, or NAACCR XML`,
    )
  }
  const head: FileHead = {
    baseDictionaryUri: `http://naaccr.org/naaccrxml/naaccr-dictionary-${version}.xml`,
    userDictionaryUris: [],
    recordType,
    specificationVersion: undefined,
    timeGenerated: undefined,
  }
  const length = lengthOf(head)
  if (text.length !== length) {
    throw wrong(
      1,
      `it has ${text.length} characters; lines of version ${version} and type ${recordType} have ${length}`,
    )
  }
  return { head, length, version }
}

/** Returns the length of lines of a version and a record type. */
function lengthOf({ baseDictionaryUri, recordType }: FileHead): number {
  const version = versionOf(baseDictionaryUri) ?? ''
  return (version < '180' ? LENGTHS.before : LENGTHS['180'])[recordType]
}

function columnsOf(
  items: readonly ItemDefinition[],
  { recordType }: FileHead,
  lineLength: number,
): readonly Column[] {
  return items.flatMap((item) => {
    const { startColumn, length, recordTypes } = item
    if (startColumn === undefined || !recordTypes.includes(recordType)) return []
    const start = startColumn - 1
    const end = start + length
    return end <= lineLength ? [{ item, start, end }] : []
  })
}

interface Options {
  readonly head: FileHead
  readonly definitions: Definitions
  readonly replaceable: ReadonlySet<string> | undefined
}

/** Reads patients from lines that arrive in pieces. */
export class FixedColumns {
  readonly #length: number
  readonly #ofRoot: readonly Column[]
  readonly #ofPatients: readonly Column[]
  readonly #ofTumors: readonly Column[]
  readonly #samePatient: Column | undefined
  /** Writes the file as XML. Undefined if texts are not needed. */
  readonly #text: XmlText | undefined
  readonly #place: BlockPlace
  rootFaults: readonly ItemFault[] = []
  /** Line on which the current patient starts. */
  nextLine: number
  /** The start of a line whose end has not arrived yet. */
  #begunLine = ''
  /** Number of lines in the file before `#begunLine`. */
  #lines: number
  #begun: Begun | undefined

  /** @param place of the lines in their file */
  constructor({ head, definitions, replaceable }: Options, place: BlockPlace) {
    this.#length = lengthOf(head)
    const columns = columnsOf(definitions.all(), head, this.#length)
    const of = (element: string) => columns.filter(({ item }) => item.element === element)
    this.#ofRoot = of('NaaccrData')
    this.#ofPatients = of('Patient')
    this.#ofTumors = of('Tumor')
    this.#samePatient = columns.find(({ item }) => item.id === SAME_PATIENT)
    this.#text = replaceable && new XmlText(head, replaceable)
    this.#place = place
    this.nextLine = place.line
    this.#lines = place.line - 1
  }

  get rest(): string {
    return this.#place.end === 'file' ? (this.#text?.end() ?? '') : ''
  }

  /** Yields the patients that end in more text. */
  *write(text: string): Generator<Patient> {
    const all = this.#begunLine + text
    // A CR at the end may belong to a CR LF whose LF is in the next text.
    const whole = all.endsWith('\r') ? all.length - 1 : all.length
    const lines = all.slice(0, whole).split(/\r\n|\r|\n/)
    this.#begunLine = (lines.pop() ?? '') + all.slice(whole)
    for (const line of lines) yield* this.#line(line)
    if (this.#begunLine.length > LONGEST_LINE) {
      throw wrong(this.#lines + 1, `it is longer than ${LONGEST_LINE} characters`)
    }
  }

  /** Yields the last patient. */
  *end(): Generator<Patient> {
    yield* this.#line(this.#begunLine.replace(/\r$/, ''))
    if (this.#place.end === 'cut') throw wrong(this.#lines, TOO_LARGE_PATIENT)
    if (this.#begun) yield this.#end(this.#begun)
  }

  *#line(text: string): Generator<Patient> {
    const line = { number: ++this.#lines, text }
    if (text === '') return
    const begun = this.#begun
    if (!begun && this.#place.isFirst) this.#beginFile(line)
    if (begun && this.#isSame(begun.first, line)) this.#add(line, begun)
    else {
      if (begun) yield this.#end(begun)
      this.#begun = this.#begin(line)
    }
  }

  #beginFile(line: Line): void {
    const faults: ItemFault[] = []
    const items = itemsOf(line, this.#ofRoot, faults)
    this.rootFaults = faults
    this.#text?.begin(items)
  }

  #isSame(first: Line, line: Line): boolean {
    const column = this.#samePatient
    const value = column && valueIn(first, column)
    return column !== undefined && value !== undefined && valueIn(line, column) === value
  }

  #begin(first: Line): Begun {
    this.nextLine = first.number
    const faults: ItemFault[] = []
    const items = itemsOf(first, this.#ofPatients, faults)
    this.#text?.beginPatient(items)
    const begun: Begun = { first, items, tumors: [], faults }
    this.#add(first, begun)
    return begun
  }

  #add(line: Line, begun: Begun): void {
    const { tumors, faults } = begun
    if (tumors.length >= MAX_PATIENT_TUMORS) {
      const message = `one patient has more than ${MAX_PATIENT_TUMORS} tumors; give at most ${MAX_PATIENT_TUMORS}`
      throw wrong(line.number, message)
    }
    this.#checkLength(line, faults)
    const tumor = { line: line.number, items: itemsOf(line, this.#ofTumors, faults) }
    tumors.push(tumor)
    this.#text?.addTumor(tumor)
  }

  #end({ first, items, tumors, faults }: Begun): Patient {
    const source = this.#text?.endPatient()
    return { line: first.number, items, tumors, faults, ...(source && { source }) }
  }

  #checkLength({ number: line, text }: Line, faults: ItemFault[]): void {
    const length = this.#length
    if (text.length === length) return
    const message = `a line of ${text.length} characters; ${length} are expected`
    faults.push({ code: 'wrong_length', item: 'line', line, path: `line ${line}`, message })
  }
}

function itemsOf(line: Line, columns: readonly Column[], faults: ItemFault[]): Map<string, string> {
  const items = new Map<string, string>()
  for (const column of columns) {
    const value = valueIn(line, column)
    if (value === undefined) continue
    const { item } = column
    const fault = faultOf(value, item)
    if (fault) {
      const path = `line ${line.number}, columns ${column.start + 1} to ${column.end}`
      const [code, message] = describeFault(fault, value, item)
      faults.push({ code, item: item.id, line: line.number, path, message })
    }
    items.set(item.id, value)
  }
  return items
}

function valueIn({ text }: Line, { item, start, end }: Column): string | undefined {
  if (end > text.length) return undefined
  const value = text.slice(start, end)
  const trimmed = withoutBlanks(value)
  if (trimmed === '') return undefined
  return item.keepsBlanks ? value : trimmed
}

function wrong(line: number, message: string): EngineError {
  const at = `line ${line}`
  return new EngineError('bad_input', `${at}: ${message}`, { at })
}
