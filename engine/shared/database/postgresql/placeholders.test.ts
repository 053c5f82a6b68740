import { expect, test } from 'vitest'
import { numbered, rowsInsert } from './placeholders.ts'

test('each placeholder gets its number', () => {
  expect(numbered('SELECT a FROM t WHERE b = ? AND c IN (?, ?)')).toBe(
    'SELECT a FROM t WHERE b = $1 AND c IN ($2, $3)',
  )
})

test('question marks in texts, names and comments stay', () => {
  const sql = `SELECT '?', 'it''s ?', "na?me", "a""?" -- why?
    FROM t /* what? */ WHERE b = ?`
  expect(numbered(sql)).toBe(`${sql.slice(0, -1)}$1`)
})

test('an INSERT of one row becomes one of an array for each column', () => {
  const insert = rowsInsert('INSERT INTO t (a, b) VALUES (?, ?)')
  expect(insert).toMatchObject({ table: 't', columns: ['a', 'b'] })
  expect(insert?.sqlOf(['text', 'bigint'])).toBe(
    'INSERT INTO t (a, b) SELECT * FROM unnest($1::text[], $2::bigint[])',
  )
  const silent = rowsInsert('insert into t\n (a) values (?)\n on conflict (a) do nothing')
  expect(silent?.sqlOf(['text'])).toBe(
    'INSERT INTO t (a) SELECT * FROM unnest($1::text[])\n on conflict (a) do nothing',
  )
})

test.each([
  'INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = excluded.a',
  'INSERT INTO t (a) VALUES (?) RETURNING a',
  "INSERT INTO t (a, b) VALUES (?, 'x')",
  'INSERT INTO t VALUES (?)',
  'INSERT INTO t (a) SELECT a FROM u WHERE b = ?',
  'UPDATE t SET a = ? WHERE b = ?',
  'DELETE FROM t WHERE a = ?',
])('a statement is left alone whose rows may meet, or that is another: %s', (sql) => {
  expect(rowsInsert(sql)).toBeUndefined()
})
