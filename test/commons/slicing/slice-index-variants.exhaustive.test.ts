import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../../fixtures/random.ts'
import { makeBed, makeGff, makeVcf } from '../../../fixtures/variants/make-variants.ts'
import { available } from '../../available.ts'
import { depth } from '../../depth.ts'
import { packed, run } from './support/htslib.ts'
import { everyBytes } from './support/pack-bam.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, type StrictBam } from './support/strict-bam.ts'
import { readVariants } from './support/strict-variants.ts'

// With the index of a slice, bcftools and tabix find the same records as with an index that they make of the
// slice. Regions start and end near records and windows.

const SLICES = depth(2, 5, 20)
/** The number of regions per slice and kind of index. */
const REGIONS = depth(25, 40, 500)

type Kind = 'vcf' | 'bcf' | 'bed' | 'gff'

interface Case {
  readonly name: string
  readonly kind: Kind
  readonly index: 'tbi' | 'csi'
  readonly text: string
  /** The uncompressed bytes of a block; short blocks give copies of many runs. */
  readonly block: number
}

const VCF = makeVcf({ seed: 71, records: 4000 })
/** Positions beyond the reach of a TBI. */
const LONG_VCF = makeVcf({ seed: 74, records: 2000, offset: 5_000_000_000 })

const cases: readonly Case[] = [
  { name: 'variants', kind: 'vcf', index: 'tbi', text: VCF, block: 900 },
  { name: 'variants', kind: 'vcf', index: 'csi', text: VCF, block: 900 },
  { name: 'long references', kind: 'vcf', index: 'csi', text: LONG_VCF, block: 900 },
  {
    name: 'lines of several blocks',
    kind: 'vcf',
    index: 'tbi',
    text: makeVcf({ seed: 75, records: 200, samples: 200 }),
    block: 300,
  },
  { name: 'binary', kind: 'bcf', index: 'csi', text: VCF, block: 900 },
  {
    name: 'intervals',
    kind: 'bed',
    index: 'tbi',
    text: makeBed({ seed: 72, records: 4000 }),
    block: 400,
  },
  {
    name: 'features',
    kind: 'gff',
    index: 'tbi',
    text: makeGff({ seed: 73, records: 3000 }),
    block: 700,
  },
  {
    name: 'features',
    kind: 'gff',
    index: 'csi',
    text: makeGff({ seed: 73, records: 3000 }),
    block: 700,
  },
]

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-slice-index-variants-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Stores the file with an index and its block directory. */
async function store({ kind, text, block }: Case, place: string) {
  await mkdir(place)
  const path = join(place, kind === 'bcf' ? 'made.bcf' : `made.${kind}.gz`)
  let bytes: Buffer = Buffer.from(text)
  if (kind === 'bcf') {
    await writeFile(`${path}.vcf`, text)
    bytes = inflateAll(await run('bcftools', 'view', '--no-version', '-Ob', `${path}.vcf`))
  }
  await writeFile(path, packed(bytes, everyBytes(block, bytes.length)))
  await indexFile(path, kind, 'csi')
  const paths = { path, indexPath: `${path}.csi`, directoryPath: `${path}.directory` }
  await makeDirectory(paths, paths.directoryPath)
  return paths
}

async function indexFile(path: string, kind: Kind, index: 'tbi' | 'csi'): Promise<void> {
  if (kind === 'bcf') await run('bcftools', 'index', '-f', path)
  else await run('tabix', '-f', '-p', kind, ...(index === 'csi' ? ['-C'] : []), path)
}

/** Many places, so that edges lie between copies, and whole references. */
function slicesOf(file: StrictBam): SliceRequest[] {
  const many = drawRequests(file, 5, 40).flatMap(({ intervals }) => intervals)
  const whole = file.references.map(({ name }) => ({ reference: name, start: 0, end: Infinity }))
  return [
    { intervals: many, unplaced: false },
    { intervals: whole, unplaced: false },
    ...drawRequests(file, 6, SLICES),
  ].slice(0, SLICES)
}

