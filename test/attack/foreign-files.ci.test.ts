import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { Owners } from '../../engine/submission/publish/owners.ts'
import { bytesProblems } from '../../engine/submission/publish/stored-bytes.ts'
import { entitiesById } from '../../engine/submission/transactions/store/entities.ts'
import { available } from '../available.ts'
import {
  CASE,
  idOf,
  listed,
  OTHER_CASE,
  recordOf,
  SURROUNDINGS,
} from '../commons/contract/support/download-records.ts'
import { serve } from '../commons/contract/support/download-world.ts'
import { sample } from '../depth.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'
import {
  addFile,
  fileStateOf,
  type MadeFile,
  md5Of,
  PROJECT,
  registerProject,
} from '../submission/support/file-service.ts'

// An entity with the id of a file that others have stored must have no effect on that file. The entities are
// stored directly, like those of a service that accepted ids from clients.

const ID = idOf(1)
const OTHER = idOf(2)
const VICTIM = Buffer.from('what somebody else has stored here')
const EVIL = Buffer.from('evil')
const NAME = 'victim.bam'

const submitter = {
  principal: {
    user: 'anna',
    admin: false,
    projects: new Map([[PROJECT, ['read', 'create', 'update', 'delete', 'release']]]),
  },
  tokenGiven: true,
}
const at = (id: string) => ({ ...submitter, program: 'GDC', project: 'MISC', path: '', id })

async function* bodyOf(bytes: Uint8Array) {
  yield bytes
}

const ATTACKS = [
  { name: NAME, bytes: EVIL },
  { name: 'blocks.directory', bytes: EVIL },
  { name: 'other', bytes: EVIL },
  { name: NAME, bytes: VICTIM },
  { name: 'blocks.directory', bytes: VICTIM },
]

