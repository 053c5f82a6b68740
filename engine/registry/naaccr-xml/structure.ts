import { SaxesParser } from 'saxes'
import { EngineError } from '../../shared/errors.ts'
import {
  type Definitions,
  describeFault,
  ELEMENTS,
  type Element,
  faultOf,
  type ItemDefinition,
  UNREADABLE,
} from './dictionary.ts'
import { KeptText } from './kept-text.ts'
import {
  MAX_FOREIGN,
  MAX_FOREIGN_DEPTH,
  MAX_ITEMS,
  MAX_PATIENT_TUMORS,
  PieceBounds,
  TOO_LARGE_PATIENT,
} from './limits.ts'
import type { ItemFault, ItemFaultCode, Patient, RecordType, Tumor } from './model.ts'
import type { BlockPlace } from './split-file.ts'
import { type Attributes, compact, messageOf, shown } from './xml.ts'

/** An element of the standard that is being read. */
interface Open {
  readonly element: Element
  readonly path: string
  readonly line: number
  readonly items: Map<string, string>
  /** Ids of further items, which are empty or whose values are not used. */
  readonly others: Set<string>
  /** Number of all items. */
  count: number
  /** Whether an element other than an item has been read. No items may follow it. */
  isPastItems: boolean
}

/** An item that is being read. */
interface OpenItem {
  readonly id: string
  /** Item number as written in the file. */
  readonly number: string | undefined
  readonly line: number
  readonly path: string
  value: string
  /** Whether the item contains anything other than text. */
  isBroken: boolean
}

interface StructureOptions {
  readonly definitions: Definitions
  readonly recordType: RecordType
  /** Namespace prefix of the standard's own elements; empty for the default namespace. */
  readonly prefix: string
  /** Namespace prefixes of foreign elements. */
  readonly otherPrefixes: ReadonlySet<string>
  /** Ids of items whose positions are needed. Patients include their texts if this is set. */
  readonly replaceable?: ReadonlySet<string> | undefined
  /** Whether an item that is misplaced, duplicated or malformed ends the file. */
  readonly strict?: boolean | undefined
  /** Whether the file is XML 1.1. */
  readonly isXml11?: boolean | undefined
}

/** Position in the file at which a text continues it. */
type Continued = Pick<BlockPlace, 'line' | 'patients' | 'rootIds' | 'rootItems'>

/**
 * Parses the elements of a NAACCR XML file (specification 1.0 to 1.8) from text that arrives in pieces.
 * Elements and namespaces are checked strictly; faults of single items are reported with their patient.
 */
export class Structure {
  readonly #options: StructureOptions
  readonly #parser = new SaxesParser()
  readonly #bounds: PieceBounds
  readonly #open: Open[] = []
  readonly #done: Patient[] = []
  readonly #kept: KeptText | undefined
  #item: OpenItem | undefined
  /** Current depth within elements of other namespaces. */
  #foreign = 0
  /** Number of foreign elements since the last patient. */
  #foreignCount = 0
  #patients = 0
  #tumors: Tumor[] = []
  #faults: ItemFault[] = []
  /** Positions of the end of the text and of the last patient. */
  #written = 0
  #patientEnd = 0
  /** Lines on which the last patient ended and the current one started. */
  #endLine = 1
  #beginLine: number | undefined
  readonly #rootFaults: ItemFault[] = []

