import { createHash } from 'node:crypto'
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ImportFilesRun } from '../../../engine/commons/commons.ts'
import type { ImportFiles } from '../../../engine/commons/import/files/file-import.ts'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { type Engine, openEngine } from '../../../engine/engine.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import type { StoredFile } from '../../../engine/shared/catalogue/files.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { Issue } from '../../../engine/shared/issue.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'

let folder = ''
let bam: Buffer
let bai: Buffer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-files-'))
  const path = join(folder, 'x.bam')
  await makeBam({ path, seed: 81, scale: 'tiny', style: 'htsjdk' })
  bam = await readFile(path)
  bai = await readFile(`${path}.bai`)
})
afterAll(() => rm(folder, { recursive: true }))

let dataFolder = ''
let from = ''
let engine: Engine
beforeEach(async () => {
  const inner = await mkdtemp(join(folder, 'case-'))
  dataFolder = join(inner, 'data')
  from = join(inner, 'from')
  await mkdir(from)
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
})
afterEach(() => engine.close())

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const md5Of = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')

interface Row {
  readonly id: string
  readonly name: string
  readonly md5: string
  readonly size: number
}

/** Writes a file to import, and returns its row in a manifest. */
async function give(number: number, name: string, bytes: Buffer | string, at = ''): Promise<Row> {
  const id = idOf(number)
  const path = join(from, at, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes)
  return { id, name, md5: md5Of(bytes), size: Buffer.byteLength(bytes) }
}

async function importRows(
  rows: readonly Row[],
  what: Partial<ImportFiles> = {},
  run: ImportFilesRun = {},
) {
  const manifest = join(from, '..', 'manifest.txt')
  const lines = rows.map(({ id, name, md5, size }) => [id, name, md5, size, 'released'].join('\t'))
  await writeFile(manifest, `id\tfilename\tmd5\tsize\tstate\n${lines.join('\n')}\n`)
  const issues: Issue[] = []
  const notes: Issue[] = []
  const summary = await engine.commons.importFiles(
    { manifest, from, ...what },
    {
      onIssue: (issue) => void issues.push(issue),
      onNote: (note) => void notes.push(note),
      ...run,
    },
  )
  return { ...summary, list: issues, notes }
}

async function makeRelease(files: readonly object[]): Promise<void> {
  const path = join(from, '..', 'files.json')
  await writeFile(path, JSON.stringify(files))
  await importCommons({ sources: [path], dataFolder, executor: inlineExecutor })
}

async function listed(): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const file of engine.shared.files.each()) files.push(file)
  return files
}
const pathOf = async (number: number) => {
  const { id, fileName: name } = (await engine.shared.files.find(idOf(number)))!
  return engine.shared.blobs.folder.path({ id, name })
}
async function check(): Promise<Issue[]> {
  const issues: Issue[] = []
  for await (const issue of engine.check({ isDeep: true })) issues.push(issue)
  return issues
}
const incoming = () => readdir(join(dataFolder, 'incoming'))

