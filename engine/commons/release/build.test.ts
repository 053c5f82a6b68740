import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import { arraysOf } from './arrays.ts'
import { type BuildOptions, buildRelease } from './build.ts'
import { DocumentReader } from './documents.ts'
import { columnKey, levelKey, linkKey } from './layout.ts'
import { manifestLines } from './manifest-lines.ts'
import { Release } from './release.ts'
import { type Documents, someDocuments, writeSources } from './support/documents.ts'
import { verifyRelease } from './verify.ts'

const SIZE = 1000
const documents = someDocuments(SIZE)
const facts = {
  dataRelease: 'Data Release 1.0',
  version: { major: 1, minor: 0, releaseDate: '2026-01-02' },
  createdAt: '2026-01-02T03:04:05.678Z',
}

let folder = ''
let sources: BuildOptions['sources'] = {}
let release: Release
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-build-'))
  sources = await writeSources(folder, documents)
  await buildRelease({ folder, sources, facts: { ...facts, id: 'r1' }, executor: inlineExecutor })
  release = await Release.open(join(folder, 'r1'))
})
afterAll(async () => {
  await release.close()
  await rm(folder, { recursive: true })
})

const build = (name: string, change: Partial<BuildOptions> = {}) =>
  buildRelease({
    folder: join(folder, name),
    sources,
    facts,
    executor: inlineExecutor,
    ...change,
  })

test('a release is sound, and holds the rows and facts that it was given', async () => {
  for await (const issue of verifyRelease(join(folder, 'r1'))) expect(issue).toBeUndefined()
  const { datasets, ...rest } = release.manifest
  expect(rest).toMatchObject({ ...facts, format: 3, id: 'r1' })
  for (const [name, { rows }] of Object.entries(datasets)) {
    expect(rows, name).toBe(documents[name as 'cases']?.length ?? 0)
  }
})

test('documents come back as they were given, in the order that is asked for', async () => {
  const reader = new DocumentReader(await release.documents('files'))
  const rows = Array.from({ length: 300 }, (_, i) => (i * 7919) % SIZE)
  expect(reader.read(rows)).toEqual(rows.map((row) => JSON.stringify(documents.files[row])))
  expect(reader.read([])).toEqual([])
  expect(new DocumentReader(await release.documents('genes')).read([])).toEqual([])
  for (const row of [-1, SIZE]) expect(() => reader.read([row])).toThrow(RangeError)
})

test('records are found when there is no memory to keep ids in', async () => {
  const small = await Release.open(join(folder, 'r1'), { memory: 0 })
  for (const row of [0, 5, 5]) {
    expect(await small.find('files', String(documents.files[row]?.file_id))).toBe(row)
  }
  await small.close()
})

test('records are found by their id, upper or lower case where the field folds', async () => {
  for (const row of [0, 17, SIZE - 1]) {
    const id = String(documents.files[row]?.file_id)
    expect(await release.find('files', id)).toBe(row)
    expect(await release.find('files', id.toUpperCase())).toBe(row)
  }
  expect(await release.find('projects', 'P-1')).toBe(1)
  expect(await release.find('projects', 'p-1')).toBeUndefined()
  for (const id of ['', 'x', '00000000-0000-0000-0000-000000000000']) {
    expect(await release.find('files', id)).toBeUndefined()
    expect(await release.find('genes', id)).toBeUndefined()
  }
})

