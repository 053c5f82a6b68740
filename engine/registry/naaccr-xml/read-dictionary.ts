import { basename } from 'node:path'
import { SaxesParser } from 'saxes'
import { EngineError } from '../../shared/errors.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import { DATA_TYPES, type Dictionary, ELEMENTS, type ItemDefinition } from './dictionary.ts'
import { RECORD_TYPES } from './model.ts'
import { type Attributes, messageOf, shown } from './xml.ts'

/** The largest dictionary of the standard has 300 kB. */
const MAX_BYTES = 8 << 20

/**
 * Reads a base or user dictionary, plain or gzip.
 * @throws EngineError as readTextFile does; `bad_input`, naming file and line
 */
export async function readDictionary(path: string, signal?: AbortSignal): Promise<Dictionary> {
  const text = await readTextFile(path, { maxBytes: MAX_BYTES, signal })
  try {
    return parseDictionary(text)
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

/**
 * Parses a dictionary.
 * @throws EngineError `bad_input`, naming the line
 */
export function parseDictionary(text: string): Dictionary {
  const parser = new SaxesParser()
  const wrong = (message: string) => {
    const at = `line ${parser.line}`
    return new EngineError('bad_input', `${at}: ${message}`, { at })
  }
  let root: Attributes | undefined
  const items = new Map<string, ItemDefinition>()
  const numbers = new Set<number>()
  parser.on('error', (error) => {
    throw wrong(messageOf(error))
  })
  parser.on('doctype', () => {
    throw wrong('a document type is not accepted')
  })
  parser.on('opentag', ({ name, attributes }) => {
    const given = attributes as Attributes
    if (!root && name !== 'NaaccrDictionary') {
      throw wrong(`the root is <${shown(name)}>; give <NaaccrDictionary>`)
    }
    root ??= given
    if (name !== 'ItemDef') return
    const item = itemOf(given, wrong)
    const { id, number } = item
    if (items.has(id) || (number !== undefined && numbers.has(number))) {
      throw wrong(`item ${shown(id)} or its number is there twice`)
    }
    items.set(id, item)
    if (number !== undefined) numbers.add(number)
  })
  parser.write(text).close()
  const { dictionaryUri: uri, naaccrVersion: version, dateLastModified: modified } = root ?? {}
  if (!uri) throw wrong('<NaaccrDictionary> lacks its attribute dictionaryUri')
  if (items.size === 0) throw wrong('the dictionary has no items; give it an <ItemDef> for each')
  return {
    uri,
    ...(version !== undefined && { version }),
    ...(modified !== undefined && { modified }),
    items: [...items.values()],
  }
}

type Wrong = (message: string) => EngineError

function itemOf(attributes: Attributes, wrong: Wrong): ItemDefinition {
  const { naaccrId: id, naaccrName: name, recordTypes = RECORD_TYPES.join(',') } = attributes
  if (!id || !/^[a-z][A-Za-z\d]+$/.test(id)) {
    throw wrong(
      `naaccrId is ${shown(id ?? '(missing)')}; give letters and digits, a small letter first`,
    )
  }
  const number = wholeOf(attributes, 'naaccrNum', wrong)
  const length = wholeOf(attributes, 'length', wrong)
  if (length === undefined) throw wrong(`item ${id} lacks its length`)
  const parent = attributes.parentXmlElement
  const element = ELEMENTS.find((one) => one === parent)
  if (!element) {
    throw wrong(
      `parentXmlElement of ${id} is ${shown(parent ?? '(missing)')}; give ${ELEMENTS.join(', ')}`,
    )
  }
  const type = attributes.dataType ?? 'text'
  const dataType = DATA_TYPES.find((one) => one === type)
  if (!dataType) throw wrong(`dataType of ${id} is ${shown(type)}; give ${DATA_TYPES.join(', ')}`)
  if (!/^[AMCI](,[AMCI])*$/.test(recordTypes)) {
    throw wrong(`recordTypes of ${id} is ${shown(recordTypes)}; give some of A, M, C and I`)
  }
  const startColumn = wholeOf(attributes, 'startColumn', wrong)
  return {
    id,
    length,
    element,
    recordTypes,
    dataType,
    ...(number !== undefined && { number }),
    ...(name && { name }),
    isUnlimited: attributes.allowUnlimitedText === 'true',
    ...(startColumn !== undefined && { startColumn }),
    ...(attributes.trim === 'none' && { keepsBlanks: true }),
  }
}

function wholeOf(attributes: Attributes, name: string, wrong: Wrong): number | undefined {
  const text = attributes[name]
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw wrong(`${name} is ${shown(text)}; give a whole number`)
}
