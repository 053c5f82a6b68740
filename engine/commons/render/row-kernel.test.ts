import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { threadKernels } from '../../../test/kernels.ts'
import { Scratch } from '../../shared/executor.ts'
import { datasetOf } from '../datasets/index.ts'
import { selectFields } from '../datasets/select.ts'
import { builtRelease } from '../query/support/built-release.ts'
import { WORK_BYTES } from '../release/chunk-buffers.ts'
import type { Release } from '../release/release.ts'
import { type ChunkFormat, renderChunk } from './chunk.ts'
import { planColumns } from './column-plan.ts'
import { KINDS, type SeenColumn } from './columns.ts'
import { compileProjection } from './projection.ts'
import { RowKernel } from './row-kernel.ts'

// The kernel must write the same bytes as its counterpart in TypeScript, which columns-as-documents.test.ts
// compares with documents.

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-kernel-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const FIELDS = [
  'file_id',
  'md5sum',
  'file_size',
  'file_name',
  'data_type',
  'submitter_id',
  'mean_coverage',
] as const

const hex = (length: number) =>
  fc
    .array(fc.nat(15), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16)).join(''))
const file = fc.record(
  {
    file_id: fc.uuid(),
    md5sum: hex(32),
    file_size: fc.oneof(
      fc.nat(99),
      fc.nat(1 << 20),
      fc.maxSafeNat(),
      fc.constant(Number.MAX_SAFE_INTEGER),
    ),
    // Letters in both cases, some of more than one byte, in texts longer and shorter than one copy.
    file_name: fc.string({ unit: fc.constantFrom(...'abXYZ_.0é'), minLength: 1, maxLength: 70 }),
    submitter_id: fc.string({ unit: fc.constantFrom(...'pq-7'), minLength: 1, maxLength: 40 }),
    data_type: fc.constantFrom('Aligned Reads', 'Quoted "one"', 'b'),
  },
  { requiredKeys: ['file_id'] },
)

const FORMATS: readonly ChunkFormat[] = [
  { kind: 'table', form: 'tsv', columns: [...FIELDS, 'none'] },
  { kind: 'table', form: 'csv', columns: FIELDS },
  { kind: 'ndjson' },
  { kind: 'json', pretty: false, first: true },
]

const COLUMNS = { kind: 'columns' } as const

async function inputOf(release: Release, rows: Uint32Array, fields: readonly string[] = FIELDS) {
  const { selection } = selectFields(datasetOf('files'), { fields }, 'list')
  const projection = compileProjection(datasetOf('files'), selection)
  const plan = planColumns(projection, release.manifest.datasets)
  if (!plan) throw new Error('the fields are not in columns')
  return { projection, rows, plan, loaded: await release.load(plan.keys), documents: {} }
}

/** Renders a chunk in each format, both in TypeScript and by the kernel with this many bytes of memory. */
async function expectEqual(release: Release, rows: Uint32Array, bytes?: number) {
  const input = await inputOf(release, rows)
  const whole = release.buffers.take()
  const target = bytes === undefined ? whole : whole.subarray(0, bytes)
  for (const format of FORMATS) {
    const truth = await renderChunk({ ...input, format }, new Scratch())
    const ours = await renderChunk(
      structuredClone({ ...input, format, target }),
      new Scratch(threadKernels()),
    )
    expect(Buffer.from(ours.bytes).toString(), JSON.stringify(format)).toBe(
      Buffer.from(truth.bytes).toString(),
    )
  }
  release.buffers.give(whole)
}

/** Records for each block of lines whether the kernel has written it. */
function watchLines(): boolean[] {
  const written: boolean[] = []
  const { table } = RowKernel.prototype
  vi.spyOn(RowKernel.prototype, 'table').mockImplementation(function (this: RowKernel, ...given) {
    const lines = table.apply(this, given)
    if (!lines) return undefined
    const write: typeof lines.write = (rows, sink) => {
      const isWritten = lines.write(rows, sink)
      written.push(isWritten)
      return isWritten
    }
    return { write }
  })
  return written
}