describe.each(sample(['sqlite', 'postgresql'] as const, 1))('with state in %s', (dialect) => {
  const isLeftOut = dialect === 'postgresql' && !available.postgresql
  const server = dialect === 'postgresql' && !isLeftOut ? new PostgresServer() : undefined
  const folders: string[] = []
  let folder: string
  let stateUrl: string | undefined
  let engine: Engine
  beforeAll(async () => server?.start())
  afterAll(async () => {
    await server?.stop()
    for (const one of folders) rmSync(one, { recursive: true, force: true })
  })

  async function open(): Promise<void> {
    engine = await openEngine({ dataFolder: folder, executor: inlineExecutor, stateUrl })
  }

  beforeEach(async () => {
    if (isLeftOut) return
    folder = mkdtempSync(join(tmpdir(), 'casemill-foreign-'))
    folders.push(folder)
    stateUrl = await server?.url()
    await open()
    await registerProject(engine.submission.transactions)
  })
  afterEach(() => (isLeftOut ? undefined : engine.close()))

  /** Stores bytes as an import does, and data derived from them. */
  async function importVictim(id: string): Promise<void> {
    mkdirSync(join(folder, 'files', id), { recursive: true })
    writeFileSync(join(folder, 'files', id, NAME), VICTIM)
    writeFileSync(join(folder, 'files', id, 'blocks.directory'), 'made of it')
    await engine.shared.files.add({
      id,
      fileName: NAME,
      size: VICTIM.length,
      md5: md5Of(VICTIM),
      dataFormat: 'BAM',
      access: 'controlled',
      acl: ['DEMO-BETA'],
      partOf: null,
      indexName: null,
      storage: 'folder',
      linkedModified: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  }

  function kept(id: string): Readonly<Record<string, string>> {
    const path = join(folder, 'files', id)
    const names = readdirSync(path, { recursive: true }).map(String).sort()
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), 'utf8')]))
  }

  async function upload(id: string, bytes: Uint8Array): Promise<string | undefined> {
    await engine.submission.files.upload(at(id), { chunks: bodyOf(bytes) })
    await engine.submission.files.idle()
    return fileStateOf(engine.submission.database, id)
  }

  test.skipIf(isLeftOut).each(['import', 'DEMO-BETA'])(
    'an entity with the id of what is of %s leaves that as it is',
    async (owner) => {
      const ids = ATTACKS.map((_, i) => idOf(20 + i))
      for (const id of ids) {
        if (owner !== 'import') await engine.shared.files.owners.claim([{ id, md5: 'x' }], owner)
        await importVictim(id)
      }
      await engine.start()
      for (const [i, { name, bytes }] of ATTACKS.entries()) {
        const id = ids[i] ?? ''
        const told = `${name} ${bytes}`
        const before = [kept(id), await engine.shared.files.find(id)]
        await addFile(engine.submission.database, { name, bytes, id })
        const state = await upload(id, bytes)
        expect([kept(id), await engine.shared.files.find(id)]).toEqual(before)
        expect([told, state]).toEqual([told, 'error'])
        await engine.submission.files.remove(at(id))
        await engine.submission.files.idle()
        expect([kept(id), await engine.shared.files.find(id)]).toEqual(before)
        expect((await engine.shared.files.owners.of([id])).get(id)).toBe(owner)
        expect(await fileStateOf(engine.submission.database, id)).toBe('registered')
      }
      expect(readdirSync(join(folder, 'uploads'))).toEqual(['place'])
    },
  )

  test.skipIf(isLeftOut)(
    'an id that a release lists, be it one that is kept, is not taken',
    async () => {
      const files = [2, 3, 4].map((n) => ({ id: idOf(n), name: `${n}.bam`, bytes: VICTIM }))
      const [record, index, metadata] = files
      if (!record || !index || !metadata) throw new Error('three files')
      const lists = { index_files: [listed(index)], metadata_files: [listed(metadata)] }
      await serve(folder, { ...SURROUNDINGS, files: [recordOf(record, lists)] }, 'first')
      for (const isServed of [true, false]) {
        if (!isServed) await serve(folder, SURROUNDINGS, 'second')
        await engine.close()
        await open()
        await engine.start()
        expect(engine.commons.releaseFacts()?.id).toBe(isServed ? 'first' : 'second')
        for (const { id } of files) {
          if (isServed) await addFile(engine.submission.database, { name: 'evil', bytes: EVIL, id })
          expect([id, isServed, await upload(id, EVIL)]).toEqual([id, isServed, 'error'])
          expect(() => readdirSync(join(folder, 'files', id))).toThrow('ENOENT')
          expect(await engine.shared.files.find(id)).toBeUndefined()
        }
      }
    },
  )

  test.skipIf(isLeftOut)('a project owns what it uploads until it removes that', async () => {
    await engine.start()
    const id = await addFile(engine.submission.database, { name: 'own', bytes: EVIL })
    for (let round = 0; round < 2; round++) {
      expect(await upload(id, EVIL)).toBe('validated')
      expect(kept(id)).toEqual({ own: 'evil' })
      expect(await engine.shared.files.owners.of([id])).toEqual(new Map([[id, PROJECT]]))
      await engine.submission.files.remove(at(id))
      expect(await fileStateOf(engine.submission.database, id)).toBe('registered')
      expect(await engine.shared.files.find(id)).toBeUndefined()
      expect(readdirSync(join(folder, 'files'))).toEqual([])
      expect(await engine.shared.files.owners.of([id])).toEqual(new Map())
    }
  })

  test.skipIf(isLeftOut)('of all who want an id at the same time one gets it', async () => {
    const wanting = ['import', 'A-1', 'B-2', 'C-3', 'D-4'].map((owner) => ({ owner, md5: 'x' }))
    for (let round = 0; round < 5; round++) {
      const id = idOf(50 + round)
      const got = await Promise.allSettled(
        wanting.map(({ owner, md5 }) => engine.shared.files.owners.claim([{ id, md5 }], owner)),
      )
      const winners = wanting.filter((_, i) => got[i]?.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      expect((await engine.shared.files.owners.of([id])).get(id)).toBe(winners[0]?.owner)
    }
  })

  test.skipIf(isLeftOut)('an import puts nothing under an id that a project has', async () => {
    await engine.shared.files.owners.claim([{ id: ID, md5: md5Of(EVIL) }], 'DEMO-BETA')
    const source = join(folder, 'source')
    mkdirSync(source)
    const rows = [
      [ID, 'a.txt'],
      [OTHER, 'b.txt'],
    ].map(([id, name = '']) => {
      writeFileSync(join(source, name), VICTIM)
      return [id, name, md5Of(VICTIM), VICTIM.length].join('\t')
    })
    writeFileSync(join(source, 'manifest'), ['id\tfilename\tmd5\tsize', ...rows].join('\n'))
    const what = { manifest: join(source, 'manifest'), from: source }
    const found: string[] = []
    const onIssue = ({ subject }: { readonly subject: string }) => void found.push(subject)
    expect(await engine.commons.importFiles(what, { onIssue })).toMatchObject({
      stored: 1,
      issues: 1,
    })
    expect(found).toEqual([ID])
    expect(kept(OTHER)).toEqual({ 'b.txt': VICTIM.toString() })
    expect((await engine.shared.files.owners.of([OTHER])).get(OTHER)).toBe('import')
    expect(() => readdirSync(join(folder, 'files', ID))).toThrow('ENOENT')
    expect(await engine.shared.files.find(ID)).toBeUndefined()
  })

  test.skipIf(isLeftOut)(
    'owners of what is stored already are derived, and else nobody',
    async () => {
      const [imported, uploaded, unlike, released, unproved] = [11, 12, 13, 14, 15].map(idOf)
      const all = [imported, uploaded, unlike, released, unproved] as string[]
      const record = { id: released ?? '', name: NAME, bytes: VICTIM }
      const foreign = recordOf(record, { cases: [{ case_id: OTHER_CASE }] })
      await serve(folder, { ...SURROUNDINGS, files: [foreign] }, 'first')
      for (const id of all) await importVictim(id)
      const same = { name: NAME, bytes: VICTIM, fileState: 'validated' }
      await addFile(engine.submission.database, { ...same, id: uploaded ?? '' })
      await addFile(engine.submission.database, { ...same, bytes: EVIL, id: unlike ?? '' })
      await addFile(engine.submission.database, { ...same, id: released ?? '' })
      await addFile(engine.submission.database, {
        ...same,
        fileState: 'registered',
        id: unproved ?? '',
      })
      for (const id of all) await engine.shared.files.owners.giveUp({ id, owner: 'import' })
      const derived = new Map([
        [imported, 'import'],
        [uploaded, PROJECT],
      ])
      for (let starts = 0; starts < 2; starts++) {
        await engine.close()
        await open()
        expect(await issues()).toEqual([unlike, released, unproved].sort())
        await engine.start()
        expect(await engine.shared.files.owners.of(all)).toEqual(derived)
      }
      expect(await issues()).toEqual([unlike, released, unproved].sort())
    },
  )

  test.skipIf(isLeftOut)('no bytes are released that their project did not store', async () => {
    await engine.start()
    const own = await addFile(engine.submission.database, { name: NAME, bytes: VICTIM })
    expect(await upload(own, VICTIM)).toBe('validated')
    await importVictim(ID)
    await addFile(engine.submission.database, {
      name: NAME,
      bytes: VICTIM,
      fileState: 'validated',
      id: ID,
    })
    const entities = await engine.submission.database.read((rows) => entitiesById(rows, [own, ID]))
    expect(await bytesProblems(entities, engine.shared)).toEqual(
      new Map([[ID, 'what is stored under its id was not stored by its project']]),
    )
  })

  /** Ids of files without a known origin. */
  async function issues(): Promise<readonly string[]> {
    const found: string[] = []
    for await (const { subject, problem } of engine.check()) {
      if (problem.startsWith('nobody can be told')) found.push(subject)
    }
    return found.sort()
  }
})

test('records of files tell their projects, also of what they list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-owners-'))
  const [own, other, index, none] = [1, 2, 3, 4].map((n) => {
    return { id: idOf(n), name: `${n}`, bytes: VICTIM }
  }) as [MadeFile & { id: string }, ...(MadeFile & { id: string })[]]
  if (!other || !index || !none) throw new Error('four files')
  const files = [
    recordOf(own, { cases: [{ case_id: CASE }, { case_id: OTHER_CASE }] }),
    recordOf(other, { cases: [{ case_id: OTHER_CASE }], index_files: [listed(index)] }),
    recordOf(none, { cases: [] }),
  ]
  await serve(folder, { ...SURROUNDINGS, files }, 'first')
  const owners = await Owners.open(join(folder, 'releases', 'first'))
  const found = await owners.of(
    'files',
    [own, other, index, none].map(({ id }) => id).concat(ID_OF_NONE),
  )
  expect(found).toEqual(
    new Map([
      [own.id, ['ALPHA-1', 'BETA-2']],
      [other.id, ['BETA-2']],
      [index.id, ['BETA-2']],
      [none.id, []],
    ]),
  )
  await owners.close()
  rmSync(folder, { recursive: true })
})

const ID_OF_NONE = idOf(99)