test('links name the rows of other records, and these know who names them', async () => {
  const arrays = arraysOf(
    await release.load([
      ...[linkKey('files', 'cases'), levelKey('files', 'cases'), linkKey('cases', 'project')],
      ...[linkKey('ssm_occurrences', 'case'), linkKey('ssm_occurrences', 'ssm')],
    ]),
  )
  const rowsOf = (ids: (string | undefined)[], others: readonly object[], field: string) => {
    const rows = new Map(others.map((other, row) => [Reflect.get(other, field), row]))
    return ids.map((id) => (rows.get(id?.toLowerCase()) ?? rows.get(id) ?? -1) + 1)
  }
  const cases = documents.files.flatMap((file) => Reflect.get(file, 'cases') as object[])
  const caseIds = cases.map((one) => Reflect.get(one, 'case_id') as string)
  const link = arrays.link('files', 'cases')
  const expected = rowsOf(caseIds, documents.cases, 'case_id')
  expect(Array.from(link?.targets ?? [])).toEqual(expected)
  expect(link?.layout).toEqual({ level: 'cases', dataset: 'cases', dangling: 1 })
  documents.cases.forEach((_, row) => {
    const own = link?.reverseElements.slice(link.reverseOffsets[row], link.reverseOffsets[row + 1])
    expect(Array.from(own ?? [])).toEqual(
      [...expected.keys()].filter((element) => expected[element] === row + 1),
    )
  })
  const projectIds = documents.cases.map((one) => {
    return Reflect.get(Reflect.get(one, 'project') as object, 'project_id') as string
  })
  const projects = rowsOf(projectIds, documents.projects, 'project_id')
  expect(Array.from(arrays.link('cases', 'project')?.targets ?? [])).toEqual(projects)
  expect(arrays.link('cases', 'project')?.layout.dangling).toBe(
    projects.filter((row) => row === 0).length,
  )
  expect(arrays.link('ssm_occurrences', 'case')?.layout.dangling).toBe(0)
  expect(arrays.link('ssm_occurrences', 'ssm')?.targets).toHaveLength(2 * documents.cases.length)
})

test('keys that the release lacks are left out', async () => {
  const known = columnKey('files', 'access')
  const keys = [known, known, columnKey('files', 'nothing'), columnKey('genes', 'symbol'), 'x/y/z']
  const loaded = await release.load(keys)
  expect(Object.keys(loaded.parts)).toEqual([known])
  expect(loaded.rows.files).toBe(SIZE)
  const arrays = arraysOf(loaded)
  expect(arrays.column('files', 'nothing')).toBeUndefined()
  const access = arrays.column('files', 'access')
  expect(access?.dictionary.text(access.codes?.[0] ?? 0)).toMatch(/^(open|controlled)$/)
  expect(access?.codes?.buffer).toBeInstanceOf(SharedArrayBuffer)
})

test('every file has its line of a download manifest', async () => {
  const handle = await release.lines()
  // Some texts fit into a buffer, others do not.
  const buffers = new BufferPool(1024)
  if (!handle) throw new Error('there are no lines')
  const cell = (value: unknown) => String(value ?? '').replace(/[\t\n]/g, ' ')
  const lineOf = (row: number) => {
    const file: Readonly<Record<string, unknown>> = documents.files[row] ?? {}
    const { file_id, file_name, md5sum, file_size, state } = file
    return `${[file_id, file_name, md5sum, file_size, state].map(cell).join('\t')}\n`
  }
  const all = Array.from({ length: SIZE }, (_, row) => row)
  const some = [[], [0], [SIZE - 1], [255, 256], all, all.filter((row) => row % 3 === 1)]
  for (const rows of [...some, all.filter((row) => row > 300 && row < 700 && row % 50 > 3)]) {
    let text = ''
    for await (const part of manifestLines(handle, Uint32Array.from(rows), inlineExecutor, {
      buffers,
    })) {
      text += Buffer.from(part).toString()
    }
    expect(text).toBe(rows.map(lineOf).join(''))
  }
})

test('equal sources and facts make equal bytes', async () => {
  await build('again', { facts: { ...facts, id: 'r1' } })
  const paths = [...Object.keys(release.manifest.files), 'manifest.json']
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) {
    const [one, other] = await Promise.all(
      ['', 'again'].map((name) => readFile(join(folder, name, 'r1', path))),
    )
    expect(one?.equals(other ?? Buffer.alloc(0)), path).toBe(true)
  }
})

