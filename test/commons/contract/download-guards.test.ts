import { mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EngineError, type StoredFile } from '../../../engine/shared/index.ts'
import { membersOf, namesOf } from './support/archives.ts'
import {
  CASE,
  idOf,
  listed,
  md5Of,
  OTHER_CASE,
  type RetainedFile,
  recordOf,
  STRAY_CASE,
  SURROUNDINGS,
  someBytes,
} from './support/download-records.ts'
import { type DownloadWorld, openWorld, STORED_AT } from './support/download-world.ts'

// Who may read which bytes, and which bytes are withheld because they are not those that the record describes.

const file = (n: number, name = `file-${n}.txt`): RetainedFile => ({
  id: idOf(n),
  name,
  bytes: someBytes(20 + n, n),
})
const closed = { access: 'controlled' }
const [open, index, twice, named, byProgram, unlisted, shared, stray, caseless] = [
  ...Array.from({ length: 9 }, (_, i) => file(i + 1)),
] as [
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
]
const [other, silent, bam, listedClosed, listedOpen] = [10, 11, 12, 13, 14].map((n) => file(n)) as [
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
  RetainedFile,
]
/** Files listed by more records than are read completely. */
const [everywhere, oneClosed, allClosed] = [20, 21, 22].map((n) => file(n)) as [
  RetainedFile,
  RetainedFile,
  RetainedFile,
]
const listing = Array.from({ length: 300 }, (_, i) =>
  recordOf(file(1000 + i), { metadata_files: [listed(everywhere), listed(oneClosed)] }),
)
const closedListing = Array.from({ length: 300 }, (_, i) =>
  recordOf(file(2000 + i), { ...closed, acl: ['GAMMA-3'], metadata_files: [listed(allClosed)] }),
)

const wild = ['../../state.sqlite', '..', 'a\r\nX-Evil: 1', '/etc/passwd', 'a\u0000b', ''].map(
  (name, i) => ({ ...file(30 + i), recorded: name }),
)

const cases = (...ids: string[]) => ({ cases: ids.map((case_id) => ({ case_id })) })
const RECORDS = {
  ...SURROUNDINGS,
  files: [
    recordOf(open, { index_files: [listed(index)] }),
    recordOf(named, { ...closed, acl: ['GAMMA-3'], index_files: [listed(twice)] }),
    recordOf(byProgram, { ...closed, acl: ['phs000100'], metadata_files: [listed(twice)] }),
    recordOf(unlisted, { ...closed, acl: undefined }),
    recordOf(shared, { ...closed, acl: ['open'], ...cases(CASE, OTHER_CASE) }),
    recordOf(stray, { ...closed, acl: [], ...cases(CASE, STRAY_CASE) }),
    recordOf(caseless, { ...closed, acl: [], cases: [] }),
    recordOf(silent, { access: undefined, acl: ['GAMMA-3'] }),
    recordOf(bam, { ...closed, acl: ['ALPHA-1'], data_format: 'BAM' }),
    recordOf(other, { index_files: [{ ...listed(listedClosed), access: 'controlled' }] }),
    // The index has a record of its own, which is more open than that of its file.
    recordOf(listedOpen),
    recordOf(file(15), { ...closed, acl: ['ALPHA-1'], index_files: [listed(listedOpen)] }),
    ...listing,
    recordOf(file(1999), { ...closed, acl: ['GAMMA-3'], metadata_files: [listed(oneClosed)] }),
    ...closedListing,
    ...wild.map((one) => recordOf(one, { file_name: one.recorded })),
  ],
}

let world: DownloadWorld
const tokens = new Map<string, string>()

beforeAll(async () => {
  world = await openWorld(RECORDS)
  const all = [open, index, twice, named, byProgram, unlisted, shared, stray, caseless]
  all.push(everywhere, oneClosed, allClosed)
  for (const kept of [...all, other, silent, listedClosed, listedOpen, ...wild]) {
    await world.store(kept, { access: 'open' })
  }
  const users = { alpha: ['ALPHA-1'], both: ['ALPHA-1', 'BETA-2'], gamma: ['GAMMA-3'] }
  for (const [user, projects] of Object.entries(users)) {
    tokens.set(user, (await world.engine.shared.tokens.create({ user, projects })).secret)
  }
  tokens.set(
    'gamma and alpha',
    (
      await world.engine.shared.tokens.create({
        user: 'two',
        projects: ['GAMMA-3', 'ALPHA-1'],
      })
    ).secret,
  )
  tokens.set(
    'admin',
    (await world.engine.shared.tokens.create({ user: 'root', admin: true })).secret,
  )
})
afterAll(() => world.close())

const codeOf = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'served',
    (error: unknown) => (error instanceof EngineError ? error.code : error),
  )
const ask = (id: string, who?: string) =>
  codeOf(
    world.engine.commons.downloads.download({
      ids: [id],
      token: who === undefined ? undefined : tokens.get(who),
    }),
  )

