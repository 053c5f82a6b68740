import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database, Rows, Transaction } from '../../../engine/shared/database/database.ts'
import { takeFolder } from '../../../engine/shared/database/folder-lock.ts'
import type { TableSet } from '../../../engine/shared/database/migrations.ts'
import {
  type DatabasePlace,
  databasePath,
  openDatabase,
} from '../../../engine/shared/database/open.ts'
import type { Thread, ThreadTask } from '../../../engine/shared/database/sqlite/protocol.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'
import { depth } from '../../depth.ts'
import { canRun, DIALECTS, prepareBed } from './support/dialects.ts'

const ROOM: TableSet = {
  name: 'tests',
  steps: ['CREATE TABLE names (name {text} PRIMARY KEY) {strict}'],
}
const names = (rows: Rows) => rows.all<{ name: string }>('SELECT name FROM names ORDER BY name')
const put = (name: string) => (tx: Transaction) => tx.run('INSERT INTO names VALUES (?)', [name])
const support = (file: string) => join(import.meta.dirname, 'support', file)

/** Starts a program, kills it after the given number of lines, and returns its output. */
async function killedAfter(lines: number, file: string, words: readonly string[]) {
  const child = spawn(process.execPath, [support(file), ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  const ended = once(child, 'exit')
  try {
    for await (const line of createInterface(child.stdout)) {
      if (said.push(line) === lines) child.kill('SIGKILL')
    }
    return said
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

describe.each(DIALECTS)('%s', (dialect) => {
  describe.runIf(canRun(dialect))('under faults', () => {
    const bed = prepareBed(dialect)
    const addressOf = (place: DatabasePlace) => ('url' in place ? place.url : place.path)

    test('a process that is killed while it writes loses nothing acknowledged and halves nothing', async () => {
      const place = await bed.place()
      const rounds = depth(4, 8, 20)
      const acknowledged: number[] = []
      for (let round = 0; round < rounds; round++) {
        const lines = 1 + ((round * 7) % 40)
        const words = [addressOf(place), String(round * 100_000)]
        const said = await killedAfter(lines, 'writing-child.ts', words)
        acknowledged.push(...said.map(Number))
      }
      expect(acknowledged.length).toBeGreaterThan(rounds)
      const database = await bed.open(place, [{ name: 'tests', steps: [''] }])
      const sql = 'SELECT batch, MAX(size) AS size, COUNT(*) AS n FROM rows GROUP BY batch'
      const batches = await database.read((rows) =>
        rows.all<{ batch: number; size: number; n: number }>(sql),
      )
      expect(batches.filter(({ size, n }) => size !== n)).toEqual([])
      const kept = new Set(batches.map(({ batch }) => batch))
      expect(acknowledged.filter((batch) => !kept.has(batch))).toEqual([])
    })

    describe('migrations', () => {
      const STEPS = [
        'CREATE TABLE names (name {text} PRIMARY KEY) {strict}',
        "INSERT INTO names VALUES ('from step 2'); CREATE TABLE more (id {numbered}) {strict}",
      ]

      test('are done once, whoever comes first', async () => {
        const place = await bed.place()
        const target = { name: 'tests', steps: STEPS }
        const databases = await Promise.all([1, 2, 3, 4].map(() => bed.open(place, [target])))
        const found = await Promise.all(databases.map((one) => one.read(names)))
        expect(found).toEqual(databases.map(() => [{ name: 'from step 2' }]))
      })

      test('go on from where they were, room by room', async () => {
        const place = await bed.place()
        const first = await bed.open(place, [{ name: 'tests', steps: STEPS.slice(0, 1) }])
        await first.write(put('mine'))
        const other = { name: 'other', steps: ['CREATE TABLE others (id {numbered}) {strict}'] }
        const second = await bed.open(place, [{ name: 'tests', steps: STEPS }, other])
        const kept = [{ name: 'from step 2' }, { name: 'mine' }]
        expect(await second.read(names)).toEqual(kept)
        expect(await first.read(names)).toEqual(kept)
      })

      test('that fail leave what was there', async () => {
        const place = await bed.place()
        const broken = { name: 'tests', steps: [...STEPS, 'CREATE TABLE names (x {text})'] }
        await expect(openDatabase(place, [broken])).rejects.toThrow()
        const database = await bed.open(place, [{ name: 'tests', steps: STEPS.slice(0, 1) }])
        expect(await database.read(names)).toEqual([])
      })

      test('of a newer version are refused', async () => {
        const place = await bed.place()
        await bed.open(place, [{ name: 'tests', steps: STEPS }])
        for (const tableSets of [[{ name: 'tests', steps: STEPS.slice(0, 1) }], []]) {
          await expect(openDatabase(place, tableSets)).rejects.toMatchObject({
            code: 'unavailable',
            message: expect.stringMatching(/step 2 of "tests", written by a newer casemill/),
          })
        }
      })
    })
  })
})

describe('an embedded database', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'casemill-database-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('whose thread dies tells all that wait, and goes on with another thread', async () => {
    const workers: Worker[] = []
    const startThread = (workerData: ThreadTask): Thread => {
      const entry = join(import.meta.dirname, '../../../workers/sqlite-entry.ts')
      const worker = new Worker(entry, { workerData })
      workers.push(worker)
      return {
        post: (request) => worker.postMessage(request),
        onReply: (hear) => worker.on('message', hear),
        onEnd: (hear) => worker.once('exit', () => hear(undefined)),
      }
    }
    const database = await openDatabase({ path: databasePath(folder), startThread }, [ROOM])
    await database.write(put('before'))
    const dying = database.write(async (tx) => {
      await put('in the midst')(tx)
      await Promise.all(workers.map((worker) => worker.terminate()))
      await put('behind')(tx)
    })
    const behind = database.write(put('waited'))
    await expect(dying).rejects.toMatchObject({ code: 'unavailable' })
    await behind
    expect(await database.read(names)).toEqual([{ name: 'before' }, { name: 'waited' }])
    await database.close()
  })

  test('in a place where none can be is refused', async () => {
    writeFileSync(
      join(folder, 'file'),
      'no database, but long enough to be taken for one'.repeat(9),
    )
    const open = (path: string) => openDatabase({ path, startThread: startSqliteThread }, [ROOM])
    await expect(open(join(folder, 'file'))).rejects.toMatchObject({ code: 'corrupt_source' })
    const within = open(join(folder, 'file', 'within'))
    await expect(within).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('has its folder taken by one server at a time', () => {
    const give = takeFolder(folder)
    expect(() => takeFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        message: expect.stringContaining('is served by another'),
      }),
    )
    give()
    give()
    takeFolder(folder)()
    const nowhere = () => takeFolder(join(folder, 'nowhere'))
    expect(nowhere).toThrow(expect.objectContaining({ code: 'unavailable' }))
  })

  test('has its folder back when the server is killed', async () => {
    const child = spawn(process.execPath, ['--expose-gc', support('holding-child.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(child.stdout, 'data')
      expect(() => takeFolder(folder)).toThrow('is served by another')
      const path = databasePath(folder)
      const beside = await openDatabase({ path, startThread: startSqliteThread }, [ROOM])
      await beside.write(put('by a command'))
      await beside.close()
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    takeFolder(folder)()
  })
})

describe.runIf(canRun('postgresql'))('a PostgreSQL database', () => {
  const bed = prepareBed('postgresql')
  const opened = async (settings = ''): Promise<Database> => {
    const place = await bed.place()
    if ('url' in place) return bed.open({ url: `${place.url}${settings}` }, [ROOM])
    throw new Error('no URL')
  }

  test('plans a read for the values at hand, however often it has done so', async () => {
    const database = await opened()
    const plans = await database.read(async (rows) => {
      for (let i = 0; i < 10; i++) await rows.all('SELECT name FROM names WHERE name = ?', ['a'])
      return rows.get(
        'SELECT generic_plans AS kept, custom_plans AS made FROM pg_prepared_statements WHERE statement LIKE ?',
        ['SELECT name FROM names WHERE%'],
      )
    })
    expect(plans).toEqual({ kept: 0, made: 10 })
  })

  test('that crashes under it is an outside fault, and goes on with all that was acknowledged', async () => {
    const database = await opened()
    const kept: string[] = []
    const writers = [0, 1, 2].map(async (writer) => {
      for (let i = 0; ; i++) {
        await database.write(put(`${writer}-${i}`))
        kept.push(`${writer}-${i}`)
      }
    })
    const settled = Promise.allSettled(writers)
    while (kept.length < 50) await database.read(names)
    await bed.server?.crash()
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ reason: { name: 'EngineError', code: 'unavailable' } })
    }
    await expect(database.read(names)).rejects.toMatchObject({ code: 'unavailable' })
    await bed.server?.start()
    await database.write(put('after'))
    const found = new Set((await database.read(names)).map(({ name }) => name))
    expect([...kept, 'after'].filter((name) => !found.has(name))).toEqual([])
  })

  test('keeps a writer of another server waiting for so long, then it is busy', async () => {
    const place = await bed.place()
    if (!('url' in place)) throw new Error('no URL')
    const one = await bed.open(place, [ROOM])
    const other = await bed.open({ url: `${place.url}&lock_timeout=100` }, [ROOM])
    await one.write(async (tx) => {
      await put('a')(tx)
      await expect(other.write(put('b'))).rejects.toMatchObject({ code: 'busy' })
    })
    await other.write(put('b'))
    expect(await one.read(names)).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  test('breaks off what takes too long', async () => {
    const database = await opened('&statement_timeout=100')
    const slow = database.read((rows) => rows.all('SELECT pg_sleep(30)'))
    await expect(slow).rejects.toMatchObject({ code: 'busy' })
    expect(await database.read(names)).toEqual([])
  })

  test('that may lose what it acknowledges is refused', async () => {
    await expect(opened('%20-c%20synchronous_commit%3Doff')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('synchronous_commit'),
    })
  })

  test.each([
    ['unavailable', 'postgresql://me:opensesame@127.0.0.1:1/db'],
    ['unavailable', 'postgresql://me:opensesame@nowhere.invalid/db'],
    ['bad_input', 'postgresql://me:opensesame@host:port/db'],
  ])('out of reach is %s, and nothing tells the password', async (code, url) => {
    const error: unknown = await openDatabase({ url }, []).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'EngineError', code })
    const told = [error, error instanceof Error ? error.cause : undefined]
    for (const one of told) {
      expect(`${String(one)} ${JSON.stringify(one)}`).not.toContain('opensesame')
    }
  })

  test('tells no value of a row in its errors', async () => {
    const database = await opened()
    await database.write(put('patient-1'))
    const error: unknown = await database.write(put('patient-1')).catch((reason: unknown) => reason)
    const wrong: unknown = await database
      .write((tx) => tx.run('INSERT INTO names VALUES (CAST(? AS BIGINT))', ['patient-1']))
      .catch((reason: unknown) => reason)
    for (const one of [error, wrong]) {
      expect(one).toBeInstanceOf(Error)
      const cause = one instanceof Error ? one.cause : undefined
      expect(`${one} ${JSON.stringify(one)} ${cause} ${JSON.stringify(cause)}`).not.toContain(
        'patient',
      )
    }
  })
})
