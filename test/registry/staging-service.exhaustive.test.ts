import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../engine/engine.ts'
import {
  ADMIN,
  CONTENT,
  EDITOR,
  READER,
} from '../../engine/registry/staging/store/support/made-staging.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { madeZip } from '../../fixtures/made-zip.ts'
import { available } from '../available.ts'
import { archiveOf, multiset, type Recorded, readVectors } from './support/staging-vectors.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/casemill.ts', import.meta.url))
const CS = { algorithm: 'cs', version: '02.05.50' }
const OWN = { algorithm: 'cs', version: 'own' }

async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ends = Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')])
  const [out, err, [status]] = await ends
  return { out, err, status }
}

// The numbers of schemas, tables and terms of each archive, by the table of ORIGIN.md.
const PUBLISHED = {
  cs: ['02.05.50', 153, 1484, 0],
  tnm: ['2.1', 153, 1363, 1],
  eod_public: ['3.3', 141, 1059, 1],
  pediatric: ['1.3', 33, 129, 0],
  testing: ['99.99', 1, 62, 13],
} as const
const NAMES = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[]

describe.skipIf(!available.shared)('the published archives, imported', () => {
  let data = ''
  let engine: Engine

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'casemill-staging-service-'))
    // The engine is opened while the state is empty, and sees everything later without reopening.
    engine = await openEngine({
      dataFolder: data,
      executor: inlineExecutor,
      clock: () => new Date('2026-03-01T12:00Z'),
    })
    const archives = NAMES.map(archiveOf)
    expect(await run('import', 'staging', ...archives, '--data', data)).toMatchObject({
      status: 0,
      err: '',
      out: NAMES.map((name) => {
        const [version, ...counts] = PUBLISHED[name]
        const kinds = ['schemas', 'tables', 'glossary terms']
        const lines = counts.map(
          (count, i) => `${kinds[i]}\t${count} added, 0 changed, 0 removed, 0 as they were\n`,
        )
        return `${name} ${version} (new)\n${lines.join('')}`
      }).join(''),
    })
  })

  afterAll(async () => {
    await engine.close()
    await rm(data, { recursive: true })
  })

  test('stand side by side, sound', async () => {
    const { staging } = engine.registry
    const algorithms = (await staging.catalogue.algorithms()).map(({ algorithm }) => algorithm)
    expect(algorithms).toEqual([...NAMES].sort())
    for (const name of NAMES) {
      const [version, schemas, tables] = PUBLISHED[name]
      expect(
        await staging.version(READER, { algorithm: name, version: 'latest' }).describe(),
      ).toMatchObject({ version })
      expect((await staging.version(READER, { algorithm: name, version }).schemas()).length).toBe(
        schemas,
      )
      expect((await staging.version(READER, { algorithm: name, version }).tables()).length).toBe(
        tables,
      )
      expect(await staging.version(READER, { algorithm: name, version }).findings()).toEqual([])
    }
    expect(await run('check', '--data', data)).toMatchObject({ status: 0, out: '' })
  })

  test('are told to be there already when they come again', async () => {
    const dry = await run('import', 'staging', archiveOf('pediatric'), '--data', data, '--dry-run')
    expect(dry.out).toBe(
      `pediatric 1.3\nschemas\t0 added, 0 changed, 0 removed, 33 as they were\ntables\t0 added, 0 changed, 0 removed, 129 as they were\nglossary terms\t0 added, 0 changed, 0 removed, 0 as they were\n`,
    )
    const { out } = await run('import', 'staging', archiveOf('tnm'), '--data', data, '--json')
    const none = { added: [], changed: [], removed: [] }
    expect(JSON.parse(out)).toEqual([
      {
        algorithm: 'tnm',
        version: '2.1',
        dryRun: false,
        isNew: false,
        issues: [],
        kinds: {
          schema: { ...none, same: 153 },
          table: { ...none, same: 1363 },
          glossary: { ...none, same: 1 },
        },
      },
    ])
    expect(
      (
        await engine.registry.staging
          .version(READER, { algorithm: 'tnm', version: '2.1' })
          .entityHistory('table', { page: 55 })
      ).length,
    ).toBe(13)
  })

  // The vectors of the whole engine are tested elsewhere; this test uses every 25th.
  test.each(['cs', 'tnm', 'eod_public', 'pediatric'])(
    'answer recorded stagings and lookups of %s as recorded',
    async (name) => {
      const { staging } = engine.registry
      const rows = readVectors<Recorded>(`peer-${name}-stage.jsonl.gz`)
      const some = rows.filter((_, i) => i % 25 === 0)
      for (const row of some) {
        if (row.op === 'stage') {
          const { input } = row
          const answer = await staging
            .version(READER, { algorithm: name, version: 'latest' })
            .stage(input)
          const { schema_id, ...expected } = row.expected
          expect({ ...answer, errors: multiset(answer.errors) }).toEqual({
            ...expected,
            input,
            errors: multiset(expected.errors),
            ...(schema_id && { schema_id }),
          })
        } else if (row.op === 'lookup') {
          const answer = await staging
            .version(READER, { algorithm: name, version: 'latest' })
            .lookup(row.input)
          expect(answer.map(({ id }) => id)).toEqual(row.expected)
        }
      }
      expect(some.length).toBeGreaterThan(25)
    },
  )

  test('answer what public clients expect', async () => {
    const { staging } = engine.registry
    const ids = async (input: object) =>
      (await staging.version(READER, CS).lookup(input)).map(({ id }) => id)
    expect(await ids({ site: 'C509', hist: '8000' })).toEqual(['breast'])
    expect(await ids({ site: 'C111' })).toHaveLength(7)
    expect(await ids({ site: 'C111', hist: '8000' })).toHaveLength(2)
    expect(await ids({ site: 'C111', hist: '8000', ssf25: '010' })).toEqual(['nasopharynx'])
    expect(await staging.version(READER, CS).tables({ unused: true })).toEqual([])
    const { record: brain } = await staging.version(READER, CS).entity('schema', 'brain')
    const { inputs, outputs } = brain
    expect(inputs.find(({ key }) => key === 'site')).toMatchObject({
      name: 'Primary Site',
      naaccr_item: 400,
      naaccr_xml_id: 'primarySite',
      used_for_staging: true,
      table: 'primary_site',
    })
    expect(outputs?.find(({ key }) => key === 'csver_derived')).toMatchObject({
      name: 'CS Version Derived',
      naaccr_item: 2936,
      naaccr_xml_id: 'csVersionDerived',
      default: '020550',
    })
  })

  test('can be copied, edited and put back, and stage by what they are then', async () => {
    const { staging } = engine.registry
    await staging.catalogue.copyVersion(ADMIN, CS, OWN)
    const input = { site: 'C509', hist: '8000' }
    const ids = async () => (await staging.version(READER, OWN).lookup(input)).map(({ id }) => id)
    const { record: breast } = await staging.version(READER, OWN).entity('schema', 'breast')
    const { schema_selection_table } = breast
    const { record: table } = await staging
      .version(READER, OWN)
      .entity('table', schema_selection_table)
    expect(await ids()).toEqual(['breast'])
    const edit = { ...table, rows: [] }
    await staging.editableVersion(EDITOR, OWN).updateEntity('table', schema_selection_table, edit)
    expect(await ids()).toEqual([])
    await staging.editableVersion(EDITOR, OWN).updateEntity('table', schema_selection_table, table)
    expect(await ids()).toEqual(['breast'])
    await staging.catalogue.deleteVersion(ADMIN, OWN)
  })

  test('are replaced by another process while this one stages', async () => {
    const { staging } = engine.registry
    const input = { site: 'C509', hist: '8000' }
    const { record: breast } = await staging.version(READER, CS).entity('schema', 'breast')
    const { schema_selection_table } = breast
    const { record: table } = await staging
      .version(READER, CS)
      .entity('table', schema_selection_table)
    await staging.editableVersion(EDITOR, CS).updateEntity('table', schema_selection_table, {
      ...table,
      rows: [],
    })
    expect(await staging.version(READER, CS).lookup(input)).toEqual([])
    const dry = await run('import', 'staging', archiveOf('cs'), '--data', data, '--dry-run')
    expect(dry.out.split('\n')).toContain(`change\ttable\t${schema_selection_table}`)
    const ended = run('import', 'staging', archiveOf('cs'), '--data', data)
    let isRunning = true
    void ended.finally(() => {
      isRunning = false
    })
    while (isRunning) {
      const found = await staging.version(READER, CS).lookup(input)
      expect([0, 1]).toContain(found.length)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(await ended).toMatchObject({ status: 0 })
    expect(await staging.version(READER, CS).lookup(input)).toMatchObject([{ id: 'breast' }])
  })
})

