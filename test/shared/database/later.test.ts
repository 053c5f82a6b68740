import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LazyDatabase } from '../../../engine/shared/database/lazy-database.ts'
import { databasePath } from '../../../engine/shared/database/open.ts'
import { inlineThread } from '../../../engine/shared/database/sqlite/inline-thread.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-later-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ROOM = { name: 'notes', steps: ['CREATE TABLE notes (id {integer} PRIMARY KEY) {strict};'] }

const countNotes = (database: LazyDatabase) =>
  database.read(async (rows) => {
    const found = await rows.get<{ count: number }>('SELECT count(*) AS count FROM notes')
    return found?.count
  })

test('nothing is opened before it is asked, and all who ask at once share one', async () => {
  const path = databasePath(folder)
  const database = new LazyDatabase({ path, startThread: inlineThread }, [ROOM])
  expect(database.dialect).toBe('sqlite')
  expect(existsSync(path)).toBe(false)
  await Promise.all(
    [1, 2, 3].map((id) =>
      database.write((transaction) => transaction.run('INSERT INTO notes VALUES (?)', [id])),
    ),
  )
  expect(await countNotes(database)).toBe(3)
  await database.close()
})

test('what could not be opened is tried again with the next question', async () => {
  const path = join(folder, 'damaged', 'database.sqlite')
  await mkdir(join(folder, 'damaged'))
  await writeFile(path, 'this is no database, and long enough that it cannot be an empty one')
  const database = new LazyDatabase({ path, startThread: inlineThread }, [ROOM])
  await expect(countNotes(database)).rejects.toMatchObject({ code: 'corrupt_source' })
  await rm(path)
  expect(await countNotes(database)).toBe(0)
  await database.close()
})

test('one that nobody asked is closed without being opened', async () => {
  const path = join(folder, 'unasked.sqlite')
  const database = new LazyDatabase({ path, startThread: inlineThread }, [ROOM])
  await database.close()
  expect(existsSync(path)).toBe(false)
  await expect(countNotes(database)).rejects.toThrow('closed')
})
