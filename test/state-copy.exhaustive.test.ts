import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../bin/support/program.ts'
import { RELEASE_TABLES } from '../engine/commons/distribution/tables.ts'
import { type Engine, openEngine } from '../engine/index.ts'
import { copyTable, tablesOf } from '../engine/shared/database/copy-tables.ts'
import { inDialect, type TableSet } from '../engine/shared/database/migrations.ts'
import { openDatabase } from '../engine/shared/database/open.ts'
import { inlineThread } from '../engine/shared/database/sqlite/inline-thread.ts'
import { inlineExecutor, statePath, takeFolder } from '../engine/shared/index.ts'
import { emptyServerState } from '../engine/shared-state.ts'
import { copyState } from '../engine/state-copy.ts'
import { demoKey, demoToken, makeDemo } from '../fixtures/demo.ts'
import { DEMO_FILES } from '../fixtures/demo-commons.ts'
import { DEMO_CASE, DEMO_STAGING } from '../fixtures/staging/algorithm.ts'
import { createApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { createMetrics } from '../server/http/metrics.ts'
import { available } from './available.ts'
import { keptLog } from './commons/contract/fake-engine.ts'
import { HODGKIN, LATER_HODGKIN, OTHER_RANGES } from './registry/support/made-tumours.ts'
import { PostgresServer } from './shared/database/support/postgres.ts'

// A folder with state of all kinds is copied into PostgreSQL and from there into another folder. Both are
// compared with the first folder's rows and answers.

const NOW = new Date('2026-03-01T12:00:00.000Z')
const clock = () => NOW

/** Folders that do not belong to the state. */
const BYTES = ['files', 'releases', 'uploads']

const [, CONTROLLED] = DEMO_FILES
const STAGING = `/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}`
const PROJECT = '/submission/DEMO/TRIAL'

/** Requests whose answers depend on each part of the state: method, path, and the body of a POST. */
const REQUESTS: readonly (readonly [string, unknown?])[] = [
  ['GET /status'],
  ['GET /cases?size=3&facets=primary_site'],
  ['GET /notifications'],
  [`GET /data/${CONTROLLED.id}`],
  [`GET /slicing/view/${CONTROLLED.id}?region=chr17:7661779-7662779`],
  [`POST /slicing/view/${CONTROLLED.id}`, { geneannot: ['TP53'] }],
  ['GET /submission'],
  [`GET ${PROJECT}/export?node_label=sample&format=json`],
  [`GET ${PROJECT}/export?node_label=diagnosis`],
  [
    'POST /submission/graphql',
    { query: '{ case { submitter_id samples { submitter_id tissue_type } } }' },
  ],
  ['POST /submission/graphql', { query: '{ transaction_log { id type state } }' }],
  ['GET /rest/staging/algorithms'],
  [`GET ${STAGING}/schemas`],
  [`GET ${STAGING}/tables`],
  [`POST ${STAGING}/stage`, DEMO_CASE],
  ['POST /rest/mph', { input1: HODGKIN, input2: LATER_HODGKIN }],
  ...['rx', 'glossary', 'disease'].flatMap((area) => [
    [`GET /rest/${area}/versions`] as const,
    [`GET /rest/${area}/latest`] as const,
    [`GET /rest/${area}/latest?q=a&count=50`] as const,
    [`GET /rest/${area}/latest/changelog`] as const,
  ]),
  ['GET /rest/ndc?q=tresoplatin'],
  ['GET /rest/hcpcs?q=injection'],
  ['GET /rest/naaccr/versions'],
  ['GET /rest/naaccr/latest?q=made'],
  ['GET /rest/naaccr/latest/madeUpSite'],
  ['GET /rest/surgery/latest/tables'],
  ['GET /rest/surgery/latest/table?site=C182&hist=8140'],
]

describe.skipIf(!available.postgresql)('state that is copied', () => {
  const server = new PostgresServer()
  let folder = ''
  let first = ''
  let secrets = { token: '', key: '' }
  beforeAll(async () => {
    await server.start()
    folder = mkdtempSync(join(tmpdir(), 'casemill-state-copy-'))
    first = join(folder, 'first')
    const engine = await openEngine({ dataFolder: first, executor: inlineExecutor, clock })
    await makeDemo(engine)
    secrets = await makeMore(engine, folder)
    await engine.close()
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('to PostgreSQL and back is as it was, row by row and answer by answer', async () => {
    const stateUrl = await server.url()
    const truth = await answersOf(first, secrets)
    // Refusals would be equal as well, so the statuses are checked.
    for (const { request, status } of truth)
      expect([request, status < 300]).toEqual([request, true])

    const there = await runProgram(['state', 'copy', '--to', 'database', '--data', first], {
      CASEMILL_STATE_URL: stateUrl,
    })
    expect(there).toMatchObject({ status: 0, err: expect.stringContaining('Bytes are not') })
    const counts = countsOf(first)
    expect(there.out.trim().split('\n').toSorted()).toEqual(
      [...counts].flatMap(([name, rows]) => (rows > 0 ? [`${name}\t${rows}`] : [])).toSorted(),
    )
    const served = await folderWithBytes(join(folder, 'served'), first)
    expect(await answersOf(served, secrets, stateUrl)).toEqual(truth)

    const second = join(folder, 'second')
    const names: string[] = []
    const onTable = (name: string) => void names.push(name)
    const back = await copyState({ dataFolder: second, stateUrl, to: 'folder', onTable })
    expect(back).toMatchObject({ left: [], uploads: 0 })
    expect(await readdir(second)).toEqual(['database.sqlite', 'serving.lock', 'state.sqlite'])
    expect(rowsOf(second)).toEqual(rowsOf(first))
    await folderWithBytes(second, first)
    expect(await answersOf(second, secrets)).toEqual(truth)

    // All tables including future ones, except those of releases, which a folder lacks.
    const own = /CREATE TABLE (\w+)/g
    const ofReleases = RELEASE_TABLES.steps.flatMap((step) =>
      [...inDialect(step, 'sqlite').matchAll(own)].map(([, name]) => name),
    )
    const empty = await emptyServerState()
    const all = (await empty.read(tablesOf)).map(({ name }) => name)
    await empty.close()
    expect([...names, ...ofReleases].toSorted()).toEqual(all.toSorted())
  })

  test('a number that was given is not given again on either side', async () => {
    const { place, engineAt } = await copied()
    const add = async (engine: Engine) => {
      await engine.shared.notifications.add({ level: 'INFO', components: ['API'], message: 'new' })
      const all = await engine.shared.notifications.list()
      return Math.max(...all.map(({ id }) => id))
    }
    expect(await engineAt({ dataFolder: first }, add)).toBe(4)
    expect(await engineAt(place, add)).toBe(4)
    const second = join(folder, 'numbered')
    await copyState({ dataFolder: second, stateUrl: place.stateUrl, to: 'folder' })
    expect(await engineAt({ dataFolder: second }, add)).toBe(5)
  })

  test('what is there already is not touched', async () => {
    const { place, engineAt } = await copied()
    const before = await engineAt(place, ({ shared }) => shared.tokens.list())
    const again = { ...place, dataFolder: first, to: 'database' } as const
    await expect(copyState(again)).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('table "'),
    })
    expect(await engineAt(place, ({ shared }) => shared.tokens.list())).toEqual(before)
    const rows = rowsOf(first)
    await expect(copyState({ ...again, to: 'folder' })).rejects.toMatchObject({
      code: 'already_exists',
      message: expect.stringContaining('move it away'),
    })
    expect(rowsOf(first)).toEqual(rows)
  })

  test('a copy that fails leaves an empty database, which the next one fills', async () => {
    const stateUrl = await server.url()
    const broken = await folderWithState(join(folder, 'broken'), first)
    const state = new DatabaseSync(statePath(broken))
    // SQLite can store U+0000, but PostgreSQL cannot.
    state.exec("UPDATE notifications SET message = 'a' || char(0) || 'b' WHERE id = 1")
    state.close()
    const copy = { dataFolder: broken, stateUrl, to: 'database' } as const
    await expect(copyState(copy)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/^table "notifications": .*U\+0000/),
    })
    await copyState({ ...copy, dataFolder: first })
  })

  test('a folder that is served is left alone', async () => {
    const giveBack = takeFolder(first)
    const copy = { dataFolder: first, stateUrl: await server.url() }
    for (const to of ['database', 'folder'] as const) {
      await expect(copyState({ ...copy, to })).rejects.toMatchObject({ code: 'unavailable' })
    }
    giveBack()
  })

  test('nothing is written on either side while rows are copied', async () => {
    const stateUrl = await server.url()
    const dataFolder = join(folder, 'writer')
    const engine = await openEngine({ dataFolder, executor: inlineExecutor, stateUrl })
    await engine.shared.tokens.list()
    const order: string[] = []
    let writing: Promise<unknown> | undefined
    const write = async () => {
      await engine.shared.tokens.create({ user: 'late' })
      order.push('written')
    }
    const onTable = (name: string) => {
      order.push(name)
      if (name === 'tokens') writing = write()
    }
    await copyState({ dataFolder: first, stateUrl, to: 'database', onTable })
    await writing
    expect(order.indexOf('tokens')).toBeLessThan(order.length - 2)
    expect(order.at(-1)).toBe('written')
    expect((await engine.shared.tokens.list()).map(({ user }) => user)).toContain('late')
    await engine.close()
  })

  test('tables that are made later are copied, those first that others refer to', async () => {
    const made: TableSet = {
      name: 'made',
      steps: [
        `CREATE TABLE wholes (id {numbered}, size {real} NOT NULL) {strict};
        CREATE TABLE a_parts (
          whole {integer} NOT NULL REFERENCES wholes (id),
          part {text} NOT NULL,
          bytes {bytes},
          PRIMARY KEY (whole, part)
        ) {strict by key};`,
      ],
    }
    const embedded = (name: string) =>
      openDatabase({ path: join(folder, name), startThread: inlineThread }, [made])
    const databases = [
      await embedded('one.sqlite'),
      await openDatabase({ url: await server.url() }, [made]),
      await embedded('other.sqlite'),
    ] as const
    await databases[0].write(async (to) => {
      const sizes = Array.from({ length: 2500 }, (_, i) => [i / 4])
      await to.runEach('INSERT INTO wholes (size) VALUES (?)', sizes)
      const parts = sizes.map(([size], i) => [i + 1, `é${size}`, new Uint8Array([i % 256, 0])])
      await to.runEach('INSERT INTO a_parts (whole, part, bytes) VALUES (?, ?, ?)', parts)
      await to.run('INSERT INTO a_parts (whole, part) VALUES (1, ?)', ['no bytes'])
    })
    const tables = await databases[0].read(tablesOf)
    expect(tables.map(({ name }) => name)).toEqual(['wholes', 'a_parts'])
    for (const i of [0, 1] as const) {
      const [from, to] = [databases[i], databases[i === 0 ? 1 : 2]]
      const dialects = { from: from.dialect, to: to.dialect }
      await from.read((rows) =>
        to.write(async (target) => {
          for (const table of tables) await copyTable(table, { from: rows, to: target, dialects })
        }),
      )
    }
    for (const sql of ['SELECT * FROM wholes ORDER BY id', 'SELECT * FROM a_parts ORDER BY 1, 2']) {
      const [one, server, other] = await Promise.all(databases.map((database) => database.ask(sql)))
      expect(one?.length).toBeGreaterThanOrEqual(2500)
      expect(server).toEqual(one)
      expect(other).toEqual(one)
    }
    for (const database of databases) {
      await database.write((to) => to.run('INSERT INTO wholes (size) VALUES (0)'))
      const [last] = await database.ask<{ id: number }>('SELECT max(id) AS id FROM wholes')
      expect(last).toEqual({ id: 2501 })
      await database.close()
    }
  })

  /** Copies the first folder into a new database. */
  async function copied() {
    const place = { dataFolder: join(folder, 'served'), stateUrl: await server.url() }
    await copyState({ ...place, dataFolder: first, to: 'database' })
    async function engineAt<Result>(
      at: { readonly dataFolder: string; readonly stateUrl?: string },
      use: (engine: Engine) => Promise<Result>,
    ): Promise<Result> {
      const engine = await openEngine({ ...at, executor: inlineExecutor, clock })
      return use(engine).finally(() => engine.close())
    }
    return { place, engineAt }
  }
})

