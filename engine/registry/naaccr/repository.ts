import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import type { Dictionary } from '../naaccr-xml/dictionary.ts'
import { columnsOf, json, optional, plain } from '../sql/columns.ts'
import { Questions } from '../sql/questions.ts'
import { insertInto, upsertInto } from '../sql/statements.ts'
import type { NaaccrItem, NaaccrVersion } from './model.ts'

export interface StoredItem {
  readonly version: string
  readonly number: number
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly versionImplemented?: string | undefined
  /** Folded words that searches look in. */
  readonly words: string
  readonly item: NaaccrItem
}

/** The members of an item in lists. */
type ListedItem = Omit<StoredItem, 'item'>

const LISTED = columnsOf<ListedItem>({
  version: plain('version'),
  number: plain('number'),
  id: optional('xml_id'),
  name: optional('name'),
  versionImplemented: optional('version_implemented'),
  words: plain('words'),
})

const DOCUMENT = json<NaaccrItem>('document')
const ADD_ITEM = insertInto('naaccr_items', [...LISTED.names, DOCUMENT.name])
const PUT_DICTIONARY = upsertInto('naaccr_dictionaries', ['uri', 'document'], ['uri'])
const PUT_VERSION = upsertInto('naaccr_versions', ['version', 'document'], ['version'])

const NEWEST = '(SELECT max(version) FROM naaccr_versions)'

/** Reads the documentation. All SQL of this folder is here. Nothing is cached, as other processes may import. */
export class NaaccrReads {
  readonly #questions: Questions

  constructor(source: Database | Rows) {
    this.#questions = new Questions(source)
  }

  async versions(): Promise<NaaccrVersion[]> {
    const rows = await this.#questions.all('SELECT document FROM naaccr_versions ORDER BY version')
    return rows.map(({ document }) => JSON.parse(document as string) as NaaccrVersion)
  }

  /**
   * Returns the items of a version, ordered by number. An unknown version has none.
   * @param version by default the newest
   */
  async listed(version: string | undefined): Promise<ListedItem[]> {
    const columns = LISTED.names.join(', ')
    const [of, values] = version === undefined ? [NEWEST, []] : ['?', [version]]
    const sql = `SELECT ${columns} FROM naaccr_items WHERE version = ${of} ORDER BY number`
    return (await this.#questions.all(sql, ...values)).map(LISTED.read)
  }

  /**
   * Returns an item.
   * @param key its id or its number
   */
  async item(version: string | undefined, key: string | number): Promise<NaaccrItem | undefined> {
    const [of, values] = version === undefined ? [NEWEST, []] : ['?', [version]]
    const column = typeof key === 'number' ? 'number' : 'xml_id'
    const sql = `SELECT document FROM naaccr_items WHERE version = ${of} AND ${column} = ?`
    const row = await this.#questions.first(sql, ...values, key)
    return row && DOCUMENT.read(row.document)
  }

  async dictionary(uri: string): Promise<Dictionary | undefined> {
    const sql = 'SELECT document FROM naaccr_dictionaries WHERE uri = ?'
    const row = await this.#questions.first(sql, uri)
    return row && (JSON.parse(row.document as string) as Dictionary)
  }

  async items(version: string): Promise<NaaccrItem[]> {
    const sql = 'SELECT document FROM naaccr_items WHERE version = ? ORDER BY number'
    return (await this.#questions.all(sql, version)).map((row) => DOCUMENT.read(row.document))
  }
}

/** Reads and writes within one transaction. */
export class NaaccrEdits extends NaaccrReads {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    super(transaction)
    this.#transaction = transaction
  }

  async putDictionary(dictionary: Dictionary): Promise<void> {
    await this.#transaction.run(PUT_DICTIONARY, [dictionary.uri, JSON.stringify(dictionary)])
  }

  /** Replaces a version and its items. */
  async put(version: NaaccrVersion, items: readonly StoredItem[]): Promise<void> {
    const name = version.version
    await this.#transaction.run(PUT_VERSION, [name, JSON.stringify(version)])
    await this.#transaction.run('DELETE FROM naaccr_items WHERE version = ?', [name])
    const rows = items.map((item) => [...LISTED.values(item), DOCUMENT.write(item.item)])
    await this.#transaction.runEach(ADD_ITEM, rows)
  }
}
