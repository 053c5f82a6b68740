import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { madeZip } from '../../../../fixtures/made-zip.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { ImportStagingStep } from './import-staging.ts'
import type { Staging } from './service.ts'
import {
  ADMIN,
  CONTENT,
  EDITOR,
  emptyStaging,
  named,
  OF,
  READER,
  refusal,
} from './support/made-staging.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-import-staging-'))
})
afterAll(() => rm(folder, { recursive: true }))

const PUBLISHED = '2015-05-27T16:19:17.438Z'

type Members = Readonly<Record<string, object>>
const SCHEMAS: Members = Object.fromEntries(CONTENT.schemas)
const TABLES: Members = Object.fromEntries(CONTENT.tables)
const TERMS: Members = { f00: { name: 'little', definition: 'not much', category: ['GENERAL'] } }

/** Returns an archive with all of these, for that version. */
async function archive(
  { schemas = SCHEMAS, tables = TABLES, terms = TERMS },
  of: object = OF,
): Promise<string> {
  const entries = (kind: string, members: Members, more: object) =>
    Object.entries(members).map(([id, member]) => ({
      name: `${kind}/${id}.json`,
      content: JSON.stringify({ ...member, ...more, last_modified: PUBLISHED }),
    }))
  const path = join(folder, `${randomUUID()}.zip`)
  const zip = madeZip([
    ...entries('schemas', schemas, of),
    ...entries('tables', tables, of),
    ...entries('glossary', terms, {}),
  ])
  await writeFile(path, zip)
  return path
}

const run = { user: 'importer' }
const none = { added: [], changed: [], removed: [] }

async function everything(staging: Staging) {
  return {
    versions: staging.catalogue.versions(READER, 'made'),
    schemas: await staging.version(READER, OF).entityHistory('schema', { perPage: 1000 }),
    tables: await staging.version(READER, OF).entityHistory('table', { perPage: 1000 }),
  }
}

test('an archive becomes a version of production that stages, with a history', async () => {
  const { staging } = await emptyStaging()
  const steps: ImportStagingStep[] = []
  const report = await staging.import(await archive({}), {
    ...run,
    onProgress: (step) => steps.push(step),
  })
  expect(report).toEqual({
    ...OF,
    dryRun: false,
    isNew: true,
    issues: [],
    kinds: {
      schema: { ...none, added: ['made'], same: 0 },
      table: { ...none, added: Object.keys(TABLES).sort(), same: 0 },
      glossary: { ...none, added: ['f00'], same: 0 },
    },
  })
  expect(steps.at(-1)).toEqual({ phase: 'storing', done: 9, total: 9 })
  expect(await staging.catalogue.algorithms()).toEqual([{ algorithm: 'made', name: 'made' }])
  expect(await staging.version(READER, named('latest')).describe()).toMatchObject({
    ...OF,
    type: 'PRODUCTION',
  })
  expect((await staging.version(READER, OF).entity('table', 't')).record).toEqual({
    ...TABLES.t,
    ...OF,
    last_modified: PUBLISHED,
  })
  const input = { site: 'C000', hist: '8000', year_dx: '2020', a: '1' }
  expect((await staging.version(READER, OF).stage(input)).output).toEqual({ out: 'one' })
  expect(await staging.version(READER, OF).entityGlossary('schema', 'made')).toEqual([
    { id: 'f00', name: 'little', keyword: 'little', category: ['GENERAL'], start: 8, end: 13 },
  ])
  const request = { category: ['HEMATO'] }
  expect(await staging.version(READER, OF).entityGlossary('schema', 'made', request)).toEqual([])
  expect(await staging.version(READER, OF).entityGlossary('table', 't')).toEqual([])
  expect(await staging.version(READER, OF).entityHistory('schema')).toMatchObject([
    { type: 'ADD', user: 'importer', comment: expect.stringMatching(/^imported from .*\.zip$/) },
  ])
})

test('the same archive again changes nothing', async () => {
  const { staging, clock } = await emptyStaging()
  await staging.import(await archive({}), run)
  const before = await everything(staging)
  clock.to('2026-05-05T05:05:05.555Z')
  const report = await staging.import(await archive({}), run)
  expect(report.kinds.table).toEqual({ ...none, same: 7 })
  expect(await everything(staging)).toEqual(before)
})

const { t, lonely: _lonely, ...others } = TABLES
const NEXT = { tables: { ...others, t: { ...t, title: 'Other' }, fresh: { ...t, id: 'fresh' } } }

test('another archive of the version makes it be what that one holds', async () => {
  const { staging } = await emptyStaging()
  await staging.import(await archive({}), run)
  const path = await archive({ ...NEXT, terms: {} })
  const expected = {
    schema: { ...none, same: 1 },
    table: { added: ['fresh'], changed: ['t'], removed: ['lonely'], same: 5 },
    glossary: { ...none, removed: ['f00'], same: 0 },
  }
  const before = await everything(staging)
  const dry = await staging.import(path, { ...run, dryRun: true })
  expect(dry).toEqual({ ...OF, dryRun: true, isNew: false, issues: [], kinds: expected })
  expect(await everything(staging)).toEqual(before)
  expect(await staging.import(path, run)).toEqual({ ...dry, dryRun: false })
  expect((await staging.version(READER, OF).tables()).map(({ id }) => id)).toEqual(
    [...Object.keys(others), 'fresh', 't'].sort(),
  )
  expect(await staging.version(READER, OF).entityGlossary('schema', 'made')).toEqual([])
})