test.each<[string, RetainedFile, string, string[]]>([
  ['an open file', open, 'served', ['alpha', 'gamma', 'admin']],
  ['the index of an open file', index, 'served', ['alpha', 'gamma', 'admin']],
  ['a list that names a project', named, 'unauthenticated', ['gamma', 'admin']],
  ["a program's accession", byProgram, 'unauthenticated', ['alpha', 'both', 'admin']],
  ['no list: the project of the case', unlisted, 'unauthenticated', ['alpha', 'both', 'admin']],
  ['no list: the projects of all cases', shared, 'unauthenticated', ['both', 'admin']],
  ['a case that is not known', stray, 'unauthenticated', ['admin']],
  ['no case', caseless, 'unauthenticated', ['admin']],
  ['no word about access', silent, 'unauthenticated', ['gamma', 'admin']],
  ['annotations of two closed files', twice, 'unauthenticated', ['gamma and alpha', 'admin']],
  ['an open record listed by a closed file', listedOpen, 'unauthenticated', ['alpha', 'admin']],
  ['annotations of 300 open files', everywhere, 'served', ['alpha']],
  [
    'annotations of 300 open files and a closed one',
    oneClosed,
    'unauthenticated',
    ['gamma', 'admin'],
  ],
  ['annotations of more closed files than are read', allClosed, 'unauthenticated', ['admin']],
  ['a closed member of an open list', listedClosed, 'unauthenticated', ['alpha', 'admin']],
])('%s', async (_, { id }, withoutToken, who) => {
  expect(await ask(id)).toBe(withoutToken)
  for (const user of who) expect([user, await ask(id, user)]).toEqual([user, 'served'])
  if (withoutToken === 'served') return
  const others = ['alpha', 'both', 'gamma'].filter((user) => !who.includes(user))
  for (const user of others) {
    const isPartly = user === 'both' && who.includes('alpha')
    expect([user, await ask(id, user)]).toEqual([user, isPartly ? 'served' : 'forbidden'])
  }
})

test('a BAM of the release that is not stored is refused after token and right', async () => {
  const slice = (who?: string) =>
    codeOf(
      world.engine.commons.slicing.open(bam.id, who === undefined ? undefined : tokens.get(who)),
    )
  expect(await slice()).toBe('unauthenticated')
  expect(await slice('gamma')).toBe('forbidden')
  const refused = world.engine.commons.slicing.open(bam.id, tokens.get('alpha'))
  await expect(refused).rejects.toThrow('its bytes are not stored here')
  expect(await codeOf(world.engine.commons.slicing.open(open.id, undefined))).toBe('not_found')
  expect(await codeOf(world.engine.commons.slicing.open(idOf(99), undefined))).toBe('not_found')
})

test("a record's file name is used only where it is a plain one", async () => {
  for (const { id, name } of wild) {
    const found = await world.engine.commons.downloads.download({ ids: [id], token: undefined })
    expect(found.fileName).toBe(name)
  }
  const ids = wild.map(({ id }) => id)
  const { open: begin } = await world.engine.commons.downloads.download({
    ids,
    token: undefined,
    tarfile: true,
  })
  const { body } = await begin()
  const parts: Buffer[] = []
  for await (const chunk of body) parts.push(Buffer.from(chunk))
  expect(await namesOf(Buffer.concat(parts))).toEqual([
    'MANIFEST.txt',
    ...wild.map(({ id, name }) => `${id}/${name}`),
  ])
})

test('members that would have the same place get different ones', async () => {
  const one = file(20, 'same.txt')
  const two = file(21, 'same.txt')
  const twins = await openWorld({
    ...SURROUNDINGS,
    files: [recordOf(one, { index_files: [listed(two)], metadata_files: [listed(two)] })],
  })
  for (const kept of [one, two]) await twins.store(kept)
  const asked = { ids: [one.id], token: undefined, relatedFiles: true }
  const { body } = await (await twins.engine.commons.downloads.download(asked)).open()
  const parts: Buffer[] = []
  for await (const chunk of body) parts.push(Buffer.from(chunk))
  const members = await membersOf(Buffer.concat(parts))
  expect(members.map(({ name }) => name)).toEqual([
    'MANIFEST.txt',
    `${one.id}/same.txt`,
    `${one.id}/${two.id}_same.txt`,
  ])
  await twins.close()
})

describe('bytes that no record speaks of', () => {
  const row = (row: Partial<StoredFile>) => row
  const lonely = file(40)

  test('go by the catalogue, and by whom they belong to', async () => {
    await world.store(lonely, row({ access: 'controlled', acl: ['GAMMA-3'] }))
    await world.store(file(41), row({ access: 'controlled' }))
    await world.store(file(42), row({ access: 'open', partOf: lonely.id }))
    await world.store(file(43), row({ access: 'open', partOf: named.id }))
    await world.store(file(44), row({ access: 'open', partOf: idOf(98) }))
    await world.store(file(45), row({ access: 'open', partOf: idOf(45) }))
    expect(await ask(idOf(40))).toBe('unauthenticated')
    expect(await ask(idOf(40), 'alpha')).toBe('forbidden')
    expect(await ask(idOf(40), 'gamma')).toBe('served')
    expect(await ask(idOf(41), 'both')).toBe('forbidden')
    expect(await ask(idOf(41), 'admin')).toBe('served')
    for (const n of [42, 43]) {
      expect(await ask(idOf(n))).toBe('unauthenticated')
      expect(await ask(idOf(n), 'alpha')).toBe('forbidden')
      expect(await ask(idOf(n), 'gamma')).toBe('served')
    }
    expect([await ask(idOf(44)), await ask(idOf(45))]).toEqual(['served', 'served'])
  })

  test('are handed out without any release', async () => {
    const bare = await openWorld()
    await bare.store(lonely, row({ access: 'open' }))
    const ids = [lonely.id]
    const found = await bare.engine.commons.downloads.download({
      ids,
      token: 'nonsense',
      tarfile: true,
    })
    expect(found).toMatchObject({ kind: 'tar', modified: new Date('2025-02-03T04:05:06Z') })
    expect(
      await codeOf(bare.engine.commons.downloads.download({ ids: [idOf(99)], token: undefined })),
    ).toBe('not_found')
    await bare.close()
  })
})

