import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

let folder = ''
let data = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-records-'))
  data = join(folder, 'data')
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) => runProgram(['import', ...args], { CASEMILL_DATA: data })

function giveLines(...lines: readonly string[]): string {
  const path = join(folder, 'records.ndjson')
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const term = (id: string, name: string) =>
  JSON.stringify({ id, name, category: ['GENERAL'], version: 'latest', fingerprint: 'of another' })

test('import glossary loads what is new or changed, and says so before and after', async () => {
  const path = giveLines(term('a', 'Alpha'), '', term('b', 'Beta'))
  expect(await run('glossary', path, '--dry-run')).toMatchObject({
    ...{ status: 0, err: '', out: '2 added, 0 changed, 0 as they were\nadd\ta\nadd\tb\n' },
  })
  expect(existsSync(data)).toBe(false)
  expect(await run('glossary', path, '--publish')).toMatchObject({
    ...{ status: 0, err: '', out: '2 added, 0 changed, 0 as they were\n' },
  })
  giveLines(term('a', 'Alpha'), term('b', 'Better'), term('c', 'Gamma'))
  expect((await run('glossary', path, '--dry-run', '--publish')).out).toBe(
    '1 added, 1 changed, 1 as they were\nadd\tc\nchange\tb\n',
  )
  expect(JSON.parse((await run('glossary', path, '--publish', '--json')).out)).toEqual({
    ...{ area: 'glossary', added: ['c'], changed: ['b'], same: ['a'] },
  })
  expect((await run('glossary', path, '--publish')).out).toBe(
    '0 added, 0 changed, 3 as they were\n',
  )
})

test.each([
  ['rx', '{"id":"a","name":"Alpha"}', /in "line 3", "type" is missing/],
  ['disease', '{"id":"a","name":"Alpha","type":"PILL"}', /in "line 3", "type" is none of/],
  ['glossary', '{"name":"Alpha"}', /in "line 3", "id" is missing/],
  [
    'glossary',
    '{"id":"good","name":"Alpha"}',
    /"line 3.id" is "good", which an earlier record has/,
  ],
  ['glossary', '{"id":', /line 3 is no JSON/],
  ['glossary', '7', /in "line 3", the document is no object/],
])('import %s of %s names the line', async (area, line, message) => {
  const type = area === 'rx' ? 'DRUG' : area === 'disease' ? 'HEMATO' : undefined
  const good = JSON.stringify({ id: 'good', name: 'Good', type })
  const { status, out, err } = await run(area, giveLines(good, '', line))
  expect([status, out]).toEqual([1, ''])
  expect(err).toMatch(message)
})

test('import of a file that is not there says so', async () => {
  const { status, err } = await run('rx', join(folder, 'none.ndjson'))
  expect(status).toBe(1)
  expect(err).toMatch(/none\.ndjson" cannot be read/)
})
