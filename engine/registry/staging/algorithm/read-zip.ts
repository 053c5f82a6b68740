import { EngineError } from '../../../shared/errors.ts'
import { type ZipLimits, zipEntries } from '../../../shared/input/zip-entries.ts'
import { errorIn } from '../../error-in.ts'
import type { GlossaryTerm, StagingSchema, StagingTable, VersionContent } from './model.ts'
import { parseSchema, parseTable, parseTerm } from './parse.ts'
import { checkName, checkSchema, checkTable } from './validate.ts'

/** Limits of registry.md 4.1. */
export const ZIP_LIMITS: ZipLimits = {
  entries: 10_000,
  entryBytes: 10_000_000,
  totalBytes: 100_000_000,
  ratio: 50,
}

interface Intake {
  readonly schemas: Map<string, StagingSchema>
  readonly tables: Map<string, StagingTable>
  readonly glossary: Map<string, GlossaryTerm>
}

/** Entries of an archive: `schemas/ID.json`, `tables/ID.json`, `glossary/ID.json`. */
const ENTITY = /(?:^|\/)(schemas|tables|glossary)\/([^/]+)\.json$/

/**
 * Reads a published algorithm archive (registry.md 4.1). All entities must belong to the same algorithm and
 * version.
 * @throws EngineError as zipEntries does; `bad_input`, naming the entry, for an entity that a write would
 * refuse
 */
export async function readAlgorithmZip(
  path: string,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<VersionContent> {
  const intake: Intake = { schemas: new Map(), tables: new Map(), glossary: new Map() }
  const expected = 'an archive of an algorithm as it was published'
  for await (const { name, text } of zipEntries(path, limits, expected)) {
    const [, folder, id] = ENTITY.exec(name) ?? []
    if (folder === undefined || id === undefined) continue
    takeEntity(intake, folder as keyof Intake, id, parseJson(name, await text()))
  }
  return contentOf(intake)
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('bad_input', `"${name}" is no JSON`, { cause })
  }
}

function takeEntity(intake: Intake, folder: keyof Intake, id: string, json: unknown): void {
  const name = `${folder}/${id}.json`
  if (intake[folder].has(id)) {
    throw new EngineError('bad_input', `the archive has "${name}" twice`)
  }
  try {
    if (folder === 'glossary') intake.glossary.set(id, parseTerm(json, id))
    else if (folder === 'schemas') intake.schemas.set(id, soundSchema(json, id))
    else intake.tables.set(id, soundTable(json, id))
  } catch (cause) {
    throw errorIn(name, cause, ': ')
  }
}

function soundSchema(json: unknown, id: string): StagingSchema {
  const schema = parseSchema(json)
  checkSchema(schema)
  checkId(schema, id)
  return schema
}

function soundTable(json: unknown, id: string): StagingTable {
  const table = parseTable(json)
  checkTable(table)
  checkId(table, id)
  return table
}

function checkId(entity: { readonly id: string }, id: string): void {
  if (entity.id === id) return
  throw new EngineError('bad_input', `"id" differs from the file's name`, { at: 'id' })
}

/** Collects the content by rule 1 of registry.md: one algorithm and one version. */
function contentOf(intake: Intake): VersionContent {
  const entities = [...intake.schemas.values(), ...intake.tables.values()]
  const [first] = entities
  if (!first) {
    const expected = 'give an archive of an algorithm, with schemas/ID.json and tables/ID.json'
    throw new EngineError('bad_input', `the archive has neither schemas nor tables; ${expected}`)
  }
  const { algorithm, version } = first
  if (algorithm === undefined || version === undefined) {
    throw new EngineError('bad_input', `"${first.id}" names no algorithm or no version`)
  }
  checkName(algorithm, 'algorithm')
  checkName(version, 'version')
  const other = entities.find(
    (entity) => entity.algorithm !== algorithm || entity.version !== version,
  )
  if (other) {
    const wanted = `${algorithm} ${version}`
    throw new EngineError('bad_input', `"${other.id}" is not of ${wanted}, as "${first.id}" is`)
  }
  return { algorithm, version, ...intake }
}
