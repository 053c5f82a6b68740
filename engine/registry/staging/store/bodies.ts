import { EngineError } from '../../../shared/errors.ts'
import {
  type Reader,
  readList,
  readMembers,
  readNumber,
  readOneOf,
  readText,
} from '../../../shared/input/json-members.ts'
import { errorIn } from '../../error-in.ts'
import { parseSchema, parseTable } from '../algorithm/parse.ts'
import { checkName, checkSchema, checkTable } from '../algorithm/validate.ts'
import type { EntityOf, SchemaOrTable, VersionName } from './entities.ts'
import { ROLES, type Role } from './roles.ts'
import { VERSION_TYPES, type VersionType } from './stored.ts'

interface AlgorithmBody {
  readonly algorithm?: string
  readonly name?: string
  readonly description?: string
}

export interface VersionBody {
  readonly algorithm?: string
  readonly version?: string
  readonly naaccr_version?: string
  readonly view_roles?: readonly Role[]
  readonly edit_roles?: readonly Role[]
  readonly type?: VersionType
}

interface BatchBody {
  readonly schemas?: readonly unknown[]
  readonly tables?: readonly unknown[]
  readonly delete_schemas?: readonly string[]
  readonly delete_tables?: readonly string[]
}

const readAlgorithm = readMembers<AlgorithmBody>(
  {},
  { algorithm: readText, name: readText, description: readText },
)

const readVersion = readMembers<VersionBody>(
  {},
  {
    algorithm: readText,
    version: readText,
    naaccr_version: readText,
    view_roles: readList(readOneOf(ROLES)),
    edit_roles: readList(readOneOf(ROLES)),
    type: readOneOf(VERSION_TYPES),
  },
)

const readTexts = readList(readText)
const readAnything: Reader<unknown> = (value) => value

const readBatch = readMembers<BatchBody>(
  {},
  {
    schemas: readList(readAnything),
    tables: readList(readAnything),
    delete_schemas: readTexts,
    delete_tables: readTexts,
  },
)

const readEntry = readMembers<{ readonly history: number }>({ history: readNumber }, {})

/** Names that would shadow an operation or have a fixed meaning (registry.md 2.1, 7.3). */
const RESERVED_ALGORITHMS: readonly string[] = ['algorithms']
const RESERVED_VERSIONS: readonly string[] = ['versions', 'latest']

/**
 * Checks the name of a new algorithm.
 * @throws EngineError `bad_input` if it is invalid or reserved
 */
export function checkAlgorithmName(name: string): void {
  checkName(name, 'algorithm')
  if (RESERVED_ALGORITHMS.includes(name)) reserved('algorithm', name)
}

/**
 * Checks the name of a new version.
 * @throws EngineError `bad_input` if it is invalid or reserved
 */
export function checkVersionName(name: string): void {
  checkName(name, 'version')
  if (RESERVED_VERSIONS.includes(name)) reserved('version', name)
}

function reserved(at: string, name: string): never {
  throw new EngineError('bad_input', `"${at}" cannot be "${name}", which means something else`, {
    at,
  })
}

/**
 * Reads the body of an algorithm.
 * @throws EngineError `bad_input` for another type, or another name than in the path
 */
export function parseAlgorithmBody(body: unknown, algorithm: string): AlgorithmBody {
  const read = readAlgorithm(body, '')
  sameAsPath(read, { algorithm })
  return read
}

/**
 * Reads the body of a version.
 * @throws EngineError `bad_input` for another type, or another name than in the path
 */
export function parseVersionBody(body: unknown, name: Partial<VersionName>): VersionBody {
  const read = readVersion(body, '')
  sameAsPath(read, name)
  return read
}

/** Members that are also in the path must be absent or equal to it (registry.md 2.5). */
function sameAsPath(
  body: Readonly<Partial<Record<'algorithm' | 'version', string>>>,
  path: Partial<VersionName>,
): void {
  for (const at of ['algorithm', 'version'] as const) {
    if (path[at] === undefined || body[at] === undefined || body[at] === path[at]) continue
    throw new EngineError('bad_input', `"${at}" must be "${path[at]}", as in the path`, { at })
  }
}

/**
 * Reads the target of a copy and the members that differ.
 * @throws EngineError `bad_input` if the algorithm or version is missing; as parseVersionBody
 */
export function parseCopyBody(body: unknown): VersionBody & VersionName {
  const { algorithm, version, ...more } = parseVersionBody(body, {})
  if (algorithm === undefined || version === undefined) {
    const at = algorithm === undefined ? 'algorithm' : 'version'
    throw new EngineError('bad_input', `"${at}" is missing; name the algorithm and the version`, {
      at,
    })
  }
  return { algorithm, version, ...more }
}

/**
 * Parses a schema or table and checks it by itself (registry.md 4.10, 7.6).
 * @throws EngineError `bad_input`, naming the member
 */
export const PARSED: { readonly [K in SchemaOrTable]: (body: unknown) => EntityOf[K] } = {
  schema: (body) => {
    const schema = parseSchema(body)
    checkSchema(schema)
    return schema
  },
  table: (body) => {
    const table = parseTable(body)
    checkTable(table)
    return table
  },
}

/** Reads the number of the history entry to restore. */
export function parseHistoryNumber(body: unknown): number {
  return readEntry(body, '').history
}

/** An entity to store. If `entity` is missing, the stored one is to be deleted. */
interface Wanted<K extends SchemaOrTable = SchemaOrTable> {
  readonly kind: K
  readonly id: string
  readonly entity?: EntityOf[K]
  /** Path of the entity in the batch. */
  readonly at: string
}

/** Maximum number of schemas and tables to store or delete at once, which takes one turn of the event loop. */
const MAX_BATCH = 1000

/**
 * Reads a batch.
 * @throws EngineError `bad_input`, naming the member, also for an entity that is named twice; `too_many`
 */
export function parseBatchBody(body: unknown): Wanted[] {
  const { schemas = [], tables = [], delete_schemas = [], delete_tables = [] } = readBatch(body, '')
  const wanted: Wanted[] = [
    ...schemas.map((one, i) => wantedAt(`schemas[${i}]`, 'schema', one)),
    ...tables.map((one, i) => wantedAt(`tables[${i}]`, 'table', one)),
    ...delete_schemas.map((id, i) => ({ kind: 'schema', id, at: `delete_schemas[${i}]` }) as const),
    ...delete_tables.map((id, i) => ({ kind: 'table', id, at: `delete_tables[${i}]` }) as const),
  ]
  if (wanted.length > MAX_BATCH) {
    const message = `the batch has ${wanted.length} schemas and tables; give up to ${MAX_BATCH} at a time`
    throw new EngineError('too_many', message)
  }
  const before = new Map<string, string>()
  for (const { kind, id, at } of wanted) {
    const key = `${kind}/${id}`
    const other = before.get(key)
    if (other !== undefined) {
      throw new EngineError('bad_input', `"${at}" is ${kind} "${id}", as "${other}" is`, { at })
    }
    before.set(key, at)
  }
  return wanted
}

function wantedAt(at: string, kind: SchemaOrTable, body: unknown): Wanted {
  try {
    const entity = PARSED[kind](body)
    return { kind, id: entity.id, entity, at } as Wanted
  } catch (cause) {
    throw errorIn(at, cause)
  }
}
