import { expect, test } from 'vitest'
import { openState } from '../../../shared/catalogue/state.ts'
import type { StagingTable } from '../algorithm/model.ts'
import type { EntityOf, Kind, VersionName } from './entities.ts'
import { LoadedVersions } from './loaded-versions.ts'
import { StagingRepository } from './repository.ts'
import type { StoredEntity, StoredVersion } from './stored.ts'
import { ADMIN, CONTENT, madeStaging, OF } from './support/made-staging.ts'

/** Lets something happen in the middle of reading a version, some times. */
class InterruptedRepository extends StagingRepository {
  interruptions = 0
  reads = 0
  interrupt = () => {}

  override entity<K extends Kind>(
    name: VersionName,
    kind: K,
    id: string,
  ): StoredEntity<K> | undefined {
    const stored = super.entity(name, kind, id)
    this.reads++
    if (this.interruptions > 0) {
      this.interruptions--
      this.interrupt()
    }
    return stored
  }
}

async function interrupted(times: number) {
  const state = openState(':memory:')
  const { staging } = await madeStaging(state)
  const repository = new InterruptedRepository(state)
  repository.interruptions = times
  const stored = () => repository.version(OF) as StoredVersion
  // Tables `t` and `u` always have equal titles at the end of a transaction.
  let edits = 0
  const retitle = () => {
    edits++
    repository.transaction(() => {
      const version = repository.putVersion(stored())
      for (const id of ['u', 't']) {
        const table = CONTENT.tables.get(id) as StagingTable
        const last_modified = version.lastModified
        repository.putEntity(version, 'table', { ...table, title: `${edits}`, last_modified })
      }
    })
  }
  return {
    state,
    staging,
    repository,
    stored,
    retitle,
    loaded: new LoadedVersions(repository, undefined),
  }
}

const titles = ({ tables }: { readonly tables: ReadonlyMap<string, EntityOf['table']> }) =>
  ['t', 'u'].map((id) => tables.get(id)?.title)

// Every document that is read lets one happen: 100 are more than is tried without a lock.
test.each([1, 2, 9, 100])('%i edits while a version is read are in it whole', async (times) => {
  const { state, repository, stored, retitle, loaded } = await interrupted(times)
  // Under the reader's lock nobody else can write.
  repository.interrupt = () => {
    if (!state.isTransaction) retitle()
  }
  const read = await loaded.read(stored())
  expect(read?.revision).toBe(stored().revision)
  const [t, u] = titles(read!.content)
  expect(Number(t)).toBeGreaterThanOrEqual(1)
  expect(u).toBe(t)
})

test('a version that is deleted while it is read is none', async () => {
  const { staging, repository, stored, loaded } = await interrupted(1)
  repository.interrupt = () => staging.catalogue.deleteVersion(ADMIN, OF)
  expect(await loaded.read(stored())).toBeUndefined()
})

test('what has not changed is not read again', async () => {
  const { repository, stored, retitle, loaded } = await interrupted(0)
  const before = await loaded.read(stored())
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size)
  expect(await loaded.read(stored())).toBe(before)
  retitle()
  const after = await loaded.read(stored())
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size + 2)
  expect(after?.content.tables.get('year')).toBe(before?.content.tables.get('year'))
  expect(titles(before!.content)).toEqual([undefined, undefined])
  expect(titles(after!.content)).toEqual(['1', '1'])
})

test('who asks at the same time shares one reading', async () => {
  const { repository, stored, loaded } = await interrupted(0)
  const [one, two] = await Promise.all([loaded.read(stored()), loaded.read(stored())])
  expect(two).toBe(one)
  expect(repository.reads).toBe(CONTENT.schemas.size + CONTENT.tables.size)
})

test('only some versions are cached', async () => {
  const { staging, repository, stored, loaded } = await interrupted(0)
  await loaded.read(stored())
  for (let i = 0; i < 8; i++) {
    const version = `copy-${i}`
    staging.catalogue.copyVersion(ADMIN, OF, { algorithm: 'made', version })
    await loaded.read(repository.version({ algorithm: 'made', version }) as StoredVersion)
  }
  const { reads } = repository
  await loaded.read(stored())
  expect(repository.reads).toBeGreaterThan(reads)
})