test('a dry run lists what would come, and makes no data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-staging-dry-'))
  const data = join(folder, 'data')
  const of = { algorithm: 'made', version: '1.0' }
  const archive = join(folder, 'made.zip')
  const entities = [
    ...[...CONTENT.schemas.values()].map((schema) => ['schemas', schema] as const),
    ...[...CONTENT.tables.values()].map((table) => ['tables', table] as const),
  ]
  const entries = entities.map(([kind, entity]) => {
    return { name: `${kind}/${entity.id}.json`, content: JSON.stringify({ ...entity, ...of }) }
  })
  await writeFile(archive, madeZip(entries))
  const dry = await run('import', 'staging', archive, '--data', data, '--dry-run')
  expect(dry).toMatchObject({ status: 0, err: '' })
  expect(dry.out.split('\n')).toEqual([
    'made 1.0 (new)',
    'schemas\t1 added, 0 changed, 0 removed, 0 as they were',
    'add\tschema\tmade',
    'tables\t7 added, 0 changed, 0 removed, 0 as they were',
    ...[...CONTENT.tables.keys()].sort().map((id) => `add\ttable\t${id}`),
    'glossary terms\t0 added, 0 changed, 0 removed, 0 as they were',
    '',
  ])
  const gone = await run('import', 'staging', join(folder, 'gone.zip'), '--data', data, '--dry-run')
  expect(gone.status).toBe(1)
  expect(gone.err).toContain('gone.zip')
  expect(existsSync(data)).toBe(false)
  await rm(folder, { recursive: true })
})
