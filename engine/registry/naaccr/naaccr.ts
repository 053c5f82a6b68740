import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { readCount } from '../../shared/input/read-count.ts'
import { errorIn } from '../error-in.ts'
import { foldText, queryWords } from '../full-text/words.ts'
import { type Dictionary, versionOf } from '../naaccr-xml/dictionary.ts'
import { readDictionary } from '../naaccr-xml/read-dictionary.ts'
import { composeItems, type ItemSources } from './compose-items.ts'
import { type DocumentedVersion, documentedVersion, isNumber } from './documented-version.ts'
import type { AllowedCode, NaaccrItem, NaaccrItemInfo, NaaccrVersion } from './model.ts'
import { readPages } from './read-pages.ts'
import { readLookups, readMembers, readSections } from './read-tables.ts'
import { NaaccrEdits, NaaccrReads, type StoredItem } from './repository.ts'

export interface NaaccrOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
}

/** The files of a version. All except the dictionary are optional. */
export interface NaaccrFiles {
  /** The base dictionary, which determines the version, or a user dictionary (XML, plain or gzip). */
  readonly dictionary: string
  /** A folder of pages, or an archive of such a folder. */
  readonly documentation?: string | undefined
  /** A table of sections (CSV). */
  readonly sections?: string | undefined
  /** An archive of code tables (zip). */
  readonly lookups?: string | undefined
  /** A table of members that no published file contains (TSV or CSV). */
  readonly members?: string | undefined
}

export interface ImportNaaccr {
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean
  /** Whether to reject a look-up table that is too large for a response, instead of leaving it out. */
  readonly strict?: boolean
  readonly signal?: AbortSignal | undefined
}

export interface ImportedNaaccr {
  /** URI by which files refer to the dictionary. */
  readonly dictionary: string
  /** Absent for a user dictionary, which has no documentation. */
  readonly version?: string
  readonly change: 'added' | 'changed' | 'same'
  readonly items: number
  /** Number of items that are no longer in the dictionary. */
  readonly retired: number
  /** Number of dictionary items without a page. */
  readonly withoutPage: number
  /** Number of items with codes. */
  readonly coded: number
  /** Lookup tables that are too large for a response. */
  readonly leftOut: readonly string[]
}

/** A request with the unvalidated values of the query. */
export interface NaaccrRequest {
  /** Words, all of which must occur in the id, number or names of an item. */
  readonly q?: string | undefined
  /** Version such as `12.2`. Only items introduced with this version match. */
  readonly versionImplemented?: string | undefined
  /** Maximum number of results. Defaults to all. */
  readonly count?: string | undefined
}

const MAX_COUNT = 100_000

/** Documentation of the items of registry files, by version (registry-lookups.md 3). */
export class Naaccr {
  readonly #state: Database
  readonly #reads: NaaccrReads

  constructor({ state }: NaaccrOptions) {
    this.#state = state
    this.#reads = new NaaccrReads(state)
  }

  /** Returns the imported versions, oldest first. */
  versions(): Promise<readonly NaaccrVersion[]> {
    return this.#reads.versions()
  }

  /**
   * Returns the matching items of a version, ordered by number.
   * @param version `25`, or `latest`
   * @throws EngineError `bad_input` for an unknown version or an invalid request
   */
  async list(version: string, request: NaaccrRequest = {}): Promise<readonly NaaccrItemInfo[]> {
    const { q, versionImplemented } = request
    const words = q === undefined ? [] : queryWords(q)
    const limits = { byDefault: MAX_COUNT, least: 1, most: MAX_COUNT }
    const count = readCount(request.count, 'count', limits)
    const all = await this.#reads.listed(named(version))
    if (all.length === 0) throw await this.#unknown(version)
    return all
      .filter(
        (item) =>
          (versionImplemented === undefined || item.versionImplemented === versionImplemented) &&
          words.every(({ text }) => item.words.includes(text)),
      )
      .slice(0, count)
      .map(({ id, number, name }) => ({
        ...(id !== undefined && { id }),
        item: String(number),
        ...(name !== undefined && { name }),
      }))
  }

  /**
   * Returns one item.
   * @param key id or number of the item
   * @throws EngineError `not_found` for an unknown item or version
   */
  async item(version: string, key: string): Promise<NaaccrItem> {
    const item = await this.#reads.item(named(version), isNumber(key) ? Number(key) : key)
    if (item) return item
    throw new EngineError('not_found', 'the version has no item with this id or number')
  }

  /**
   * Returns the codes of the items of a version, keyed by item id. Items without codes are left out, and an
   * unknown version has no items.
   * @param version such as `25`
   */
  async codes(version: string): Promise<ReadonlyMap<string, readonly AllowedCode[]>> {
    const items = await this.#reads.items(version)
    return new Map(
      items.flatMap(({ xml_naaccr_id: id, allowed_codes: codes }) =>
        id === undefined || codes === undefined ? [] : [[id, codes] as const],
      ),
    )
  }

