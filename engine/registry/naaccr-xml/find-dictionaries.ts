import { EngineError } from '../../shared/errors.ts'
import { Definitions, type Dictionary, versionOf } from './dictionary.ts'
import { shown } from './xml.ts'

/** Finds a dictionary by its address; undefined where it was not given. */
export type FindDictionary = (uri: string) => Promise<Dictionary | undefined>

/**
 * What the items of a file may be.
 * @throws EngineError bad_input for a dictionary that is missing, saying which and how to load it
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
