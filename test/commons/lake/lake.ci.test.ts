import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATASET_NAMES, type DatasetName } from '../../../engine/commons/index.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { listenFor } from '../contract/support/listen.ts'
import { pathsOf } from './support/delta-reader.ts'
import { LakeWorld, type Row } from './support/lake-world.ts'

// Independent readers query a lake, using the files named by a log reader that was written from Delta's own
// protocol. The expected results are those of the service over HTTP.

let world: LakeWorld
let engine: Engine
let server: RunningServer
/** Copies the folder made by the first export of release one. */
let copyFirst: (folder: string) => Promise<void>

const makeRelease = (id: string, seed: number) =>
  buildMadeRelease({
    dataFolder: world.dataFolder,
    executor: inlineExecutor,
    scale: 'tiny',
    seed,
    id,
    expression: { genes: 40, cases: 30 },
  })

beforeAll(async () => {
  world = await LakeWorld.make()
  await makeRelease('one', 5)
  await world.export()
  const first = join(world.folder, '../first')
  await cp(world.folder, first, { recursive: true })
  copyFirst = (folder) => cp(first, folder, { recursive: true })
  engine = await openEngine({ dataFolder: world.dataFolder, executor: inlineExecutor })
  await engine.start()
  server = await listenFor(engine, { ratePerMinute: 0 })
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await world?.remove()
})

async function answer(path: string, body?: object): Promise<Response> {
  const sent = body && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  }
  const response = await fetch(`${server.address}${path}`, sent)
  expect(response.status).toBe(200)
  return response
}

/** The third reader, beside DuckDB and hyparquet; it has no reader of Delta's log. */
interface Polars {
  readParquet(path: string): { writeJSON(options: { readonly format: 'json' }): Buffer }
}

interface Listed {
  readonly data: {
    readonly hits: readonly Row[]
    readonly pagination: { readonly total: number }
    readonly aggregations: Readonly<Record<string, { readonly buckets: readonly Bucket[] }>>
  }
}
interface Bucket {
  readonly key: string
  readonly doc_count: number
}

const listed = async (path: string) => (await (await answer(path)).json()) as Listed

/** Facets as counts by value in lower case, without the count of missing values. */
async function facet(dataset: DatasetName, field: string): Promise<Row> {
  const { data } = await listed(`/${dataset}?size=0&facets=${field}`)
  const buckets = data.aggregations[field]?.buckets ?? []
  expect(buckets.length).toBeGreaterThan(1)
  const counts = buckets.map(({ key, doc_count: count }) => ({ key, count }))
  return counted(counts.filter(({ key }) => key !== '_missing'))
}

/** Counts values as facets do, in lower case. */
const counted = (rows: readonly Row[]) =>
  Object.fromEntries(rows.map(({ key, count }) => [String(key).toLowerCase(), Number(count)]))