test('a release is named by its time unless a name is given', async () => {
  const { id } = await build('named')
  expect(id).toBe('20260102T030405678Z')
  await expect(build('named')).rejects.toMatchObject({ code: 'already_exists', at: 'id' })
  for (const bad of ['', '..', 'a/b', '.hidden', 'current', 'x'.repeat(101)]) {
    await expect(build('named', { facts: { ...facts, id: bad } })).rejects.toMatchObject({
      code: 'bad_input',
      at: 'id',
    })
  }
})

test('other files go with a release, and are proved with it', async () => {
  const path = join(folder, 'origin.json')
  await writeFile(path, '{"made":"elsewhere"}')
  const { id, files } = await build('extras', { extras: { 'import.json': path } })
  expect(files['import.json']).toMatchObject({ bytes: 20 })
  const copy = join(folder, 'extras', id)
  expect(await readFile(join(copy, 'import.json'), 'utf8')).toBe('{"made":"elsewhere"}')
  for await (const issue of verifyRelease(copy)) expect(issue).toBeUndefined()
  await writeFile(join(copy, 'import.json'), '{"made":"otherwise"}')
  for await (const issue of verifyRelease(copy)) expect(issue.subject).toBe('import.json')
})

test('what an interrupted build left behind goes with the next build', async () => {
  await mkdir(join(folder, 'left/.building-old/columns'), { recursive: true })
  await writeFile(join(folder, 'left/.building-old/columns/x'), 'x')
  const { id } = await build('left')
  expect(await readdir(join(folder, 'left'))).toEqual([id])
})

test('sources without records make a release without rows', async () => {
  const empty: Documents = { files: [], cases: [] }
  await mkdir(join(folder, 'none'))
  const manifest = await build('none', { sources: await writeSources(join(folder, 'none'), empty) })
  expect(manifest.files).toEqual({})
  const path = join(folder, 'none', manifest.id)
  for await (const issue of verifyRelease(path)) expect(issue).toBeUndefined()
  const opened = await Release.open(path)
  expect(await opened.lines()).toBeUndefined()
  expect(await opened.find('files', 'x')).toBeUndefined()
  await opened.close()
})

test('a fault in a source names the dataset and the line, and leaves nothing behind', async () => {
  const path = join(folder, 'faulty.ndjson')
  await writeFile(path, '{"case_id":"a"}\n{"case_id":"b"\n')
  const built = build('faulty', { sources: { ...sources, cases: path } })
  await expect(built).rejects.toMatchObject({
    code: 'bad_input',
    at: 'cases',
    message: expect.stringContaining('cases: line 2 is not a JSON object'),
  })
  expect(await readdir(join(folder, 'faulty'))).toEqual([])
  await expect(build('faulty', { sources: { cases: '/nowhere' } })).rejects.toMatchObject({
    code: 'bad_input',
    at: 'cases',
  })
})

test('a build that is aborted stops and leaves nothing behind', async () => {
  const stop = new AbortController()
  const executor: Executor = {
    parallelism: 1,
    run: async (job, input, options) => {
      const output = await inlineExecutor.run(job, input, options)
      stop.abort(new Error('not wanted any more'))
      return output
    },
  }
  const built = build('aborted', { executor, signal: stop.signal })
  await expect(built).rejects.toThrow('not wanted any more')
  expect(await readdir(join(folder, 'aborted'))).toEqual([])
})

test('progress tells the rows of every phase', async () => {
  const told = new Map<string, number>()
  await build('progress', {
    onProgress: ({ phase, dataset, rows }) => told.set(`${phase} ${dataset}`, rows),
  })
  for (const phase of ['columns', 'documents']) {
    expect(told.get(`${phase} files`)).toBe(SIZE)
    expect(told.get(`${phase} cases`)).toBe(documents.cases.length)
  }
})