describe('files of a manifest', () => {
  test('are stored from the folder of their id or the folder itself, verified', async () => {
    const rows = [
      await give(1, 'a.txt', 'one'),
      await give(2, 'b.txt', 'two', idOf(2)),
      await give(3, 'empty', ''),
      await give(4, 'large', Buffer.alloc(9 << 20, 'large')),
    ]
    expect(await importRows(rows)).toMatchObject({
      stored: 4,
      known: 0,
      issues: 0,
      withoutRecord: 4,
      storedBytes: 6 + (9 << 20),
    })
    for (const [i, row] of rows.entries()) {
      expect(md5Of(await readFile(await pathOf(i + 1)))).toBe(row.md5)
      expect(await engine.shared.files.find(row.id)).toMatchObject({
        fileName: row.name,
        md5: row.md5,
        size: row.size,
        dataFormat: null,
        access: 'controlled',
        acl: [],
        partOf: null,
        storage: 'folder',
        linkedModified: null,
      })
    }
    expect(await readFile(join(from, 'a.txt'), 'utf8')).toBe('one')
    expect(await incoming()).toEqual([])
    expect(await check()).toEqual([])
  })

  test('that are there are not read again', async () => {
    const rows = [await give(1, 'a.txt', 'one'), await give(2, 'b.txt', 'two')]
    await importRows(rows)
    const before = await stat(await pathOf(1))
    await rm(from, { recursive: true })
    await mkdir(from)
    expect(await importRows(rows)).toMatchObject({ stored: 0, known: 2, issues: 0 })
    expect((await stat(await pathOf(1))).ino).toBe(before.ino)
  })

  test('whose bytes were lost are stored again', async () => {
    const rows = [await give(1, 'a.txt', 'one'), await give(2, 'b.txt', 'two')]
    await importRows(rows)
    await rm(await pathOf(1))
    await writeFile(await pathOf(2), 'other')
    expect(await check()).toHaveLength(3)
    expect(await importRows(rows)).toMatchObject({ stored: 2, known: 0, issues: 0 })
    expect(await check()).toEqual([])
  })

  test('that are not as they should be are findings; the others go on', async () => {
    const good = await give(1, 'good', 'good')
    const rows = [
      { ...(await give(2, 'md5', 'wrong')), md5: md5Of('right') },
      { ...(await give(3, 'size', 'wrong')), size: 6 },
      { id: idOf(4), name: 'missing', md5: md5Of(''), size: 0 },
      { id: idOf(5), name: '../good', md5: md5Of('good'), size: 4 },
      { id: idOf(6), name: join(from, 'good'), md5: md5Of('good'), size: 4 },
      { id: 'no-uuid', name: 'good', md5: md5Of('good'), size: 4 },
      good,
      good,
      { ...good, md5: md5Of('twice') },
    ]
    const { list, ...summary } = await importRows(rows)
    expect(summary).toMatchObject({ stored: 1, known: 0, issues: 7 })
    expect(Object.fromEntries(list.map(({ subject, problem }) => [subject, problem]))).toEqual({
      [idOf(2)]: `md5 is ${md5Of('wrong')}, ${md5Of('right')} is expected`,
      [idOf(3)]: 'file has 5 bytes, 6 are expected',
      [idOf(4)]: expect.stringContaining('no such file'),
      [idOf(5)]: expect.stringContaining('plain file name'),
      [idOf(6)]: expect.stringContaining('plain file name'),
      'line 7': expect.stringContaining('no-uuid'),
      [idOf(1)]: expect.stringContaining('twice'),
    })
    expect((await listed()).map(({ id }) => id)).toEqual([idOf(1)])
    expect(await readdir(join(dataFolder, 'files'))).toEqual([idOf(1)])
    expect(await incoming()).toEqual([])
    expect(await check()).toEqual([])
  })

  test('keep their id from other bytes', async () => {
    await importRows([await give(1, 'a', 'one')])
    const { list } = await importRows([await give(1, 'a', 'two')])
    expect(list).toEqual([{ subject: idOf(1), problem: expect.stringContaining('another id') }])
    expect(await readFile(await pathOf(1), 'utf8')).toBe('one')
  })

  test('may have names of any writing, up to what a file system takes', async () => {
    const names = [
      '日本語.txt',
      'é'.repeat(127),
      `${'x'.repeat(251)}.bam`,
      '‮evil',
      'a"b;c=d',
      ' x ',
    ]
    const rows = await Promise.all(names.map((name, i) => give(i + 1, name, `bytes ${i}`)))
    expect(await importRows(rows)).toMatchObject({ stored: names.length, issues: 0 })
    expect((await listed()).map(({ fileName }) => fileName)).toEqual(names)
    expect(await check()).toEqual([])
  })

  test('are as many as one likes', async () => {
    const rows = await Promise.all(
      Array.from({ length: 700 }, (_, i) => give(i + 1, `f${i}`, `bytes ${i}`)),
    )
    const told: number[] = []
    const onProgress = (bytes: number, total: number) => void told.push(bytes / total)
    expect(await importRows(rows, {}, { onProgress })).toMatchObject({ stored: 700, issues: 0 })
    expect(told.at(-1)).toBe(1)
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(await check()).toEqual([])
  })

  test('that nobody may read are reported as such', async () => {
    const row = await give(1, 'a', 'one')
    await chmod(join(from, 'a'), 0)
    // The administrator of a machine may read everything, so the file is deleted.
    if (process.getuid?.() === 0) await rm(join(from, 'a'))
    const { list } = await importRows([row])
    expect(list).toHaveLength(1)
    expect(list[0]?.subject).toBe(idOf(1))
  })
})

