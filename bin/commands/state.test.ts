import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openState, statePath } from '../../engine/shared/catalogue/state.ts'
import { runCommand } from '../support/command.ts'

const COPY = ['state', 'copy', '--to', 'database']
const URL = 'postgresql://nobody@127.0.0.1:1/none'

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-state-command-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a copy without a database says how to name one', async () => {
  expect(await runCommand([...COPY, '--data', emptyFolder()])).toMatchObject({
    status: 1,
    err: expect.stringContaining('set CASEMILL_STATE_URL=postgresql://'),
  })
})

test('a copy of a folder without data is refused before the database is asked', async () => {
  const ended = await runCommand([...COPY, '--data', emptyFolder()], { CASEMILL_STATE_URL: URL })
  expect(ended).toMatchObject({ status: 1, err: expect.stringContaining('no casemill data in') })
})

/** Tables with foreign keys come before the tables to which these refer. */
const SETS = ['cohort_room', 'cohort_sets', 'cohorts', 'set_rows', 'set_members', 'sets']
const PEOPLE = ['personal_tokens', 'sessions', 'people']
const ACCESS = ['access_version', 'access_map', 'access_revocations', 'lent_jwts']
const LOOK_UPS = ['surgery_tables', 'naaccr_items', 'naaccr_versions', 'naaccr_dictionaries']

test('a folder of an older version is checked, migrated, and then has nothing pending', async () => {
  const folder = emptyFolder()
  openState(statePath(folder)).close()
  const state = new DatabaseSync(statePath(folder))
  const others = [...LOOK_UPS, ...SETS, ...ACCESS, ...PEOPLE, 'audit_segments']
  for (const table of ['content_scrub', 'content_checks', 'work_tasks', ...others]) {
    state.exec(`DROP TABLE ${table}`)
  }
  state.exec('DROP TABLE signing_keys; DROP INDEX files_by_name')
  state.exec('ALTER TABLE files DROP COLUMN cut_as; ALTER TABLE tokens DROP COLUMN purposes')
  state.exec('PRAGMA user_version = 9')
  state.close()
  const migrate = (...words: string[]) =>
    runCommand(['state', 'migrate', ...words, '--data', folder])
  const checked = await migrate('--check')
  expect(checked).toMatchObject({ status: 1, err: expect.stringContaining('steps pending: ') })
  const [first, ...more] = checked.out.trim().split('\n')
  expect(first).toBe('state.sqlite\t10\tneeds this version')
  expect(more).toContain('submission\t1\tneeds this version')
  expect(await migrate()).toMatchObject({ status: 0, out: checked.out })
  const nothing = { status: 0, out: '', err: expect.stringContaining('nothing is pending') }
  expect(await migrate('--check')).toMatchObject(nothing)
})

test('a folder without data is not migrated', async () => {
  const ended = await runCommand(['state', 'migrate', '--data', emptyFolder()])
  expect(ended).toMatchObject({ status: 1, err: expect.stringContaining('no casemill data in') })
})
