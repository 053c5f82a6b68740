import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Table, tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Executor, inlineExecutor, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { type SelectionRequest, selectFields } from '../datasets/select.ts'
import { buildRelease } from '../release/build.ts'
import { Release } from '../release/release.ts'
import { type ChunkFormat, type ChunkInput, renderChunk } from './chunk.ts'
import { ColumnSources } from './column-sources.ts'
import { handlesFor } from './context.ts'
import type { Envelope } from './frame.ts'
import type { Hit } from './hit.ts'
import { renderManifest } from './manifest.ts'
import { compileProjection } from './projection.ts'
import { renderRecord } from './record.ts'
import { type BodyFormat, type BodyRequest, renderBody } from './render.ts'
import { tableOf, xmlOf } from './values.ts'

// A release of 3,000 files of 40 cases of 3 projects. Expected output is made from the documents here,
// without the engine's projections.

const FILES = 3000
const number = (i: number) => String(i).padStart(5, '0')

const projects = ['A', 'B', 'C'].map((id) => ({
  project_id: id,
  name: `Project <${id}>`,
  released: true,
  registry_accession_number: id === 'B' ? null : `phs${id}`,
}))
const cases = Array.from({ length: 40 }, (_, i) => ({
  case_id: `case-${number(i)}`,
  submitter_id: `C\t${i}${i % 5 === 4 ? ', "x"' : ''}`,
  project: { project_id: i === 7 ? 'gone' : 'ABC'[i % 3] },
  ...(i % 4 === 0 ? { lost_to_followup: null } : { index_date: 'Diagnosis' }),
}))
const caseOf = (i: number) => (i * 17) % 41
const files = Array.from({ length: FILES }, (_, i) => ({
  file_id: `file-${number(i)}`,
  file_name: `f${i}.bam`,
  md5sum: 'd41d8cd98f00b204e9800998ecf8427e',
  state: 'released',
  file_size: i === 11 ? 2 ** 52 : i * 1000,
  acl: i % 3 ? ['open'] : ['phs1', 'phs2'],
  proportion_reads_mapped: i % 5 ? i / 7 : 839,
  ...(i % 2 ? { platform: 'Illumina ä漢🧬' } : { platform: null }),
  // This column occurs only in the last chunk.
  ...(i === FILES - 1 ? { tags: ['late'] } : {}),
  // One file in 41 refers to a case that does not exist.
  cases: [
    {
      case_id: `case-${number(caseOf(i))}`,
      samples: Array.from({ length: i % 3 }, (_, s) => ({ sample_id: `s-${i}-${s}` })),
    },
  ],
}))

let folder: string
let release: Release

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-render-'))
  const write = async (name: DatasetName, documents: readonly object[]) => {
    const path = join(folder, `${name}.ndjson`)
    await writeFile(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''))
    return path
  }
  const sources = {
    projects: await write('projects', projects),
    cases: await write('cases', cases),
    files: await write('files', files),
  }
  const version = { major: 1, minor: 0, releaseDate: '2025-01-01' }
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt: '2025-01-01', id: 'r' }
  await buildRelease({ folder: join(folder, 'releases'), sources, facts, executor: inlineExecutor })
  release = await Release.open(join(folder, 'releases', 'r'))
})