describe('bytes that are not those on record', () => {
  const begin = async (id: string) => {
    const found = await world.engine.commons.downloads.download({ ids: [id], token: undefined })
    await (await found.open())[Symbol.asyncDispose]()
  }

  test('another md5 or size than the record tells is not stored', async () => {
    const [old, long] = [file(50), file(51)]
    const records = {
      ...RECORDS,
      files: [
        ...RECORDS.files,
        recordOf(old, { md5sum: 'f'.repeat(32) }),
        recordOf(long, { file_size: 1_000_000 }),
      ],
    }
    const stale = await openWorld(records)
    for (const kept of [old, long]) {
      await stale.store(kept)
      const refused = stale.engine.commons.downloads.download({ ids: [kept.id], token: undefined })
      await expect(refused).rejects.toThrow('its bytes are not stored here')
    }
    await stale.close()
  })

  test('a file that is cut off, longer or gone is a failure before the first byte', async () => {
    const [short, long, gone] = [file(60), file(61), file(62)]
    for (const kept of [short, long]) {
      await world.store(kept, { access: 'open', storage: 'folder' })
    }
    const path = ({ id, name }: RetainedFile) => join(world.folder, 'files', id, name)
    await truncate(path(short), 3)
    await writeFile(path(long), Buffer.alloc(1000))
    await world.engine.shared.files.add({
      id: gone.id,
      fileName: gone.name,
      size: 5,
      md5: md5Of(gone.bytes),
      dataFormat: null,
      access: 'open',
      acl: [],
      partOf: null,
      indexName: null,
      storage: 'folder',
      linkedModified: null,
      createdAt: STORED_AT,
    })
    expect(await codeOf(begin(short.id))).toBe('corrupt_source')
    expect(await codeOf(begin(long.id))).toBe('corrupt_source')
    expect(await codeOf(begin(gone.id))).toBe('unavailable')
    expect(world.engine.load().activeDownloads).toBe(0)
  })

  test('a linked file that somebody touched is not handed out', async () => {
    const linked = file(63)
    const source = join(world.folder, 'elsewhere.txt')
    await writeFile(source, linked.bytes)
    const time = new Date('2025-01-01T00:00:00Z')
    await utimes(source, time, time)
    await mkdir(join(world.folder, 'files', linked.id), { recursive: true })
    await symlink(source, join(world.folder, 'files', linked.id, linked.name))
    await world.engine.shared.files.add({
      id: linked.id,
      fileName: linked.name,
      size: linked.bytes.length,
      dataFormat: null,
      md5: md5Of(linked.bytes),
      access: 'open',
      acl: [],
      partOf: null,
      indexName: null,
      storage: 'folder',
      createdAt: STORED_AT,
      linkedModified: String(BigInt(time.getTime()) * 1_000_000n),
    })
    expect(await codeOf(begin(linked.id))).toBe('served')
    await utimes(source, time, new Date(time.getTime() + 1))
    await expect(begin(linked.id)).rejects.toThrow('import it again')
  })
})

test('rights follow the release that is served', async () => {
  const changing = await openWorld({ ...SURROUNDINGS, files: [recordOf(open)] })
  await changing.store(open, { access: 'open' })
  const asked = { ids: [open.id], token: undefined }
  expect(await codeOf(changing.engine.commons.downloads.download(asked))).toBe('served')
  await changing.serve({ ...SURROUNDINGS, files: [recordOf(open, closed)] }, 'second')
  await expect
    .poll(() => codeOf(changing.engine.commons.downloads.download(asked)))
    .toBe('unauthenticated')
  await changing.close()
})

test('a download too many is told to retry, and the next one is let in', async () => {
  const narrow = await openWorld(undefined, { limits: { openDownloads: 1 } })
  await narrow.store(open, { access: 'open' })
  const asked = { ids: [open.id], token: undefined }
  const first = await (await narrow.engine.commons.downloads.download(asked)).open()
  const second = await narrow.engine.commons.downloads.download(asked)
  expect(await codeOf(second.open())).toBe('busy')
  await first[Symbol.asyncDispose]()
  await (await second.open())[Symbol.asyncDispose]()
  await narrow.close()
})
