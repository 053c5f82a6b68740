import { EngineError } from '../../shared/errors.ts'
import { type Definitions, faultOf, type ItemDefinition } from './dictionary.ts'
import { type FindDictionary, findDefinitions } from './find-dictionaries.ts'
import { MAX_PATIENT_CHARACTERS, MAX_PATIENT_TUMORS } from './limits.ts'
import {
  type FileHead,
  type ItemFault,
  type Items,
  type Patient,
  RECORD_TYPES,
  type Tumor,
} from './model.ts'
import type { OpenedFile } from './opened-file.ts'
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

/** Whether a file that starts with this text has fixed columns. */
export const isFixed = (text: string): boolean => RECORD_TYPES.some((type) => text[0] === type)

interface Line {
  readonly number: number
  readonly text: string
}

/**
 * A patient that may have more lines. Each line is read as it arrives, because reading yields to other work
 * in between.
 */
interface Begun {
  readonly first: Line
  readonly items: Items
  readonly tumors: Tumor[]
  readonly faults: ItemFault[]
  characters: number
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
  texts: AsyncIterable<string>,
  find: FindDictionary,
  { replaceable }: { readonly replaceable?: ReadonlySet<string> | undefined },
): Promise<OpenedFile> {
  const lines = linesOf(texts)
  const { value: first } = await lines.next()
  if (!first) throw new EngineError('bad_input', 'line 1: the file has no line')
  const { head, length, version } = headOf(first)
  const definitions = await findDefinitions([head.baseDictionaryUri], find)
  const columns = columnsOf(definitions.all(), head, length)
  if (columns.length === 0) {
    throw wrong(1, `the dictionary of NAACCR ${version} has no columns; give the file as XML`)
  }
  const reader = new FixedColumns({ columns, length, head, definitions, replaceable })
  return {
    ...{ head, definitions, prefix: '' },
    patients: () => reader.patients(first, lines),
    rootFaults: () => reader.rootFaults,
    nextLine: () => reader.nextLine,
    rest: () => reader.rest,
  }
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
  const length = (version < '180' ? LENGTHS.before : LENGTHS['180'])[recordType]
  if (text.length !== length) {
    throw wrong(
      1,
      `it has ${text.length} characters; lines of version ${version} and type ${recordType} have ${length}`,
    )
  }
  const head: FileHead = {
    baseDictionaryUri: `http://naaccr.org/naaccrxml/naaccr-dictionary-${version}.xml`,
    userDictionaryUris: [],
    recordType,
    specificationVersion: undefined,
    timeGenerated: undefined,
  }
  return { head, length, version }
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
  readonly columns: readonly Column[]
  readonly length: number
  readonly head: FileHead
  readonly definitions: Definitions
  readonly replaceable: ReadonlySet<string> | undefined
}

class FixedColumns {
  readonly #options: Options
  readonly #ofRoot: readonly Column[]
  readonly #ofPatients: readonly Column[]
  readonly #ofTumors: readonly Column[]
  readonly #samePatient: Column | undefined
  readonly #text: XmlText | undefined
  rootFaults: readonly ItemFault[] = []
  /** Line on which the current patient starts. */
  nextLine = 1

  constructor(options: Options) {
    const { columns, head, replaceable } = options
    this.#options = options
    const of = (element: string) => columns.filter(({ item }) => item.element === element)
    this.#ofRoot = of('NaaccrData')
    this.#ofPatients = of('Patient')
    this.#ofTumors = of('Tumor')
    this.#samePatient = columns.find(({ item }) => item.id === SAME_PATIENT)
    this.#text = replaceable && new XmlText(head, replaceable)
  }

  get rest(): string {
    return this.#text?.end() ?? ''
  }

  async *patients(first: Line, lines: AsyncIterable<Line>): AsyncGenerator<readonly Patient[]> {
    const faults: ItemFault[] = []
    const items = itemsOf(first, this.#ofRoot, faults)
    this.rootFaults = faults
    this.#text?.begin(items)
    let begun = this.#begin(first)
    for await (const line of lines) {
      if (this.#isSame(begun.first, line)) this.#add(line, begun)
      else {
        yield [this.#end(begun)]
        begun = this.#begin(line)
      }
    }
    yield [this.#end(begun)]
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
    const begun: Begun = { first, items, tumors: [], faults, characters: 0 }
    this.#add(first, begun)
    return begun
  }

  #add(line: Line, begun: Begun): void {
    const { tumors, faults } = begun
    begun.characters += line.text.length
    mustFit(line, begun.characters, MAX_PATIENT_CHARACTERS, 'characters')
    mustFit(line, tumors.length + 1, MAX_PATIENT_TUMORS, 'tumors')
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
    const { length } = this.#options
    if (text.length === length) return
    const message = `a line of ${text.length} characters; ${length} are expected`
    faults.push({ code: 'wrong_length', item: 'line', line, path: `line ${line}`, message })
  }
}

function mustFit({ number }: Line, count: number, most: number, what: string): void {
  if (count <= most) return
  throw wrong(number, `one patient has more than ${most} ${what}; give at most ${most}`)
}

function itemsOf(line: Line, columns: readonly Column[], faults: ItemFault[]): Map<string, string> {
  const items = new Map<string, string>()
  for (const column of columns) {
    const value = valueIn(line, column)
    if (value === undefined) continue
    const { id, length, dataType } = column.item
    const fault = faultOf(value, column.item)
    if (fault) {
      const path = `line ${line.number}, columns ${column.start + 1} to ${column.end}`
      const [code, message] =
        fault === 'too short'
          ? ([
              'too_short',
              `a value of ${value.length} characters; ${length} are expected`,
            ] as const)
          : (['wrong_type', `a value that is not of the type ${dataType}`] as const)
      faults.push({ code, item: id, line: line.number, path, message })
    }
    items.set(id, value)
  }
  return items
}

/** The characters that the reference library treats as blank. */
const BLANKS = /^[\0- ]+|[\0- ]+$/g

function valueIn({ text }: Line, { item, start, end }: Column): string | undefined {
  if (end > text.length) return undefined
  const value = text.slice(start, end)
  const trimmed = value.replace(BLANKS, '')
  if (trimmed === '') return undefined
  return item.keepsBlanks ? value : trimmed
}

/** Yields non-empty lines with their numbers. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<Line, undefined> {
  let begun = ''
  let number = 0
  for await (const text of texts) {
    const all = begun + text
    // Its line feed may be in the next text.
    const whole = all.endsWith('\r') ? all.length - 1 : all.length
    const lines = all.slice(0, whole).split(/\r\n|\r|\n/)
    begun = (lines.pop() ?? '') + all.slice(whole)
    for (const line of lines) {
      number++
      if (line !== '') yield { number, text: line }
    }
    if (begun.length > LONGEST_LINE) {
      throw wrong(number + 1, `it is longer than ${LONGEST_LINE} characters`)
    }
  }
  const last = begun.replace(/\r$/, '')
  if (last !== '') yield { number: number + 1, text: last }
}

function wrong(line: number, message: string): EngineError {
  const at = `line ${line}`
  return new EngineError('bad_input', `${at}: ${message}`, { at })
}