test('a dry run into nothing makes nothing', async () => {
  const { staging } = await emptyStaging()
  const report = await staging.import(await archive({}), { ...run, dryRun: true })
  expect(report).toMatchObject({ isNew: true, kinds: { schema: { added: ['made'] } } })
  expect(await staging.catalogue.algorithms()).toEqual([])
})

test('edits are overwritten, and stay in the history', async () => {
  const { staging } = await emptyStaging()
  await staging.import(await archive({}), run)
  await staging.editableVersion(EDITOR, OF).updateEntity('table', 't', { ...t, title: 'Edited' })
  const report = await staging.import(await archive({}), run)
  expect(report.kinds.table.changed).toEqual(['t'])
  expect(await staging.version(READER, OF).entityHistory('table', { id: 't' })).toMatchObject([
    { type: 'MOD', user: 'importer', old: { title: 'Edited' } },
    { type: 'MOD', user: 'STAGING_EDITOR', new: { title: 'Edited' } },
    { type: 'ADD' },
  ])
})

test('versions and algorithms stand side by side', async () => {
  const { staging } = await emptyStaging()
  await staging.import(await archive({}), run)
  await staging.import(await archive(NEXT, { ...OF, version: '2.0' }), run)
  await staging.import(await archive({}, { ...OF, algorithm: 'other' }), run)
  expect((await staging.catalogue.algorithms()).map(({ algorithm }) => algorithm)).toEqual([
    'made',
    'other',
  ])
  expect((await staging.version(READER, named('latest')).describe()).version).toBe('2.0')
  expect((await staging.version(READER, named('2.0')).entity('table', 't')).record).toMatchObject({
    title: 'Other',
  })
  expect((await staging.version(READER, OF).entity('table', 't')).record).not.toHaveProperty(
    'title',
  )
})

test('what is known of an algorithm and a version stays as it was', async () => {
  const { staging } = await emptyStaging()
  await staging.catalogue.createAlgorithm(ADMIN, 'made', { name: 'Ours' })
  await staging.catalogue.createVersion(ADMIN, OF, { type: 'BETA', naaccr_version: '25' })
  expect(await staging.import(await archive({}), run)).toMatchObject({ isNew: false })
  expect(await staging.catalogue.algorithm('made')).toEqual({ algorithm: 'made', name: 'Ours' })
  expect(await staging.version(READER, OF).describe()).toMatchObject({
    type: 'BETA',
    naaccr_version: '25',
  })
})

test.each([
  [
    'an entity that no editor could write',
    { tables: { ...TABLES, t: { ...t, rows: [['1']] } } },
    OF,
    'tables/t.json: rows[0]',
  ],
  [
    'a schema that no editor could write',
    { schemas: { made: { ...SCHEMAS.made, inputs: [] } } },
    OF,
    'schemas/made.json: inputs',
  ],
  ['a version that means something else', {}, { ...OF, version: 'latest' }, 'version'],
  ['an algorithm that means something else', {}, { ...OF, algorithm: 'algorithms' }, 'algorithm'],
  ['no name', {}, { ...OF, version: 'a/b' }, 'version'],
])('an archive with %s is refused whole', async (_what, content, of, place) => {
  const { staging } = await emptyStaging()
  const path = await archive(content, of)
  const error = await staging.import(path, run).catch((error) => error)
  expect(error).toBeInstanceOf(EngineError)
  expect(error.code).toBe('bad_input')
  expect(error.at.endsWith(`.zip: ${place}`), error.at).toBe(true)
  expect(await staging.catalogue.algorithms()).toEqual([])
})

test('a file that is no archive, or that is not there, is named', async () => {
  const { staging } = await emptyStaging()
  const path = join(folder, 'text.zip')
  await writeFile(path, 'no archive')
  expect(await refusal(() => staging.import(path, run))).toEqual({
    code: 'corrupt_source',
    at: 'text.zip',
  })
  expect(await refusal(() => staging.import(join(folder, 'gone.zip'), run))).toEqual({
    code: 'not_found',
    at: undefined,
  })
})

test('a range that nothing matches is reported with its table and row, also of a dry run', async () => {
  const { staging } = await emptyStaging()
  const table = {
    id: 'ranges',
    name: 'Ranges',
    title: 'Ranges',
    definition: [
      { key: 'site', name: 'Site', type: 'INPUT' },
      { key: 'result', name: 'Result', type: 'ENDPOINT' },
    ],
    rows: [
      ['C000', 'MATCH'],
      ['C509-C500', 'MATCH'],
    ],
  }
  const path = await archive({ tables: { ...TABLES, ranges: table } })
  for (const dryRun of [true, false]) {
    const { issues } = await staging.import(path, { ...run, dryRun })
    expect(issues).toMatchObject([{ kind: 'table', id: 'ranges', at: 'rows[1]' }])
  }
  const strictly = () => staging.import(path, { ...run, strict: true })
  expect(await refusal(strictly)).toMatchObject({
    code: 'bad_input',
    at: expect.stringMatching(/\.zip: ranges$/),
  })
  expect(await staging.version(READER, OF).findings()).toContainEqual(
    expect.objectContaining({ kind: 'table', id: 'ranges', at: 'rows[1]' }),
  )
})