afterAll(async () => {
  await release.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs two jobs at a time. The later one ends first. */
const twoAtATime: Executor = {
  parallelism: 2,
  async run(job, input, { signal } = {}) {
    await sleep(Math.random() * 4)
    signal?.throwIfAborted()
    return job.run(structuredClone(input), new Scratch())
  },
}

const envelope: Envelope = {
  pagination: { count: 1, total: 9, size: 1, from: 0, sort: 'None', page: 1, pages: 9 },
  warnings: { fields: 'unrecognized values: [x]' },
}
const aggregations = { state: { buckets: [{ doc_count: 3, key: '[]' }] } }

interface Asked extends SelectionRequest, Pick<BodyRequest, 'onColumns' | 'scores'> {
  readonly dataset?: DatasetName
  readonly rows?: Iterable<number>
  readonly format?: BodyFormat
  readonly pretty?: boolean
  readonly executor?: Executor
  readonly signal?: AbortSignal
  readonly withAggregations?: boolean
}

function bodyOf(asked: Asked = {}) {
  const { rows = files.keys(), format = 'json', pretty = false, executor, signal } = asked
  const dataset = datasetOf(asked.dataset ?? 'files')
  const { selection } = selectFields(dataset, asked, 'list')
  const projection = compileProjection(dataset, selection)
  const counts = asked.withAggregations
    ? { aggregations: Buffer.from(JSON.stringify(aggregations)) }
    : {}
  return renderBody(
    {
      projection,
      format,
      pretty,
      ...(asked.scores && { scores: asked.scores }),
      onColumns: asked.onColumns,
      rows: Uint32Array.from(rows),
      envelope: { ...envelope, ...counts },
    },
    {
      release,
      executor: executor ?? twoAtATime,
      signal,
      scratch: new Scratch(),
      columns: new ColumnSources(),
    },
  )
}

/** Copies the chunks, because their memory is reused. */
async function gather(body: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk))
  return chunks
}

const collect = async (body: AsyncIterable<Uint8Array>) => Buffer.concat(await gather(body))
const textOf = async (asked?: Asked) => (await collect(bodyOf(asked))).toString()

const EXPAND = ['cases', 'cases.project', 'cases.samples']

/** Returns the expected record of a file with EXPAND. */
function fileHit(row: number): Hit {
  const { cases: named, file_id, ...rest } = files[row]!
  const shown = named.map(({ case_id, samples }) => {
    const linked = cases.find((one) => one.case_id === case_id)
    const { project, ...own } = linked ?? {}
    const found = projects.find(({ project_id }) => project_id === project?.project_id)
    return {
      ...(samples.length > 0 ? { samples } : {}),
      case_id,
      ...own,
      ...(project ? { project: { ...project, ...found } } : {}),
    }
  })
  return { id: file_id, file_id, ...rest, cases: shown }
}

const hits = files.map((_, row) => fileHit(row))

