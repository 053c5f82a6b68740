import { copyFile, cp, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { depth } from '../depth.ts'
import {
  type Asked,
  CELLS,
  type Got,
  type GuardedWorld,
  INDEX,
  OPEN,
  openGuardedWorld,
  READS,
  RELEASE,
  type Service,
  serveWorld,
  TEXT,
} from './support/guarded-world.ts'

// An unreadable release must not count as an empty one: deleting, slicing or changing a file must not open what
// the release's records close.

/** Without any one of these files it is unknown who may read a file (data-commons.md 5.3, 11.1). */
const GUARDS = [
  'manifest.json',
  ...['files', 'cases', 'projects'].flatMap((dataset) => [
    `documents/${dataset}.text`,
    `documents/${dataset}.arrays`,
  ]),
  ...['access', 'file_id', 'index_files.file_id'].map((field) => `columns/files/${field}.arrow`),
  ...['cases', 'index_files'].map((level) => `levels/files/${level}.arrow`),
  ...['links/files/cases.arrow', 'links/cases/project.arrow'],
]

type Damage = (path: string) => Promise<unknown>
const DAMAGES: readonly (readonly [string, Damage])[] = [
  ['cut off', (path) => truncate(path, 100)],
  ['deleted', (path) => rm(path)],
  ['changed', flipBit],
  ['emptied', (path) => truncate(path, 0)],
  ['a folder', async (path) => mkdir(path, { recursive: (await rm(path)) ?? true })],
]

async function flipBit(path: string): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  await writeFile(path, bytes)
}

let world: GuardedWorld
let releases = ''
let sound = ''
/** Every request that returns part of a controlled file. */
let guarded: readonly Asked[] = []
/** The answers to a user with rights while the release is intact. */
const rightful: Got[] = []
let paths: readonly string[] = []

