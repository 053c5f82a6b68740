import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../shared/database/database.ts'
import { newState } from '../../shared/support/new-state.ts'
import type { Area } from './definition.ts'
import { importRecords } from './import-records.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-import-records-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Imports lines into an area. Returns the report. */
async function importLines(area: Area, lines: readonly string[], given?: Database) {
  const state = given ?? (await newState())
  const path = join(folder, 'records.ndjson')
  writeFileSync(path, lines.join('\n'))
  const request = { area, path, user: 'importer', publish: true, dryRun: false }
  return importRecords({ state, clock: () => new Date(0) }, request)
}

const term = (id: string, name: string) =>
  JSON.stringify({ id, name, category: ['GENERAL'], version: 'latest', fingerprint: 'of another' })

test('new and changed records are loaded, and the same file again changes nothing', async () => {
  const state = await newState()
  const first = [term('a', 'Alpha'), '', term('b', 'Beta')]
  const second = [term('a', 'Alpha'), term('b', 'Better'), term('c', 'Gamma')]
  const none = { added: [], changed: [], same: [] }
  expect(await importLines('glossary', first, state)).toEqual({ ...none, added: ['a', 'b'] })
  const changes = { added: ['c'], changed: ['b'], same: ['a'] }
  expect(await importLines('glossary', second, state)).toEqual(changes)
  expect(await importLines('glossary', second, state)).toEqual({ ...none, same: ['a', 'b', 'c'] })
})

test.each([
  ['rx', '{"id":"a","name":"Alpha"}', /in "records\.ndjson, line 3", "type" is missing/],
  [
    'disease',
    '{"id":"a","name":"Alpha","type":"PILL"}',
    /in "records\.ndjson, line 3", "type" is none of/,
  ],
  ['glossary', '{"name":"Alpha"}', /in "records\.ndjson, line 3", "id" is missing/],
  [
    'glossary',
    '{"id":"a","name":"Alpha"}',
    /"records\.ndjson, line 3.id" is "a", which an earlier record has/,
  ],
  ['glossary', '{"id":', /^records\.ndjson, line 3 is no JSON/],
  ['glossary', '7', /in "records\.ndjson, line 3", the document is no object/],
] as const)('for %s a wrong line is named: %s', async (area, line, message) => {
  const type = area === 'rx' ? 'DRUG' : area === 'disease' ? 'HEMATO' : undefined
  const good = JSON.stringify({ id: 'a', name: 'Good', type })
  await expect(importLines(area, [good, '', line])).rejects.toThrow(message)
})

test('a file that is not there is named', async () => {
  const path = join(folder, 'none.ndjson')
  const request = { area: 'rx', path, user: 'importer', publish: true, dryRun: false } as const
  const target = { state: await newState(), clock: () => new Date(0) }
  await expect(importRecords(target, request)).rejects.toThrow(
    /^there is no file or folder ".*none\.ndjson"; give/,
  )
})