describe('a file that is linked', () => {
  test('is a link to the very file, and a finding of check when that changes', async () => {
    const row = await give(1, 'a.txt', 'one')
    await symlink('a.txt', join(from, 'b.txt'))
    const other = { ...row, id: idOf(2), name: 'b.txt' }
    expect(await importRows([row, other], { link: true })).toMatchObject({ stored: 2 })
    expect(await readlink(await pathOf(2))).toBe(join(from, 'a.txt'))
    const { mtimeNs } = await stat(join(from, 'a.txt'), { bigint: true })
    expect((await engine.shared.files.find(idOf(1)))?.linkedModified).toBe(String(mtimeNs))
    expect(await importRows([row, other], { link: true })).toMatchObject({ known: 2 })
    expect(await check()).toEqual([])

    await utimes(join(from, 'a.txt'), 1, 1)
    expect((await check()).map(({ problem }) => problem)).toEqual(
      [1, 2].map(() => expect.stringContaining('changed after')),
    )
    expect(await importRows([row, other], { link: true })).toMatchObject({ stored: 2 })
    expect(await check()).toEqual([])
    await writeFile(join(from, 'a.txt'), 'two')
    expect((await importRows([row], { link: true })).list).toHaveLength(1)
    expect(await check()).toHaveLength(4)
  })

  test('gives way to a copy, and a copy stays', async () => {
    const row = await give(1, 'a.txt', 'one')
    await importRows([row], { link: true })
    expect(await importRows([row])).toMatchObject({ stored: 1 })
    expect(await importRows([row], { link: true })).toMatchObject({ known: 1 })
    await rm(join(from, 'a.txt'))
    expect(await readFile(await pathOf(1), 'utf8')).toBe('one')
    expect(await check()).toEqual([])
  })
})

