import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { numberOf, openDatabase, rowsOf } from './database.ts'

// An appender writes its rows after 204,800 of them. On the same connection, that ended the reading.
test('rows are read to their end while others are appended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-database-'))
  const database = await openDatabase(folder, 1)
  try {
    const count = 300_000
    await database.connection.run(`
      CREATE TABLE source AS SELECT range AS n FROM range(${count});
      CREATE TABLE target (n INTEGER)`)
    const appender = await database.connection.createAppender('target')
    let read = 0
    for await (const rows of rowsOf(database, 'SELECT n FROM source ORDER BY n')) {
      for (const _ of rows) {
        appender.appendInteger(read++)
        appender.endRow()
      }
    }
    appender.closeSync()
    expect(read).toBe(count)
    expect(await numberOf(database, 'SELECT count(*) FROM target')).toBe(count)
  } finally {
    database.close()
    await rm(folder, { recursive: true })
  }
})