describe('the kernel that writes rows', () => {
  test('writes what its twin writes', async () => {
    const objects = vi.spyOn(RowKernel.prototype, 'objects')
    const lines = watchLines()
    let number = 0
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { selector: ({ file_id }) => file_id, minLength: 1, maxLength: 300 }),
        fc.nat(),
        async (files, step) => {
          const release = await builtRelease(folder, { files }, `r${number++}`)
          const rows = Uint32Array.from({ length: 700 }, (_, i) => (i * (step + 1)) % files.length)
          await expectEqual(release, rows)
          await release.close()
        },
      ),
      { numRuns: depth(10, 300) },
    )
    expect(objects.mock.results.filter(({ value }) => value !== true)).toEqual([])
    expect(lines.length).toBeGreaterThan(0)
    expect(lines).not.toContain(false)
    vi.restoreAllMocks()
  })

  test('finds the values of nested lists', async () => {
    const sample = fc.record(
      {
        sample_id: fc.uuid(),
        sample_type: fc.constantFrom('Primary Tumor', 'Blood', null),
        days_to_collection: fc.nat(3),
      },
      { requiredKeys: [] },
    )
    const samples = fc.array(sample, { maxLength: 7 })
    const nested = fc.record(
      { file_size: fc.nat(), cases: fc.array(fc.record({ samples }), { maxLength: 3 }) },
      { requiredKeys: ['cases'] },
    )
    const files = fc.sample(nested, { numRuns: 400, seed: 3 }).map((one, i) => ({
      file_id: `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`,
      ...one,
    }))
    const release = await builtRelease(folder, { files }, 'nested')
    const fields = ['file_id', 'file_size', 'sample_id', 'sample_type', 'days_to_collection'].map(
      (name, i) => (i < 2 ? name : `cases.samples.${name}`),
    )
    const rows = Uint32Array.from(files, (_, i) => i)
    const input = await inputOf(release, rows, fields)
    const target = release.buffers.take()
    const lines = watchLines()
    const found = [
      vi.spyOn(RowKernel.prototype, 'columns'),
      vi.spyOn(RowKernel.prototype, 'objects'),
      vi.spyOn(RowKernel.prototype, 'vectors'),
    ]
    const twin = new Scratch()
    const kernel = new Scratch(threadKernels())
    const { columns: seen = [] } = await renderChunk({ ...input, format: COLUMNS }, twin)
    const columns = seen.map(({ key, kinds }) => ({
      key,
      type: kinds === KINDS.integer ? ('integer' as const) : ('text' as const),
    }))
    for (const format of [
      COLUMNS,
      { kind: 'ndjson' },
      { kind: 'table', form: 'tsv' },
      { kind: 'arrow', columns, first: true },
    ] as const) {
      const truth = await renderChunk({ ...input, format }, twin)
      const ours = await renderChunk({ ...input, format, target }, kernel)
      expect(Buffer.from(ours.bytes).equals(truth.bytes), format.kind).toBe(true)
      const byKey = (some: readonly SeenColumn[] = []) =>
        some.toSorted((one, other) => (one.key < other.key ? -1 : 1))
      expect(byKey(ours.columns)).toEqual(byKey(truth.columns))
    }
    for (const { mock } of found) {
      expect(mock.results.length).toBeGreaterThan(0)
      expect(mock.results.every(({ value }) => value)).toBe(true)
    }
    expect(lines.length).toBeGreaterThan(0)
    expect(lines).not.toContain(false)
    vi.restoreAllMocks()
    release.buffers.give(target)
    await release.close()
  })

  /** So many files that their fractions are not a small dictionary, which is written as text. */
  function filesWith(numbers: fc.Arbitrary<number>, name: string) {
    const values = fc.sample(numbers, { numRuns: 5000, seed: 7 })
    const files = values.map((mean_coverage, i) => ({
      file_id: `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`,
      mean_coverage,
    }))
    return builtRelease(folder, { files }, name)
  }

  test('writes fractions of up to 15 digits as JavaScript prints them', async () => {
    const digits = fc.oneof(fc.nat(999), fc.nat(1e9), fc.integer({ min: 0, max: 1e15 - 1 }))
    const decimals = fc
      .tuple(digits, fc.nat(6), fc.boolean())
      .map(([size, places, isLess]) => (isLess ? -size : size) / 10 ** places)
    const release = await filesWith(decimals, 'decimals')
    const rows = Uint32Array.from({ length: 5000 }, (_, i) => i)
    const lines = watchLines()
    await expectEqual(release, rows)
    expect(lines).toContain(true)
    expect(lines).not.toContain(false)
    vi.restoreAllMocks()
    await release.close()
  })

  test('leaves to its twin fractions of more digits, or with an exponent', async () => {
    const release = await filesWith(fc.double({ noNaN: true, noDefaultInfinity: true }), 'doubles')
    for (let at = 0; at < 5000; at += 50) {
      await expectEqual(
        release,
        Uint32Array.from({ length: 50 }, (_, i) => at + i),
      )
    }
    await release.close()
  })

  test('leaves to its twin what does not fit', async () => {
    const files = Array.from({ length: 3000 }, (_, i) => ({
      file_id: `${`${i}`.padStart(8, '0')}-0000-4000-8000-000000000000`,
      file_name: `Name-${i}`.repeat(1 + (i % 40)),
      md5sum: `${i}`.padStart(32, '0'),
    }))
    const release = await builtRelease(folder, { files }, 'full')
    const rows = Uint32Array.from(files, (_, i) => i)
    for (const bytes of [0, 1, 300, 5000, 100_000, 400_001]) {
      await expectEqual(release, rows, WORK_BYTES + bytes)
    }
    await release.close()
  })
})
