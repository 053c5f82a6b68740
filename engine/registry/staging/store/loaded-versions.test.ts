import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { newStates } from '../../../shared/support/new-state.ts'
import type { StagingTable } from '../algorithm/model.ts'
import type { EntityOf } from './entities.ts'
import { LoadedVersions } from './loaded-versions.ts'
import { StagingRepository, type StagingSnapshot } from './repository.ts'
import type { StoredVersion } from './stored.ts'
import { ADMIN, CONTENT, madeStaging, OF } from './support/made-staging.ts'

/** Runs a callback in the middle of reading a version, a number of times, and counts the reads. */
class InterruptedRepository extends StagingRepository {
  interruptions = 0
  reads = 0
  interrupt = async () => {}

  override snapshot<Result>(read: (at: StagingSnapshot) => Promise<Result>): Promise<Result> {
    return super.snapshot((at) => {
      const entities = at.entities.bind(at)
      at.entities = async (name, kind, ids) => {
        const found = await entities(name, kind, ids)
        this.reads += found.size
        if (this.interruptions > 0) {
          this.interruptions--
          await this.interrupt()
        }
        return found
      }
      return read(at)
    })
  }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-loaded-versions-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function interrupted(times: number) {
  const [state, other] = await newStates(folder)
  onTestFinished(async () => {
    await state.close()
    await other.close()
  })
  const { staging } = await madeStaging(other)
  const repository = new InterruptedRepository(state)
  repository.interruptions = times
  const stored = async () => (await repository.version(OF)) as StoredVersion
  const editing = new StagingRepository(other)
  // At the end of each transaction, tables `t` and `u` have equal titles.
  let edits = 0
  const retitle = async () => {
    edits++
    await editing.transaction(async (transaction) => {
      const version = await transaction.putVersion((await transaction.version(OF)) as StoredVersion)
      const { lastModified: last_modified } = version
      const tables = ['u', 't'].map((id) => {
        const table = CONTENT.tables.get(id) as StagingTable
        return { kind: 'table', entity: { ...table, title: `${edits}`, last_modified } } as const
      })
      await transaction.putEntities(version, tables)
    })
  }
  const loaded = new LoadedVersions(repository, new LoopTurns(), undefined)
  return { staging, repository, stored, retitle, loaded }
}

const titles = ({ tables }: { readonly tables: ReadonlyMap<string, EntityOf['table']> }) =>
  ['t', 'u'].map((id) => tables.get(id)?.title)

test('what is edited while a version is read is in it as a whole or not at all', async () => {
  const { repository, stored, retitle, loaded } = await interrupted(100)
  await retitle()
  const before = await stored()
  repository.interrupt = retitle
  const read = await loaded.read(before)
  expect(read?.revision).toBe(before.revision)
  expect(titles(read!.content)).toEqual(['1', '1'])
  repository.interruptions = 0
  const after = await loaded.read(await stored())
  const [t, u] = titles(after!.content)
  expect(after?.revision).toBe((await stored()).revision)
  expect(Number(t)).toBeGreaterThan(1)
  expect(u).toBe(t)
})

test('a version that is deleted before it is read is none', async () => {
  const { staging, stored, loaded } = await interrupted(0)
  const before = await stored()
  await staging.catalogue.deleteVersion(ADMIN, OF)
  expect(await loaded.read(before)).toBeUndefined()
})

test('what has not changed is not read again', async () => {
  const { repository, stored, retitle, loaded } = await interrupted(0)
  const before = await loaded.read(await stored())
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size)
  expect(await loaded.read(await stored())).toBe(before)
  await retitle()
  const after = await loaded.read(await stored())
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size + 2)
  expect(after?.content.tables.get('year')).toBe(before?.content.tables.get('year'))
  expect(titles(before!.content)).toEqual([undefined, undefined])
  expect(titles(after!.content)).toEqual(['1', '1'])
})

test('simultaneous requests share one reading', async () => {
  const { repository, stored, loaded } = await interrupted(0)
  const version = await stored()
  const [one, two] = await Promise.all([loaded.read(version), loaded.read(version)])
  expect(two).toBe(one)
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size)
})

test('only some versions are cached', async () => {
  const { staging, repository, stored, loaded } = await interrupted(0)
  await loaded.read(await stored())
  for (let i = 0; i < 8; i++) {
    const version = `copy-${i}`
    await staging.catalogue.copyVersion(ADMIN, OF, { algorithm: 'made', version })
    await loaded.read((await repository.version({ algorithm: 'made', version })) as StoredVersion)
  }
  const { reads } = repository
  await loaded.read(await stored())
  expect(repository.reads).toBeGreaterThan(reads)
})