/** Removes null and absent members, and converts numbers, because Parquet knows no absent members. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return Object.fromEntries(members.map(([name, one]) => [name, plain(one)]).sort())
}

const ID_FIELDS = Object.fromEntries(
  DATASET_NAMES.map((name) => [name, `${name.replace(/s$/, '')}_id`]),
) as Record<DatasetName, string>

describe.each(DATASET_NAMES)('table %s', (name) => {
  const idField = ID_FIELDS[name]

  test('has every record once, ascending by id in each file', async () => {
    const { data } = await listed(`/${name}?size=0`)
    const table = await world.table(name)
    expect(table.version).toBe(0)
    const [sums] = await world.ask(
      table,
      `SELECT count(*) AS rows, count(DISTINCT ${idField}) AS ids, ` +
        `list(DISTINCT release) AS releases FROM lake`,
    )
    const total = String(data.pagination.total)
    expect(sums).toEqual({ rows: total, ids: total, releases: ['one'] })
    expect(table.files.reduce((sum, { records }) => sum + records, 0)).toBe(Number(total))
    for (const file of table.files) {
      const ids = await world.ask({ ...table, files: [file] }, `SELECT ${idField} AS id FROM lake`)
      expect(ids).toHaveLength(file.records)
      const texts = ids.map(({ id }) => String(id))
      expect(texts).toEqual(texts.toSorted())
    }
  })

  test.runIf(available.polars)('Polars reads the same records, nested values too', async () => {
    const load = createRequire(join(import.meta.dirname, '../../readers/package.json'))
    const polars = load('nodejs-polars') as Polars
    const table = await world.table(name)
    for (const { path } of table.files) {
      // Its own records in JavaScript cannot have lists of structures.
      const read = JSON.parse(polars.readParquet(path).writeJSON({ format: 'json' }).toString())
      const file = await asyncBufferFromFile(path)
      expect(plain(read)).toEqual(plain(await parquetReadObjects({ file, compressors })))
    }
  })

  test('records are what the service answers, nested values too, for two readers', async () => {
    const table = await world.table(name)
    const own = table.schema.fields.filter(
      (field) => !table.partitionColumns.includes(field.name) && field.name !== 'project_ids',
    )
    const fields = pathsOf({ type: 'struct', fields: own }).join(',')
    const random = randomFrom()
    random.reseed(11)
    for (let i = 0; i < 4; i++) {
      const file = table.files[random.below(table.files.length)]
      if (!file) throw new Error('the table is empty')
      const by = await parquetReadObjects({
        file: await asyncBufferFromFile(file.path),
        compressors,
      })
      const row = by[random.below(by.length)] as Row
      const id = String(row[idField])
      const [duck] = await world.ask(
        { ...table, files: [file] },
        `SELECT to_json(lake) AS record FROM lake WHERE ${idField} = '${id}'`,
      )
      const response = await answer(`/${name}`, {
        fields,
        size: 1,
        filters: { op: '=', content: { field: idField, value: id } },
      })
      const { data } = (await response.json()) as Listed
      const { id: _, ...hit } = data.hits[0] ?? {}
      const withoutPlace = ({ release, project_id, project_ids, ...rest }: Row) =>
        plain(table.partitionColumns.includes('project_id') ? rest : { ...rest, project_id })
      const expected = plain(hit)
      expect(Object.keys(expected as object).length).toBeGreaterThan(1)
      expect(withoutPlace(row)).toEqual(expected)
      expect(withoutPlace(JSON.parse(String(duck?.record)))).toEqual(expected)
    }
  })
})

describe('counts', () => {
  test.each([
    ['files', 'data_format'],
    ['files', 'access'],
    ['files', 'analysis.workflow_type'],
    ['cases', 'primary_site'],
    ['cases', 'demographic.gender'],
    ['cases', 'project.project_id'],
  ] as const)('%s by %s are those of the facet', async (dataset, field) => {
    const table = await world.table(dataset)
    const sql = `SELECT ${field} AS key, count(*) AS count FROM lake WHERE ${field} IS NOT NULL GROUP BY 1`
    expect(counted(await world.ask(table, sql))).toEqual(await facet(dataset, field))
  })

  test('files and cases by project are those of the facet', async () => {
    const cases = 'SELECT project_id AS key, count(*) AS count FROM lake GROUP BY 1'
    expect(counted(await world.ask(await world.table('cases'), cases))).toEqual(
      await facet('cases', 'project.project_id'),
    )
    const files =
      'SELECT key, count(*) AS count FROM (SELECT unnest(project_ids) AS key FROM lake) GROUP BY 1'
    expect(counted(await world.ask(await world.table('files'), files))).toEqual(
      await facet('files', 'cases.project.project_id'),
    )
  })
})

test('expression is what the service answers', async () => {
  const { data } = await listed('/cases?size=1000&fields=case_id')
  const case_ids = data.hits.map(({ case_id }) => case_id)
  const genes = await listed('/genes?size=1000&fields=gene_id')
  const gene_ids = genes.data.hits.map(({ gene_id }) => gene_id)
  const body = { case_ids, gene_ids, tsv_units: 'uqfpkm', format: 'tsv' }
  const text = await (await answer('/gene_expression/values', body)).text()
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const [, ...columns] = head.split('\t')
  const expected = lines.flatMap((line) => {
    const [gene_id, ...cells] = line.split('\t')
    return cells.flatMap((cell, i) =>
      cell === '' ? [] : [{ gene_id, case_id: columns[i], uqfpkm: Number(cell) }],
    )
  })
  const table = await world.table('expression')
  const rows = await world.ask(
    table,
    'SELECT gene_id, case_id, uqfpkm FROM lake ORDER BY gene_id, case_id',
  )
  expect(expected.length).toBeGreaterThan(1000)
  expect(rows).toEqual(expected)
  const misplaced = await world.ask(
    table,
    `SELECT lake.case_id FROM lake JOIN read_parquet('${world.folder}/cases/release=one/*/*.parquet', hive_partitioning = true) AS cases USING (case_id) WHERE lake.project_id <> cases.project_id`,
  )
  expect(misplaced).toEqual([])
})

/** Sizes and times of all files in the lake. */
async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile() && !one.parentPath.includes('.export'))
  const entries = files.map(async (one) => {
    const path = join(one.parentPath, one.name)
    const { size, mtimeMs } = await stat(path)
    return [path, `${size} ${mtimeMs}`] as const
  })
  return Object.fromEntries((await Promise.all(entries)).sort())
}

