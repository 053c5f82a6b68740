import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { writeArrays } from '../../shared/arrays/array-file.ts'
import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import { DATASET_NAMES } from '../datasets/define.ts'
import { writeArrowArrays } from './arrow-writer.ts'
import { buildRelease } from './build.ts'
import { DocumentReader } from './documents.ts'
import type { ReleaseManifest } from './layout.ts'
import { MANIFEST_NAME, manifestText } from './manifest.ts'
import { manifestLines } from './manifest-lines.ts'
import { Release } from './release.ts'
import { someDocuments, writeSources } from './support/documents.ts'
import { verifyRelease } from './verify.ts'

const facts = {
  dataRelease: 'Data Release 1.0',
  version: { major: 1, minor: 0, releaseDate: '2026-01-02' },
  createdAt: '2026-01-02T03:04:05Z',
  id: 'r1',
}

/** Number of files. Their documents take several groups. */
const FILES = depth(200, 600)

let folder = ''
let manifest: ReleaseManifest
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-damage-'))
  const sources = await writeSources(folder, someDocuments(FILES))
  manifest = await buildRelease({ folder, sources, facts, executor: inlineExecutor })
  // The sizes of the files differ, but every array file is as large as that of r1.
  const files = someDocuments(FILES).files.map((file, i) => ({ ...file, file_size: i }))
  const other = await writeSources(folder, { files })
  await buildRelease({
    folder,
    sources: other,
    facts: { ...facts, id: 'r2' },
    executor: inlineExecutor,
  })
})
afterAll(() => rm(folder, { recursive: true }))

let count = 0
/** Copies the release and changes one file. That file and the manifest are copies, all others are links. */
async function hurt(path: string, change: (file: string) => Promise<unknown>): Promise<string> {
  const [sound, copy] = [join(folder, 'r1'), join(folder, `copy${count++}`)]
  const own = new Set([path, MANIFEST_NAME])
  await mkdir(copy)
  for (const entry of await readdir(sound, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name)
    const name = relative(sound, from)
    if (entry.isDirectory()) await mkdir(join(copy, name), { recursive: true })
    else await (own.has(name) ? copyFile : link)(from, join(copy, name))
  }
  await change(join(copy, path))
  return copy
}

const flip = (place: number) => async (file: string) => {
  const bytes = await readFile(file)
  const at = Math.floor(place * bytes.length)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at)
  await writeFile(file, bytes)
}

/** Reads everything there is. */
async function readAll(path: string): Promise<string[]> {
  const release = await Release.open(path)
  try {
    const keys = Object.keys(release.manifest.files).map((file) =>
      file.replace(/\.arr(ow|ays)$/, ''),
    )
    await release.load(keys)
    const texts: string[] = []
    for (const name of DATASET_NAMES) {
      const { rows } = release.manifest.datasets[name]
      const reader = new DocumentReader(await release.documents(name))
      texts.push(...reader.read([...Array(rows).keys()]))
    }
    const lines = await release.lines()
    const buffers = new BufferPool(1 << 20)
    const rows = Uint32Array.from({ length: lines?.rows ?? 0 }, (_, row) => row)
    for await (const part of lines ? manifestLines(lines, rows, inlineExecutor, { buffers }) : []) {
      texts.push(Buffer.from(part).toString())
    }
    return texts
  } finally {
    await release.close()
  }
}

async function issuesOf(path: string) {
  const issues = []
  for await (const issue of verifyRelease(path)) issues.push(issue)
  return issues
}

/** One file of each kind. */
const KINDS = [
  'documents/files.text',
  'documents/files.arrays',
  'levels/files/cases.arrow',
  'columns/files/access.arrow',
  'columns/files/file_id.arrow',
  'links/files/cases.arrow',
  'lines/files.text',
  'lines/files.arrays',
]

test('every kind of file is tried', () => {
  const kindOf = (path: string) => `${path.split('/')[0]} ${path.split('.').at(-1)}`
  expect(new Set(Object.keys(manifest.files).map(kindOf))).toEqual(new Set(KINDS.map(kindOf)))
})

describe.each(KINDS)('%s', (path) => {
  test.each([0, 0.5, 0.999])('with a flipped bit is refused by name (at %d)', async (place) => {
    const copy = await hurt(path, flip(place))
    await expect(readAll(copy)).rejects.toMatchObject({
      code: 'corrupt_source',
      message: expect.stringContaining(`"${path}"`),
    })
    const issues = await issuesOf(copy)
    expect(issues[0]?.problem).toBe('its CRC32 is not the one on record')
    expect(new Set(issues.map(({ subject }) => subject))).toEqual(new Set([path]))
  })

  test.each([
    ['cut off', (file: string) => truncate(file, 20)],
    ['empty', (file: string) => truncate(file, 0)],
    ['longer', (file: string) => writeFile(file, 'x', { flag: 'a' })],
    ['missing', (file: string) => rm(file)],
  ])('that is %s is refused when the release is opened', async (_, change) => {
    const copy = await hurt(path, change)
    await expect(Release.open(copy)).rejects.toMatchObject({
      code: 'corrupt_source',
      message: expect.stringContaining(`"${path}"`),
    })
    expect((await issuesOf(copy))[0]?.subject).toBe(path)
  })
})

