import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Scratch } from '../../shared/executor.ts'
import { type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import type { SourceFile } from '../../shared/input/source-file.ts'
import { DATASET_NAMES } from '../datasets/define.ts'
import { caseInBarcode } from './biospecimen/barcode.ts'
import { eachSpecimen } from './biospecimen/levels.ts'
import { kindInBarcode, kindOfSample, type SpecimenKind } from './biospecimen/specimen-kind.ts'
import { rowsOf } from './database.ts'
import type { Staging } from './staging.ts'

/** Reference from a record to its case. */
export interface CaseLink {
  readonly case_id?: string
  readonly submitter_id?: string
}

/** The cases to which names in one table may refer. */
export interface TableCases {
  /** Returns the case of a sample or aliquot, by its id or submitter id. */
  ofEntity(name: string): CaseLink | undefined
  /** Returns whether several cases have a specimen with this name or id, so that it identifies no case. */
  isShared(name: string): boolean
  /** Returns whether a specimen is of tumor or normal tissue: by its TCGA barcode, or otherwise by its sample. */
  kindOf(name: string): SpecimenKind | undefined
  /** Returns whether another source or the release has the case. */
  has(link: CaseLink): boolean
  /** Whether any cases are known. */
  readonly hasCases: boolean
  /** The only case of the table's file, according to the file's record. */
  readonly ofFile: CaseLink | undefined
  /** Id of the file, if exactly one record describes the file. */
  readonly fileId: string | undefined
  /** Writes a copy that `openCases` can open in another thread. Returns undefined if there are too many cases. */
  copy?(): Promise<CasesCopy | undefined>
}

/** Case and id of the table's file. */
type AboutFile = Pick<TableCases, 'ofFile' | 'fileId'>

/** Reference to a copy of the cases on disk. */
export interface CasesCopy extends AboutFile {
  readonly path: string
  /** Number of names and ids in the copy. */
  readonly count: number
}

/** Maximum number of names and ids to copy, because each thread keeps the copy in memory. */
const MAX_COPIED = 100_000
const COPIED_BYTES = 150

interface CaseNames {
  readonly links: ReadonlyMap<string, CaseLink>
  /** Names of cases. */
  readonly names: ReadonlySet<string>
  /** Case ids, keyed by the name or id of a specimen. Empty if it belongs to several cases. */
  readonly entities: ReadonlyMap<string, string>
  /** Kinds of specimens, keyed like `entities`. Empty if sources disagree. */
  readonly kinds: ReadonlyMap<string, SpecimenKind | ''>
}

function tableCases({ links, names, entities, kinds }: CaseNames, about: AboutFile): TableCases {
  return {
    ofEntity: (name) => {
      const key = name.toLowerCase()
      const id = entities.get(key) ?? (links.has(key) ? key : undefined)
      return id ? (links.get(id) ?? { case_id: id }) : undefined
    },
    isShared: (name) => entities.get(name.toLowerCase()) === '',
    kindOf: (name) => kindInBarcode(name) ?? (kinds.get(name.toLowerCase()) || undefined),
    has: ({ case_id: id, submitter_id: name }) =>
      (id !== undefined && links.has(id)) || (name !== undefined && names.has(name)),
    hasCases: links.size > 0,
    ...about,
  }
}

/** Opens a copy of the cases in another thread. The thread caches it for the next table. */
export function openCases({ path, count, ...about }: CasesCopy, scratch: Scratch): TableCases {
  const { names } = scratch.cached(path, () => ({
    bytes: count * COPIED_BYTES,
    names: readNames(path),
  }))
  return tableCases(names, about)
}

function readNames(path: string): CaseNames {
  const [links, names, entities, kinds] = JSON.parse(readFileSync(path, 'utf8'))
  return {
    links: new Map(links),
    names: new Set(names),
    entities: new Map(entities),
    kinds: new Map(kinds),
  }
}

const CASES = DATASET_NAMES.indexOf('cases')
const FILES = DATASET_NAMES.indexOf('files')

interface FileCases {
  readonly fileIds: Set<string>
  readonly caseIds: Set<string>
}

/** Finds the cases of tables that do not name cases themselves, with the help of everything that is staged so far. */
export class CaseLinks {
  readonly #links = new Map<string, CaseLink>()
  /** Names of cases. */
  readonly #names = new Set<string>()
  /** Case ids, keyed by the name or id of a specimen. Empty if it belongs to several cases. */
  readonly #entities = new Map<string, string>()
  /** Kinds of specimens, keyed by name or id. Empty if sources disagree. */
  readonly #kinds = new Map<string, SpecimenKind | ''>()
  /** Files, keyed by id and by name. */
  readonly #files = new Map<string, FileCases>()
  readonly #folder: string
  #copied: Promise<string> | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Reads the cases and the records of the tables' files.
   * @param files tables to find cases for
   */
  static async open(staging: Staging, files: readonly SourceFile[]): Promise<CaseLinks> {
    for (const dataset of ['cases', 'files'] as const) await staging.unsort(dataset)
    staging.flush()
    const links = new CaseLinks(staging.folder)
    await links.#readCases(staging)
    for await (const { name, caseId, kind } of specimenNames(staging)) {
      links.#note(name, caseId)
      links.#noteKind(name, kind)
    }
    await links.#readFiles(staging, files)
    return links
  }

  of(file: SourceFile): TableCases {
    const [folder, ...names] = namesOf(file)
    const found =
      this.#files.get(folder) ?? names.map((name) => this.#files.get(name)).find(Boolean)
    const links = new Map(
      [...(found?.caseIds ?? [])].map((id) => [this.#keyOf(id), this.#linkOf(id)]),
    )
    const fileIds = [...(found?.fileIds ?? [])]
    const about = {
      ofFile: links.size === 1 ? [...links.values()][0] : undefined,
      fileId: fileIds.length === 1 ? fileIds[0] : undefined,
    }
    const known: CaseNames = {
      links: this.#links,
      names: this.#names,
      entities: this.#entities,
      kinds: this.#kinds,
    }
    return { ...tableCases(known, about), copy: () => this.#copy(about) }
  }

  /** Writes a copy for other threads, once. Returns undefined if it would be too large. */
  async #copy(about: AboutFile): Promise<CasesCopy | undefined> {
    const count = this.#links.size + this.#names.size + this.#entities.size + this.#kinds.size
    if (count > MAX_COPIED) return undefined
    this.#copied ??= this.#writeCopy()
    return { path: await this.#copied, count, ...about }
  }

  async #writeCopy(): Promise<string> {
    // Threads outlive an import and cache a copy by its path, so the path must be unique.
    const path = join(this.#folder, `cases-${randomUUID()}.json`)
    const all = [[...this.#links], [...this.#names], [...this.#entities], [...this.#kinds]]
    await writeFile(path, JSON.stringify(all))
    return path
  }

  #linkOf(id: string): CaseLink {
    return this.#links.get(id) ?? { case_id: id }
  }

  #keyOf(id: string): string {
    return this.#linkOf(id).submitter_id ?? id
  }

  async #readCases({ database }: Staging): Promise<void> {
    const sql = `SELECT p.id, n.name, n.made FROM
        (SELECT DISTINCT id FROM parts WHERE dataset = ${CASES}) p
      LEFT JOIN (SELECT DISTINCT id, name, made FROM names WHERE dataset = ${CASES}) n
        ON n.id = p.id ORDER BY ALL`
    for await (const rows of rowsOf(database, sql)) {
      for (const [id, name, isMade] of rows) {
        if (name === null) {
          this.#links.set(String(id), { case_id: String(id) })
          continue
        }
        const link = { submitter_id: String(name) }
        this.#names.add(link.submitter_id)
        this.#links.set(String(id), isMade ? link : { case_id: String(id), ...link })
      }
    }
  }

  async #readFiles(staging: Staging, files: readonly SourceFile[]): Promise<void> {
    const { database } = staging
    await database.connection.run('CREATE TABLE wanted_files (name VARCHAR)')
    const wanted = await database.connection.createAppender('wanted_files')
    for (const name of new Set(files.flatMap(namesOf))) {
      wanted.appendVarchar(name)
      wanted.endRow()
    }
    wanted.closeSync()
    const named = `SELECT name FROM wanted_files`
    const isWanted = (id: string) => `(${id} IN (${named}) OR ${id} IN
      (SELECT id FROM names WHERE dataset = ${FILES} AND name IN (${named})))`
    const where = `p.dataset = ${FILES} AND ${isWanted('p.id')}`
    const found = new Map<string, readonly FileCases[]>()
    for await (const { id, document } of documentsOf(staging, where)) {
      found.set(id, [...(found.get(id) ?? []), ...this.#noteFile(id, document)])
    }
    const links = `SELECT DISTINCT file_id, case_id FROM links WHERE ${isWanted('file_id')}`
    for await (const rows of rowsOf(database, links)) {
      for (const [id, caseId] of rows) {
        for (const file of found.get(String(id)) ?? []) file.caseIds.add(String(caseId))
      }
    }
    await database.connection.run('DROP TABLE wanted_files')
  }

  /** Collects the entities of a file. Returns its entries under its id and its name. */
  #noteFile(id: string, file: JsonObject): readonly FileCases[] {
    for (const entity of objectsIn(file.associated_entities)) {
      const caseId = textIn(entity.case_id)?.toLowerCase()
      for (const member of ['entity_id', 'entity_submitter_id']) {
        this.#note(textIn(entity[member]), caseId)
      }
    }
    return [id, textIn(file.file_name) ?? ''].map((key) => {
      const known = this.#files.get(key) ?? { fileIds: new Set(), caseIds: new Set() }
      this.#files.set(key, known)
      known.fileIds.add(id)
      return known
    })
  }

  #note(name: string | undefined, caseId: string | undefined): void {
    // A barcode itself names its case.
    if (name === undefined || caseId === undefined || caseInBarcode(name)) return
    const key = name.toLowerCase()
    const known = this.#entities.get(key)
    const isOther = known !== undefined && this.#keyOf(known) !== this.#keyOf(caseId)
    this.#entities.set(key, isOther ? '' : caseId)
  }

  #noteKind(name: string, kind: SpecimenKind | undefined): void {
    // A barcode shows by itself whether its specimen is of tumor or normal tissue.
    if (kind === undefined || kindInBarcode(name) !== undefined) return
    const key = name.toLowerCase()
    const known = this.#kinds.get(key) ?? kind
    this.#kinds.set(key, known === kind ? kind : '')
  }
}

const ID_LISTS = ['sample_ids', 'submitter_sample_ids', 'aliquot_ids', 'submitter_aliquot_ids']

/** The name or id of a specimen, the case to which a source assigns it, and its kind if the source states one. */
interface NamedSpecimen {
  readonly name: string
  readonly caseId: string
  readonly kind?: SpecimenKind | undefined
}

/** Yields all names and ids of specimens, each with the case to which a source assigns it. */
export async function* specimenNames(
  staging: Staging,
): AsyncGenerator<NamedSpecimen, void, undefined> {
  for await (const { id, document } of documentsOf(staging, `p.dataset = ${CASES}`)) {
    for (const list of ID_LISTS) {
      const names = document[list]
      if (!Array.isArray(names)) continue
      for (const name of names) if (typeof name === 'string') yield { name, caseId: id }
    }
  }
  const sql = `SELECT case_id, place, length FROM specimens
    UNION SELECT case_id, place, length FROM links WHERE place IS NOT NULL`
  for await (const { id, text } of textsOf(staging, sql)) {
    const found: NamedSpecimen[] = []
    let kind: SpecimenKind | undefined
    eachSpecimen({ samples: JSON.parse(text) }, (specimen, { name: level, idField }) => {
      // Specimens made from a sample are visited after the sample.
      if (level === 'samples') kind = kindOfSample(specimen)
      for (const member of [idField, 'submitter_id']) {
        const name = textIn(specimen[member])
        if (name !== undefined && name !== '') found.push({ name, caseId: id, kind })
      }
    })
    yield* found
  }
}

/** Returns the names by which records may refer to a file: the name of its download folder, and its own name. */
function namesOf({ path }: SourceFile): readonly [string, ...string[]] {
  const name = basename(path)
  // The file may have been compressed or decompressed since.
  return [basename(dirname(path)).toLowerCase(), name, name.replace(/\.gz$/, ''), `${name}.gz`]
}

async function* documentsOf(
  staging: Staging,
  where: string,
): AsyncGenerator<{ readonly id: string; readonly document: JsonObject }, void, undefined> {
  const sql = `SELECT p.id, p.place, p.length FROM parts p WHERE ${where} ORDER BY p.place`
  for await (const { id, text } of textsOf(staging, sql)) yield { id, document: JSON.parse(text) }
}

/**
 * Yields texts from the spool with their ids.
 * @param sql query with the columns id, offset and length
 */
async function* textsOf(
  { database, spool }: Staging,
  sql: string,
): AsyncGenerator<{ readonly id: string; readonly text: string }, void, undefined> {
  for await (const rows of rowsOf(database, sql)) {
    for (const [id, offset, length] of rows) {
      const text = spool.read({ offset: Number(offset), length: Number(length) })
      yield { id: String(id), text }
    }
  }
}