describe('what the release says of a file', () => {
  const cases = (...projects: string[]) =>
    projects.map((project_id, i) => ({ case_id: idOf(900 + i), project: { project_id } }))
  const recordOf = ({ id: file_id, name, md5, size }: Row, more: object) => ({
    file_id,
    file_name: name,
    md5sum: md5,
    file_size: size,
    ...more,
  })

  test('gives it its rights, and is looked up again each time', async () => {
    const rows = await Promise.all([1, 2, 3, 4, 5].map((i) => give(i, `f${i}`, `bytes ${i}`)))
    const [one, two, three, four, five] = rows as [Row, Row, Row, Row, Row]
    await makeRelease([
      recordOf(one, { access: 'open', cases: cases('P-1') }),
      recordOf(two, { access: 'controlled', acl: ['phs1'], cases: cases('P-1') }),
      recordOf(three, {
        access: 'controlled',
        cases: cases('P-1'),
        index_files: [{ file_id: four.id, file_name: 'f4', md5sum: four.md5 }],
      }),
    ])
    expect(await importRows(rows, { access: 'open' })).toMatchObject({
      stored: 5,
      withoutRecord: 1,
    })
    const rights = async () =>
      (await listed()).map(({ access, acl, partOf }) => ({ access, acl, partOf }))
    expect(await rights()).toEqual([
      { access: 'open', acl: [], partOf: null },
      { access: 'controlled', acl: ['phs1'], partOf: null },
      { access: 'controlled', acl: ['P-1'], partOf: null },
      { access: 'controlled', acl: ['P-1'], partOf: three.id },
      { access: 'open', acl: [], partOf: null },
    ])
    await makeRelease([recordOf(one, { access: 'controlled' }), recordOf(five, { access: 'open' })])
    expect(await importRows(rows)).toMatchObject({ known: 5, withoutRecord: 0 })
    expect((await rights())[0]).toEqual({ access: 'controlled', acl: ['P-1'], partOf: null })
    expect(await check()).toEqual([])
  })

  test('keeps out what it says to be other bytes, and is a finding when it changes its mind', async () => {
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map((i) => give(i, `f${i}`, `bytes ${i}`)),
    )
    const records = [
      recordOf(one!, { access: 'open', md5sum: md5Of('x') }),
      recordOf(two!, { access: 'open', file_size: 1 }),
    ]
    await makeRelease(records)
    const { list } = await importRows([one!, two!, three!])
    expect(list.map(({ subject }) => subject)).toEqual([idOf(1), idOf(2)])
    expect(await listed()).toHaveLength(1)
    await makeRelease([recordOf(three!, { access: 'open', md5sum: md5Of('y') })])
    expect(await check()).toEqual([
      { subject: idOf(3), problem: expect.stringContaining(md5Of('y')) },
    ])
  })

  test('names indexes, which are stored under their own ids, too', async () => {
    const given = await give(1, 'x.bam', bam, idOf(1))
    const index = await give(2, 'x.bai', bai, idOf(1))
    const index_files = [
      { file_id: index.id, file_name: 'x.bai', md5sum: index.md5, file_size: index.size },
      { file_id: idOf(3), file_name: 'none.bai', md5sum: index.md5, file_size: index.size },
    ]
    await makeRelease([
      recordOf(given, { data_format: 'BAM', access: 'controlled', acl: ['P-1'], index_files }),
    ])
    expect(await importRows([given])).toMatchObject({ stored: 2, issues: 0, withoutRecord: 0 })
    expect(await listed()).toMatchObject([
      { id: idOf(1), dataFormat: 'BAM', indexName: 'x.bam.bai', acl: ['P-1'] },
      { id: idOf(2), dataFormat: null, fileName: 'x.bai', acl: ['P-1'], partOf: idOf(1) },
    ])
    expect(await readFile(await pathOf(2))).toEqual(bai)
    expect(await importRows([given, index])).toMatchObject({ stored: 0, known: 2 })
    expect(await check()).toEqual([])
  })
})

describe('a BAM file', () => {
  test('is proved and can be sliced; index and directory lie beside it', async () => {
    const row = await give(1, 'x.bam', bam)
    await writeFile(join(from, 'x.bam.bai'), bai)
    expect(await importRows([row], { access: 'open' })).toMatchObject({ stored: 1, notes: [] })
    expect((await readdir(dirname(await pathOf(1)))).sort()).toEqual([
      ...['blocks.directory', 'x.bam', 'x.bam.bai'],
    ])
    const stored = await engine.commons.slicing.open(idOf(1), undefined)
    const slice = await stored.slice({ regions: ['unmapped'], genes: [] })
    let bytes = 0
    for await (const chunk of slice.body) bytes += chunk.length
    expect(bytes).toBeGreaterThan(28)
    await rm(join(dirname(await pathOf(1)), 'blocks.directory'))
    expect(await importRows([row])).toMatchObject({ stored: 1 })
    expect(await importRows([row])).toMatchObject({ stored: 0, known: 1 })
    expect(await check()).toEqual([])
  })

  test('that cannot be sliced is stored to be handed out, with a note', async () => {
    const damaged = Buffer.from(bam)
    damaged.writeUInt8(damaged.readUInt8(damaged.length >> 1) ^ 0xff, damaged.length >> 1)
    const rows = [
      await give(1, 'damaged.bam', damaged),
      await give(2, 'text.bam', 'no BAM at all'),
      await give(3, 'cut.bam', bam.subarray(0, -28)),
      await give(4, 'empty.bam', ''),
    ]
    const { notes, ...summary } = await importRows(rows)
    expect(summary).toMatchObject({ stored: 4, issues: 0 })
    expect(notes.map(({ subject }) => subject).sort()).toEqual(rows.map(({ id }) => id))
    for (const { problem } of notes) expect(problem).toMatch(/^cannot be sliced: /)
    for (const file of await listed())
      expect(file).toMatchObject({ dataFormat: null, indexName: null })
    for (const [i, { md5 }] of rows.entries()) {
      expect(md5Of(await readFile(await pathOf(i + 1)))).toBe(md5)
    }
    expect(await check()).toEqual([])
    expect(await incoming()).toEqual([])
  })

  test('with what is no index is sliced by one that was made, with a note', async () => {
    const row = await give(1, 'index.bam', bam)
    await writeFile(join(from, 'index.bam.bai'), 'no index')
    const { notes } = await importRows([row])
    expect(notes.map(({ problem }) => problem).join()).toContain('it cannot be read as an index')
    expect(await listed()).toEqual([
      expect.objectContaining({ dataFormat: 'BAM', indexName: 'index.bam.bai' }),
    ])
  })

  test('with a wrong md5 is not stored, sliceable or not', async () => {
    const row = { ...(await give(1, 'x.bam', bam)), md5: md5Of('') }
    expect((await importRows([row])).list).toHaveLength(1)
    expect(await listed()).toEqual([])
    expect(await incoming()).toEqual([])
  })
})

