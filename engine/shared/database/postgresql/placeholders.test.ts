import { expect, test } from 'vitest'
import { numbered, widened } from './placeholders.ts'

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

test('an INSERT of one row becomes one of several', () => {
  expect(widened('INSERT INTO t (a, b) VALUES (?, ?)', 3)).toBe(
    'INSERT INTO t (a, b) VALUES (?, ?), (?, ?), (?, ?)',
  )
  expect(widened('insert into t\n values (?)\n on conflict (a) do nothing', 2)).toBe(
    'insert into t\n values (?), (?)\n on conflict (a) do nothing',
  )
})

test.each([
  'INSERT INTO t (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = excluded.a',
  'INSERT INTO t (a) VALUES (?) RETURNING a',
  "INSERT INTO t (a, b) VALUES (?, 'x')",
  'INSERT INTO t (a) SELECT a FROM u WHERE b = ?',
  'UPDATE t SET a = ? WHERE b = ?',
  'DELETE FROM t WHERE a = ?',
])('a statement is left alone whose rows may meet, or that is another: %s', (sql) => {
  expect(widened(sql, 2)).toBeUndefined()
})