  async #unknown(version: string): Promise<EngineError> {
    const known = (await this.versions()).map((one) => one.version)
    const accepted =
      known.length > 0 ? `give one of ${known.join(', ')}, or latest` : 'no version is imported'
    const message = `there is no version ${JSON.stringify(version.slice(0, 20))}; ${accepted}`
    return new EngineError('bad_input', message, { at: 'version' })
  }

  /** Returns the dictionary with this URI, or undefined if it has not been imported. */
  dictionary(uri: string): Promise<Dictionary | undefined> {
    return this.#reads.dictionary(uri)
  }

  /**
   * Replaces the version that a dictionary documents, and stores the dictionary itself for reading files. All
   * files are checked before anything is stored in one transaction.
   * @throws EngineError like readDictionary, readPages, readSections, readLookups, readMembers and
   *   composeItems; `bad_input` for documentation of a dictionary that has no version, and with `strict` for a
   *   look-up table that is too large
   */
  async import(
    files: NaaccrFiles,
    { dryRun = false, strict = false, signal }: ImportNaaccr = {},
  ): Promise<ImportedNaaccr> {
    const dictionary = await readDictionary(files.dictionary, signal)
    const isOfVersion = versionOf(dictionary.uri) !== undefined
    if (!isOfVersion) refuseDocumentation(files)
    const documented = isOfVersion ? await readVersion(dictionary, files, signal) : undefined
    if (strict) refuseLeftOut(documented?.report.leftOut ?? [])
    signal?.throwIfAborted()
    const change = await this.#state.write(async (transaction) => {
      const edits = new NaaccrEdits(transaction)
      const before = await edits.dictionary(dictionary.uri)
      const isSame = isDeepStrictEqual(before, dictionary)
      if (!isSame && !dryRun) await edits.putDictionary(dictionary)
      const ofDictionary = isSame ? 'same' : before ? 'changed' : 'added'
      if (!documented) return ofDictionary
      const ofItems = await putVersion(edits, documented, dryRun)
      // Earlier releases stored items without their dictionary.
      return ofItems === 'same' && !isSame ? 'changed' : ofItems
    })
    const { uri: address, items } = dictionary
    const none = { items: items.length, retired: 0, withoutPage: 0, coded: 0, leftOut: [] }
    return { dictionary: address, change, ...(documented?.report ?? none) }
  }
}

async function putVersion(
  edits: NaaccrEdits,
  { version, items }: ReadVersion,
  dryRun: boolean,
): Promise<ImportedNaaccr['change']> {
  const known = await edits.versions()
  const before = known.find((one) => one.version === version.version)
  const isSame =
    isDeepStrictEqual(before, version) &&
    isDeepStrictEqual(await edits.items(version.version), items)
  const stored = items.map((item) => storedItem(version.version, item))
  if (!isSame && !dryRun) await edits.put(version, stored)
  return isSame ? 'same' : before ? 'changed' : 'added'
}

/** A version to store, with the report of its import. */
interface ReadVersion {
  readonly version: NaaccrVersion
  readonly items: readonly NaaccrItem[]
  readonly report: Omit<ImportedNaaccr, 'dictionary' | 'change'>
}

async function readVersion(
  dictionary: Dictionary,
  files: NaaccrFiles,
  signal: AbortSignal | undefined,
): Promise<ReadVersion> {
  const { leftOut, ...sources } = await readSources(dictionary, files, signal)
  const { version, items: inDictionary } = sources.dictionary
  const items = composeItems(sources)
  const report = {
    version: version.version,
    leftOut,
    items: items.length,
    retired: items.length - inDictionary.size,
    withoutPage: [...inDictionary.keys()].filter((id) => !sources.pages.has(id)).length,
    coded: items.filter((item) => item.allowed_codes).length,
  }
  return { version, items, report }
}

const OF_VERSIONS = ['documentation', 'sections', 'lookups', 'members'] as const

function refuseDocumentation(files: NaaccrFiles): void {
  const at = OF_VERSIONS.find((name) => files[name] !== undefined)
  if (at === undefined) return
  const name = basename(files.dictionary)
  const message = `"${name}" is a dictionary of a registry's own items, which have no documentation; leave ${at} out`
  throw new EngineError('bad_input', message, { at })
}

function refuseLeftOut(tables: readonly string[]): void {
  if (tables.length === 0) return
  const message = `${tables.join(', ')} of the look-ups cannot be taken: a response would be too large; remove ${tables.length === 1 ? 'it' : 'them'}, or import without strict`
  throw new EngineError('bad_input', message, { at: 'lookups' })
}

const named = (version: string) => (version === 'latest' ? undefined : version)

async function readSources(
  given: Dictionary,
  files: NaaccrFiles,
  signal: AbortSignal | undefined,
): Promise<ItemSources & { readonly leftOut: readonly string[] }> {
  const dictionary = documentedIn(given, files.dictionary)
  const { version } = dictionary.version
  const { documentation, sections, lookups, members } = files
  const pages = documentation === undefined ? NONE : await readPages(documentation, version, signal)
  const ofSections = sections === undefined ? NONE : await readSections(sections, signal)
  const found = lookups === undefined ? undefined : await readLookups(lookups, version, signal)
  const ofMembers = members === undefined ? NONE : await readMembers(members, signal)
  return {
    dictionary,
    pages,
    sections: ofSections,
    members: ofMembers,
    codes: found?.codes ?? NONE,
    leftOut: found?.leftOut ?? [],
  }
}

function documentedIn(dictionary: Dictionary, path: string): DocumentedVersion {
  try {
    return documentedVersion(dictionary)
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

function storedItem(version: string, item: NaaccrItem): StoredItem {
  const { item_number, xml_naaccr_id, item_name, alternate_names = [] } = item
  const texts = [item_number, xml_naaccr_id, item_name, ...alternate_names]
  return {
    version,
    number: Number(item_number),
    item,
    id: xml_naaccr_id,
    name: item_name,
    versionImplemented: item.version_implemented,
    words: foldText(texts.filter((text) => text !== undefined).join('\n')),
  }
}