describe('an import that was broken off', () => {
  test('goes on where it stopped, and begins again when what it left is not sound', async () => {
    const bytes = Buffer.alloc(70 << 20, 'casemill')
    const row = await give(1, 'large', bytes)
    const stopAfter = async (share: number) => {
      const stop = new AbortController()
      const onProgress = (done: number, total: number) => {
        if (done / total >= share) stop.abort(new Error('enough'))
      }
      const run = importRows([row], {}, { signal: stop.signal, onProgress })
      await expect(run).rejects.toThrow('enough')
    }
    await stopAfter(0.5)
    const parts = async () => {
      const names = await readdir(join(dataFolder, 'incoming'), { recursive: true })
      return names
        .filter((name) => name.endsWith('/bytes'))
        .map((name) => join(dataFolder, 'incoming', name))
    }
    const [part = ''] = await parts()
    const { ino, size } = await stat(part)
    expect(size).toBeGreaterThanOrEqual(35 << 20)
    // The partial file is damaged, as after a loss of power.
    const file = await open(part, 'r+')
    await file.write('damage', 1000)
    await file.close()
    await stopAfter(0.9)
    expect((await stat((await parts())[0] ?? '')).ino).toBe(ino)
    expect(await importRows([row])).toMatchObject({ stored: 1, issues: 0 })
    expect((await stat(await pathOf(1))).ino).toBe(ino)
    expect(md5Of(await readFile(await pathOf(1)))).toBe(row.md5)
    expect(await incoming()).toEqual([])
  })

  test('leaves folders that are taken over or emptied', async () => {
    const row = await give(1, 'a.txt', 'one')
    const home = join(dataFolder, 'files', row.id)
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'a.txt'), 'on')
    await writeFile(join(home, 'older.txt'), 'other')
    await mkdir(join(dataFolder, 'incoming', 'files', 'stale'), { recursive: true })
    expect(await check()).toHaveLength(1)
    expect(await importRows([row])).toMatchObject({ stored: 1, issues: 0 })
    expect(await readdir(home)).toEqual(['a.txt'])
    expect(await incoming()).toEqual([])
    expect(await check()).toEqual([])
  })

  test('keeps others out only while it runs', async () => {
    const row = await give(1, 'a.txt', 'one')
    const results = await Promise.allSettled([importRows([row]), importRows([row])])
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'conflict' } }])
    expect(await importRows([row])).toMatchObject({ known: 1 })
  })
})

