import { join } from 'node:path'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { EntityType } from './entity-type.ts'
import { type DictionaryIssue, DictionaryIssues, issueText } from './issues.ts'
import { type DictionaryFiles, readDictionaryJob } from './read-files.ts'
import { readType } from './read-type.ts'
import { METASCHEMA } from './resolve.ts'
import { YamlReader } from './yaml-reader.ts'

/** Folder of the built-in dictionary, both in the package and in a checkout. */
export const OWN_DICTIONARY = join(import.meta.dirname, 'schemas')

/** Name of the dictionary entry with the definitions that all types share. */
export const ALL_ENTRIES = '_all'

/** Entity types with their properties and links, read from a folder of YAML files. */
export class Dictionary {
  /** Entity types by name. */
  readonly types: ReadonlyMap<string, EntityType>
  readonly #files: ReadonlyMap<string, unknown>

  private constructor(types: ReadonlyMap<string, EntityType>, files: ReadonlyMap<string, unknown>) {
    this.types = types
    this.#files = files
  }

  /**
   * Reads and checks the folder of a dictionary: one file per type, an optional `metaschema.yaml`, and shared
   * files, whose names start with an underscore.
   * @throws EngineError `bad_input` that names the file, the place and what would be accepted; `busy`
   */
  static async load(folder: string, executor: Executor): Promise<Dictionary> {
    const { dictionary, issues } = await Dictionary.inspect(folder, executor)
    const [first, ...others] = issues
    if (first === undefined) return dictionary
    const more = others.length === 0 ? '' : ` (and ${others.length} more; see casemill check)`
    throw new EngineError('bad_input', `dictionary: ${issueText(first)}${more}`)
  }

  /** Returns all problems in the folder of a dictionary. */
  static async issuesOf(folder: string, executor: Executor): Promise<readonly DictionaryIssue[]> {
    return (await Dictionary.inspect(folder, executor)).issues
  }

  private static async inspect(folder: string, executor: Executor) {
    const { files, issues } = await executor.run(readDictionaryJob, folder)
    const found = new DictionaryIssues()
    const types = await new LoopTurns().run(readTypes({ files, issues }, found))
    return { dictionary: new Dictionary(types, files), issues: [...issues, ...found.all] }
  }

  /** Returns the content of a file with references resolved: the JSON schema of a type, or a shared file. */
  entry(name: string): unknown {
    return this.#files.get(name)
  }

  /** Returns all entries keyed by name: types and shared files (submission.md 5). */
  entries(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#files)
  }
}

function* readTypes(
  { files, issues }: DictionaryFiles,
  found: DictionaryIssues,
): Generator<void, ReadonlyMap<string, EntityType>> {
  const types = new Map<string, EntityType>()
  if (issues.length > 0) return types
  for (const [name, schema] of files) {
    if (name.startsWith('_') || name === METASCHEMA) continue
    types.set(name, readType(name, new YamlReader(found, `${name}.yaml`, schema)))
    yield
  }
  if (types.size === 0) found.add('', '', 'the folder has no entity type; add its file')
  for (const { name, links } of types.values()) {
    for (const link of links.values()) {
      if (types.has(link.target)) continue
      const message = `link ${link.name} leads to ${link.target}; use the name of an entity type`
      found.add(`${name}.yaml`, 'links', message)
    }
  }
  return types
}
