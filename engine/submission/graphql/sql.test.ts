import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { every, type Sql, some, sql } from './sql.ts'

function found(condition: Sql): unknown {
  const database = new DatabaseSync(':memory:')
  try {
    return database.prepare(`SELECT ${condition.text} AS found`).get(...condition.values)
  } finally {
    database.close()
  }
}

// SQLite rejects expressions that are nested more than 1,000 levels deep.
test.each([1, 16, 17, 5000])('%i conditions are one that the database takes', (count) => {
  const others = Array.from({ length: count - 1 }, (_, i) => i)
  const isTrue = others.map((i) => sql`${i} = ${i}`)
  const isFalse = others.map((i) => sql`${i} = ${i + 1}`)
  expect(found(every([...isTrue, sql`1 = 1`]))).toMatchObject({ found: 1 })
  expect(found(every([...isTrue, sql`1 = 2`]))).toMatchObject({ found: 0 })
  expect(found(some([...isFalse, sql`1 = 1`]))).toMatchObject({ found: 1 })
  expect(found(some([...isFalse, sql`1 = 2`]))).toMatchObject({ found: 0 })
})