/** Regions in the form of the tools, 1-based and inclusive; many are at records. */
function regionsOf(file: StrictBam, { intervals }: SliceRequest): string[] {
  const random = randomFrom(9, intervals.length)
  // bcftools 1.16 accepts no region whose name contains a colon.
  const simple = (all: SliceRequest['intervals']) =>
    all.filter(({ reference }) => !reference.includes(':'))
  const asked = simple(intervals)
  const drawn = simple(drawRequests(file, 7, REGIONS).flatMap((request) => request.intervals))
  const own = simple(
    file.records.flatMap(({ reference, start, end }) => {
      const name = file.references[reference]?.name
      return name === undefined || start < 0 ? [] : [{ reference: name, start, end }]
    }),
  )
  return Array.from({ length: REGIONS }, () => {
    if (random.chance(0.3) && own.length > 0) {
      const { reference, start, end } = own[random.below(own.length)]!
      return `${reference}:${start + 1}-${Math.max(end, start + 1)}`
    }
    const pool = random.chance(0.5) && asked.length > 0 ? asked : drawn
    const { reference, start, end } = pool[random.below(pool.length)]!
    const from = Math.max(0, start - 100 + random.below(201))
    const to = Math.min(Number.isFinite(end) ? end : from + 1e6, from + 1 + random.below(200_000))
    return `${reference}:${from + 1}-${Math.max(to, from + 1)}`
  })
}

/** A tool's output for each region of a file, with the index next to it. */
async function printedOf(kind: Kind, path: string, regions: readonly string[]): Promise<string[]> {
  const isLines = kind === 'bed' || kind === 'gff'
  const query = isLines ? 'tabix "$f" "$r"' : 'bcftools view --no-version -H -r "$r" "$f"'
  const script = `f=$1; shift; for r; do ${query}; echo "behind $r"; done`
  const text = (await run('sh', '-ec', script, 'sh', path, ...regions)).toString()
  return text.split(/(?<=^behind .*\n)/m)
}

describe.skipIf(!available.bcftools).each(cases)('$name, $index of $kind', (one) => {
  const { kind, index } = one

  test('leads the tool to the same records as its own index', async () => {
    const paths = await store(one, join(folder, `${cases.indexOf(one)}`))
    const file = readVariants(await readFile(paths.path), kind)
    const slicer = new FileSlicer(paths)
    for (const [i, request] of slicesOf(file).entries()) {
      await using plan = await slicer.plan(request, { isIndexed: true })
      const folders = { ours: `${paths.path}-${i}-ours`, theirs: `${paths.path}-${i}-theirs` }
      const [ours, theirs] = Object.values(folders).map((place) => join(place, `slice.${kind}.gz`))
      for (const place of Object.values(folders)) await mkdir(place)
      await writeFile(theirs!, await slicer.bytes(request))
      await link(theirs!, ours!)
      await indexFile(theirs!, kind, index)
      await writeFile(`${ours}.${index}`, await plan.indexed(index))
      const regions = regionsOf(file, request)
      const expected = await printedOf(kind, theirs!, regions)
      const found = await printedOf(kind, ours!, regions)
      for (const [at, text] of expected.entries()) expect(found[at], regions[at]).toBe(text)
      // Without this, empty regions alone could pass the test.
      if (i === 0) expect(expected.filter((text) => text.includes('\t')).length).toBeGreaterThan(5)
      if (kind !== 'bcf') {
        const names = await run('tabix', '-l', theirs!)
        expect((await run('tabix', '-l', ours!)).toString()).toBe(names.toString())
      }
    }
    await slicer.close()
  })
})

test.skipIf(!available.bcftools)(
  'what readers do not take is refused with what they take',
  async () => {
    const refusal = async (
      one: Omit<Case, 'name' | 'index'>,
      place: string,
      kind: 'bai' | 'tbi',
    ) => {
      const slicer = new FileSlicer(
        await store({ ...one, name: '', index: 'csi' }, join(folder, place)),
      )
      await using plan = await slicer.plan({ intervals: [], unplaced: false }, { isIndexed: true })
      const told = await plan
        .indexed(kind)
        .then(String, ({ code, message }) => `${code}: ${message}`)
      await slicer.close()
      return told
    }
    const vcf = { kind: 'vcf', text: VCF, block: 9000 } as const
    expect(await refusal(vcf, 'bai', 'bai')).toBe(
      'bad_input: bai is no index of VCF; ask for tbi or csi',
    )
    expect(await refusal({ ...vcf, kind: 'bcf' }, 'tbi', 'tbi')).toBe(
      'bad_input: tbi is no index of BCF; ask for csi',
    )
    expect(await refusal({ ...vcf, text: LONG_VCF }, 'long', 'tbi')).toBe(
      'bad_input: reference "1" is longer than a TBI can index; ask for csi',
    )
  },
)