describe('with object storage', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await engine.close()
    const objects = { ...server.options, prefix: `${basename(dirname(dataFolder))}/` }
    engine = await openEngine({ dataFolder, executor: inlineExecutor, objects })
  })
  const keys = async () => {
    const found: string[] = []
    for await (const { id, name } of engine.shared.blobs.writing.keys()) found.push(`${id}/${name}`)
    return found.sort()
  }

  test('bytes are objects; index and directory of a BAM file are here, too', async () => {
    const rows = [
      await give(1, 'x.bam', bam),
      await give(2, 'a.txt', 'one'),
      await give(3, 'e', ''),
    ]
    await writeFile(join(from, 'x.bam.bai'), bai)
    expect(await importRows(rows, { access: 'open' })).toMatchObject({ stored: 3, notes: [] })
    expect(await keys()).toEqual([
      ...['blocks.directory', 'x.bam', 'x.bam.bai'].map((name) => `${idOf(1)}/${name}`),
      ...[`${idOf(2)}/a.txt`, `${idOf(3)}/e`],
    ])
    expect((await readdir(join(dataFolder, 'files', idOf(1)))).sort()).toEqual([
      ...['blocks.directory', 'x.bam.bai'],
    ])
    expect((await listed()).map(({ storage }) => storage)).toEqual(['s3', 's3', 's3'])
    expect(await incoming()).toEqual([])
    expect(await check()).toEqual([])
    const regions = ['unmapped']
    const stored = await engine.commons.slicing.open(idOf(1), undefined)
    const slice = await stored.slice({ regions, genes: [] })
    let bytes = 0
    for await (const chunk of slice.body) bytes += chunk.length
    expect(bytes).toBeGreaterThan(28)
    expect(await importRows(rows)).toMatchObject({ stored: 0, known: 3 })
  })

  test('objects that are others or of no file are findings of check', async () => {
    const rows = await Promise.all([1, 2, 3].map((i) => give(i, `f${i}`, `bytes ${i}`)))
    await importRows(rows)
    const put = async (id: string, name: string, bytes: string) => {
      await writeFile(join(from, 'put'), bytes)
      await engine.shared.blobs.writing.take({ id, name }, join(from, 'put'))
    }
    await put(idOf(1), 'f1', 'others1')
    await put(idOf(2), 'stray', 'x')
    await put(idOf(9), 'stray', 'x')
    expect((await check()).map(({ subject }) => subject)).toEqual([
      ...[idOf(1), join(idOf(2), 'stray'), join(idOf(9), 'stray')],
    ])
  })

  test('files cannot be linked', async () => {
    const row = await give(1, 'a.txt', 'one')
    await expect(importRows([row], { link: true })).rejects.toMatchObject({
      code: 'bad_input',
      at: 'link',
    })
    const what = { path: join(folder, 'x.bam'), access: 'open', link: true } as const
    await expect(engine.commons.importBam(what)).rejects.toMatchObject({
      code: 'bad_input',
      at: 'link',
    })
  })

  test('import bam stores the same', async () => {
    const { file, known } = await engine.commons.importBam({
      path: join(folder, 'x.bam'),
      access: 'open',
    })
    expect({ storage: file.storage, known }).toEqual({ storage: 's3', known: false })
    expect((await keys()).map((key) => basename(key))).toEqual([
      ...['blocks.directory', 'x.bam', 'x.bam.bai'],
    ])
    expect(
      await engine.commons.importBam({ path: join(folder, 'x.bam'), access: 'open' }),
    ).toMatchObject({
      file,
      known: true,
    })
    expect(await check()).toEqual([])
  })
})

test('a folder or a manifest that is not there is refused, before anything is made', async () => {
  await expect(importRows([], { from: join(from, 'none') })).rejects.toMatchObject({
    code: 'not_found',
  })
  const manifest = join(from, 'none')
  await expect(importRows([], { manifest })).rejects.toMatchObject({ code: 'not_found' })
  expect(await readdir(join(dataFolder, 'incoming')).catch(() => [])).toEqual([])
})