describe('JSON', () => {
  test('a body has all hits in their order, whatever piece is ready first', async () => {
    const body = JSON.parse(await textOf({ expand: EXPAND }))
    expect(body).toEqual({
      data: { hits, pagination: envelope.pagination },
      warnings: envelope.warnings,
    })
    expect(Object.keys(body.data.hits[0])[0]).toBe('id')
  })

  test('hits, aggregations and pagination in this order', async () => {
    const text = await textOf({ rows: [3, 1], fields: ['state'], withAggregations: true })
    expect(text).toBe(
      '{"data":{"hits":[{"id":"file-00003","state":"released"},{"id":"file-00001",' +
        '"state":"released"}],"aggregations":{"state":{"buckets":[{"doc_count":3,"key":"[]"}]}},' +
        '"pagination":{"count":1,"total":9,"size":1,"from":0,"sort":"None","page":1,"pages":9}},' +
        '"warnings":{"fields":"unrecognized values: [x]"}}',
    )
  })

  test.each([0, 1, 20, 21, 500])(
    'pretty is what JSON.stringify makes of it: %d rows',
    async (n) => {
      for (const withAggregations of [false, true]) {
        const asked = { rows: [...files.keys()].slice(0, n), expand: EXPAND, withAggregations }
        const compact = await textOf(asked)
        expect(JSON.parse(compact).data.hits).toHaveLength(n)
        const pretty = await textOf({ ...asked, pretty: true })
        expect(pretty).toBe(JSON.stringify(JSON.parse(compact), null, 2))
      }
    },
  )

  test('a small page is made without a job and is one chunk', async () => {
    const executor: Executor = { parallelism: 1, run: () => expect.unreachable() }
    const chunks = await gather(bodyOf({ rows: [5, 6], expand: EXPAND, executor }))
    expect(chunks).toHaveLength(1)
  })

  test('the first chunk is there before all rows are rendered', async () => {
    let jobs = 0
    const executor: Executor = {
      parallelism: 2,
      run: (...args) => {
        jobs++
        return inlineExecutor.run(...args)
      },
    }
    const body = bodyOf({ executor })
    const { value } = await body.next()
    expect(JSON.parse(`${Buffer.from(value!)}]}}`).data.hits).toHaveLength(50)
    expect(jobs).toBe(4)
    await body.return(undefined)
    expect(jobs).toBe(4)
  })

  test('records that many rows name are read for all pieces together', async () => {
    const inputs: ChunkInput[] = []
    const executor: Executor = {
      parallelism: 2,
      run(job, input, options) {
        inputs.push(input as ChunkInput)
        return twoAtATime.run(job, input, options)
      },
    }
    expect(JSON.parse(await textOf({ expand: EXPAND, executor })).data.hits).toEqual(hits)
    const preparing = inputs.filter(({ projection }) => projection.dataset === 'cases')
    expect(preparing.map(({ rows }) => rows.length)).toEqual([40])
    const linked = inputs.filter(({ projection }) => projection.dataset === 'files')
    expect(linked.map((input) => Object.keys(input.linked ?? {})).slice(0, 3)).toEqual([
      ...[[], ['cases'], ['cases']],
    ])
  })

  test('reverse mounts are rendered by a job, however few rows', async () => {
    const { data } = JSON.parse(
      await textOf({ dataset: 'cases', rows: [0, 39], fields: ['files.file_id'] }),
    )
    const naming = (row: number) => files.filter((_, i) => caseOf(i) === row)
    const filesOf = (row: number) => naming(row).map(({ file_id }) => ({ file_id }))
    expect(data.hits).toEqual([
      { id: 'case-00000', files: filesOf(0) },
      { id: 'case-00039', files: filesOf(39) },
    ])
  })
})

test('ndjson is a hit per line', async () => {
  const text = await textOf({ format: 'ndjson', expand: EXPAND })
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  ).toEqual(hits)
  expect(await textOf({ format: 'ndjson', rows: [] })).toBe('')
})

describe('XML', () => {
  test.each([true, false])('is the JSON body as elements (pretty: %s)', async (pretty) => {
    for (const rows of [[], [2, 0], files.keys()]) {
      const asked = { rows: [...rows], expand: EXPAND, withAggregations: true }
      const body = JSON.parse(await textOf(asked))
      const xml = await textOf({ ...asked, format: 'xml', pretty })
      expect(xml).toBe(Buffer.from(xmlOf(body, { pretty })).toString())
    }
  })
})

