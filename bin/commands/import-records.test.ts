import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command.ts'

test('import glossary says what it would do and what it does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-import-records-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [data, path] = [join(folder, 'data'), join(folder, 'terms.ndjson')]
  const run = (...args: readonly string[]) =>
    runCommand(['import', 'glossary', path, ...args], { CASEMILL_DATA: data })
  writeFileSync(path, '{"id":"a","name":"Alpha"}\n{"id":"b","name":"Beta"}\n')
  const counts = '2 added, 0 changed, 0 as they were\n'
  const done = { status: 0, err: '' }
  expect(await run('--dry-run')).toMatchObject({ ...done, out: `${counts}add\ta\nadd\tb\n` })
  expect(existsSync(data)).toBe(false)
  expect(await run()).toMatchObject({ ...done, out: counts })
  const { out } = await run('--publish', '--json')
  expect(JSON.parse(out)).toEqual({ area: 'glossary', added: [], changed: ['a', 'b'], same: [] })
})