describe('releases', () => {
  test('the same one again changes nothing', async () => {
    const before = await filesIn(world.folder)
    const { tables } = await world.export({ release: 'one' })
    expect(tables.map(({ isNew }) => isNew)).toEqual(tables.map(() => false))
    expect(await filesIn(world.folder)).toEqual(before)
  })

  test('the next one replaces it, and versions lead back', async () => {
    const ids = 'SELECT file_id AS id FROM lake ORDER BY 1'
    const first = await world.ask(await world.table('files'), ids)
    const before = await filesIn(world.folder)
    await makeRelease('two', 6)
    const { release, tables } = await world.export()
    expect(release).toBe('two')
    expect(tables.map(({ version, isNew }) => [version, isNew])).toEqual(
      tables.map(() => [1, true]),
    )
    const [now, then] = [await world.table('files'), await world.table('files', 0)]
    expect([now.version, now.id]).toEqual([1, then.id])
    expect(await world.ask(then, ids)).toEqual(first)
    const next = await world.ask(now, 'SELECT DISTINCT release FROM lake')
    expect(next).toEqual([{ release: 'two' }])
    expect((await world.ask(now, ids)).length).toBe(400)
    // Existing files are never written to.
    expect(await filesIn(world.folder)).toMatchObject(before)
    const { data } = await listed('/files?size=1000&fields=file_id&release=two')
    const wanted = data.hits.map(({ file_id: id }) => ({ id }))
    expect(await world.ask(now, ids)).toEqual(
      wanted.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
    )
  })

  test('an earlier one comes back without being written again', async () => {
    const before = await filesIn(world.folder)
    await world.export({ release: 'one' })
    const after = await filesIn(world.folder)
    const made = Object.keys(after).filter((path) => !Object.hasOwn(before, path))
    expect(made.every((path) => path.endsWith(`_delta_log/${'2'.padStart(20, '0')}.json`))).toBe(
      true,
    )
    expect(made).toHaveLength(DATASET_NAMES.length + 1)
    const [now, first] = [await world.table('files', 2), await world.table('files', 0)]
    expect(now.files).toEqual(first.files)
  })

  test('a broken-off export changes no table, and the next one takes over what it wrote', async () => {
    const other = await LakeWorld.make()
    try {
      const stop = new AbortController()
      const broken = world.export({
        folder: other.folder,
        signal: stop.signal,
        onProgress: ({ phase }) => phase === 'ssms' && stop.abort(new Error('stopped')),
      })
      await expect(broken).rejects.toThrow('stopped')
      const left = await filesIn(other.folder)
      expect(Object.keys(left).filter((path) => path.includes('_delta_log'))).toEqual([])
      expect(Object.keys(left).length).toBeGreaterThan(3)
      await world.export({ folder: other.folder })
      expect(await filesIn(other.folder)).toMatchObject(left)
      expect((await other.table('files')).version).toBe(0)
    } finally {
      await other.remove()
    }
  })

  test('what a broken-off export of another release left is removed', async () => {
    const other = await LakeWorld.make()
    try {
      const { folder } = other
      const stop = new AbortController()
      const onProgress = () => stop.abort(new Error('stopped'))
      await copyFirst(folder)
      const files = await filesIn(folder)
      await rm(join(folder, 'genes', '_delta_log'), { recursive: true })
      await expect(
        world.export({ folder, release: 'two', signal: stop.signal, onProgress }),
      ).rejects.toThrow('stopped')
      await world.export({ folder, release: 'one' })
      const after = Object.keys(await filesIn(folder))
      expect(after.filter((path) => path.includes('release=two'))).toEqual([])
      expect(after).toEqual(Object.keys(files))
    } finally {
      await other.remove()
    }
  })
})

describe('refusals', () => {
  test('a release that is not there', async () => {
    await expect(world.export({ release: 'none' })).rejects.toMatchObject({ code: 'not_found' })
    const other = await LakeWorld.make()
    await expect(other.export()).rejects.toMatchObject({ code: 'not_found' })
    await other.remove()
  })

  test('a second export at the same time', async () => {
    const other = await LakeWorld.make()
    const { folder } = other
    let second: Promise<unknown> | undefined
    const onProgress = () => {
      second ??= expect(world.export({ folder })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('another export'),
      })
    }
    await world.export({ folder, onProgress })
    expect(second).toBeDefined()
    await second
    await other.remove()
  })

  test('a table that another program has given features, or whose log has a gap', async () => {
    const other = await LakeWorld.make()
    const { folder } = other
    await copyFirst(folder)
    const log = join(folder, 'genes', '_delta_log')
    const nameOf = (version: number) => join(log, `${String(version).padStart(20, '0')}.json`)
    const protocol = { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['x'] }
    await writeFile(nameOf(1), `${JSON.stringify({ protocol })}\n`)
    const refused = { code: 'conflict', message: expect.stringContaining('another program') }
    await expect(world.export({ folder, release: 'two' })).rejects.toMatchObject(refused)
    await rm(nameOf(0))
    await writeFile(
      nameOf(1),
      await readFile(join(folder, 'files/_delta_log', nameOf(0).slice(log.length))),
    )
    await expect(world.export({ folder, release: 'two' })).rejects.toMatchObject(refused)
    await other.remove()
  })
})
