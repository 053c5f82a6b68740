import { EngineError } from '../../shared/errors.ts'
import { Definitions, type Dictionary, versionOf } from './dictionary.ts'
import { shown } from './xml.ts'

/** Finds a dictionary by its URI. Returns undefined if it is not available. */
export type FindDictionary = (uri: string) => Promise<Dictionary | undefined>

/**
 * Collects the item definitions of a file's dictionaries.
 * @throws EngineError `bad_input` for a missing dictionary, saying which one and how to load it
 */
export async function findDefinitions(
  uris: readonly string[],
  find: FindDictionary,
): Promise<Definitions> {
  const dictionaries: Dictionary[] = []
  for (const uri of new Set(uris)) {
    const dictionary = await find(uri)
    if (!dictionary) throw missing(uri)
    dictionaries.push(dictionary)
  }
  return new Definitions(dictionaries)
}

function missing(uri: string): EngineError {
  const version = versionOf(uri)
  const [what, file] =
    version === undefined
      ? [`dictionary ${shown(uri)} that the file names`, 'FILE']
      : [`dictionary of NAACCR ${version}`, `naaccr-dictionary-${version}.xml`]
  const message = `the ${what} is not there; load it by "casemill import naaccr ${file}"`
  return new EngineError('bad_input', message, { at: 'dictionary' })
}
