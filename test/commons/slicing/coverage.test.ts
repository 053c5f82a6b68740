import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Coverage, coverageOf } from '../../../engine/commons/slicing/decode/coverage.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { type DownloadWorld, openWorld } from '../contract/support/download-world.ts'
import { appOf } from '../search/support/app.ts'
import { SHARED_BAM, samtools } from './support/clients.ts'
import { drawRequests } from './support/requests.ts'
import { indexesBeside, sharedBams } from './support/sources.ts'
import { inflateAll, readBam } from './support/strict-bam.ts'

// The expected depths are those of `samtools depth -a -r REGION`, which prints reference, position and depth for
// each position.

const REGIONS = depth(24, 150, 1000)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-coverage-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function depthsOf(path: string, indexPath: string, region: string): Promise<number[]> {
  const printed = (await samtools('depth', '-a', '-X', '-r', region, path, indexPath)).toString()
  return printed
    .split('\n')
    .slice(0, -1)
    .map((line) => Number(line.split('\t')[2]))
}

interface Asked {
  readonly path: string
  readonly indexPath: string | undefined
}

async function coverage(file: Asked, region: string, bins?: number): Promise<Coverage> {
  const slicer = new Slicer(inlineExecutor, DEFAULT_LIMITS)
  try {
    const parts = localAlignment(file)
    return await coverageOf(slicer, inlineExecutor, parts, { region, bins }, undefined)
  } finally {
    await slicer.close()
  }
}

/** Sums and maximum depths of bins, computed from the depths of positions. */
function binned(depths: readonly number[], width: number) {
  const bins = Array.from({ length: Math.ceil(depths.length / width) }, (_, bin) =>
    depths.slice(bin * width, (bin + 1) * width),
  )
  return {
    sums: bins.map((bin) => bin.reduce((sum, one) => sum + one, 0)),
    greatest: bins.map((bin) => Math.max(...bin)),
  }
}

// paired-region is not in coordinate order; bins of more than 2^29 positions are tested with large_coords below.
const files = sharedBams().filter(
  (name) =>
    !/namesorted|quickcheck|large_coords/.test(name) &&
    indexesBeside(join(SHARED_BAM, name)).length > 0,
)

describe.skipIf(!available.shared || !available.samtools)('depth is what samtools counts', () => {
  test(`in ${REGIONS} regions of shared files, by position and by bins`, async () => {
    expect(files.length).toBeGreaterThanOrEqual(25)
    const chosen = sample(files, 8)
    const each = Math.ceil(REGIONS / chosen.length)
    let covered = 0
    let compared = 0
    for (const [number, name] of chosen.entries()) {
      const path = join(SHARED_BAM, name)
      const [indexPath = ''] = indexesBeside(path)
      const bam = readBam(inflateAll(await readFile(path)))
      // Some regions lie beyond the end of their reference.
      const drawn = drawRequests(bam, 11 + number, 4 * each).flatMap(({ intervals: [first] }) => {
        const reference = bam.references.find(({ name }) => name === first?.reference)
        return first && reference && first.start < reference.length ? [{ first, reference }] : []
      })
      for (const { first, reference } of drawn.slice(0, each)) {
        compared += 1
        const end = Math.min(first.end, first.start + 30_000, reference.length)
        const span = `${first.start + 1}-${end}`
        const depths = await depthsOf(path, indexPath, `{${reference.name}}:${span}`)
        const region = `${reference.name}:${span}`
        const one = await coverage({ path, indexPath }, region)
        expect([...one.greatest], `${name} ${region}`).toEqual(depths)
        expect([...one.sums], `${name} ${region}`).toEqual(depths)
        const some = await coverage({ path, indexPath }, region, 7)
        const { sums, greatest } = binned(depths, some.basesPerBin)
        expect([...some.sums], `${name} ${region} in 7`).toEqual(sums)
        expect([...some.greatest], `${name} ${region} in 7`).toEqual(greatest)
        covered += sums.reduce((sum, bin) => sum + bin, 0)
      }
    }
    expect(covered).toBeGreaterThan(1000)
    expect(compared).toBeGreaterThanOrEqual(REGIONS)
  })

  test('of a CIGAR in a CG field, of pads and of spliced reads over a whole reference', async () => {
    const names = ['bam-js/cg.bam', 'human/heart_slc25a3.rna.bam', 'bam-js/ecoli_nanopore.bam']
    for (const name of names) {
      const path = join(SHARED_BAM, name)
      const [indexPath = ''] = indexesBeside(path)
      const bam = readBam(inflateAll(await readFile(path)))
      const used = bam.records.find(({ reference }) => reference >= 0)?.reference ?? 0
      const { name: reference = '' } = bam.references[used] ?? {}
      // The whole reference in a thousand bins, compared with sums of samtools' lines.
      const made = await coverage({ path, indexPath }, reference, 1000)
      const width = made.basesPerBin
      const program = `{ b = int(($2 - 1) / ${width}); s[b] += $3; if ($3 > m[b]) m[b] = $3 }
        END { for (b in s) if (s[b]) print b, s[b], m[b] }`
      const script = 'samtools depth -X -r "$1" "$2" "$3" | awk "$4"'
      const printed = await shell(script, `{${reference}}`, path, indexPath, program)
      const expected = printed
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(Number))
      const got = [...made.sums.entries()].flatMap(([bin, sum]) =>
        sum > 0 ? [[bin, sum, made.greatest[bin]]] : [],
      )
      expect(got, name).toEqual(expected.sort(([a = 0], [b = 0]) => a - b))
      expect(got.length).toBeGreaterThan(0)
    }
  })
})