describe('TSV', () => {
  const types = new Map([['proportion_reads_mapped', 'double']] as const)

  test('the header has the columns of all hits, also of the last one', async () => {
    const text = await textOf({ format: 'tsv', expand: EXPAND })
    expect(text).toBe(Buffer.from(tableOf(hits, { types })).toString())
    const [header = '', first = ''] = text.split('\n')
    expect(header.split('\t')).toEqual(
      ['id', ...header.split('\t').slice(1).sort()].filter((key) => key !== ''),
    )
    const cells = new Map(header.split('\t').map((key, i) => [key, first.split('\t')[i]]))
    expect(Object.fromEntries(cells)).toMatchObject({
      id: 'file-00000',
      proportion_reads_mapped: '839.0',
      file_size: '0',
      platform: '',
      'tags.0': '',
      'cases.0.submitter_id': 'C 0',
      'cases.0.project.released': 'True',
    })
  })

  test('rows with one set of columns are rendered once', async () => {
    const kinds: ChunkFormat[] = []
    const executor: Executor = {
      parallelism: 2,
      run(job, input, options) {
        kinds.push((input as { readonly format: ChunkFormat }).format)
        return inlineExecutor.run(job, input, options)
      },
    }
    // Documents are read, because some of these ids refer to no record.
    const asked = { format: 'tsv', fields: ['cases.case_id', 'file_size'], executor } as const
    const lines = (await textOf(asked)).split('\n')
    expect(lines).toHaveLength(FILES + 2)
    expect(lines[0]).toBe('id\tcases.0.case_id\tfile_size')
    expect(kinds.every((format) => format.kind === 'table' && !format.columns)).toBe(true)
  })

  test('no hits are no table', async () => {
    expect(await textOf({ format: 'tsv', rows: [] })).toBe('')
    expect(await textOf({ format: 'csv', rows: [] })).toBe('')
  })

  test('CSV has the same cells, as another reader takes them apart', async () => {
    for (const asked of [{ expand: EXPAND }, { fields: ['cases.submitter_id', 'file_id'] }]) {
      const [tsv, csv] = [
        await textOf({ ...asked, format: 'tsv' }),
        await textOf({ ...asked, format: 'csv' }),
      ]
      const lines = tsv.trimEnd().split('\n')
      expect(parse(csv)).toEqual(lines.map((line) => line.split('\t')))
      // A line break in a cell becomes a space, so that each row is one line.
      expect(csv.trimEnd().split('\n')).toHaveLength(lines.length)
      expect(csv).toContain(',"C 4, ""x"""')
      expect(csv.endsWith('\n')).toBe(true)
    }
  })

  test('scores are a column of decimals', async () => {
    const rows = [2, 0, 1]
    const scores = Uint32Array.of(30, 20, 10)
    expect(await textOf({ rows, scores, fields: ['file_size'], format: 'csv' })).toBe(
      'id,_score,file_size\nfile-00002,30.0,2000\nfile-00000,20.0,0\nfile-00001,10.0,1000\n',
    )
    // Enough rows to be rendered by jobs. The last ones have other columns.
    const all = Uint32Array.from(files.keys(), (i) => FILES - i)
    const lines = (await textOf({ scores: all, expand: EXPAND, format: 'tsv' })).split('\n')
    const place = lines[0]?.split('\t').indexOf('_score') ?? -1
    expect(lines.slice(1, -1).map((line) => line.split('\t')[place])).toEqual(
      Array.from(all, (score) => `${score}.0`),
    )
  })

  test('who asks is told the number of columns before the first line', async () => {
    const counts: number[] = []
    const onColumns = (count: number) => void counts.push(count)
    const body = bodyOf({ format: 'csv', fields: ['file_id', 'acl'], onColumns })
    expect(counts).toEqual([])
    const { value } = await body.next()
    expect(counts).toEqual([4])
    expect(Buffer.from(value ?? '').toString()).toBe('id,acl.0,acl.1,file_id\n')
    await body.return(undefined)
  })
})

/** Flattens a JSON value in a second, independent way. */
function flattened(value: unknown, key = '', row: Hit = {}): Hit {
  if (typeof value !== 'object' || value === null) row[key] = value
  else {
    for (const [name, member] of Object.entries(value)) {
      flattened(member, key === '' ? name : `${key}.${name}`, row)
    }
  }
  return row
}

const columns = [...new Set(hits.flatMap((hit) => Object.keys(flattened(hit))))]
const order = ['id', ...columns.filter((key) => key !== 'id').sort()]
const rows = hits.map((hit) => {
  const row = flattened(hit)
  return Object.fromEntries(order.map((key) => [key, row[key] ?? null]))
})

