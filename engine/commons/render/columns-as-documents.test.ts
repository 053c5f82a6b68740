import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { threadKernels } from '../../../test/kernels.ts'
import { inlineExecutor, Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { selectFields } from '../datasets/select.ts'
import { builtRelease } from '../query/support/built-release.ts'
import type { Documents, Json } from '../query/support/memory-release.ts'
import { Dice, FIELDS, randomCommons } from '../query/support/random-commons.ts'
import type { Release } from '../release/release.ts'
import { type ChunkFormat, renderChunk } from './chunk.ts'
import { planColumns } from './column-plan.ts'
import { ColumnSources } from './column-sources.ts'
import { ColumnUnion } from './columns.ts'
import { handlesFor } from './context.ts'
import type { ParquetLayout } from './parquet.ts'
import { groupOfBatches, MAX_GROUP_BYTES } from './parquet-group.ts'
import { compileProjection } from './projection.ts'
import type { RecordHandles } from './records.ts'
import { parquetOf, renderBody } from './render.ts'
import { typedColumns } from './tables.ts'

// Compares output written from columns with that of documents: it must have the same bytes in every format.

let folder: string
const open: Release[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-columns-'))
})

afterAll(async () => {
  for (const release of open) await release.close()
  await rm(folder, { recursive: true, force: true })
})

async function releaseOf(documents: Documents): Promise<Release> {
  const release = await builtRelease(folder, documents, `r${open.length}`)
  open.push(release)
  return release
}

interface Asked {
  readonly dataset: DatasetName
  readonly fields?: readonly string[]
  readonly expand?: readonly string[]
  readonly rows: Uint32Array
}

function projectionOf({ dataset, fields, expand }: Asked) {
  const { selection } = selectFields(datasetOf(dataset), { fields, expand }, 'list')
  return compileProjection(datasetOf(dataset), selection)
}

const isCovered = (release: Release, asked: Asked) =>
  planColumns(projectionOf(asked), release.manifest.datasets) !== undefined

const envelope = {
  pagination: { count: 1, total: 1, size: 1, from: 0, sort: 'None', page: 1, pages: 1 },
  warnings: {},
}

async function bodyOf(
  release: Release,
  asked: Asked,
  format: 'tsv' | 'csv' | 'ndjson' | 'json' | 'arrow' | 'parquet',
) {
  const body = renderBody(
    { projection: projectionOf(asked), rows: asked.rows, format, envelope },
    {
      release,
      executor: inlineExecutor,
      scratch: new Scratch(),
      columns: new ColumnSources(),
    },
  )
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(Uint8Array.from(part))
  return Buffer.concat(parts)
}

/** Returns the release without information on how documents print fields, so that documents are read. */
function withDocumentsAlone(release: Release) {
  return {
    manifest: { datasets: {} as Release['manifest']['datasets'] },
    load: release.load.bind(release),
    documents: release.documents.bind(release),
    sizeOf: release.sizeOf.bind(release),
    buffers: release.buffers,
  } as unknown as Release
}

const FORMATS = ['tsv', 'csv', 'ndjson', 'json', 'arrow', 'parquet'] as const

async function expectSame(release: Release, asked: Asked): Promise<void> {
  const documents = withDocumentsAlone(release)
  for (const format of FORMATS) {
    // Record batches may end at other rows. Their contents are compared below.
    if (format === 'arrow' && asked.rows.length > 50) continue
    const [ours, truth] = [
      await bodyOf(release, asked, format),
      await bodyOf(documents, asked, format),
    ]
    if (ours.equals(truth)) continue
    const told = JSON.stringify({ ...asked, rows: [...asked.rows], format })
    expect(ours.toString('latin1'), told).toBe(truth.toString('latin1'))
  }
  await expectSameChunks(release, asked)
}

/** Compares chunks of a table that have their own columns. */
async function expectSameChunks(release: Release, asked: Asked): Promise<void> {
  const projection = projectionOf(asked)
  const plan = planColumns(projection, release.manifest.datasets)
  if (!plan) return
  const { rows } = asked
  const loaded = await release.load(plan.keys)
  const handles = await handlesFor(projection, { release })
  const forms: ChunkFormat[] = [
    { kind: 'table', form: 'tsv' },
    { kind: 'table', form: 'csv' },
    { kind: 'ndjson' },
    { kind: 'json', pretty: false, first: true },
  ]
  for (const format of forms) {
    const given = { projection, rows, format }
    const truth = await renderChunk({ ...given, ...handles }, new Scratch())
    const target = release.buffers.take()
    for (const scratch of [new Scratch(), new Scratch(threadKernels())]) {
      // Copies the input, as passing it to a thread does.
      const input = structuredClone({ ...given, loaded, documents: {}, plan, target })
      const ours = await renderChunk(input, scratch)
      expect(Buffer.from(ours.bytes).toString()).toBe(Buffer.from(truth.bytes).toString())
      expect(ours.columns?.map(({ key }) => key)).toEqual(truth.columns?.map(({ key }) => key))
    }
    release.buffers.give(target)
  }
  const scratch = new Scratch(threadKernels())
  const target = release.buffers.take()
  const columnsOf = async (handles: RecordHandles) => {
    const given = { projection, rows, format: { kind: 'columns' } as const, target }
    const { columns = [] } = await renderChunk({ ...given, ...handles }, scratch)
    const union = new ColumnUnion()
    union.add(columns)
    return typedColumns(union, projection)
  }
  const columns = await columnsOf(handles)
  expect(await columnsOf({ loaded, documents: {}, plan })).toEqual(columns)
  const batch = { projection, rows, format: { kind: 'arrow', columns, first: true } as const }
  const truth = await renderChunk({ ...batch, ...handles }, scratch)
  for (const some of [undefined, target]) {
    const given = { ...batch, loaded, documents: {}, plan, target: some }
    const ours = await renderChunk(given, scratch)
    expect(Buffer.from(ours.bytes).equals(truth.bytes)).toBe(true)
    const group = { ...given, format: { kind: 'group', columns } } as const
    const written = await renderChunk(group, scratch)
    const read = groupOfBatches({ columns, batches: [truth.bytes] }, scratch)
    expect(Buffer.from(written.bytes).equals(read!.bytes)).toBe(true)
    expect(written.facts).toEqual(read!.chunks)
  }
  release.buffers.give(target)
}