async function shell(script: string, ...words: string[]): Promise<string> {
  const run = await promisify(execFile)('sh', ['-c', script, 'sh', ...words], {
    maxBuffer: 1 << 28,
  })
  return run.stdout
}

describe('over HTTP', () => {
  const ID = '11111111-2222-5333-8444-555555555501'
  const CLOSED = '11111111-2222-5333-8444-555555555502'
  let world: DownloadWorld
  let app: ReturnType<typeof appOf>
  let path = ''
  let bam: ReturnType<typeof readBam>
  beforeAll(async () => {
    world = await openWorld()
    path = join(folder, 'a.bam')
    await makeBam({ path, seed: 5, style: 'htslib', scale: 'tiny' })
    bam = readBam(inflateAll(await readFile(path)))
    const first = bam.records.findIndex(({ reference, start }, i) => {
      const last = bam.records[i + 29]
      return i > 100 && last?.reference === reference && last.end - start < 500_000
    })
    place = bam.records[first]?.reference ?? -1
    from = bam.records[first]?.start ?? 0
    to = bam.records[first + 29]?.end ?? 0
    region = `${bam.references[place]?.name}:${from + 1}-${to}`
    const { commons } = world.engine
    await commons.importBam({ path, id: ID, access: 'open', project: 'P' })
    await commons.importBam({ path, id: CLOSED, access: 'controlled', project: 'P' })
    app = appOf(world.engine)
  })
  afterAll(() => world.close())

  const ask = (target: string, headers: Record<string, string> = {}) =>
    app.request(target, { headers })
  /** The region from the first to the last of some consecutive reads. */
  let region = ''
  let [place, from, to] = [0, 0, 0]
  const wanted = () =>
    bam.records.filter(
      ({ reference, start, end }) => reference === place && start < to && end > from,
    )

  test('records are those of the region, page by page, as JSON and Arrow', async () => {
    const names = wanted().map(({ from }) => nameAt(from))
    expect(names.length).toBeGreaterThan(20)
    const all = await ask(`/alignments/${ID}/records?region=${region}&size=100000`)
    expect(all.status).toBe(200)
    const body = (await all.json()) as Page
    expect(body.records.map(({ qname }) => qname)).toEqual(names)
    expect(body).toMatchObject({ from: 0, size: names.length, more: false })
    const pages: Page[] = []
    for (let skip = 0; skip < names.length; skip += 7) {
      const page = await ask(`/alignments/${ID}/records?region=${region}&size=7&from=${skip}`)
      pages.push((await page.json()) as Page)
    }
    expect(pages.flatMap(({ records }) => records)).toEqual(body.records)
    expect(pages.map(({ more }) => more)).toEqual(pages.map((_, i) => i < pages.length - 1))
    const arrow = await ask(`/alignments/${ID}/records?region=${region}&size=100000&format=arrow`)
    expect(arrow.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()))
    const rows = table.toArray().map((row) => row.toJSON())
    expect(rows.map((row) => ({ ...row, tags: undefined }))).toEqual(
      body.records.map((record) => ({ ...bigints(record), tags: undefined })),
    )
  })

  test.skipIf(!available.samtools)('depth is that of samtools, as JSON and Arrow', async () => {
    const depths = await depthsOf(path, `${path}.bai`, region)
    const answer = await ask(`/alignments/${ID}/coverage?region=${region}`)
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as { mean: number[]; max: number[] }
    expect(body).toMatchObject({
      start: from + 1,
      end: to,
      bases_per_bin: 1,
    })
    expect(body.max).toEqual(depths)
    expect(body.mean).toEqual(depths)
    const headers = { accept: 'application/vnd.apache.arrow.stream' }
    const arrow = await ask(`/alignments/${ID}/coverage?region=${region}&bins=300`, headers)
    const table = tableFromIPC(new Uint8Array(await arrow.arrayBuffer()))
    const width = Math.ceil(depths.length / 300)
    const { sums, greatest } = binned(depths, width)
    expect([...(table.getChild('max') ?? [])]).toEqual(greatest)
    const ends = [...(table.getChild('end') ?? [])].map(Number)
    const starts = [...(table.getChild('start') ?? [])].map(Number)
    expect([starts[0], ends.at(-1)]).toEqual([from + 1, to])
    expect([...(table.getChild('mean') ?? [])]).toEqual(
      sums.map((sum, i) => sum / (ends[i]! - starts[i]! + 1)),
    )
  })

  test('a region without records has a depth of 0 and no rows', async () => {
    const answer = await ask(`/alignments/${ID}/coverage?region=chrY:1-10`)
    expect(await answer.json()).toMatchObject({ reads: 0, max: Array(10).fill(0) })
    const arrow = await ask(`/alignments/${ID}/records?region=chrY:1-10&format=arrow`)
    expect(tableFromIPC(new Uint8Array(await arrow.arrayBuffer())).numRows).toBe(0)
    const page = await ask(`/alignments/${ID}/records?region=chrY:1-10`)
    expect(await page.json()).toEqual({ from: 0, records: [], size: 0, more: false })
  })

  test.each([
    ['coverage', 400, /region is missing/],
    ['coverage?region=chr99', 400, /names no reference of the file/],
    ['coverage?region=chr17:9-5', 400, /end 5 is before start 9/],
    ['coverage?region=unmapped', 400, /reads without a place/],
    ['coverage?region=chr17', 400, /give bins or a smaller region/],
    ['coverage?region=chr17:300000000-300000001', 400, /ends at 83257441/],
    ['coverage?region=chr17&bins=1000001', 400, /at most 1000000/],
    ['records?region=chr17&size=100001', 400, /at most 100000/],
    ['records?region=chr17&format=bam', 400, /json, arrow/],
  ])('%s is %i', async (target, status, message) => {
    const answer = await ask(`/alignments/${ID}/${target}`)
    expect(answer.status).toBe(status)
    expect(await answer.text()).toMatch(message)
  })

  test('rights are those of slices', async () => {
    for (const what of ['coverage', 'records']) {
      expect((await ask(`/alignments/${CLOSED}/${what}?region=chr17:1-9`)).status).toBe(403)
      const headers = { 'x-auth-token': 'wrong' }
      expect((await ask(`/alignments/${CLOSED}/${what}?region=chr17:1-9`, headers)).status).toBe(
        403,
      )
      expect((await ask(`/alignments/nothing/${what}?region=chr17:1-9`)).status).toBe(404)
    }
  })

  function nameAt(from: number): string {
    const length = bam.inflated[from + 12] ?? 1
    return bam.inflated.toString('latin1', from + 36, from + 35 + length)
  }
})

interface Page {
  readonly records: readonly Readonly<Record<string, unknown>>[]
  readonly more: boolean
}

/** Whole numbers have 64 bits in Arrow. */
function bigints(record: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'number' ? BigInt(value) : value,
    ]),
  )
}