describe('Arrow', () => {
  const read = async (asked: Asked): Promise<Table> =>
    tableFromIPC(await collect(bodyOf({ ...asked, format: 'arrow' })))

  test('a table has the columns and values of the JSON', async () => {
    const table = await read({ expand: EXPAND })
    expect(table.batches.length).toBeGreaterThan(5)
    expect(table.schema.fields.map(({ name }) => name)).toEqual(order)
    const typeOf = (name: string) =>
      String(table.schema.fields.find((one) => one.name === name)?.type)
    expect(
      ['id', 'file_size', 'proportion_reads_mapped', 'cases.0.project.released'].map(typeOf),
    ).toEqual(['Utf8', 'Int64', 'Float64', 'Bool'])
    const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
    const found = table.toArray().map((row) => {
      const cells = Object.entries(row.toJSON()).map(([key, value]) => [key, plain(value)])
      return Object.fromEntries(cells)
    })
    expect(found).toEqual(rows)
  })

  test('without hits there is a schema', async () => {
    const table = await read({ rows: [] })
    expect(table.numRows).toBe(0)
    const names = table.schema.fields.map(({ name }) => name)
    expect(names[0]).toBe('id')
    expect(names).toEqual(expect.arrayContaining(['access', 'file_name', 'file_size']))
  })
})

describe('Parquet', () => {
  const read = async (asked: Asked): Promise<Hit[]> => {
    const path = join(folder, 'read-back.parquet')
    await writeFile(path, await collect(bodyOf({ ...asked, format: 'parquet' })))
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      const result = await connection.runAndReadAll(`SELECT * FROM '${path}'`)
      expect(result.columnNames()[0]).toBe('id')
      return result.getRowObjectsJS() as Hit[]
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }

  test('a file has the columns and values of the JSON, and leaves nothing behind', async () => {
    const found = await read({ expand: EXPAND })
    const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
    const numbers = found.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])),
    )
    expect(numbers).toEqual(rows)
    expect(Object.keys(found[0]!)).toEqual(order)
    expect((await readdir(folder)).filter((name) => name.startsWith('parquet-'))).toEqual([])
  })

  test('without hits there is a file', async () => {
    expect(await read({ rows: [] })).toEqual([])
  })
})

test.each([
  { kind: 'json', pretty: false, first: true },
  { kind: 'json', pretty: true, first: true },
  { kind: 'ndjson' },
  { kind: 'xml', pretty: true },
  { kind: 'table', form: 'tsv', columns: ['id', 'cases.0.submitter_id', 'acl.1', 'nothing'] },
] as const satisfies ChunkFormat[])('where pieces are cut does not matter: %j', async (format) => {
  const dataset = datasetOf('files')
  const { selection } = selectFields(dataset, { expand: EXPAND }, 'list')
  const projection = compileProjection(dataset, selection)
  const handles = await handlesFor(projection, { release })
  const some = Uint32Array.from({ length: 300 }, (_, i) => (i * 7919) % FILES)
  const cutBy = async (size: number) => {
    const parts: Uint8Array[] = []
    for (let start = 0; start < some.length; start += size) {
      const input = { ...handles, projection, rows: some.subarray(start, start + size) }
      const first = { ...format, ...(format.kind === 'json' ? { first: start === 0 } : {}) }
      parts.push((await renderChunk({ ...input, format: first }, new Scratch())).bytes)
    }
    return Buffer.concat(parts).toString()
  }
  const whole = await cutBy(300)
  for (const size of [1, 7, 64, 65, 299]) expect(await cutBy(size)).toBe(whole)
})

