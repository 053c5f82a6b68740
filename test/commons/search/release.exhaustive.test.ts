import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetName, SearchAnswer, SearchRequest } from '../../../engine/commons/index.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'

// The engine over a made release, from request to body.

let folder = ''
let engine: Engine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-release-'))
  const executor = inlineExecutor
  await buildMadeRelease({ dataFolder: folder, executor, scale: 'tiny', seed: 5, id: 'first' })
  engine = await openEngine({ dataFolder: folder, executor })
  await engine.start()
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

const PAGE = { size: 10, from: 0, format: 'json', pretty: false } as const
const ALL = { ...PAGE, size: 100_000, format: 'ndjson' } as const

async function textOf(answer: SearchAnswer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer.body) chunks.push(Buffer.from(chunk))
  await answer[Symbol.asyncDispose]()
  return Buffer.concat(chunks).toString()
}

interface Row {
  readonly id: string
  readonly [field: string]: unknown
}

/** All matching records as lines. */
async function rowsOf(name: DatasetName, request: Partial<SearchRequest> = {}): Promise<Row[]> {
  const text = await textOf(await engine.commons.search.search(name, { ...ALL, ...request }))
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
}

const open = { op: 'in', content: { field: 'access', value: ['open'] } }
const at = (row: unknown, path: string): unknown[] =>
  path.split('.').reduce<unknown[]>(
    (values, name) =>
      values.flatMap((value) => {
        const member = (value as Record<string, unknown> | null)?.[name]
        return member === undefined ? [] : [member].flat()
      }),
    [row],
  )

describe('a manifest of what is found elsewhere than at files', () => {
  /** The field of each dataset that names its records' cases, and a filter that excludes some. */
  const CASES: readonly (readonly [DatasetName, string, unknown])[] = [
    ['cases', 'case_id', { op: '>', content: { field: 'submitter_id', value: 'DEMO-C' } }],
    ['annotations', 'case_id', { op: '=', content: { field: 'entity_type', value: 'case' } }],
    [
      'ssm_occurrences',
      'case.case_id',
      { op: '=', content: { field: 'ssm.chromosome', value: 'chr1' } },
    ],
    [
      'cnv_occurrences',
      'case.case_id',
      { op: '=', content: { field: 'cnv.cnv_change', value: 'Loss' } },
    ],
    [
      'ssms',
      'occurrence.case.case_id',
      { op: '=', content: { field: 'chromosome', value: 'chr2' } },
    ],
    [
      'segment_cnvs',
      'occurrence.case.case_id',
      { op: '=', content: { field: 'cnv_change', value: 'Gain' } },
    ],
  ]

  test.each(CASES)('%s', async (name, path, filters) => {
    const found = await rowsOf(name, { filters, fields: [path] })
    const cases = new Set(found.flatMap((row) => at(row, path)))
    const files = await rowsOf('files', { fields: ['cases.case_id'] })
    const expected = files
      .filter((file) => at(file, 'cases.case_id').some((id) => cases.has(id)))
      .map(({ id }) => id)
    const manifest = await textOf(
      await engine.commons.search.search(name, { ...PAGE, filters, returnType: 'manifest' }),
    )
    const [header, ...lines] = manifest.trimEnd().split('\n')
    expect(header).toBe('id\tfilename\tmd5\tsize\tstate')
    expect(lines.map((line) => line.split('\t')[0])).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(expected.length).toBeLessThan(files.length)
  })

  test('projects', async () => {
    const [project] = await rowsOf('projects')
    const filters = { op: '=', content: { field: 'project_id', value: project?.id } }
    const manifest = await textOf(
      await engine.commons.search.search('projects', { ...PAGE, filters, returnType: 'manifest' }),
    )
    const ofProject = {
      op: '=',
      content: { field: 'cases.project.project_id', value: project?.id },
    }
    const files = await rowsOf('files', { filters: ofProject })
    expect(manifest.trimEnd().split('\n')).toHaveLength(files.length + 1)
  })

  test('genes belong to no files', async () => {
    await expect(
      engine.commons.search.search('genes', { ...PAGE, returnType: 'manifest' }),
    ).rejects.toMatchObject({ code: 'bad_input', at: 'return_type' })
  })
})

test('a manifest of files is all that match, whatever the page', async () => {
  const files = await rowsOf('files', {
    filters: open,
    fields: ['file_name', 'md5sum', 'file_size', 'state'],
  })
  const text = await textOf(
    await engine.commons.search.search('files', {
      ...PAGE,
      size: 1,
      from: 3,
      filters: open,
      returnType: 'manifest',
    }),
  )
  const lines = files.map((file) =>
    ['id', 'file_name', 'md5sum', 'file_size', 'state'].map((name) => file[name] ?? '').join('\t'),
  )
  expect(text).toBe(['id\tfilename\tmd5\tsize\tstate', ...lines, ''].join('\n'))
})