  /**
   * Creates a parser.
   * @param after patients of the same file, if its text does not start with the root
   */
  constructor(options: StructureOptions, after?: Continued) {
    this.#options = options
    const parser = this.#parser
    this.#bounds = new PieceBounds(parser, (message) => {
      throw this.#wrong(message)
    })
    parser.on('error', (error) => {
      throw this.#wrong(messageOf(error))
    })
    parser.on('doctype', () => {
      throw this.#wrong('a document type is not accepted')
    })
    parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
      this.#bounds.ended()
      this.#begin(name, attributes as Attributes, isSelfClosing)
    })
    parser.on('closetag', () => {
      this.#bounds.ended()
      this.#end()
    })
    parser.on('text', (text) => this.#text(text))
    parser.on('cdata', (text) => this.#text(text))
    if (after) this.#continue(after)
    this.#kept = options.replaceable && new KeptText(options.replaceable, this.#written)
  }

  /** Starts as if the file had been read up to this place. */
  #continue({ line, patients, rootItems, rootIds }: Continued): void {
    const { prefix, isXml11 } = this.#options
    const colon = prefix === '' ? '' : ':'
    const declaration = isXml11 ? '<?xml version="1.1"?>' : ''
    const begun = `${declaration}<${prefix}${colon}NaaccrData>`
    this.#parser.write(begun)
    this.#written = begun.length
    this.#parser.line = line
    this.#endLine = line
    this.#patients = patients
    const root = this.#open[0] as Open
    root.count = rootItems
    for (const id of rootIds) root.others.add(id)
    root.isPastItems = patients > 0
  }

  /**
   * Parses more text. If this throws, the patients completed before can still be taken.
   * @throws EngineError `bad_input`, naming line and path
   */
  write(text: string): void {
    this.#kept?.add(text)
    this.#written += text.length
    this.#parser.write(text)
    this.#bounds.checkSize()
  }

  /**
   * Ends a text whose last element has to be a patient.
   * @throws EngineError `bad_input` for a reference without an end, in which the parser still is
   */
  endAtPatient(): void {
    if (this.#patientEnd !== this.#written) this.end()
  }

  /** Returns the error for a patient that is larger than the part of it that was parsed. */
  tooLarge(): EngineError {
    return this.#wrong(TOO_LARGE_PATIENT)
  }

  /** Returns the patients completed since the last call. */
  take(): Patient[] {
    return this.#done.splice(0)
  }

  /** Line on which the next patient starts, as far as it is known. */
  get nextLine(): number {
    return this.#beginLine ?? this.#endLine
  }

  /**
   * Ends the text and checks that it is complete.
   * @throws EngineError `bad_input` if it is not
   */
  end(): void {
    this.#parser.close()
  }

  get rootFaults(): readonly ItemFault[] {
    return this.#rootFaults
  }

  /** The text after the last patient, if texts are kept. */
  get rest(): string {
    return this.#kept?.rest ?? ''
  }

  #begin(name: string, attributes: Attributes, isSelfClosing: boolean): void {
    const parent = this.#open.at(-1)
    if (this.#foreign > 0) {
      this.#countForeign()
      return
    }
    if (this.#item) {
      this.#item.isBroken = true
      this.#misplaced(this.#item, 'wrong_type', `an item has text only; there is <${shown(name)}>`)
      this.#countForeign()
      return
    }
    const own = this.#ownName(name)
    if (own === undefined) this.#beginForeign(name, parent)
    else if (own === 'Item' && parent) this.#beginItem(parent, attributes)
    else {
      this.#beginElement(own, attributes, parent)
      if (own !== 'NaaccrData') this.#kept?.beginElement(this.#parser.position, isSelfClosing)
    }
  }

  /** Returns the local name of an element of the standard. */
  #ownName(name: string): string | undefined {
    const colon = name.indexOf(':')
    const prefix = colon < 0 ? '' : name.slice(0, colon)
    return prefix === this.#options.prefix ? name.slice(colon + 1) : undefined
  }

  #beginForeign(name: string, parent: Open | undefined): void {
    const colon = name.indexOf(':')
    const isKnown = colon > 0 && this.#options.otherPrefixes.has(name.slice(0, colon))
    if (!parent || !isKnown) throw this.#wrong(`<${shown(name)}> has no declared namespace`)
    if (this.#tumors.length > 0 && parent.element === 'Patient') {
      throw this.#wrong(`<${shown(name)}> comes before the tumors of a patient`)
    }
    parent.isPastItems = true
    this.#countForeign()
  }

  /** Counts an element of another namespace. Such elements are not stored but take time to parse. */
  #countForeign(): void {
    if (++this.#foreign > MAX_FOREIGN_DEPTH) {
      const message = `elements of other namespaces have more than ${MAX_FOREIGN_DEPTH} levels; give at most ${MAX_FOREIGN_DEPTH}`
      throw this.#wrong(message)
    }
    if (++this.#foreignCount > MAX_FOREIGN) {
      throw this.#tooMany(MAX_FOREIGN, 'elements of other namespaces')
    }
  }

  #tooMany(most: number, what: string): EngineError {
    return this.#wrong(`one patient has more than ${most} ${what}; give at most ${most}`)
  }

  #beginElement(name: string, attributes: Attributes, parent: Open | undefined): void {
    const element = ELEMENTS[this.#open.length]
    if (name !== element) {
      const within = parent ? ` in ${parent.element}` : ''
      const expected = [...(parent ? ['Item'] : []), ...(element ? [element] : [])].join(' or ')
      throw this.#wrong(`there is <${shown(name)}>${within}; give ${expected}`)
    }
    const [unknown] = Object.keys(attributes)
    if (parent && unknown !== undefined) {
      throw this.#wrong(`${element} has no attributes; there is ${shown(unknown)}`)
    }
    if (parent) parent.isPastItems = true
    if (element === 'Patient') this.#beginPatient()
    if (element === 'Tumor' && this.#tumors.length >= MAX_PATIENT_TUMORS) {
      throw this.#tooMany(MAX_PATIENT_TUMORS, 'tumors')
    }
    const { line } = this.#parser
    const number = element === 'Patient' ? this.#patients : this.#tumors.length + 1
    const path = parent ? `${parent.path}/${element}[${number}]` : `/${element}`
    if (element === 'Patient') this.#beginLine = line
    this.#open.push({
      element,
      path,
      line,
      items: new Map(),
      others: new Set(),
      count: 0,
      isPastItems: false,
    })
  }

  #beginPatient(): void {
    this.#patients++
    this.#tumors = []
    this.#faults = []
  }

  #beginItem(parent: Open, { naaccrId, naaccrNum, ...others }: Attributes): void {
    if (++parent.count > MAX_ITEMS) {
      throw this.#wrong(
        `${parent.element} has more than ${MAX_ITEMS} items; give at most ${MAX_ITEMS}`,
      )
    }
    const { line } = this.#parser
    this.#kept?.beginItem(this.#parser.position)
    const path = `${parent.path}/Item[${parent.count}]`
    const id = naaccrId?.trim() ?? ''
    const item = { id, number: naaccrNum?.trim(), line, path, value: '', isBroken: false }
    this.#item = item
    if (parent.isPastItems) {
      const message = `items of ${parent.element} come before all else in it`
      this.#misplaced(item, 'wrong_order', message)
    }
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) {
      const message = `an item has no attribute ${shown(unknown)}; give naaccrId`
      this.#misplaced(item, 'wrong_attribute', message)
    }
    if (naaccrId === undefined) {
      item.isBroken = true
      this.#misplaced(item, 'wrong_attribute', 'an item lacks its attribute naaccrId')
    }
  }

  #text(text: string): void {
    this.#bounds.ended()
    if (this.#foreign > 0) return
    if (this.#item) this.#item.value += compact(text)
    else if (text.includes(UNREADABLE)) {
      throw this.#wrong('outside of items, there are control characters, or the file is not UTF-8')
    } else if (text.trim() !== '') throw this.#wrong('there is text outside of items')
  }

  #end(): void {
    if (this.#foreign > 0) {
      this.#foreign--
      return
    }
    const item = this.#item
    if (item) {
      this.#item = undefined
      const parent = this.#open.at(-1) as Open
      this.#endItem(item, parent)
      // An item after the tumors of a patient is not in its proper place.
      const isOfTumor = parent.element === 'Tumor'
      if (isOfTumor || (parent.element === 'Patient' && this.#tumors.length === 0)) {
        this.#kept?.endItem(item.id, this.#parser.position)
      }
      return
    }
    const { element, line, items } = this.#open.pop() as Open
    if (element === 'Tumor') this.#tumors.push({ line, items })
    else if (element === 'Patient') {
      this.#patientEnd = this.#parser.position
      this.#endLine = this.#parser.line
      this.#beginLine = undefined
      this.#foreignCount = 0
      const source = this.#kept?.endPatient(this.#parser.position)
      this.#done.push({
        line,
        items,
        tumors: this.#tumors,
        faults: this.#faults,
        ...(source && { source }),
      })
      this.#tumors = []
      this.#faults = []
    }
  }

  #endItem(item: OpenItem, open: Open): void {
    const { id, value, isBroken } = item
    const { element, items, others } = open
    if (isBroken) return
    if (items.has(id) || others.has(id)) {
      const message = `item ${shown(id)} is there twice in one ${element}; what it has first is used`
      this.#misplaced(item, 'doubled_item', message)
      if (items.has(id)) return
    }
    others.add(id)
    if (value === '') return
    const { definitions, recordType } = this.#options
    const definition = definitions.get(id)
    if (!definition) {
      this.#report(item, 'unknown_item', 'no dictionary of the file has this item')
      return
    }
    if (!definition.recordTypes.includes(recordType)) {
      const { recordTypes } = definition
      const message = `an item of records of the types ${recordTypes}; the file has type ${recordType}`
      this.#report(item, 'unknown_item', message)
      return
    }
    if (definition.element !== element) {
      const message = `item ${shown(id)} is in ${element}; it belongs into ${definition.element}`
      this.#misplaced(item, 'wrong_level', message)
      return
    }
    this.#checkNumber(item, definition)
    this.#checkValue(item, definition)
    others.delete(id)
    items.set(id, value)
  }

  #checkNumber(item: OpenItem, { number }: ItemDefinition): void {
    if (item.number === undefined || item.number === '') return
    if (!/^\d+$/.test(item.number)) {
      this.#misplaced(item, 'wrong_number', 'naaccrNum is no whole number')
    } else if (Number(item.number) !== number) {
      const message = `the item has number ${number ?? '(none)'}, not ${shown(item.number)}`
      this.#report(item, 'wrong_number', message)
    }
  }

  #checkValue(item: OpenItem, definition: ItemDefinition): void {
    const fault = faultOf(item.value, definition)
    if (fault) this.#report(item, ...describeFault(fault, item.value, definition))
  }

  #report({ id, line, path }: OpenItem, code: ItemFaultCode, message: string): void {
    // Items of the root may also come after patients.
    const faults = this.#open.length > 1 ? this.#faults : this.#rootFaults
    faults.push({ code, item: shown(id), line, path, message })
  }

  /** Reports a violation of the format, as the reference library does. In strict mode, it ends the file. */
  #misplaced(item: OpenItem, code: ItemFaultCode, message: string): void {
    if (this.#options.strict) throw this.#wrong(message, item)
    this.#report(item, code, message)
  }

  #wrong(message: string, item: OpenItem | undefined = this.#item): EngineError {
    const line = item?.line ?? this.#parser.line
    const path = item?.path ?? this.#open.at(-1)?.path ?? '/'
    return new EngineError('bad_input', `line ${line}, ${path}: ${message}`, { at: `line ${line}` })
  }
}