describe('single records', () => {
  const recordOf = async (asked: Asked & { readonly row: number }) => {
    const { dataset: name = 'files', row, pretty = false } = asked
    const dataset = datasetOf(name)
    const { format = 'json' } = asked
    if (format === 'ndjson' || format === 'arrow' || format === 'parquet') throw new Error(format)
    const { selection } = selectFields(dataset, asked, 'single')
    const context = {
      release,
      executor: asked.executor ?? twoAtATime,
      scratch: new Scratch(),
      columns: new ColumnSources(),
    }
    const warnings = {}
    const projection = compileProjection(dataset, selection)
    const bytes = await renderRecord({ projection, row, format, pretty, warnings }, context)
    return Buffer.from(bytes).toString()
  }

  test('are data and warnings', async () => {
    const { id, cases: _, ...rest } = fileHit(3)
    expect(JSON.parse(await recordOf({ row: 3 }))).toEqual({ data: { id, ...rest }, warnings: {} })
    expect(await recordOf({ row: 3, fields: ['state'] })).toBe(
      '{"data":{"state":"released"},"warnings":{}}',
    )
    const { id: __, ...expanded } = fileHit(4)
    const pretty = await recordOf({ row: 4, expand: EXPAND, pretty: true })
    expect(JSON.parse(pretty).data).toEqual(expanded)
    expect(pretty).toBe(JSON.stringify(JSON.parse(pretty), null, 2))
  })

  test('are a table of one line', async () => {
    const fields = ['proportion_reads_mapped', 'acl', 'file_id']
    expect(await recordOf({ row: 0, fields, format: 'tsv' })).toBe(
      'acl.0\tacl.1\tfile_id\tproportion_reads_mapped\nphs1\tphs2\tfile-00000\t839.0\n',
    )
  })

  test('are CSV', async () => {
    const fields = ['cases.submitter_id', 'file_id']
    const shown = fileHit(5).cases as readonly { readonly submitter_id?: string }[]
    const name = (shown[0]?.submitter_id ?? '').replace('\t', ' ').replaceAll('"', '""')
    expect(await recordOf({ row: 5, fields, format: 'csv' })).toBe(
      `cases.0.submitter_id,file_id\n${name.includes(',') ? `"${name}"` : name},file-00005\n`,
    )
  })

  test('are XML without hits', async () => {
    expect(await recordOf({ row: 1, fields: ['cases.project.name'], format: 'xml' })).toBe(
      '<?xml version="1.0" ?><response><data><cases><item><project><name>Project &lt;C&gt;</name>' +
        '</project></item></cases></data><warnings/></response>',
    )
  })

  test('take other records with them by a job', async () => {
    const text = await recordOf({ dataset: 'cases', row: 5, fields: ['files.file_size'] })
    expect(JSON.parse(text).data.files).toHaveLength(files.filter((_, i) => caseOf(i) === 5).length)
  })
})

test('a manifest has a header and a line per file, once and by id', async () => {
  const body = renderManifest(Uint32Array.of(11, 2, 11), {
    release,
    executor: inlineExecutor,
  })
  expect((await collect(body)).toString()).toBe(
    'id\tfilename\tmd5\tsize\tstate\n' +
      'file-00002\tf2.bam\td41d8cd98f00b204e9800998ecf8427e\t2000\treleased\n' +
      'file-00011\tf11.bam\td41d8cd98f00b204e9800998ecf8427e\t4503599627370496\treleased\n',
  )
})

describe('ends', () => {
  test('an aborted signal ends the body and starts no more jobs', async () => {
    const stop = new AbortController()
    let running = 0
    let started = 0
    const executor: Executor = {
      parallelism: 2,
      async run(job, input, options) {
        started++
        running++
        await sleep(2)
        return twoAtATime.run(job, input, options).finally(() => running--)
      },
    }
    const body = bodyOf({ executor, signal: stop.signal })
    await body.next()
    const before = started
    stop.abort(new Error('the client left'))
    await expect(body.next()).rejects.toThrow('the client left')
    expect(running).toBe(0)
    expect(started).toBe(before)
  })

  test.each(['json', 'tsv', 'csv', 'arrow', 'parquet'] as const)(
    'damage surfaces in %s',
    async (format) => {
      const path = join(folder, 'releases', 'r', 'documents', 'files.text')
      const bytes = await readFile(path)
      const file = await open(path, 'r+')
      try {
        await file.write(Buffer.from([bytes.at(-20)! ^ 1]), 0, 1, bytes.length - 20)
        // Ids that refer to no record are only in documents.
        const asked = { format, fields: ['cases.case_id'] }
        await expect(textOf(asked)).rejects.toMatchObject({ code: 'corrupt_source' })
      } finally {
        await file.write(bytes, 0, bytes.length, 0)
        await file.close()
      }
    },
  )
})