test('a cohort filter is asked besides, wherever the case stands', async () => {
  const cohort = { op: '=', content: { field: 'cases.project.project_id', value: 'DEMO-OPEN' } }
  const named = (prefix: string) => ({
    op: 'and',
    content: [
      open,
      { op: '=', content: { field: `${prefix}project.project_id`, value: 'DEMO-OPEN' } },
    ],
  })
  const given = await rowsOf('files', { filters: open, caseFilters: cohort })
  expect(given).toEqual(await rowsOf('files', { filters: named('cases.') }))
  const [one] = await rowsOf('ssm_occurrences', { caseFilters: JSON.stringify(cohort), size: 1 })
  expect(one?.id).toBeDefined()
})

test('ids of linked records are the same, read from their documents or not', async () => {
  const project = 'cases.project.project_id'
  const alone = await rowsOf('files', { fields: [project] })
  const beside = await rowsOf('files', { fields: [project, 'cases.disease_type'] })
  const projects = (rows: readonly Row[]) => rows.map((row) => [row.id, at(row, project)])
  expect(projects(alone)).toEqual(projects(beside))
  expect(alone.flatMap((row) => at(row, project)).length).toBeGreaterThan(300)
})

test('ids are completed from any case, names too', async () => {
  const [file] = await rowsOf('files', { size: 1, from: 7 })
  const whole = String(file?.id).toUpperCase()
  const found = JSON.parse(
    await textOf(
      await engine.commons.search.lookup('files', { ...PAGE, query: whole.slice(0, 9) }),
    ),
  ) as { data: { hits: Row[]; pagination: { total: number } } }
  expect(found.data.hits.map(({ id }) => id)).toContain(file?.id)
  const name = String(file?.submitter_id).slice(0, 12)
  const all = await rowsOf('files', { fields: ['file_id', 'file_name', 'submitter_id'] })
  const expected = all.filter((row) =>
    [row.file_id, row.file_name, row.submitter_id].some((value) =>
      String(value).toLowerCase().startsWith(name.toLowerCase()),
    ),
  )
  const byName = JSON.parse(
    await textOf(
      await engine.commons.search.lookup('files', { ...PAGE, query: name.toUpperCase() }),
    ),
  ) as typeof found
  expect(byName.data.pagination.total).toBe(expected.length)
})

test('every form of an answer has the same records', async () => {
  const request = { ...PAGE, filters: open, size: 50, sort: ['file_size:desc'] }
  const json = JSON.parse(await textOf(await engine.commons.search.search('files', request))) as {
    data: { hits: Row[] }
  }
  const ids = json.data.hits.map(({ id }) => id)
  const tsv = await textOf(
    await engine.commons.search.search('files', { ...request, format: 'tsv' }),
  )
  const rows = tsv.trimEnd().split('\n').slice(1)
  expect(rows.map((line) => line.split('\t')[0])).toEqual(ids)
  const xml = await textOf(
    await engine.commons.search.search('files', { ...request, format: 'xml' }),
  )
  expect([...xml.matchAll(/<item><id>(.*?)<\/id>/g)].map(([, id]) => id)).toEqual(ids)
  const lines = await rowsOf('files', { ...request, format: 'ndjson' })
  expect(lines).toEqual(json.data.hits)
})

test('an answer under way stays on its release when another takes its place', async () => {
  const answer = await engine.commons.search.search('files', { ...ALL, size: 400 })
  const body = answer.body[Symbol.asyncIterator]()
  const first = await body.next()
  await buildMadeRelease({
    dataFolder: folder,
    executor: inlineExecutor,
    scale: 'tiny',
    seed: 6,
    id: 'second',
  })
  await expect.poll(() => engine.commons.releaseFacts()?.id).toBe('second')
  const chunks = [Buffer.from(first.value ?? [])]
  for (let next = await body.next(); !next.done; next = await body.next()) {
    chunks.push(Buffer.from(next.value))
  }
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n')
  expect(answer.releaseId).toBe('first')
  expect(lines).toHaveLength(400)
  const later = await rowsOf('files', { size: 1 })
  expect(later[0]?.id).not.toBe((JSON.parse(lines[0] ?? '') as Row).id)
})

test('a damaged column is named, and what does not need it is answered', async () => {
  const { writeFile, readFile } = await import('node:fs/promises')
  const path = join(folder, 'releases', 'second', 'columns', 'files', 'data_type.arrow')
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9)
  await writeFile(path, bytes)
  const damaged = engine.commons.search.search('files', { ...PAGE, facets: ['data_type'] })
  await expect(damaged).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /the field "data_type" of files .*columns\/files\/data_type\.arrow/,
    ),
  })
  expect(await rowsOf('files', { filters: open, size: 1 })).toHaveLength(1)
  const problems: string[] = []
  for await (const { subject } of engine.check()) problems.push(subject)
  expect(problems).toEqual([join('releases', 'second', 'columns', 'files', 'data_type.arrow')])
})
