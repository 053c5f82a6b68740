import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { makeBed, makeGff, makeVcf } from '../../../fixtures/variants/make-variants.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { packed, printRegions, run } from './support/htslib.ts'
import { everyBytes } from './support/pack-bam.ts'
import { drawRequests, type SliceRequest, select } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, MARKER, type StrictBam } from './support/strict-bam.ts'
import { readVariants, type StrictKind } from './support/strict-variants.ts'

// Truth is bcftools (`view -r`, whose rule of overlap 1 is the default) for VCF and BCF and tabix for
// lines, in two steps as in oracle.test.ts: a reader written apart picks records for every request,
// and for a sample of them the tools themselves print the records.

const REQUESTS = depth(30, 60, 1000)
const SAMPLED = depth(4, 10, 1000)
const SEED = 20261126
const SHARED = publicData('data/variants')

interface Case {
  readonly name: string
  readonly kind: StrictKind
  /** Writes the file and its indexes into a folder. */
  readonly make: (folder: string) => Promise<{ path: string; indexPaths: readonly string[] }>
}

/** Lines as BGZF in blocks of bgzip's or the given size, with a TBI and a CSI. */
const lines = (
  name: string,
  kind: 'vcf' | 'bed' | 'gff',
  text: () => string,
  block?: number,
): Case => ({
  name,
  kind,
  make: async (folder) => {
    const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.${kind}.gz`)
    const bytes = Buffer.from(text())
    await writeFile(path, packed(bytes, everyBytes(block ?? 0xff00, bytes.length)))
    return { path, indexPaths: await indexLines(path, kind) }
  },
})

/** bcftools view -Ob FILE.vcf.gz -o FILE.bcf && bcftools index FILE.bcf */
const bcf = (name: string, text: () => string, block?: number): Case => ({
  name,
  kind: 'bcf',
  make: async (folder) => {
    const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.bcf`)
    const plain = `${path}.vcf`
    await writeFile(plain, text())
    await run('bcftools', 'view', '--no-version', '-Ob', '-o', path, plain)
    if (block !== undefined) {
      const bytes = inflateAll(await readFile(path))
      await writeFile(path, packed(bytes, everyBytes(block, bytes.length)))
    }
    await run('bcftools', 'index', '-f', path)
    return { path, indexPaths: [`${path}.csi`] }
  },
})

/** A file of the shared folder, compressed first if necessary. */
const shared = (file: string): Case => ({
  name: file,
  kind: /\.bcf$/.test(file) ? 'bcf' : 'vcf',
  make: async (folder) => {
    const isPlain = /\.vcf$/.test(file)
    const path = join(folder, isPlain ? `${file}.gz` : file)
    if (isPlain) {
      const bytes = await readFile(join(SHARED, file))
      await writeFile(path, packed(bytes, everyBytes(997, bytes.length)))
    } else await copyFile(join(SHARED, file), path)
    const beside = ['tbi', 'csi'].filter((end) => existsSync(join(SHARED, `${file}.${end}`)))
    if (beside.length === 0) return { path, indexPaths: await indexLines(path, 'vcf') }
    for (const end of beside) await copyFile(join(SHARED, `${file}.${end}`), `${path}.${end}`)
    return { path, indexPaths: beside.map((end) => `${path}.${end}`) }
  },
})

/** A TBI if positions are small enough for it, and a CSI. */
async function indexLines(path: string, kind: 'vcf' | 'bed' | 'gff'): Promise<string[]> {
  await run('tabix', '-f', '-C', '-p', kind, path)
  try {
    await run('tabix', '-f', '-p', kind, path)
    return [`${path}.tbi`, `${path}.csi`]
  } catch {
    return [`${path}.csi`]
  }
}

