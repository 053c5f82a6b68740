import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, test } from 'vitest'
import { columnsOf, flag, json, optional, plain } from './columns.ts'
import { insertInto, Statements, upsertInto } from './statements.ts'

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

let statements: Statements
beforeEach(() => {
  const database = new DatabaseSync(':memory:')
  database.exec(`CREATE TABLE books (shelf TEXT, book_title TEXT, pages INTEGER, is_lent INTEGER,
    authors TEXT, note TEXT, PRIMARY KEY (shelf, book_title)) STRICT`)
  statements = new Statements(database)
})

const FULL: Book = { title: 'b', pages: 3, isLent: true, authors: ['x', 'y'], note: 'n' }
const EMPTY: Book = { title: 'a', pages: null, isLent: false, authors: null, note: undefined }

const ADD = insertInto('books', ['shelf', ...BOOK.names])
const PUT = upsertInto('books', ['shelf', ...BOOK.names], ['shelf', 'book_title'])

test.each([FULL, EMPTY])('what is written is read again: %j', (book) => {
  statements.run(ADD, '1', ...BOOK.values(book))
  const [row = {}] = statements.all('SELECT * FROM books')
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

test('a row with the same key is replaced, one with another key is not', () => {
  const put = (shelf: string, book: Book) => statements.run(PUT, shelf, ...BOOK.values(book))
  put('1', FULL)
  put('2', FULL)
  put('1', { ...EMPTY, title: 'b' })
  const rows = statements.all('SELECT * FROM books ORDER BY shelf')
  expect(rows.map(BOOK.read)).toEqual([{ ...EMPTY, title: 'b' }, FULL])
  expect(() => statements.run(ADD, '1', ...BOOK.values(FULL))).toThrow(/UNIQUE/)
})
