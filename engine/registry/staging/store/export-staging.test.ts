import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { madeZip } from '../../../../fixtures/made-zip.ts'
import { zipEntries } from '../../../shared/input/zip-entries.ts'
import { ZIP_LIMITS } from '../algorithm/read-zip.ts'
import type { VersionName } from './entities.ts'
import type { Staging } from './service.ts'
import { EDITOR, emptyStaging, madeStaging, OF, READER } from './support/made-staging.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-export-staging-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function exported(staging: Staging, name: VersionName = OF): Promise<Buffer> {
  const { body } = await staging.version(READER, name).archive()
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function saved(bytes: Buffer): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.zip`)
  await writeFile(path, bytes)
  return path
}

async function filesIn(path: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const { name, text } of zipEntries(path, ZIP_LIMITS, 'an archive')) {
    files.set(name, await text())
  }
  return files
}

const run = { user: 'importer' }

test('an archive is written as published ones are', async () => {
  const { staging } = await madeStaging()
  const files = await filesIn(await saved(await exported(staging)))
  expect([...files.keys()].filter((name) => !name.endsWith('.json'))).toEqual([
    ...['tables/ids.txt', 'schemas/ids.txt'],
  ])
  expect(files.get('tables/ids.txt')).toBe(
    'histology\nlonely\nprimary_site\nselection\nt\nu\nyear\n',
  )
  // In the format of Jackson's DefaultPrettyPrinter, as in files of published archives.
  expect(files.get('tables/lonely.json')).toBe(`{
  "id" : "lonely",
  "algorithm" : "made",
  "version" : "1.0",
  "last_modified" : "2026-03-01T12:00:00.000Z",
  "definition" : [ {
    "key" : "a",
    "type" : "INPUT"
  }, {
    "type" : "DESCRIPTION"
  } ],
  "rows" : [ [ "1", "alone" ] ]
}`)
})

test('an import of it changes nothing here and makes the same elsewhere', async () => {
  const { staging } = await madeStaging()
  const bytes = await exported(staging)
  const path = await saved(bytes)
  const again = await staging.import(path, run)
  expect(again.kinds.schema).toMatchObject({ added: [], changed: [], removed: [], same: 1 })
  expect(again.kinds.table).toMatchObject({ added: [], changed: [], removed: [], same: 7 })

  const elsewhere = (await emptyStaging()).staging
  await elsewhere.import(path, run)
  expect(await exported(elsewhere)).toEqual(bytes)
})

test('an edit is in the next archive', async () => {
  const { staging } = await madeStaging()
  const table = { id: 'lonely', definition: [{ key: 'a', type: 'INPUT' }], rows: [['8'], ['9']] }
  await staging.editableVersion(EDITOR, OF).updateEntity('table', 'lonely', table)
  const files = await filesIn(await saved(await exported(staging)))
  expect(JSON.parse(files.get('tables/lonely.json') ?? '')).toMatchObject(table)
})

test('terms are listed that the texts have, by their keywords', async () => {
  const { staging } = await madeStaging()
  const members = { title: 'Little nodes and more~less', ...OF }
  const term = (name: string, alternate_names: readonly string[]) =>
    JSON.stringify({ name, alternate_names })
  const schema = (await staging.version(READER, OF).entity('schema', 'made')).record
  const tables = await staging.version(READER, OF).tables()
  const entries = await Promise.all(
    tables.map(async ({ id }) => ({
      name: `tables/${id}.json`,
      content: JSON.stringify((await staging.version(READER, OF).entity('table', id)).record),
    })),
  )
  const zip = madeZip([
    ...entries,
    { name: 'schemas/made.json', content: JSON.stringify({ ...schema, ...members }) },
    { name: 'glossary/f1.json', content: term('nodes', ['lymph']) },
    { name: 'glossary/f2.json', content: term('much', ['little', 'more~less']) },
  ])
  await staging.import(await saved(zip), run)
  const files = await filesIn(await saved(await exported(staging)))
  // The library considers a line with a second "~" as damaged.
  expect(files.get('glossary/terms.txt')).toBe('little~f2\nnodes~f1\n')
  expect(files.get('glossary/f1.json')).toBe(
    '{\n  "name" : "nodes",\n  "alternate_names" : [ "lymph" ],\n  "last_modified" : "2026-03-01T12:00:00.000Z"\n}',
  )
})

test('a table that packs too well can be imported all the same', async () => {
  const { staging } = await madeStaging()
  const rows = Array.from({ length: 19_000 }, () => ['1', 'VALUE:1'])
  const definition = [
    { key: 'a', type: 'INPUT' },
    { key: 'out', type: 'ENDPOINT' },
  ]
  const table = { id: 'lonely', definition, rows }
  await staging.editableVersion(EDITOR, OF).updateEntity('table', 'lonely', table)
  const again = await staging.import(await saved(await exported(staging)), run)
  expect(again.kinds.table.same).toBe(7)
})
