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
import { rowsOf } from './database.ts'
import type { Staging } from './staging.ts'

/** What a record says of the case that it belongs to. */
export interface CaseLink {
  readonly case_id?: string
  readonly submitter_id?: string
}

/** The cases that the names of one table may mean. */
export interface TableCases {
  /** The case of a sample or aliquot, by its id or its submitter's name. */
  ofEntity(name: string): CaseLink | undefined
  /** Whether another source or the release has the case. */
  has(link: CaseLink): boolean
  /** Whether there are any cases. */
  readonly hasCases: boolean
  /** The only case of the file, as the file's own record has it. */
  readonly ofFile: CaseLink | undefined
  /** The file's id, where one record alone is of it. */
  readonly fileId: string | undefined
  /** What `openCases` makes the same of in another thread; `undefined` when there are too many. */
  copy?(): Promise<CasesCopy | undefined>
}

/** The case and the id of the table's own file. */
type AboutFile = Pick<TableCases, 'ofFile' | 'fileId'>

/** Cases on disk. */
export interface CasesCopy extends AboutFile {
  readonly path: string
  /** Names and ids. */
  readonly count: number
}

/** Names and ids that a thread holds as well as this one. */
const MAX_COPIED = 100_000
const COPIED_BYTES = 150

interface CaseNames {
  readonly links: ReadonlyMap<string, CaseLink>
  /** Names of cases. */
  readonly names: ReadonlySet<string>
  /** Ids of cases by what is of them; '' where that is of several. */
  readonly entities: ReadonlyMap<string, string>
}

function tableCases({ links, names, entities }: CaseNames, about: AboutFile): TableCases {
  return {
    ofEntity: (name) => {
      const key = name.toLowerCase()
      const id = entities.get(key) ?? (links.has(key) ? key : undefined)
      return id ? (links.get(id) ?? { case_id: id }) : undefined
    },
    has: ({ case_id: id, submitter_id: name }) =>
      (id !== undefined && links.has(id)) || (name !== undefined && names.has(name)),
    hasCases: links.size > 0,
    ...about,
  }
}

/** Cases that were copied for another thread, which keeps them for the next table. */
export function openCases({ path, count, ...about }: CasesCopy, scratch: Scratch): TableCases {
  const { names } = scratch.cached(path, () => ({
    bytes: count * COPIED_BYTES,
    names: readNames(path),
  }))
  return tableCases(names, about)
}

function readNames(path: string): CaseNames {
  const [links, names, entities] = JSON.parse(readFileSync(path, 'utf8'))
  return { links: new Map(links), names: new Set(names), entities: new Map(entities) }
}

const CASES = DATASET_NAMES.indexOf('cases')
const FILES = DATASET_NAMES.indexOf('files')

interface FileCases {
  readonly fileIds: Set<string>
  readonly caseIds: Set<string>
}

/** Finds cases for tables that do not name them, in all that was staged before. */
export class CaseLinks {
  readonly #links = new Map<string, CaseLink>()
  /** Names of cases. */
  readonly #names = new Set<string>()
  /** Ids of cases by what is of them; '' where that is of several. */
  readonly #entities = new Map<string, string>()
  /** By file id and by file name. */
  readonly #files = new Map<string, FileCases>()
  readonly #folder: string
  #copied: Promise<string> | undefined

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @param files the tables; records of other files are not looked at */
  static async open(staging: Staging, files: readonly SourceFile[]): Promise<CaseLinks> {
    staging.flush()
    const links = new CaseLinks(staging.folder)
    await links.#readCases(staging)
    for await (const { name, caseId } of specimenNames(staging)) links.#note(name, caseId)
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
    const known = { links: this.#links, names: this.#names, entities: this.#entities }
    return { ...tableCases(known, about), copy: () => this.#copy(about) }
  }

  /** A copy for other threads, each of which reads it once; `undefined` when it would take too much. */
  async #copy(about: AboutFile): Promise<CasesCopy | undefined> {
    const count = this.#links.size + this.#names.size + this.#entities.size
    if (count > MAX_COPIED) return undefined
    this.#copied ??= this.#writeCopy()
    return { path: await this.#copied, count, ...about }
  }

  async #writeCopy(): Promise<string> {
    // Threads live longer than an import, and know a copy by its path.
    const path = join(this.#folder, `cases-${randomUUID()}.json`)
    const all = [[...this.#links], [...this.#names], [...this.#entities]]
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

  /** Gives what is known of the file by its id and by its name. */
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
    // A barcode names its case itself.
    if (name === undefined || caseId === undefined || caseInBarcode(name)) return
    const key = name.toLowerCase()
    const known = this.#entities.get(key)
    const isOther = known !== undefined && this.#keyOf(known) !== this.#keyOf(caseId)
    this.#entities.set(key, isOther ? '' : caseId)
  }
}

const ID_LISTS = ['sample_ids', 'submitter_sample_ids', 'aliquot_ids', 'submitter_aliquot_ids']

/** All names and ids of specimens, with the case that each source says they are of. */
export async function* specimenNames(
  staging: Staging,
): AsyncGenerator<{ readonly name: string; readonly caseId: string }, void, undefined> {
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
    const names: string[] = []
    eachSpecimen({ samples: JSON.parse(text) }, (specimen, { idField }) => {
      for (const member of [idField, 'submitter_id']) names.push(textIn(specimen[member]) ?? '')
    })
    for (const name of names) if (name !== '') yield { name, caseId: id }
  }
}

/** What records may call a file: the folder that a download client puts it in, its own name. */
function namesOf({ path }: SourceFile): readonly [string, ...string[]] {
  const name = basename(path)
  // A file may have been unpacked, or packed, since.
  return [basename(dirname(path)).toLowerCase(), name, name.replace(/\.gz$/, ''), `${name}.gz`]
}

export async function* documentsOf(
  staging: Staging,
  where: string,
): AsyncGenerator<{ readonly id: string; readonly document: JsonObject }, void, undefined> {
  const sql = `SELECT p.id, p.place, p.length FROM parts p WHERE ${where} ORDER BY p.place`
  for await (const { id, text } of textsOf(staging, sql)) yield { id, document: JSON.parse(text) }
}

/** @param sql a query of ids and the places of texts */
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
