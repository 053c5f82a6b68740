import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Product, WEIGHTS } from './input.ts'
import { PAGE, type Question } from './questions.ts'
import { plainWords, spaced } from './words.ts'

/** What a peer answers: how many there are, and ids of the page. */
interface Answer {
  readonly total: number
  readonly ids: readonly string[]
}

export interface Peers {
  /** By LIKE over a text of all words; without ranks, in order of ids. */
  like(question: Question): Answer
  /** By the full-text index that comes with SQLite, ranked by its BM25 with the same weights. */
  fullText(question: Question): Answer
  /** Puts the text of a product anew, with what finds it. */
  replace(product: Product, place: number): void
  close(): void
}

const TABLES = `
  CREATE TABLE product (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, type TEXT NOT NULL,
    started TEXT, removed TEXT NOT NULL, words TEXT NOT NULL
  );
  CREATE INDEX product_name ON product (name, id);
  CREATE VIRTUAL TABLE word USING fts5 (
    code, name, substance, rest, prefix = '1 2 3', tokenize = "unicode61 tokenchars '-/.'"
  );
`
const RANK = `bm25(word, ${Object.values(WEIGHTS).join(', ')}), place`
const WITH_PRODUCT = 'word JOIN product ON place = word.rowid'

/** A statement for how many there are and one for the page, which takes an offset besides. */
interface Request {
  readonly count: string
  readonly page: string
  readonly values: readonly SQLInputValue[]
}

/** The same products in a database in memory. */
export function openPeers(products: readonly Product[]): Peers {
  const database = new DatabaseSync(':memory:')
  database.exec(TABLES)
  const replace = replacing(database)
  database.exec('BEGIN')
  for (const [place, product] of products.entries()) replace(product, place)
  database.exec("COMMIT; INSERT INTO word (word) VALUES ('optimize'); ANALYZE")
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, known)
    return known
  }
  const answer = ({ count, page, values }: Request, { offset = 0 }: Question): Answer => {
    const counted = prepared(`SELECT count(*) AS total FROM ${count}`).get(...values)
    const rows = prepared(`${page} LIMIT ${PAGE} OFFSET ?`).all(...values, offset)
    return { total: Number(counted?.total), ids: rows.map(({ id }) => String(id)) }
  }
  return {
    replace,
    like: (question) => answer(likeRequest(question), question),
    fullText: (question) => answer(fullTextRequest(question), question),
    close: () => database.close(),
  }
}

function replacing(database: DatabaseSync): Peers['replace'] {
  const product = database.prepare('REPLACE INTO product VALUES (?, ?, ?, ?, ?, ?, ?)')
  const words = database.prepare(
    'REPLACE INTO word (rowid, code, name, substance, rest) VALUES (?, ?, ?, ?, ?)',
  )
  return ({ id, code, name, substance, rest, type, started, removed }, place) => {
    const texts = [code, name, substance, rest].map(spaced)
    const folded = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
    product.run(place, id, folded, type, started || null, removed, texts.join(''))
    words.run(place, ...texts)
  }
}

function likeRequest(question: Question): Request {
  const { conditions, values, words, order, joint } = partsOf(question)
  const likes = words.map(() => 'words LIKE ?').join(joint)
  const from = `product${whereOf([...(likes ? [`(${likes})`] : []), ...conditions])}`
  return {
    count: from,
    page: `SELECT id FROM ${from} ORDER BY ${order ?? 'id'}`,
    values: [...words.map((word) => `% ${word}%`), ...values],
  }
}

function fullTextRequest(question: Question): Request {
  const { conditions, values, words, order, joint } = partsOf(question)
  if (words.length === 0) return likeRequest(question)
  const sought = words.map((word) => `"${word}"*`).join(joint)
  const where = whereOf(['word MATCH ?', ...conditions])
  const counted = conditions.length > 0 ? WITH_PRODUCT : 'word'
  const ranked = `SELECT id FROM ${WITH_PRODUCT}${where} ORDER BY ${order ?? RANK}`
  return { count: `${counted}${where}`, page: ranked, values: [sought, ...values] }
}

function partsOf({ q = '', mode, type, present, years, order }: Question) {
  const conditions: string[] = []
  const values: SQLInputValue[] = []
  if (type !== undefined) {
    conditions.push('type = ?')
    values.push(type)
  }
  if (present) conditions.push("removed = 'no'")
  if (years) {
    conditions.push('started >= ? AND started < ?')
    values.push(...years.map((year) => `${year}0000`))
  }
  return {
    conditions,
    values,
    words: plainWords(q),
    joint: mode ? ' AND ' : ' OR ',
    order: order && `product.name${order === '-name' ? ' DESC' : ''}, id`,
  }
}

const whereOf = (conditions: readonly string[]) =>
  conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