beforeAll(async () => {
  world = await openGuardedWorld()
  releases = join(world.dataFolder, 'releases')
  sound = join(world.dataFolder, 'sound')
  await cp(join(releases, RELEASE), sound, { recursive: true })
  const { files } = JSON.parse(await readFile(join(sound, 'manifest.json'), 'utf8'))
  paths = ['manifest.json', ...Object.keys(files)]
  const { genes, caseId } = world
  const gene_ids = genes.slice(0, 2)
  const values = { case_ids: [caseId], gene_ids }
  guarded = [
    { path: `/data/${TEXT}` },
    { path: `/data/${TEXT}`, headers: { Range: 'bytes=100-199' } },
    { path: `/data/${INDEX}` },
    { path: `/data/${TEXT}?tarfile` },
    { path: '/data', body: { ids: [OPEN, TEXT] } },
    { path: '/data', body: { ids: [OPEN, READS], related_files: true, annotations: true } },
    { path: `/slicing/view/${READS}?region=chr1` },
    { path: `/slicing/view/${READS}`, body: { regions: ['chr2'] } },
    { path: '/scrna_seq/gene_expression', body: { file_id: CELLS, gene_ids } },
    { path: '/gene_expression/values', body: { ...values, tsv_units: 'uqfpkm' } },
    { path: '/gene_expression/gene_selection', body: { ...values, selection_size: 1 } },
  ]
  await using service = await serveWorld(world.dataFolder)
  for (const asked of guarded) {
    expect([asked.path, (await service.ask(asked)).status]).toEqual([asked.path, 403])
    const got = await service.ask(asked, world.token)
    expect([asked.path, [200, 206].includes(got.status)]).toEqual([asked.path, true])
    rightful.push(got)
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Restores the release. */
async function repair(paths: readonly string[]): Promise<void> {
  await rename(join(releases, 'moved'), join(releases, RELEASE)).catch(() => {})
  await rm(join(releases, 'next'), { recursive: true, force: true })
  for (const path of paths) {
    await rm(inRelease(path), { recursive: true, force: true })
    await copyFile(join(sound, path), inRelease(path))
  }
  await rm(pointer(), { recursive: true, force: true })
  await writeFile(pointer(), `${RELEASE}\n`)
}

/** Returns the requests for controlled files that are answered wrongly; none are expected. */
async function leaksOf(service: Service): Promise<string[]> {
  const leaks: string[] = []
  for (const [i, asked] of guarded.entries()) {
    const { path } = asked
    const { status } = await service.ask(asked)
    if (status !== 403 && status !== 503) leaks.push(`${path}: ${status} without a token`)
    const got = await service.ask(asked, world.token)
    if (got.status === 503) continue
    const wanted = rightful[i] as Got
    const isRight = got.status === wanted.status && got.bytes.equals(wanted.bytes)
    if (!isRight) leaks.push(`${path}: ${got.status} and not what it was, with the right`)
  }
  return leaks
}

const statusOf = async (service: Service, path: string) => (await service.ask({ path })).status
const readyIs = (service: Service, status: number) =>
  vi.waitFor(async () => expect(await statusOf(service, '/health/ready')).toBe(status), {
    timeout: 60_000,
  })
const statusBody = async (service: Service) =>
  JSON.parse((await service.ask({ path: '/status' })).bytes.toString())

/** Starts the service over the data folder after damaging files of the release, and repairs them afterwards. */
async function damaged<T>(
  paths: readonly string[],
  harm: () => Promise<unknown>,
  look: (service: Service) => Promise<T>,
): Promise<T> {
  try {
    await harm()
    await using service = await serveWorld(world.dataFolder)
    return await look(service)
  } finally {
    await repair(paths)
  }
}

const inRelease = (path: string) => join(releases, RELEASE, path)
const pointer = () => join(releases, 'current')

describe.each(GUARDS)('without a sound %s, which guards bytes,', (path) => {
  const kinds = DAMAGES.filter((_, i) =>
    depth(i === GUARDS.indexOf(path) % DAMAGES.length ? 1 : 0, 1),
  )
  test.each(kinds)('nobody gets anything (%s)', async (kind, harm) => {
    await damaged(
      [path],
      () => harm(inRelease(path)),
      async (service) => {
        expect(await leaksOf(service)).toEqual([])
        // Documents are verified when they are read, so a change in one of many is noticed only then.
        if (kind === 'changed' && path.endsWith('.text')) return
        expect(await statusOf(service, `/data/${OPEN}`)).toBe(503)
        expect(await statusOf(service, '/health/ready')).toBe(503)
        const { status, problems } = await statusBody(service)
        expect([status, problems]).toEqual(['DAMAGED', [expect.stringContaining(path)]])
      },
    )
  })
})

test('every file of the release can be damaged, and nothing is given away', async () => {
  const others = paths.filter((path) => !GUARDS.includes(path))
  expect(others.length).toBeGreaterThan(500)
  // Several files can be damaged at a time, because any of them would show a leak.
  const size = depth(200, 6)
  for (let at = 0; at < others.length; at += size) {
    const some = others.slice(at, at + size)
    await damaged(
      some,
      async () => {
        for (const [i, path] of some.entries())
          await DAMAGES[(at + i) % DAMAGES.length]?.[1](inRelease(path))
      },
      async (service) => {
        expect([some[0], await leaksOf(service)]).toEqual([some[0], []])
        const whole = await service.ask({ path: `/data/${TEXT}` }, world.token)
        expect([some[0], whole.status, whole.bytes]).toEqual([some[0], 200, rightful[0]?.bytes])
        expect(await statusOf(service, '/health/ready')).toBe(200)
      },
    )
  }
})

test('a damaged field takes itself away, and nothing else', async () => {
  const path = 'columns/files/data_type.arrow'
  await damaged(
    [path],
    () => truncate(inRelease(path), 100),
    async (service) => {
      expect(await leaksOf(service)).toEqual([])
      const facet = await service.ask({ path: '/files?facets=data_type&size=0' })
      expect(facet.status).toBe(503)
      expect(facet.bytes.toString()).toContain('the field \\"data_type\\" of files')
      const other = await service.ask({ path: '/files?facets=access&size=0' })
      expect(JSON.parse(other.bytes.toString()).data.aggregations.access.buckets).toHaveLength(2)
      // The column does not contain the record itself.
      const record = await service.ask({ path: `/files/${TEXT}?fields=data_type` })
      expect(JSON.parse(record.bytes.toString()).data.data_type).toBe(
        'Splice Junction Quantification',
      )
      const { status, problems } = await statusBody(service)
      expect([status, problems]).toEqual(['OK', [expect.stringContaining('"data_type"')]])
      const issues: string[] = []
      for await (const { subject, isNote } of service.engine.check()) {
        if (!isNote) issues.push(subject)
      }
      expect(issues).toEqual([join('releases', RELEASE, path)])
    },
  )
})

test.each<[string, () => Promise<unknown>]>([
  ['is missing', () => rm(pointer())],
  ['is empty', () => writeFile(pointer(), '')],
  ['names something else', () => writeFile(pointer(), '../sound\n')],
  ['names a release that is gone', () => writeFile(pointer(), 'gone\n')],
  ['cannot be read', async () => mkdir(pointer(), { recursive: (await rm(pointer())) ?? true })],
  [
    'names a release whose folder was renamed',
    () => rename(inRelease(''), join(releases, 'moved')),
  ],
])('nobody gets anything while the name of the release %s', async (_, harm) => {
  await damaged([], harm, async (service) => {
    expect(await leaksOf(service)).toEqual([])
    expect(await statusOf(service, `/data/${OPEN}`)).toBe(503)
    expect(await statusOf(service, '/health/ready')).toBe(503)
    expect(await statusBody(service)).toMatchObject({ status: 'DAMAGED' })
    const issues: string[] = []
    for await (const { subject } of service.engine.check()) issues.push(subject)
    expect(issues).toContain(join('releases', 'current'))
  })
})

describe('damage of a release that is being served', () => {
  test.each(['columns/files/access.arrow', 'documents/files.text', 'manifest.json'])(
    '%s: is seen, gives nothing away, and passes when it is repaired',
    async (path) => {
      await damaged(
        [path],
        async () => {},
        async (service) => {
          await truncate(inRelease(path), 100)
          await readyIs(service, 503)
          expect(await leaksOf(service)).toEqual([])
          expect(await statusBody(service)).toMatchObject({ status: 'DAMAGED' })
          await cp(join(sound, path), inRelease(path))
          await readyIs(service, 200)
          expect(await leaksOf(service)).toEqual([])
          const whole = await service.ask({ path: `/data/${TEXT}` }, world.token)
          expect(whole).toEqual(rightful[0])
        },
      )
    },
  )

  test('the former release is served for one that cannot be opened, and no new request is welcome', async () => {
    await damaged(
      [],
      async () => {},
      async (service) => {
        await cp(sound, join(releases, 'next'), { recursive: true })
        await rm(join(releases, 'next', 'columns/files/access.arrow'))
        await writeFile(pointer(), 'next\n')
        await readyIs(service, 503)
        expect(await leaksOf(service)).toEqual([])
        const whole = await service.ask({ path: `/data/${TEXT}` }, world.token)
        expect(whole).toEqual(rightful[0])
        expect((await statusBody(service)).problems).toEqual([expect.stringContaining('"next"')])
        await writeFile(pointer(), `${RELEASE}\n`)
        await readyIs(service, 200)
      },
    )
  })
})
