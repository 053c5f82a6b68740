import { describe, expect, test } from 'vitest'
import {
  ConstraintError,
  type Database,
  type Rows,
  type Transaction,
} from '../../../engine/shared/database/database.ts'
import type { TableSet } from '../../../engine/shared/database/migrations.ts'
import type { Value } from '../../../engine/shared/database/values.ts'
import { collectGarbage } from '../../collect-garbage.ts'
import { canRun, DIALECTS, prepareBed } from './support/dialects.ts'

// The promises of the interface, tested with both dialects.

const ROOM: TableSet = {
  name: 'tests',
  steps: [
    `CREATE TABLE things (
      id {text} PRIMARY KEY,
      amount {integer} CHECK (amount IS NULL OR amount < 9007199254740991),
      share {real},
      bytes {bytes},
      note {text}
    ) {strict by key};
    CREATE TABLE parts (
      number {numbered},
      thing {text} NOT NULL REFERENCES things (id),
      label {text} NOT NULL UNIQUE
    ) {strict};
    CREATE TABLE counters (name {text} PRIMARY KEY, value {integer} NOT NULL) {strict by key};`,
  ],
}

/** Bytes in use in the heap and in external buffers. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const INSERT = 'INSERT INTO things (id, amount, share, bytes, note) VALUES (?, ?, ?, ?, ?)'
const thing = (id: string, amount: Value = null): readonly Value[] => [id, amount, null, null, null]
const count = async (rows: Rows) =>
  (await rows.get<{ n: number }>('SELECT COUNT(*) AS n FROM things'))?.n

describe.each(DIALECTS)('%s', (dialect) => {
  describe.runIf(canRun(dialect))('keeps the promises', () => {
    const bed = prepareBed(dialect)
    const opened = async () => bed.open(await bed.place(), [ROOM])

    describe('values', () => {
      test('come back as they went in', async () => {
        const database = await opened()
        const rows: readonly (readonly Value[])[] = [
          ['a', 0, 0, new Uint8Array(0), ''],
          ['b', 2 ** 53 - 2, 1.5, Uint8Array.of(0, 1, 128, 255), 'it\'s a ? \\ "b" \n é 𝄞'],
          ['c', -(2 ** 53 - 1), 0.1, Uint8Array.from({ length: 1000 }, (_, i) => i & 255), '5'],
          ['d', -1, 5, null, null],
          ['e', null, -1e-300, null, 'x'.repeat(100_000)],
        ]
        await database.write((tx) => tx.runEach(INSERT, rows))
        const read = await database.read((all) =>
          all.all<Record<string, Value>>('SELECT * FROM things ORDER BY id'),
        )
        expect(read).toStrictEqual(
          rows.map(([id, amount, share, bytes, note]) => ({ id, amount, share, bytes, note })),
        )
      })

      test('are the same to a question outside of any transaction', async () => {
        const database = await opened()
        await database.write((tx) => tx.runEach(INSERT, [thing('a', 1), thing('b', 4)]))
        const sql = 'SELECT id, amount FROM things WHERE amount > ? ORDER BY id'
        expect(await database.ask(sql, [0])).toStrictEqual([
          { id: 'a', amount: 1 },
          { id: 'b', amount: 4 },
        ])
        expect(await database.ask(sql, [4])).toEqual([])
        await expect(database.ask('SELECT missing FROM things')).rejects.toThrow(Error)
        await expect(database.ask(sql, ['\0'])).rejects.toMatchObject({ code: 'bad_input' })
        await database.close()
        await expect(database.ask(sql, [0])).rejects.toMatchObject({ code: 'unavailable' })
      })

      test('of expressions are equal: truth, sums, means, counts', async () => {
        const database = await opened()
        await database.write((tx) => tx.runEach(INSERT, [thing('a', 1), thing('b', 4)]))
        const sql = `SELECT SUM(amount) AS sum, AVG(amount) AS mean, COUNT(*) AS n, MAX(id) AS most,
          MAX(amount) > 3 AS big, '?' || MIN(id) AS marked, COUNT(share) AS none -- why?
          FROM things WHERE amount > ? AND id <> '?'`
        expect(await database.read((rows) => rows.get(sql, [0]))).toStrictEqual({
          sum: 5,
          mean: 2.5,
          n: 2,
          most: 'b',
          big: 1,
          marked: '?a',
          none: 0,
        })
      })

      test('of texts are ordered by their bytes and match by their case', async () => {
        const database = await opened()
        const ids = ['a', 'B', 'b', 'A', 'é', 'z', '_', '10', '9']
        await database.write((tx) =>
          tx.runEach(
            INSERT,
            ids.map((id) => thing(id)),
          ),
        )
        const sql = 'SELECT id FROM things ORDER BY id'
        const sorted = await database.read((rows) => rows.all<{ id: string }>(sql))
        expect(sorted.map(({ id }) => id)).toEqual(['10', '9', 'A', 'B', '_', 'a', 'b', 'z', 'é'])
        const like = "SELECT id FROM things WHERE id LIKE ? ESCAPE '\\'"
        expect(await database.read((rows) => rows.all(like, ['B%']))).toEqual([{ id: 'B' }])
      })

      test('of a text column that are given as numbers are the number as text', async () => {
        const database = await opened()
        await database.write((tx) =>
          tx.run('INSERT INTO things (id, note) VALUES (?, ?)', ['a', 5]),
        )
        expect(await database.read((rows) => rows.get('SELECT note FROM things'))).toEqual({
          note: '5',
        })
      })

      test('that cannot be kept alike are refused', async () => {
        const database = await opened()
        const put = (...values: readonly Value[]) => database.write((tx) => tx.run(INSERT, values))
        await expect(put('a', 1, 1, null, 'a\0b')).rejects.toMatchObject({ code: 'bad_input' })
        for (const number of [2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
          await expect(put('a', number, null, null, null)).rejects.toBeInstanceOf(TypeError)
        }
        expect(await database.read(count)).toBe(0)
      })

      test('beyond what a number tells exactly are an error, not another number', async () => {
        const database = await opened()
        await database.write((tx) => tx.run(INSERT, thing('a', 2 ** 53 - 2)))
        const sql = 'SELECT amount + 2 AS amount FROM things'
        const read = database.read((rows) => rows.get(sql))
        await expect(read).rejects.toMatchObject({ code: 'corrupt_source' })
        expect(await database.read(count)).toBe(1)
      })
    })

    describe('a transaction', () => {
      test('is kept as a whole and sees its own rows', async () => {
        const database = await opened()
        const seen = await database.write(async (tx) => {
          expect(await tx.run(INSERT, thing('a'))).toEqual({ changes: 1 })
          await tx.run(INSERT, thing('b'))
          expect(await tx.run('UPDATE things SET amount = 1')).toEqual({ changes: 2 })
          return count(tx)
        })
        expect(seen).toBe(2)
        expect(await database.read(count)).toBe(2)
      })

      test('whose work throws leaves nothing', async () => {
        const database = await opened()
        const write = database.write(async (tx) => {
          await tx.run(INSERT, thing('a'))
          throw new RangeError('not today')
        })
        await expect(write).rejects.toThrow(RangeError)
        expect(await database.read(count)).toBe(0)
        await database.write((tx) => tx.run(INSERT, thing('a')))
        expect(await database.read(count)).toBe(1)
      })

      test('with a statement that failed leaves nothing, though the error was caught', async () => {
        const database = await opened()
        const write = database.write(async (tx) => {
          await tx.run(INSERT, thing('a'))
          await tx.run(INSERT, thing('a')).catch(() => {})
          await tx.run(INSERT, thing('b')).catch(() => {})
        })
        await expect(write).rejects.toBeInstanceOf(ConstraintError)
        expect(await database.read(count)).toBe(0)
      })

      test('waits for statements that its work did not wait for', async () => {
        const database = await opened()
        await database.write(async (tx) => {
          for (let i = 0; i < 20; i++) void tx.run(INSERT, thing(`a${i}`))
        })
        expect(await database.read(count)).toBe(20)
        const failing = database.write(async (tx) => {
          tx.run(INSERT, thing('b')).catch(() => {})
          tx.run(INSERT, thing('a1')).catch(() => {})
        })
        await expect(failing).rejects.toMatchObject({ kind: 'unique' })
        expect(await database.read(count)).toBe(20)
      })

      test('takes no statement after its end', async () => {
        const database = await opened()
        const kept = await database.write(async (tx) => tx)
        await expect(kept.run(INSERT, thing('a'))).rejects.toThrow('after the end')
      })

      test.each([
        ['unique', INSERT, thing('here')],
        ['foreign_key', 'INSERT INTO parts (thing, label) VALUES (?, ?)', ['none', 'l']],
        ['check', INSERT, thing('b', 2 ** 53 - 1)],
        ['not_null', 'INSERT INTO parts (thing) VALUES (?)', ['here']],
      ] as const)('tells a violated %s constraint, without values', async (kind, sql, values) => {
        const database = await opened()
        await database.write((tx) => tx.run(INSERT, thing('here')))
        const write = database.write((tx) => tx.run(sql, values))
        await expect(write).rejects.toMatchObject({
          name: 'ConstraintError',
          kind,
          message: `a statement violates a ${kind} constraint`,
        })
      })

      test('with a fault in its SQL is a bug', async () => {
        const database = await opened()
        const read = database.read((rows) => rows.all('SELECT missing FROM things'))
        await expect(read).rejects.toMatchObject({ name: 'Error' })
        expect(await database.read(count)).toBe(0)
      })

      test('that only reads cannot write', async () => {
        const database = await opened()
        const read = database.read((rows) => rows.all(`${INSERT} RETURNING id`, thing('a')))
        await expect(read).rejects.toThrow()
        expect(await database.read(count)).toBe(0)
      })

      test('gives rows of RETURNING and numbers that are never given twice', async () => {
        const database = await opened()
        const put = (label: string) => (tx: Transaction) =>
          tx.get<{ number: number }>(
            'INSERT INTO parts (thing, label) VALUES (?, ?) RETURNING number',
            ['a', label],
          )
        await database.write((tx) => tx.run(INSERT, thing('a')))
        const first = await database.write(put('x'))
        await database.write((tx) => tx.run('DELETE FROM parts'))
        const second = await database.write(put('x'))
        expect(first?.number).toBe(1)
        expect(second?.number).toBeGreaterThan(1)
      })
    })

    describe('many rows', () => {
      const ids = Array.from({ length: 2345 }, (_, i) => `k${String(i).padStart(5, '0')}`)

      test('are put in at once, and read one after the other', async () => {
        const database = await opened()
        await database.write((tx) =>
          tx.runEach(
            INSERT,
            ids.map((id, i) => thing(id, i)),
          ),
        )
        const read: (readonly Value[])[] = []
        await database.read(async (rows) => {
          const sql = 'SELECT id, amount FROM things WHERE amount >= ? ORDER BY id'
          for await (const row of rows.each<{ id: string; amount: number }>(sql, [10])) {
            read.push([row.id, row.amount])
          }
        })
        expect(read).toEqual(ids.map((id, i) => [id, i]).slice(10))
      })

      test('are put in one by one where one may meet another', async () => {
        const database = await opened()
        const add = `INSERT INTO counters (name, value) VALUES (?, ?)
          ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value`
        const rows = Array.from({ length: 1500 }, (_, i): readonly Value[] => [`c${i % 7}`, 1])
        await database.write((tx) => tx.runEach(add, rows))
        const sql = 'SELECT value FROM counters ORDER BY name'
        expect(await database.read((read) => read.all(sql))).toEqual(
          [215, 215, 214, 214, 214, 214, 214].map((value) => ({ value })),
        )
        const skip =
          'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING'
        await database.write((tx) => tx.runEach(skip, [...rows, ['new', 1]]))
        const names = 'SELECT name FROM counters WHERE value = 1'
        expect(await database.read((read) => read.all(names))).toEqual([{ name: 'new' }])
      })

      test('of which one fails leave nothing', async () => {
        const database = await opened()
        const rows = [...ids, 'k00007'].map((id) => thing(id))
        const write = database.write((tx) => tx.runEach(INSERT, rows))
        await expect(write).rejects.toMatchObject({ kind: 'unique' })
        expect(await database.read(count)).toBe(0)
      })

      test('need not be read to their end', async () => {
        const database = await opened()
        await database.write((tx) =>
          tx.runEach(
            INSERT,
            ids.map((id) => thing(id)),
          ),
        )
        const firsts = await database.read(async (rows) => {
          const found: string[] = []
          for (let round = 0; round < 3; round++) {
            for await (const { id } of rows.each<{ id: string }>(
              'SELECT id FROM things ORDER BY id',
            )) {
              found.push(id)
              break
            }
          }
          return [...found, await count(rows)]
        })
        expect(firsts).toEqual(['k00000', 'k00000', 'k00000', 2345])
      })

      test('come in pages that are small where rows are large', async () => {
        const database = await opened()
        const note = 'x'.repeat(300_000)
        const rows = ids.slice(0, 150).map((id): readonly Value[] => [id, null, null, null, note])
        await database.write((tx) => tx.runEach(INSERT, rows))
        const before = heldBytes()
        let most = 0
        let read = 0
        await database.read(async (all) => {
          for await (const row of all.each<{ note: string }>('SELECT * FROM things')) {
            read += row.note.length
            if (read % (10 * note.length) === 0) most = Math.max(most, heldBytes())
          }
        })
        expect(read).toBe(150 * 300_000)
        // All rows together would need 45 MB.
        expect((most - before) / 2 ** 20).toBeLessThan(20)
      })
    })

    describe('several databases of one place', () => {
      const add = async (tx: Transaction) => {
        // Values read and then written would be lost if another writer came in between.
        const sql = 'SELECT value FROM counters WHERE name = ?'
        const value = (await tx.get<{ value: number }>(sql, ['c']))?.value ?? 0
        const put = `INSERT INTO counters (name, value) VALUES (?, ?)
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`
        await tx.run(put, ['c', value + 1])
      }
      const both = async () => {
        const place = await bed.place()
        return Promise.all([bed.open(place, [ROOM]), bed.open(place, [ROOM])])
      }

      test('lose no update', async () => {
        const databases = await both()
        const writes = Array.from({ length: 200 }, (_, i) => databases[i % 2]?.write(add))
        await Promise.all(writes)
        const value = await databases[0]?.read((rows) => rows.get('SELECT value FROM counters'))
        expect(value).toEqual({ value: 200 })
      })

      test('keep what two writers together must not break', async () => {
        const databases = await both()
        // At most three rows may exist; each writer checks that before it adds one.
        const put = (database: Database | undefined, i: number) =>
          database?.write(async (tx) => {
            if (((await count(tx)) ?? 0) < 3) await tx.run(INSERT, thing(`t${i}`))
          })
        await Promise.all(Array.from({ length: 40 }, (_, i) => put(databases[i % 2], i)))
        expect(await databases[1]?.read(count)).toBe(3)
      })

      test('let one of many have a unique name', async () => {
        const databases = await both()
        const writes = Array.from({ length: 20 }, (_, i) =>
          databases[i % 2]?.write((tx) => tx.run(INSERT, thing('same', i))),
        )
        const outcomes = await Promise.allSettled(writes)
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ kind: 'unique' })
        }
      })

      test('show a reader one state, whatever is written meanwhile, and the next reader the new one', async () => {
        const [one, other] = await both()
        const counts = await one.read(async (rows) => {
          const seen = [await count(rows)]
          await other.write((tx) => tx.run(INSERT, thing('a')))
          await one.write((tx) => tx.run(INSERT, thing('b')))
          seen.push(await count(rows))
          return seen
        })
        expect(counts).toEqual([0, 0])
        expect(await one.read(count)).toBe(2)
        expect(await other.read(count)).toBe(2)
      })

      test('do not show what is not committed', async () => {
        const [one, other] = await both()
        await one.write(async (tx) => {
          await tx.run(INSERT, thing('a'))
          expect(await other.read(count)).toBe(0)
        })
        expect(await other.read(count)).toBe(1)
      })

      test('answer many readers at the same time', async () => {
        const [one] = await both()
        await one.write((tx) => tx.run(INSERT, thing('a')))
        const reads = Array.from({ length: 60 }, () => one.read(count))
        expect(new Set(await Promise.all(reads))).toEqual(new Set([1]))
      })
    })

    describe('turns', () => {
      test('can be given up while waiting', async () => {
        const database = await opened()
        const stop = new AbortController()
        await database.write(async () => {
          const signal = stop.signal
          const waiting = database.write((tx) => tx.run(INSERT, thing('a')), { signal })
          stop.abort(new Error('gone'))
          await expect(waiting).rejects.toThrow('gone')
        })
        expect(await database.read(count)).toBe(0)
      })

      test('end with the closing, which waits for what is under way', async () => {
        const place = await bed.place()
        const database = await bed.open(place, [ROOM])
        const writes = Array.from({ length: 10 }, (_, i) =>
          database.write((tx) => tx.run(INSERT, thing(`a${i}`))),
        )
        const closed = database.close()
        await expect(database.read(count)).rejects.toMatchObject({ code: 'unavailable' })
        await Promise.all([...writes, closed])
        expect(await (await bed.open(place, [ROOM])).read(count)).toBe(10)
      })
    })
  })
})