/** Removes random parts of a record, so that more fields can be written from columns. */
function tamed(node: unknown, odd: (path: string) => boolean, path = ''): unknown {
  if (Array.isArray(node)) {
    const items = node.map((one) => tamed(one, odd, path))
    if (odd(path)) return items
    const scalars = items.every((one) => typeof one !== 'object')
    if (!scalars) return items
    const distinct = [...new Set(items.map((one) => String(one).toLowerCase()))].sort()
    return distinct.length > 0 ? distinct : undefined
  }
  if (typeof node === 'object' && node !== null) {
    return Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, tamed(value, odd, `${path}.${name}`)]),
    )
  }
  if (odd(path)) return node
  if (/(size|days|age|cycles|smoked|position|score|t_depth|count)/.test(path)) {
    return node === null || typeof node === 'number' ? node : 5
  }
  if (/is_canonical|released/.test(path)) return node === null ? null : node === true
  return node
}

function commonsOf(dice: Dice, scale: number): Documents {
  const documents = randomCommons(dice, scale)
  const odds = new Map<string, boolean>()
  const share = dice.of([0, 0.05, 0.3])
  const odd = (path: string) => {
    const known = odds.get(path) ?? dice.next() < share
    odds.set(path, known)
    return known
  }
  const spelled = dice.next() < 0.5
  const text = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(text)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)]))
    }
    // Each word has a single spelling, with characters that tables and JSON escape.
    return value === 'Alpha' ? 'alpha' : value === 'gamma ray' ? 'Gamma,\t"Ray"\\' : value
  }
  return Object.fromEntries(
    Object.entries(documents).map(([name, records]) => [
      name,
      records.map((record) => tamed(spelled ? text(record) : record, odd, name) as Json),
    ]),
  )
}

test('what is written from columns is what documents say, for random records and fields', async () => {
  let covered = 0
  let asked = 0
  for (let seed = 1; seed <= depth(2, 20, 60); seed++) {
    const dice = new Dice(seed)
    const documents = commonsOf(dice, 12)
    const release = await releaseOf(documents)
    for (const [name, fields] of Object.entries(FIELDS)) {
      const dataset = name as DatasetName
      const count = documents[dataset]?.length ?? 0
      for (let i = 0; i < 6; i++) {
        const some = dice.list(dice.of([2, 5, 12]), () => dice.of(fields))
        // Some requests have several blocks of rows.
        const length = i === 0 ? 100 + dice.below(200) : 32 + dice.below(8)
        const rows = Uint32Array.from({ length }, () => dice.below(count))
        const one = { dataset, fields: some, rows }
        if (isCovered(release, one)) covered++
        asked++
        await expectSame(release, one)
      }
    }
  }
  expect(covered).toBeGreaterThan(asked / 4)
}, 600_000)

test('row groups of long texts are bounded in bytes, and made again from a layout', async () => {
  const TEXT = 64 << 10
  const names = Array.from({ length: 560 }, (_, i) => `${i}-`.padStart(8, '0').padEnd(TEXT, 'x'))
  const files = names.map((name) => ({ file_id: name.slice(0, 8), file_name: name }))
  const release = await releaseOf({ files: files as unknown as Json[] })
  const rows = Uint32Array.from(names.keys())
  const asked: Asked = { dataset: 'files', fields: ['file_name'], rows }
  expect(isCovered(release, asked)).toBe(true)
  const bytes = await bodyOf(release, asked, 'parquet')
  const truth = await bodyOf(withDocumentsAlone(release), asked, 'parquet')
  expect(bytes.equals(truth)).toBe(true)
  const { buffer } = Uint8Array.from(bytes)
  const sizes = parquetMetadata(buffer).row_groups.map((group) => Number(group.total_byte_size))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(names.length * TEXT)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_GROUP_BYTES)
  const read = await parquetReadObjects({ file: buffer, compressors, columns: ['file_name'] })
  expect(read.every(({ file_name }, row) => file_name === names[row])).toBe(true)

  const context = {
    release,
    executor: inlineExecutor,
    scratch: new Scratch(),
    columns: new ColumnSources(),
  }
  let layout: ParquetLayout | undefined
  const written = { projection: projectionOf(asked), rows }
  const onLayout = (made: ParquetLayout) => {
    layout = made
  }
  for await (const _ of parquetOf(written, context, { onLayout }));
  const span = { start: layout!.offsets[1]! - 10, end: layout!.offsets[1]! + 10 }
  const parts: Uint8Array[] = []
  for await (const part of parquetOf(written, context, { layout, span })) parts.push(part)
  expect(Buffer.concat(parts).equals(bytes.subarray(span.start, span.end))).toBe(true)
})

test('the first row group is small', async () => {
  const release = await releaseOf({
    files: [{ file_id: 'a', file_name: 'b' }] as unknown as Json[],
  })
  const body = await bodyOf(
    release,
    { dataset: 'files', fields: ['file_name'], rows: new Uint32Array(80_000) },
    'parquet',
  )
  const { row_groups } = parquetMetadata(Uint8Array.from(body).buffer)
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([8192, 65_536, 6272])
})