/** Adds what the demo lacks: users, a revoked token, notifications with a gap at the end, other tables. */
async function makeMore({ shared, registry, ...engine }: Engine, folder: string) {
  const { tokens, keys, notifications } = shared
  const secrets = {
    token: await demoToken({ shared, registry, ...engine } as Engine),
    key: await demoKey({ shared, registry, ...engine } as Engine),
  }
  await tokens.revoke((await tokens.create({ user: 'ada', admin: true })).id)
  await keys.create({ user: 'eva', roles: ['ADMIN'] })
  for (const message of ['one', 'two', 'three']) {
    await notifications.add({ level: 'INFO', components: ['API'], message })
  }
  const last = (await notifications.list()).find(({ message }) => message === 'three')
  await notifications.remove(last?.id ?? 0)
  const ranges = join(folder, 'ranges.csv')
  await writeFile(ranges, OTHER_RANGES)
  await registry.multiplePrimaries.import([ranges])
  return secrets
}

async function answersOf(
  dataFolder: string,
  { token, key }: { readonly token: string; readonly key: string },
  stateUrl?: string,
) {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor, clock, stateUrl })
  try {
    await engine.start()
    const config = readConfig({})
    const { log } = keptLog(config)
    const metrics = createMetrics(engine)
    const status = { commit: 'test', tag: '0.0.0' }
    const app = createApp({ engine, config, log, metrics, status })
    const answers = []
    for (const [request, body] of REQUESTS) {
      const [method = '', path = ''] = request.split(' ')
      const headers = { 'X-Auth-Token': token, 'X-SEERAPI-Key': key }
      const response = await app.request(path, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const bytes = Buffer.from(await response.arrayBuffer()).toString('base64')
      const type = response.headers.get('content-type')
      answers.push({ request, status: response.status, type, bytes })
    }
    return answers
  } finally {
    await engine.close()
  }
}

