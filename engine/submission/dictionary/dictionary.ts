import { join } from 'node:path'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { EntityType } from './entity-type.ts'
import { type DictionaryIssue, DictionaryIssues, issueText } from './issues.ts'
import { type DictionaryFiles, readDictionaryJob } from './read-files.ts'
import { readType } from './read-type.ts'
import { Reader } from './reader.ts'
import { METASCHEMA } from './resolve.ts'

/** Where the project's own dictionary is, in the package as in the checkout. */
export const OWN_DICTIONARY = join(import.meta.dirname, 'schemas')

/** Entry that stands for all others. */
export const ALL_ENTRIES = '_all'

/** Types of entities with their properties and links, as a folder of YAML files has them. */
export class Dictionary {
  /** By name. */
  readonly types: ReadonlyMap<string, EntityType>
  readonly #files: ReadonlyMap<string, unknown>

  private constructor(types: ReadonlyMap<string, EntityType>, files: ReadonlyMap<string, unknown>) {
    this.types = types
    this.#files = files
  }

  /**
   * Reads and checks the folder of a dictionary: one file for each type, `metaschema.yaml` if there
   * is one, and shared files, whose names begin with an underscore.
   * @throws EngineError `bad_input` that names file, place and what would be accepted; `busy`
   */
  static async load(folder: string, executor: Executor): Promise<Dictionary> {
    const { dictionary, issues } = await Dictionary.inspect(folder, executor)
    const [first, ...others] = issues
    if (first === undefined) return dictionary
    const more = others.length === 0 ? '' : ` (and ${others.length} more; see casemill check)`
    throw new EngineError('bad_input', `dictionary: ${issueText(first)}${more}`)
  }

  /** Everything that is wrong with the folder of a dictionary. */
  static async issuesOf(folder: string, executor: Executor): Promise<readonly DictionaryIssue[]> {
    return (await Dictionary.inspect(folder, executor)).issues
  }

  private static async inspect(folder: string, executor: Executor) {
    const { files, issues } = await executor.run(readDictionaryJob, folder)
    const found = new DictionaryIssues()
    const types = await new LoopTurns().run(readTypes({ files, issues }, found))
    return { dictionary: new Dictionary(types, files), issues: [...issues, ...found.all] }
  }

  /** What a file says, references resolved: the JSON schema of a type, or a shared file. */
  entry(name: string): unknown {
    return this.#files.get(name)
  }

  /** All entries by name: types and shared files (submission.md 5). */
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
    types.set(name, readType(name, new Reader(found, `${name}.yaml`, schema)))
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
