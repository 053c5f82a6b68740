import { SaxesParser } from 'saxes'
import { EngineError } from '../../shared/errors.ts'
import { versionOf } from './dictionary.ts'
import { PieceBounds } from './limits.ts'
import { type FileHead, type ItemFault, RECORD_TYPES } from './model.ts'
import { type Attributes, messageOf, shown } from './xml.ts'

/** Namespace of the standard's own elements. */
const NAMESPACE = 'http://naaccr.org/naaccrxml'
const SPECIFICATIONS = new Set(['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.8'])
/** The first version in which a file may name several user dictionaries. */
const SEVERAL_FROM = '1.2'
/** Maximum number of characters before the end of the root's start tag. */
const MAX_HEAD_CHARACTERS = 1 << 20

const OWN = new Set([
  'baseDictionaryUri',
  'userDictionaryUri',
  'recordType',
  'timeGenerated',
  'specificationVersion',
])

/** The attributes of the root and the namespaces that it declares. */
export interface ReadHead {
  readonly head: FileHead
  readonly prefix: string
  readonly otherPrefixes: ReadonlySet<string>
  readonly isXml11: boolean
  /** Faults that are not a reason to refuse the file. */
  readonly faults: readonly ItemFault[]
}

/** Finds the start tag of the root in text that arrives in pieces. */
export class HeadReader {
  readonly #parser = new SaxesParser()
  readonly #bounds: PieceBounds
  #found: ReadHead | undefined
  #characters = 0

  /**
   * Creates a reader.
   * @param strict whether a fault in the root's attributes ends the file
   */
  constructor(strict = false) {
    const refuse = (message: string) => {
      // Everything after the start tag is read again and checked then.
      if (this.#found) return
      throw new EngineError('bad_input', `line ${this.#parser.line}: ${message}`)
    }
    this.#bounds = new PieceBounds(this.#parser, refuse)
    this.#parser.on('error', (error) => refuse(messageOf(error)))
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#bounds.ended()
      this.#found ??= {
        ...headOf(name, attributes as Attributes, this.#parser.line),
        isXml11: this.#parser.xmlDecl.version === '1.1',
      }
      const [fault] = this.#found.faults
      if (strict && fault) {
        const at = `line ${fault.line}`
        throw new EngineError('bad_input', `${at}, ${fault.path}: ${fault.message}`, { at })
      }
    })
  }

  /**
   * Reads more text.
   * @returns the head once it is complete
   * @throws EngineError `bad_input` if the text is not such a file, or its head is too long
   */
  write(text: string): ReadHead | undefined {
    this.#characters += text.length
    this.#parser.write(text)
    this.#bounds.checkSize()
    if (!this.#found && this.#characters > MAX_HEAD_CHARACTERS) {
      throw new EngineError(
        'bad_input',
        `there is no <NaaccrData> in the first ${MAX_HEAD_CHARACTERS} characters`,
      )
    }
    return this.#found
  }
}

function headOf(name: string, attributes: Attributes, line: number): Omit<ReadHead, 'isXml11'> {
  const wrong = (message: string) => {
    const at = `line ${line}`
    return new EngineError('bad_input', `${at}, /NaaccrData: ${message}`, { at })
  }
  const { prefix, others } = prefixesOf(attributes, wrong)
  const root = prefix === '' ? 'NaaccrData' : `${prefix}:NaaccrData`
  if (name !== root) throw wrong(`the root is <${shown(name)}>; give <${root}>`)
  for (const attribute of Object.keys(attributes)) {
    if (OWN.has(attribute) || /^xmlns(:|$)/.test(attribute)) continue
    const [before, after] = attribute.split(':')
    if (after === undefined || !others.has(before as string)) {
      throw wrong(`attribute ${shown(attribute)} has no declared namespace`)
    }
  }
  const { baseDictionaryUri, userDictionaryUri = '', recordType: type } = attributes
  if (baseDictionaryUri === undefined) throw wrong('the attribute baseDictionaryUri is missing')
  if (versionOf(baseDictionaryUri) === undefined) {
    throw wrong(
      `baseDictionaryUri ${shown(baseDictionaryUri)} is not of the standard; give ${NAMESPACE}/naaccr-dictionary-250.xml or that of another version`,
    )
  }
  const recordType = RECORD_TYPES.find((one) => one === type)
  if (!recordType) throw wrong(`recordType is ${shown(type ?? '(missing)')}; give A, M, C or I`)
  const { specificationVersion, timeGenerated } = attributes
  const specification = specificationVersion ?? '1.0'
  if (!SPECIFICATIONS.has(specification)) {
    throw wrong(`specificationVersion ${shown(specification)} is not known; give 1.0 to 1.8`)
  }
  const several = specification >= SEVERAL_FROM
  const uris = several ? userDictionaryUri.split(/\s+/) : [userDictionaryUri.trim()]
  const userDictionaryUris = uris.filter((uri) => uri !== '')
  const head = {
    baseDictionaryUri,
    userDictionaryUris,
    recordType,
    specificationVersion,
    timeGenerated,
  }
  const faults = timeGenerated === undefined ? [] : faultsOfTime(timeGenerated, line)
  return { head, prefix, otherPrefixes: others, faults }
}

/** A dateTime of XML Schema. */
const TIME = /^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/

function faultsOfTime(time: string, line: number): readonly ItemFault[] {
  if (TIME.test(time.trim()) && !Number.isNaN(Date.parse(time.trim()))) return []
  const message = `timeGenerated ${shown(time)} is no time; give one like 2025-01-31T12:00:00Z`
  return [{ code: 'wrong_type', item: 'timeGenerated', line, path: '/NaaccrData', message }]
}

function prefixesOf(attributes: Attributes, wrong: (message: string) => EngineError) {
  const others = new Set<string>()
  let prefix: string | undefined
  for (const [attribute, uri] of Object.entries(attributes)) {
    const [, declared = attribute === 'xmlns' ? '' : undefined] =
      /^xmlns:(.+)$/.exec(attribute) ?? []
    if (declared === undefined) continue
    if (uri === NAMESPACE) prefix = declared
    else if (declared === '')
      throw wrong(`the default namespace is ${shown(uri)}; give ${NAMESPACE}`)
    else others.add(declared)
  }
  if (prefix === undefined)
    throw wrong(`the namespace ${NAMESPACE} is not declared; give it as xmlns`)
  return { prefix, others }
}
