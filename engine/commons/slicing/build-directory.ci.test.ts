import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { drawDamages } from '../../../test/commons/slicing/support/damage.ts'
import { everyBytes, packBam } from '../../../test/commons/slicing/support/pack-bam.ts'
import { inflateAll, readBam } from '../../../test/commons/slicing/support/strict-bam.ts'
import { depth, sample } from '../../../test/depth.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import { openAlignment } from './alignment.ts'
import { buildDirectory } from './build-directory.ts'
import { localAlignment } from './parts.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'directory-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Making {
  readonly extentBytes: number
  readonly ahead: number
}

/** Returns the directory, or the message of the error, and the number of runs of each job. */
async function make(path: string, options: Making) {
  const jobs = new Map<string, number>()
  const executor: Executor = {
    parallelism: 1,
    run: (job, ...given) => {
      jobs.set(job.name, (jobs.get(job.name) ?? 0) + 1)
      return inlineExecutor.run(job, ...given)
    },
  }
  const { blob, header } = await openAlignment(localAlignment({ path }), inlineExecutor)
  try {
    const made = await buildDirectory(blob, header, executor, options).catch((error: Error) => {
      return error.message
    })
    return { made, jobs }
  } finally {
    await blob.close()
  }
}

const EXTENTS = sample([30_000, 150_000], 1)

/** Scanning one extent after another is the original method. The oracle tests of slices use it. */
async function expectSameAhead(path: string): Promise<void> {
  for (const extentBytes of EXTENTS) {
    const { made } = await make(path, { extentBytes, ahead: 1 })
    expect((await make(path, { extentBytes, ahead: 4 })).made).toEqual(made)
  }
}

async function bamOf(name: string, options: Partial<Parameters<typeof makeBam>[0]>) {
  const path = join(folder, `${name}.bam`)
  await makeBam({ path, seed: 81, scale: 400_000, style: 'htslib', index: 'none', ...options })
  return path
}

describe('extents that are scanned ahead', () => {
  test.each([
    ['records that no block cuts', { style: 'htslib' }],
    ['records across blocks', { style: 'htsjdk' }],
    ['records longer than blocks', { style: 'htsjdk', longRecords: true }],
    ['empty blocks', { emptyBlocks: true }],
  ] as const)('make the same directory of a file with %s', async (name, options) => {
    await expectSameAhead(await bamOf(name.replaceAll(' ', '-'), options))
  })

  test('make the same directory of blocks of any size', async () => {
    const { inflated } = readBam(inflateAll(await readFile(await bamOf('source', {}))))
    const random = randomFrom(82)
    for (const [i, bytes] of [997, 5_000, 40_000].entries()) {
      const edges = everyBytes(bytes, inflated.length).map((edge) => edge + random.below(500))
      const path = join(folder, `blocks-${i}.bam`)
      await writeFile(path, packBam(inflated, edges))
      await expectSameAhead(path)
    }
  })

  // If extents were scanned twice each, the number of jobs would be twice as high.
  test.each(['htslib', 'htsjdk'] as const)(
    'begin where the one before ends, in a file of style %s',
    async (style) => {
      const path = await bamOf(`guess-${style}`, { style })
      const { jobs } = await make(path, { extentBytes: 70_000, ahead: 3 })
      expect(jobs.get('slicing.scan-ahead')).toBeGreaterThan(3)
      expect(jobs.get('slicing.scan')).toBeLessThan(3)
    },
  )

  test('find the same damage', async () => {
    const whole = await readFile(await bamOf('whole', { scale: 200_000 }))
    const path = join(folder, 'damaged.bam')
    const count = depth(15, 60)
    let found = 0
    for (const { what, bytes } of drawDamages(whole, 83, count)) {
      await writeFile(path, bytes)
      const opened = await openAlignment(localAlignment({ path }), inlineExecutor).catch(() => null)
      // The header was damaged, so the file was not opened.
      if (!opened) continue
      await opened.blob.close()
      const { made } = await make(path, { extentBytes: 20_000, ahead: 1 })
      const { made: ahead } = await make(path, { extentBytes: 20_000, ahead: 4 })
      expect(ahead, what).toEqual(made)
      if (typeof made === 'string') found++
    }
    expect(found).toBeGreaterThan(count / 6)
  })

  test('find records out of order, also where two extents meet', async () => {
    const { header, records } = await fewRecords()
    const path = join(folder, 'unsorted.bam')
    let tried = 0
    for (let at = 40; at + 1 < records.length; at += 7) {
      const [a, b] = [records[at]!, records[at + 1]!]
      // These bytes are the reference and the position.
      if (a.subarray(4, 12).equals(b.subarray(4, 12))) continue
      const swapped = records.with(at, b).with(at + 1, a)
      const bytes = Buffer.concat([header, ...swapped])
      const between = Buffer.concat([header, ...swapped.slice(0, at + 1)]).length
      await writeFile(path, packBam(bytes, [header.length, between]))
      tried++
      for (const ahead of [1, 4]) {
        const { made } = await make(path, { extentBytes: 1_000, ahead })
        expect(made).toMatch('not in coordinate order')
      }
    }
    expect(tried).toBeGreaterThan(5)
  })
})

/** Returns so few records that they fit into one block. */
async function fewRecords() {
  const { inflated, records } = readBam(inflateAll(await readFile(await bamOf('small', {}))))
  const few = records.slice(0, 120).map(({ from, to }) => inflated.subarray(from, to))
  return { header: inflated.subarray(0, records[0]!.from), records: few }
}