/** A folder with another folder's bytes, and without its state. */
async function folderWithBytes(folder: string, from: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  for (const name of BYTES) {
    if (existsSync(join(from, name)))
      await cp(join(from, name), join(folder, name), { recursive: true })
  }
  return folder
}

async function folderWithState(folder: string, from: string): Promise<string> {
  await mkdir(folder)
  for (const name of ['state.sqlite', 'database.sqlite']) {
    await cp(join(from, name), join(folder, name))
  }
  return folder
}

type Table = readonly [name: string, rows: readonly string[]]

function rowsOf(folder: string): readonly Table[] {
  return ['state.sqlite', 'database.sqlite'].flatMap((file) => {
    const database = new DatabaseSync(join(folder, file), { readOnly: true })
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    const tables = database.prepare(sql).all()
    const found = tables.map(({ name }): Table => {
      const rows = database.prepare(`SELECT * FROM ${name}`).all()
      const texts = rows.map((row) => JSON.stringify(Object.values(row)))
      // A server that answers requests meanwhile creates tasks and numbers them.
      const isCopied = (text: string) => !text.startsWith('["work_tasks",')
      return [String(name), texts.filter(isCopied).toSorted()]
    })
    database.close()
    return found
  })
}

const countsOf = (folder: string) =>
  new Map(
    rowsOf(folder)
      .filter(([name]) => name !== 'schema_steps' && !name.startsWith('sqlite'))
      .map(([name, rows]) => [name, rows.length]),
  )

describe.skipIf(!available.postgresql)('a database that is migrated apart from serving', () => {
  const server = new PostgresServer()
  beforeAll(() => server.start())
  afterAll(() => server.stop())

  test('is refused by commands until then, and used from then on', async () => {
    const CASEMILL_STATE_URL = await server.url()
    const run = (words: readonly string[]) =>
      runProgram(words, { CASEMILL_STATE_URL, CASEMILL_STATE_MIGRATE: 'false' })
    const list = ['token', 'list']
    expect(await run(list)).toMatchObject({
      status: 1,
      err: expect.stringContaining('run casemill state migrate'),
    })
    expect(await run(['state', 'migrate', '--check'])).toMatchObject({ status: 1 })
    const migrated = await run(['state', 'migrate'])
    expect(migrated).toMatchObject({ status: 0, out: expect.stringContaining('registry\t1\t') })
    expect(await run(['state', 'migrate', '--check'])).toMatchObject({ status: 0, out: '' })
    expect(await run(list)).toMatchObject({ status: 0 })
  })
})
