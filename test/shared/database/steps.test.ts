import { describe, expect, test } from 'vitest'
import type { Database } from '../../../engine/shared/database/database.ts'
import type { Step, TableSet } from '../../../engine/shared/database/migrations.ts'
import { openDatabase, pendingOfDatabase } from '../../../engine/shared/database/open.ts'
import { canRun, DIALECTS, prepareBed } from './support/dialects.ts'

// Several versions of a program open the same database.

const FIRST = 'CREATE TABLE names (name {text} PRIMARY KEY) {strict}'
const NOTES: Step = { additive: 'ALTER TABLE names ADD COLUMN note {text}' }
const MORE: Step = { additive: 'CREATE TABLE more (id {numbered}) {strict}' }
const OTHER = "UPDATE names SET name = 'new ' || name"

const versions = (...steps: Step[]): readonly TableSet[] => [{ name: 'tests', steps }]
const OLDER = versions(FIRST)

const put = (database: Database, name: string) =>
  database.write((rows) => rows.run('INSERT INTO names (name) VALUES (?)', [name]))
const names = async (database: Database) =>
  (await database.ask<{ name: string }>('SELECT name FROM names ORDER BY name')).map(
    ({ name }) => name,
  )

for (const dialect of DIALECTS) {
  describe.skipIf(!canRun(dialect))(`steps in ${dialect}`, () => {
    const bed = prepareBed(dialect)

    test('a program that does not know additive steps works on, and changes nothing of them', async () => {
      const place = await bed.place()
      const newer = versions(FIRST, NOTES, MORE)
      const one = await bed.open(place, newer)
      await put(one, 'of the newer')
      const other = await bed.open(place, OLDER)
      await put(other, 'of the older')
      expect(await names(other)).toEqual(['of the newer', 'of the older'])
      expect(await pendingOfDatabase(place, newer)).toEqual([])
      const third = await bed.open(place, newer)
      expect(await third.ask('SELECT steps, needed FROM schema_steps')).toEqual([
        { steps: 3, needed: 1 },
      ])
    })

    test('a table set of additive steps alone is tolerated by who has not heard of it', async () => {
      const place = await bed.place()
      await bed.open(place, [...OLDER, { name: 'other', steps: [MORE] }])
      await put(await bed.open(place, OLDER), 'one')
    })

    test.each([
      ['at the end', [FIRST, NOTES, OTHER], 3],
      ['before an additive one', [FIRST, OTHER, NOTES], 2],
    ])('a step that is not additive is refused %s', async (_, steps, step) => {
      const place = await bed.place()
      await bed.open(place, versions(...steps))
      await expect(openDatabase(place, OLDER)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining(`step ${step} of "tests", written by a newer casemill`),
      })
      await bed.open(place, versions(...steps.slice(0, step)))
    })

    test('a ledger of before counts all steps as needed, and learns of additive ones', async () => {
      const place = await bed.place()
      const old = await bed.open(place, OLDER)
      const newer = versions(FIRST, NOTES)
      await old.write(async (rows) => {
        await rows.run('ALTER TABLE schema_steps DROP COLUMN needed')
        await rows.run('UPDATE schema_steps SET steps = 2')
      })
      await expect(openDatabase(place, OLDER)).rejects.toMatchObject({ code: 'unavailable' })
      await old.write((rows) => rows.run('UPDATE schema_steps SET steps = 1'))
      await bed.open(place, newer)
      await put(await bed.open(place, OLDER), 'one')
    })

    test('what is pending is reported without being done', async () => {
      const place = await bed.place()
      const [tests] = versions(FIRST, NOTES)
      expect(await pendingOfDatabase(place, [tests!])).toEqual([{ tableSet: tests, had: 0 }])
      expect(await pendingOfDatabase(place, [tests!])).toEqual([{ tableSet: tests, had: 0 }])
      await bed.open(place, OLDER)
      expect(await pendingOfDatabase(place, [tests!])).toEqual([{ tableSet: tests, had: 1 }])
      await bed.open(place, [tests!])
      expect(await pendingOfDatabase(place, [tests!])).toEqual([])
    })

    test.skipIf(dialect === 'sqlite')('who is not to migrate says what to run', async () => {
      const place = { ...(await bed.place()), migrates: false }
      const refused = (step: number) => ({
        code: 'unavailable',
        message: expect.stringMatching(
          `has not had step ${step} of "tests"; run casemill state migrate`,
        ),
      })
      await expect(openDatabase(place, OLDER)).rejects.toMatchObject(refused(1))
      await bed.open({ ...place, migrates: true }, OLDER)
      await expect(openDatabase(place, versions(FIRST, NOTES))).rejects.toMatchObject(refused(2))
      await put(await bed.open(place, OLDER), 'one')
    })
  })
}
