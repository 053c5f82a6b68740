import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { callerOf } from '../../engine/shared/access/support/caller.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { refusal } from '../../engine/shared/support/refusal.ts'
import { canRun, DIALECTS } from '../shared/database/support/dialects.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'
import { loadProducts } from './support/made-tables.ts'
import { HODGKIN, LATER_HODGKIN, OTHER_RANGES } from './support/made-tumours.ts'

const EDITOR = callerOf('ADMIN')
const OF = { algorithm: 'made', version: '1.0' }
const DEV = 'development'
const TABLE = {
  id: 't',
  definition: [
    { key: 'a', name: 'A', type: 'INPUT' },
    { key: 'b', name: 'B', type: 'DESCRIPTION' },
  ],
}
/** The number of simultaneous edits of each of two editors. */
const EDITS = 10

for (const dialect of DIALECTS) {
  describe.skipIf(!canRun(dialect))(`two engines over ${dialect}`, () => {
    const server = dialect === 'postgresql' ? new PostgresServer() : undefined
    let one: Engine
    let other: Engine
    let folder: string
    let stateUrl: string | undefined
    beforeAll(() => server?.start())
    afterAll(() => server?.stop())
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'casemill-two-servers-'))
      stateUrl = await server?.url()
      // With a database server, each engine has its own folder, which contains nothing of the registry.
      const open = (name: string) =>
        openEngine({
          dataFolder: join(folder, stateUrl === undefined ? 'shared' : name),
          executor: inlineExecutor,
          stateUrl,
        })
      one = await open('one')
      other = await open('other')
      onTestFinished(async () => {
        await one.close()
        await other.close()
        await rm(folder, { recursive: true })
      })
    })

    const stagingOf = ({ registry: { staging } }: Engine) => ({
      catalogue: staging.catalogue,
      editing: () => staging.editableVersion(EDITOR, OF),
      reading: () => staging.version(EDITOR, OF),
    })

    async function makeVersion() {
      const { catalogue, editing } = stagingOf(one)
      await catalogue.createAlgorithm(EDITOR, OF.algorithm, {})
      await catalogue.createVersion(EDITOR, OF, {})
      await editing().createEntity('table', { ...TABLE, rows: [['1', 'first']] })
    }

    test('a table that one edits is looked into by the other', async () => {
      await makeVersion()
      const match = () => stagingOf(other).reading().match('t', { a: '2' })
      expect(await match()).toEqual({ match: false })
      const rows = [['2', 'second']]
      await stagingOf(one)
        .editing()
        .updateEntity('table', 't', { ...TABLE, rows })
      expect(await match()).toEqual({ match: true, row: 0 })
      await stagingOf(one).catalogue.deleteVersion(EDITOR, OF)
      expect(await refusal(match)).toMatchObject({ code: 'not_found' })
    })

    test('a record that one publishes is found by the other, which may then not overwrite it', async () => {
      const { rx } = other.registry
      const found = async (q: string) => (await rx.search(EDITOR, DEV, { q })).total
      const drug = { id: 'a', name: 'Alpha', type: 'DRUG' }
      const { revision } = await one.registry.rx.create(EDITOR, DEV, drug)
      expect(await found('alpha')).toBe(1)
      await one.registry.rx.update(EDITOR, DEV, { ...drug, name: 'Beta' })
      expect([await found('alpha'), await found('beta')]).toEqual([0, 1])
      const held = [String(revision)]
      expect(await refusal(() => rx.update(EDITOR, DEV, drug, { held }))).toMatchObject({
        code: 'precondition_failed',
      })
      await one.registry.rx.publish(EDITOR, DEV, { ids: ['a'] })
      expect((await rx.search(callerOf(), 'latest', { q: 'beta' })).total).toBe(1)
    })

    test('tables of codes and of multiple primaries that one imports count for the other', async () => {
      const search = async () => (await other.registry.ndc.search(EDITOR, { q: 'alpha' })).total
      expect(await search()).toBe(0)
      await loadProducts(one, ['0001-0001', 'Alpha'])
      expect(await search()).toBe(1)
      const body = { input1: HODGKIN, input2: LATER_HODGKIN }
      const compared = async () => (await other.registry.multiplePrimaries.compare(body)).result
      expect(await compared()).toBe('SINGLE_PRIMARY')
      const ranges = join(folder, 'ranges.csv')
      await writeFile(ranges, OTHER_RANGES)
      await one.registry.multiplePrimaries.import([ranges])
      expect(await compared()).toBe('MULTIPLE_PRIMARIES')
    })

    test.skipIf(!server)(
      'commands without a data folder work on what the engines serve',
      async () => {
        const settings = { CASEMILL_STATE_URL: stateUrl, CASEMILL_DATA: undefined }
        const file = join(folder, 'drugs.ndjson')
        await writeFile(file, JSON.stringify({ id: 'a', name: 'Alpha', type: 'DRUG' }))
        const words = ['import', 'rx', file, '--publish']
        const dry = await runProgram([...words, '--dry-run'], settings)
        expect(dry).toMatchObject({ status: 0, out: expect.stringMatching(/^1 added/) })
        expect((await one.registry.rx.versions(callerOf()))[0]?.count).toBe(0)
        expect(await runProgram(words, settings)).toMatchObject({ status: 0 })
        expect((await one.registry.rx.search(callerOf(), 'latest', { q: 'alpha' })).total).toBe(1)
        await makeVersion()
        const listed = await runProgram(['staging', 'list'], settings)
        expect(listed).toMatchObject({ status: 0, out: expect.stringMatching(/^made\t1\.0\t/m) })
      },
    )

    test('two who edit at the same time lose no edit, and each has its entry in the history', async () => {
      await makeVersion()
      const { rx: mine } = one.registry
      await mine.create(EDITOR, DEV, { id: 'shared', name: 'Shared', type: 'DRUG' })
      // Reads, adds one and writes on condition of the revision; repeats if another editor was faster.
      const raise = async ({ rx }: Pick<Engine['registry'], 'rx'>): Promise<void> => {
        const { record, revision } = await rx.record(EDITOR, DEV, 'shared')
        const { id, name, type } = record
        const body = { id, name, type, note: String(Number(record.note ?? 0) + 1) }
        const update = rx.update(EDITOR, DEV, body, { held: [String(revision)] })
        const failure = await update.then(
          () => undefined,
          (error: unknown) => error,
        )
        if (!failure) return
        expect(failure).toMatchObject({ code: 'precondition_failed' })
        await raise({ rx })
      }
      const edit = async (engine: Engine, name: string) => {
        for (let i = 0; i < EDITS; i++) {
          const id = `${name}-${i}`
          const table = { ...TABLE, id, rows: [['1', id]] }
          await stagingOf(engine).editing().createEntity('table', table)
          await engine.registry.rx.create(EDITOR, DEV, { id, name: id, type: 'DRUG' })
          await raise(engine.registry)
        }
      }
      await Promise.all([edit(one, 'one'), edit(other, 'other')])
      const ids = ['one', 'other'].flatMap((name) =>
        Array.from({ length: EDITS }, (_, i) => `${name}-${i}`),
      )
      for (const engine of [one, other]) {
        const tables = await stagingOf(engine).reading().tables()
        expect(tables.map(({ id }) => id)).toEqual([...ids, 't'].toSorted())
        const history = await stagingOf(engine).reading().entityHistory('table', { perPage: 1000 })
        expect(history.map(({ number }) => number)).toEqual(
          Array.from({ length: 2 * EDITS + 1 }, (_, i) => 2 * EDITS + 1 - i),
        )
        const { rx } = engine.registry
        expect((await rx.search(EDITOR, DEV, {})).total).toBe(2 * EDITS + 1)
        expect((await rx.record(EDITOR, DEV, 'shared')).record.note).toBe(String(2 * EDITS))
        const log = await rx.changelog(EDITOR, DEV, {})
        expect(log.total).toBe(1 + 4 * EDITS)
      }
    })
  })
}