describe('a release whose manifest names an array file that holds other arrays', () => {
  const withOthers = async (path: string) => {
    const copy = await hurt(path, async () => {})
    const write = path.endsWith('.arrow') ? writeArrowArrays : writeArrays
    const written = await write(join(copy, path), {}, { others: Uint8Array.of(1) })
    const files = { ...manifest.files, [path]: written }
    await writeFile(join(copy, 'manifest.json'), manifestText({ ...manifest, files }))
    return copy
  }

  test.each(KINDS.filter((path) => /\.arr(ow|ays)$/.test(path)))('%s', async (path) => {
    await expect(readAll(await withOthers(path))).rejects.toMatchObject({
      code: 'corrupt_source',
      at: path,
      message: expect.stringMatching(/array file is damaged: it has no array "(?!others)/),
    })
  })

  test('is reported where its documents cannot be distinguished from each other', async () => {
    const path = 'documents/files.arrays'
    expect(await issuesOf(await withOthers(path))).toEqual([
      {
        subject: path,
        problem: 'array file is damaged: it has no array "lengths"; build it again',
      },
    ])
  })
})

test('every extent with a damaged document is reported, by its first one', async () => {
  const path = 'documents/files.text'
  const copy = await hurt(path, async (file) => {
    const bytes = await readFile(file)
    for (const at of [1, 40, bytes.length - 30]) bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    await writeFile(file, bytes)
  })
  expect(await issuesOf(copy)).toEqual([
    { subject: path, problem: 'its CRC32 is not the one on record' },
    { subject: path, problem: `document 0 of "${path}" is damaged; import the release again` },
  ])
})

test('a sound file of another release is refused', async () => {
  const path = 'columns/files/file_size.arrow'
  const other = await readFile(join(folder, 'r2', path))
  expect(other).toHaveLength(manifest.files[path]?.bytes ?? -1)
  const copy = await hurt(path, (file) => writeFile(file, other))
  await expect(readAll(copy)).rejects.toMatchObject({ code: 'corrupt_source', at: path })
})

test('a file that is damaged while the release is open is refused, and others are served', async () => {
  const access = 'columns/files/access.arrow'
  const copy = await hurt(access, async () => {})
  const release = await Release.open(copy)
  await flip(0.5)(join(copy, access))
  const load = () => release.load(['columns/files/access', 'columns/files/state'])
  await expect(load()).rejects.toMatchObject({ code: 'corrupt_source' })
  await expect(load()).rejects.toMatchObject({ code: 'corrupt_source' })
  expect((await release.load(['columns/files/state'])).parts).toHaveProperty('columns/files/state')
  await flip(0.5)(join(copy, access))
  expect(Object.keys((await load()).parts)).toHaveLength(2)
  await release.close()
})

test('where documents lie is tried again after a failure', async () => {
  const path = 'documents/files.arrays'
  const copy = await hurt(path, async () => {})
  const release = await Release.open(copy)
  await flip(0.5)(join(copy, path))
  const failing = () => release.documents('files')
  await expect(failing()).rejects.toMatchObject({ code: 'corrupt_source', at: path })
  await expect(failing()).rejects.toMatchObject({ code: 'corrupt_source', at: path })
  expect((await release.documents('cases')).rows).toBe(manifest.datasets.cases.rows)
  await flip(0.5)(join(copy, path))
  expect(await release.documents('files')).toBe(await release.documents('files'))
  await release.close()
})

test.each([0, 0.3, 0.6, 0.9999])('a manifest with a flipped bit is refused (%d)', async (place) => {
  const copy = await hurt('manifest.json', flip(place))
  await expect(Release.open(copy)).rejects.toMatchObject({
    code: 'corrupt_source',
    at: 'manifest.json',
  })
  expect((await issuesOf(copy))[0]?.subject).toBe('manifest.json')
})

test('a manifest that is cut off or of another format is refused, a folder without one is none', async () => {
  const cut = await hurt('manifest.json', (file) => truncate(file, 1000))
  await expect(Release.open(cut)).rejects.toMatchObject({ code: 'corrupt_source' })
  const gone = await hurt('manifest.json', (file) => rm(file))
  await expect(Release.open(gone)).rejects.toMatchObject({ code: 'not_found' })
  expect(await issuesOf(gone)).toHaveLength(1)
})

test('a file that does not belong to the release is reported and does no harm', async () => {
  const copy = await hurt('manifest.json', (file) => writeFile(`${file}.old`, 'x'))
  await rename(`${copy}/manifest.json.old`, `${copy}/columns/notes.txt`)
  expect(await issuesOf(copy)).toEqual([
    { subject: 'columns/notes.txt', problem: 'file is not listed in the manifest' },
  ])
  expect(await readAll(copy)).toEqual(await readAll(join(folder, 'r1')))
})