const made: readonly Case[] = [
  lines('variants', 'vcf', () => makeVcf({ seed: 1, records: 4000 })),
  lines('features', 'gff', () => makeGff({ seed: 2, records: 3000 })),
  lines('intervals', 'bed', () => makeBed({ seed: 3, records: 4000 })),
  bcf('binary', () => makeVcf({ seed: 4, records: 4000 })),
  lines('undeclared END', 'vcf', () => makeVcf({ seed: 5, records: 2000, hasEnd: false })),
  lines('lines across blocks', 'vcf', () => makeVcf({ seed: 6, records: 400, samples: 40 }), 100),
  lines(
    'lines of several blocks',
    'vcf',
    () => makeVcf({ seed: 7, records: 40, samples: 9000 }),
    5000,
  ),
  bcf('binary across blocks', () => makeVcf({ seed: 8, records: 400, samples: 40 }), 100),
  lines('short blocks of intervals', 'bed', () => makeBed({ seed: 9, records: 400 }), 37),
  lines('without a header', 'bed', () =>
    makeBed({ seed: 10, records: 3000 }).replace(/^#.*\n/, ''),
  ),
  lines('no last line end', 'gff', () => makeGff({ seed: 11, records: 300 }).trimEnd(), 997),
  lines('ends as elsewhere', 'bed', () =>
    makeBed({ seed: 12, records: 500 }).replaceAll(/\t[^\t\n]+\n/g, '\r\n'),
  ),
  lines('long references', 'vcf', () =>
    makeVcf({ seed: 13, records: 2000, offset: 5_000_000_000 }),
  ),
]

const SHARED_FILES = [
  'htslib-index.vcf',
  'htslib-longrefs-index.vcf',
  'htslib-tabix-large_chr.vcf',
  'htslib-tabix-vcf_file.vcf',
  'sample1-bcbio-cancer.bcf',
  'sample1-bcbio-cancer.vcf.gz',
  'spec-v4.3.bcf',
  'spec-v4.3.vcf.gz',
]
const given = available.shared ? SHARED_FILES.map(shared) : []

let folder = ''
let pool: ThreadPool
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-variants-'))
  pool = new ThreadPool({ threads: 2 })
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

const cases = [...sample(made, 4), ...sample(given, 2)]

describe.skipIf(!available.bcftools).each(cases)('$name, $kind', ({ name, kind, make }) => {
  let path: string
  let file: StrictBam
  let requests: SliceRequest[]
  let byDirectory: FileSlicer
  let byIndex: readonly FileSlicer[]

  beforeAll(async () => {
    const source = await make(folder)
    path = source.path
    file = readVariants(await readFile(path), kind)
    requests = drawRequests(file, SEED, REQUESTS)
    const [indexPath] = source.indexPaths
    const directoryPath = join(folder, `${name.replaceAll(/\W+/g, '-')}-${kind}.directory`)
    const directory = await makeDirectory({ path, indexPath }, directoryPath, 30_000)
    expect(directory.records).toBe(file.records.length)
    byDirectory = new FileSlicer({ path, indexPath, directoryPath }, pool)
    byIndex = source.indexPaths.map((indexPath) => new FileSlicer({ path, indexPath }, pool))
  })
  afterAll(() => Promise.all([byDirectory, ...byIndex].map((slicer) => slicer.close())))

  test(`${REQUESTS} requests give the records that overlap them, by directory and index`, async () => {
    let chosen = 0
    for (const [number, request] of requests.entries()) {
      chosen += expectSelected(await byDirectory.bytes(request), file, request)
      const index = byIndex[number % byIndex.length]
      if (index) expectSelected(await index.bytes(request), file, request)
    }
    expect(chosen).toBeGreaterThan(Math.min(file.records.length, REQUESTS))
  })

  test(`${SAMPLED} of their regions have the records of the tool itself`, async () => {
    const random = randomFrom(SEED, 2)
    // bcftools 1.16 accepts no region whose name contains a colon.
    const intervals = requests
      .flatMap((request) => request.intervals)
      .filter(({ reference }) => !reference.includes(':'))
    const some = Array.from({ length: SAMPLED }, () => intervals[random.below(intervals.length)]!)
    const work = await mkdtemp(join(folder, 'theirs-'))
    for (const [i, interval] of some.entries()) {
      const bytes = await byDirectory.bytes({ intervals: [interval], unplaced: false })
      await writeFile(join(work, `${i}.ours`), bytes)
    }
    const printed = await printRegions(kind, path, some, work)
    for (const [i, { theirs, ours }] of printed.entries()) {
      const what = `${basename(path)} ${JSON.stringify(some[i])}`
      expect(ours.equals(theirs), what).toBe(true)
    }
  })
})

// tabix FILE chr1:1-100 chr1:101-200
test.skipIf(!available.bcftools)(
  'what covers nothing is of no region that ends or begins there',
  async () => {
    const path = join(folder, 'between.bed.gz')
    const bytes = Buffer.from('chr1\t50\t60\nchr1\t90\t110\nchr1\t100\t100\nchr1\t100\t101\n')
    await writeFile(path, packed(bytes, [bytes.length]))
    const [indexPath] = await indexLines(path, 'bed')
    const intervals = [
      { reference: 'chr1', start: 0, end: 100 },
      { reference: 'chr1', start: 100, end: 200 },
    ]
    const theirs = await run('tabix', path, 'chr1:1-100', 'chr1:101-200')
    // tabix prints records that overlap both regions twice.
    const expected = [...new Set(theirs.toString().split(/(?<=\n)/))].join('')
    expect(expected).not.toContain('100\t100')
    const slicer = new FileSlicer({ path, indexPath }, pool)
    try {
      const ours = inflateAll(await slicer.bytes({ intervals, unplaced: false }))
      expect(ours.toString()).toBe(expected)
    } finally {
      await slicer.close()
    }
  },
)

/** @returns the number of records */
function expectSelected(bytes: Buffer, file: StrictBam, request: SliceRequest): number {
  expect(bytes.subarray(-MARKER.length).equals(MARKER)).toBe(true)
  const inflated = inflateAll(bytes)
  const wanted = select(file, request)
  const expected = Buffer.concat([
    file.inflated.subarray(0, file.headerLength),
    ...wanted.map(({ from, to }) => file.inflated.subarray(from, to)),
  ])
  expect(inflated.equals(expected), JSON.stringify(request)).toBe(true)
  return wanted.length
}
