import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { depth } from '../../depth.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, readBam, type StrictBam } from './support/strict-bam.ts'

// With the index of a slice, samtools finds as many records in any region as with an index of its own. Regions
// start and end near records, windows and bins.

const SLICES = depth(2, 6, 20)
/** The number of regions per slice and kind of index. */
const REGIONS = depth(25, 50, 500)

const run = promisify(execFile)

let folder = ''
let path = ''
let bam: StrictBam
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-slice-index-'))
  path = join(folder, 'made.bam')
  await makeBam({ path, seed: 41, scale: 2e6, style: 'htsjdk' })
  await makeDirectory(path, `${path}.directory`)
  bam = readBam(inflateAll(await readFile(path)))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Many places, so that edges lie between copies, and whole references. */
function slicesOf(): SliceRequest[] {
  const many = drawRequests(bam, 5, 40).flatMap(({ intervals }) => intervals)
  const whole = bam.references.map(({ name }) => ({ reference: name, start: 0, end: Infinity }))
  return [
    { intervals: many, unplaced: true },
    { intervals: whole, unplaced: true },
    ...drawRequests(bam, 6, SLICES),
  ].slice(0, SLICES)
}

/** Regions in the form of samtools, 1-based and inclusive. */
function regionsOf({ intervals }: SliceRequest): string[] {
  const random = randomFrom(9, intervals.length)
  const drawn = drawRequests(bam, 7, REGIONS).flatMap((request) => request.intervals)
  return Array.from({ length: REGIONS }, () => {
    const pool = random.chance(0.5) && intervals.length > 0 ? intervals : drawn
    const { reference, start, end } = pool[random.below(pool.length)]!
    const from = Math.max(0, start - 100 + random.below(201))
    const to = Math.min(Number.isFinite(end) ? end : from + 1e6, from + 1 + random.below(200_000))
    return `{${reference}}:${from + 1}-${Math.max(to, from + 1)}`
  })
}

/** The number of records that samtools finds in each region, with its own or a given index. */
async function counts(file: string, index: string, regions: readonly string[]): Promise<string> {
  const script = 'b=$1; i=$2; shift 2; for r; do samtools view -c -X "$b" "$i" "$r"; done'
  return (await run('sh', ['-ec', script, 'sh', file, index, ...regions])).stdout
}

describe.skipIf(!available.samtools)('the index of a slice', () => {
  test.each(['bai', 'csi'] as const)('leads samtools to the same records by %s', async (kind) => {
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    for (const [i, request] of slicesOf().entries()) {
      const file = join(folder, `slice-${i}.bam`)
      await writeFile(file, await slicer.bytes(request))
      await run('samtools', ['index', kind === 'bai' ? '-b' : '-c', file, `${file}.theirs.${kind}`])
      await using plan = await slicer.plan(request, { isIndexed: true })
      await writeFile(`${file}.ours.${kind}`, await plan.indexed(kind))
      const regions = regionsOf(request)
      const found = await counts(file, `${file}.ours.${kind}`, regions)
      const expected = await counts(file, `${file}.theirs.${kind}`, regions)
      const told = (text: string) => text.split('\n').map((count, at) => `${regions[at]} ${count}`)
      expect(told(found)).toEqual(told(expected))
      // Without this, empty regions alone could pass the test.
      if (i === 0)
        expect(expected.split('\n').filter((count) => Number(count) > 0).length).toBeGreaterThan(5)
    }
    await slicer.close()
  })
})

test('without a block directory there is no index of a slice, and it is said what to do', async () => {
  const slicer = new FileSlicer({ path, indexPath: `${path}.bai` })
  const request = { intervals: [], unplaced: false }
  {
    await using plan = await slicer.plan(request, { isIndexed: true })
    await expect(plan.indexed('bai')).rejects.toMatchObject({
      code: 'no_index',
      message: expect.stringContaining('try again later'),
    })
  }
  await slicer.close()
})
