import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../shared/database/database.ts'
import { inDialect, LEDGER, migrate, type TableSet } from '../../shared/database/migrations.ts'
import { SessionDatabase } from '../../shared/database/session-database.ts'
import { MemoryBackend } from '../../shared/database/sqlite/memory-backend.ts'
import type { Parameters } from '../../shared/database/values.ts'
import { columnsOf, flag, json, optional, plain } from './columns.ts'
import { Questions } from './questions.ts'
import { insertInto, upsertInto } from './statements.ts'

interface Book {
  readonly title: string
  readonly pages: number | null
  readonly isLent: boolean
  readonly authors: readonly string[] | null
  readonly note?: string | undefined
}

const BOOK = columnsOf<Book>({
  title: plain('book_title'),
  pages: plain('pages'),
  isLent: flag('is_lent'),
  authors: json('authors'),
  note: optional('note'),
})

const BOOKS: TableSet = {
  name: 'books',
  steps: [
    `CREATE TABLE books (shelf {text}, book_title {text}, pages {integer}, is_lent {integer},
      authors {text}, note {text}, PRIMARY KEY (shelf, book_title)) {strict}`,
  ],
}

let state: Database
beforeEach(async () => {
  const database = new SessionDatabase(new MemoryBackend())
  await database.changeSchema((_, script) => script(inDialect(LEDGER, 'sqlite')))
  await migrate(database, [BOOKS])
  state = database
})

const run = (sql: string, ...values: Parameters) =>
  state.write((transaction) => transaction.run(sql, values))
const all = (sql: string, ...values: Parameters) => new Questions(state).all(sql, ...values)

const FULL: Book = { title: 'b', pages: 3, isLent: true, authors: ['x', 'y'], note: 'n' }
const EMPTY: Book = { title: 'a', pages: null, isLent: false, authors: null, note: undefined }

const ADD = insertInto('books', ['shelf', ...BOOK.names])
const PUT = upsertInto('books', ['shelf', ...BOOK.names], ['shelf', 'book_title'])

test.each([FULL, EMPTY])('what is written is read again: %j', async (book) => {
  await run(ADD, '1', ...BOOK.values(book))
  const [row = {}] = await all('SELECT * FROM books')
  expect(BOOK.read(row)).toStrictEqual(book)
})

test('columns have what SQL compares: texts, numbers, 0 and 1, JSON, null', () => {
  expect(BOOK.names).toEqual(['book_title', 'pages', 'is_lent', 'authors', 'note'])
  expect(BOOK.values(FULL)).toEqual(['b', 3, 1, '["x","y"]', 'n'])
  expect(BOOK.values(EMPTY)).toEqual(['a', null, 0, null, null])
})

test('members without a column are not written', () => {
  const more = { secret: 's', ...FULL }
  expect(BOOK.values(more)).toEqual(BOOK.values(FULL))
})

test('a row with the same key is replaced, one with another key is not', async () => {
  const put = (shelf: string, book: Book) => run(PUT, shelf, ...BOOK.values(book))
  await put('1', FULL)
  await put('2', FULL)
  await put('1', { ...EMPTY, title: 'b' })
  const rows = await all('SELECT * FROM books ORDER BY shelf')
  expect(rows.map(BOOK.read)).toEqual([{ ...EMPTY, title: 'b' }, FULL])
  await expect(run(ADD, '1', ...BOOK.values(FULL))).rejects.toMatchObject({ kind: 'unique' })
})

test('a text with U+0000 equals none that is stored, and cannot be stored', async () => {
  await run(ADD, '1', ...BOOK.values(FULL))
  expect(await all('SELECT * FROM books WHERE book_title = ?', 'b\0')).toEqual([])
  await expect(run(ADD, '1\0', ...BOOK.values(FULL))).rejects.toMatchObject({ code: 'bad_input' })
})
