import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { EngineError } from '../../../shared/errors.ts'
import { explainSystemError } from '../../../shared/input/system-error.ts'
import { errorIn } from '../../error-in.ts'
import type { GlossaryTerm, StagingSchema, StagingTable, VersionContent } from './model.ts'
import { parseSchema, parseTable, parseTerm } from './parse.ts'
import { checkName, checkSchema, checkTable } from './validate.ts'

/** What an archive may hold (registry.md 4.1). Bytes are those after unpacking. */
export interface ZipLimits {
  readonly entries: number
  readonly entryBytes: number
  readonly totalBytes: number
  /** Bytes unpacked for one byte packed. */
  readonly ratio: number
}

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

/** The entities of an archive: `schemas/ID.json`, `tables/ID.json`, `glossary/ID.json`. */
const ENTITY = /(?:^|\/)(schemas|tables|glossary)\/([^/]+)\.json$/

/**
 * Reads a published algorithm archive as it is (registry.md 4.1). All entities have to be of one
 * algorithm and version. Nothing is unpacked before its sizes have been held against the limits,
 * and no more is unpacked than was announced.
 * @throws EngineError not_found and the like where the system does not let it be read; too_large for
 *   what is over a limit; corrupt_source for what is no sound archive; bad_input, naming the entry, for
 *   an entity that a write would refuse
 */
export async function readAlgorithmZip(
  path: string,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<VersionContent> {
  const zip = await openZip(path)
  try {
    if (zip.entryCount > limits.entries) tooLarge(`it has ${zip.entryCount} entries`, limits)
    const intake: Intake = { schemas: new Map(), tables: new Map(), glossary: new Map() }
    await readEntries(zip, intake, limits)
    return contentOf(intake)
  } finally {
    zip.close()
  }
}

async function openZip(path: string): Promise<ZipFile> {
  const start = await beginningOf(path).catch((cause) => {
    throw explainSystemError(cause, path)
  })
  if (start === '') throw unsound('the file is empty; download it again')
  if (/^\s*</.test(start)) {
    throw unsound('the file is a web page and no zip archive; download the archive itself')
  }
  if (!start.startsWith('PK')) {
    throw unsound('the file is no zip archive; give an archive of an algorithm as it was published')
  }
  return openPromise(path, { autoClose: false }).catch((cause) => {
    throw unsound('the end of the archive is missing or damaged; download it again', cause)
  })
}

/** Some characters; what archives and web pages begin with is ASCII. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const start = Buffer.alloc(16)
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    return start.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function readEntries(zip: ZipFile, intake: Intake, limits: ZipLimits): Promise<void> {
  let total = 0
  const entries = zip.eachEntry()
  for (;;) {
    const entry = await nextOf(entries)
    if (!entry) return
    checkSizes(entry, limits)
    total += entry.uncompressedSize
    if (total > limits.totalBytes) tooLarge(`it unpacks to more than ${total} bytes`, limits)
    const [, folder, id] = ENTITY.exec(entry.fileName) ?? []
    if (folder === undefined || id === undefined) continue
    takeEntity(intake, folder as keyof Intake, id, await readJson(zip, entry))
  }
}

async function nextOf(entries: AsyncIterator<Entry>): Promise<Entry | undefined> {
  try {
    const { done, value } = await entries.next()
    return done ? undefined : value
  } catch (cause) {
    throw unsound('the list of the files in the archive is damaged; download it again', cause)
  }
}

function checkSizes({ fileName, ...sizes }: Entry, limits: ZipLimits): void {
  const { compressedSize, uncompressedSize } = sizes
  if (uncompressedSize > limits.entryBytes) {
    tooLarge(`"${fileName}" unpacks to ${uncompressedSize} bytes`, limits)
  }
  if (uncompressedSize > compressedSize * limits.ratio) {
    tooLarge(`"${fileName}" unpacks to more than ${limits.ratio} times its size`, limits)
  }
}

async function readJson(zip: ZipFile, entry: Entry): Promise<unknown> {
  const text = await readTextOf(zip, entry)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EngineError('bad_input', `"${entry.fileName}" is no JSON`, { cause })
  }
}

async function readTextOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = []
  const name = JSON.stringify(entry.fileName)
  if (entry.isEncrypted()) {
    throw unsound(`${name} is encrypted; give an archive without a password`)
  }
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (crc32(bytes) !== entry.crc32) throw new Error(`${name} has another checksum`)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw unsound(`${name} is cut off or damaged; download the archive again`, cause)
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
  throw new EngineError('bad_input', `"id" is another than the file's name`, { at: 'id' })
}

/** Rule 1: one algorithm, one version. */
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

function tooLarge(what: string, { entries, entryBytes, totalBytes, ratio }: ZipLimits): never {
  const limits = `${entries} entries of ${entryBytes} bytes, ${totalBytes} in all, ratio ${ratio}`
  throw new EngineError('too_large', `the archive is over the limits: ${what}; limits: ${limits}`)
}

function unsound(message: string, cause?: unknown): EngineError {
  return new EngineError('corrupt_source', message, { cause })
}
