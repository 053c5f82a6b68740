import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../database.ts'
import { SessionDatabase } from '../session-database.ts'
import { CallingBackend } from './calling-backend.ts'

let folder: string
let blocking: DatabaseSync
let database: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-calling-'))
  const path = join(folder, 'state.sqlite')
  // A statement that cannot get the lock at once fails instead of waiting.
  blocking = new DatabaseSync(path, { timeout: 0 })
  blocking.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (value INTEGER NOT NULL) STRICT')
  database = new SessionDatabase(new CallingBackend(path, 'state database'))
})
afterEach(async () => {
  await database.close()
  blocking.close()
  rmSync(folder, { recursive: true })
})

const values = () =>
  database.read(async (rows) => {
    const all = await rows.all<{ value: number }>('SELECT value FROM rows ORDER BY value')
    return all.map(({ value }) => value)
  })

test('a blocking write of the same thread never comes into the middle of a transaction', async () => {
  let isOver = false
  let blocked = 0
  /** Fills many turns of the promise queue, each with a blocking write. */
  const block = async () => {
    for (; !isOver; blocked++) {
      blocking.exec('BEGIN IMMEDIATE; INSERT INTO rows VALUES (-1); COMMIT')
      await (blocked % 10 === 9 ? new Promise((resolve) => setImmediate(resolve)) : undefined)
    }
  }
  const blocker = block()
  const inserts = Array.from({ length: 20 }, (_, i) =>
    database.write(async (transaction) => {
      await transaction.run('INSERT INTO rows VALUES (?)', [2 * i])
      for await (const _ of transaction.each('SELECT value FROM rows'));
      await transaction.runEach('INSERT INTO rows VALUES (?)', [[2 * i + 1]])
    }),
  )
  await Promise.all(inserts)
  isOver = true
  await blocker
  const given = (await values()).filter((value) => value >= 0)
  expect(given).toEqual(Array.from({ length: 40 }, (_, i) => i))
  expect(blocked).toBeGreaterThan(20)
})

test('what is read is one moment, also while others write', async () => {
  const seen = await database.read(async (rows) => {
    const count = async () => (await rows.all('SELECT value FROM rows')).length
    const before = await count()
    blocking.exec('INSERT INTO rows VALUES (1)')
    await new Promise((resolve) => setImmediate(resolve))
    return [before, await count()]
  })
  expect(seen).toEqual([0, 0])
  expect(await values()).toEqual([1])
})

test('a transaction that fails leaves nothing, and the next goes on', async () => {
  const failing = database.write(async (transaction) => {
    await transaction.run('INSERT INTO rows VALUES (1)')
    throw new Error('halfway')
  })
  await expect(failing).rejects.toThrow('halfway')
  await database.write((transaction) => transaction.run('INSERT INTO rows VALUES (2)'))
  expect(await values()).toEqual([2])
})

test('as many reads at the same time as anybody likes are answered', async () => {
  const all = await Promise.all(Array.from({ length: 500 }, values))
  expect(all).toEqual(Array.from({ length: 500 }, () => []))
})

test('a question without a transaction sees what was written last, and leaves none open', async () => {
  const ask = () => database.ask<{ value: number }>('SELECT value FROM rows')
  expect(await ask()).toEqual([])
  blocking.exec('INSERT INTO rows VALUES (1)')
  expect((await ask()).map(({ value }) => value)).toEqual([1])
  await expect(database.ask('SELECT missing FROM rows')).rejects.toThrow('no such column')
  expect((await ask()).map(({ value }) => value)).toEqual([1])
})

test('a lock that another process keeps for too long is reported as busy', async () => {
  await database.write((transaction) => transaction.all('PRAGMA busy_timeout = 20'))
  blocking.exec('BEGIN IMMEDIATE')
  const write = () => database.write((rows) => rows.run('INSERT INTO rows VALUES (1)'))
  await expect(write()).rejects.toMatchObject({ code: 'busy' })
  blocking.exec('ROLLBACK')
  await write()
  expect(await values()).toEqual([1])
})

test('large transactions are written back one by one, and never many in one turn', async () => {
  blocking.exec('CREATE TABLE texts (text TEXT NOT NULL) STRICT')
  for (let i = 0; i < 12; i++) {
    await database.write((transaction) =>
      transaction.run('INSERT INTO texts VALUES (?)', ['x'.repeat(2 << 20)]),
    )
  }
  // After a checkpoint, the next transaction overwrites the log from its start.
  expect(statSync(join(folder, 'state.sqlite-wal')).size).toBeLessThan(12 << 20)
})
