import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../../engine/commons/slicing/build-directory.ts'
import {
  type Directory,
  directoryMemory,
  loadDirectory,
  saveDirectory,
} from '../../../engine/commons/slicing/directory.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { indexOfFile } from '../../../engine/commons/slicing/slice-index.ts'
import { ScratchFile } from '../../../engine/shared/arrays/column-builder.ts'
import { PagedColumn } from '../../../engine/shared/arrays/paged-column.ts'
import { type Executor, inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { depth } from '../../depth.ts'
import { everyBytes, packBam } from './support/pack-bam.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, readBam, type StrictBam } from './support/strict-bam.ts'

// A directory on disk gives the same results as one in memory, which oracle.test.ts compares with htslib and an
// independent reader.

const REQUESTS = depth(15, 60, 600)

let folder = ''
let path = ''
let bam: StrictBam
let whole: Directory
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-large-directory-'))
  path = join(folder, 'blocks.bam')
  await makeBam({ path, seed: 91, scale: 'tiny', style: 'htsjdk', index: 'none' })
  const { inflated } = readBam(inflateAll(await readFile(path)))
  // Blocks of 30 bytes, so that their rows fill several pages, with empty ones in between.
  const parts = [0, 1, 2, 3].map((part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * inflated.length) / 4))
    const bytes = inflated.subarray(from, to)
    return packBam(bytes, everyBytes(30, bytes.length))
  })
  await writeFile(path, Buffer.concat(parts))
  bam = readBam(inflateAll(await readFile(path)))
  whole = await makeDirectory(path, `${path}.directory`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('made in a scratch file, it is the same and leaves nothing', async () => {
  expect(whole.blockLength.length).toBeGreaterThan(2 * 4096)
  expect(whole.afterGap.length).toBe(3)
  const before = await readdir(folder)
  const { blob, header, identity, close } = await openAlignment(
    localAlignment({ path }),
    inlineExecutor,
  )
  const scratch = new ScratchFile(join(folder, 'rows'), 0)
  const made = await buildDirectory(blob, header, inlineExecutor, { scratch, extentBytes: 20_000 })
  expect(made.blockOffset).toBeInstanceOf(PagedColumn)
  expect(await readdir(folder)).toEqual(before)
  await saveDirectory(join(folder, 'paged'), made, identity)
  expect(await readFile(join(folder, 'paged'))).toEqual(await readFile(`${path}.directory`))
  const [ours, theirs] = [made, whole].map((directory) => indexOfFile(header, directory, undefined))
  expect(await ours).toEqual(await theirs)
  await rm(join(folder, 'paged'))
  await scratch.close()
  await close()
})

describe('read by pages', () => {
  test('it has the same numbers in every row, and keeps few of them', async () => {
    const { directory, close } = await loadDirectory(`${path}.directory`, 0)
    let columns = 0
    for (const [name, column] of Object.entries(whole)) {
      if (typeof column === 'number') continue
      const paged = directory[name as 'blockOffset']
      const rows = Array.from({ length: paged.length }, (_, row) => paged.at(row))
      expect(rows, name).toEqual(Array.from({ length: column.length }, (_, row) => column.at(row)))
      expect([paged.at(-1), paged.at(paged.length)]).toEqual([column.at(-1), undefined])
      columns++
    }
    expect(columns).toBeGreaterThan(11)
    // 16 pages of 4096 rows of each column: limits.md.
    expect(directoryMemory(directory)).toBeLessThan(4 << 20)
    await close()
  })

  test('slices, their pieces and their indexes are the same', async () => {
    const parts = localAlignment({ path, directoryPath: `${path}.directory` })
    const ours = new FileSlicer({ ...parts, pagedBytes: 0 })
    const theirs = new FileSlicer(parts)
    let sizes = 0
    for (const request of drawRequests(bam, 92, REQUESTS)) {
      const bytes = await ours.bytes(request)
      expect(bytes).toEqual(await theirs.bytes(request))
      const indexes = await Promise.all([ours, theirs].map((slicer) => indexOf(slicer, request)))
      expect(indexes[0]).toEqual(indexes[1])
      sizes += bytes.length
    }
    expect(sizes).toBeGreaterThan(REQUESTS * 10_000)
    await Promise.all([ours.close(), theirs.close()])
  })

  test('every damaged byte is noticed when it is opened', async () => {
    const bytes = await readFile(`${path}.directory`)
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
      const hurt = Buffer.from(bytes)
      hurt.writeUInt8(hurt.readUInt8(at) ^ 4, at)
      await writeFile(join(folder, 'hurt'), hurt)
      await expect(loadDirectory(join(folder, 'hurt'), 0), `${at}`).rejects.toThrow('damaged')
    }
    await writeFile(join(folder, 'hurt'), bytes.subarray(0, -8))
    await expect(loadDirectory(join(folder, 'hurt'), 0)).rejects.toThrow('damaged')
  })
})

async function indexOf(slicer: FileSlicer, request: SliceRequest) {
  await using plan = await slicer.plan(request, { isIndexed: true })
  const indexes = [await plan.indexed('bai'), await plan.indexed('csi')]
  return { indexes, length: plan.length, fingerprint: plan.fingerprint }
}

test('without a directory, thousands of tiny blocks are verified by few jobs', async () => {
  const { header, close } = await openAlignment(localAlignment({ path }), inlineExecutor)
  await close()
  await writeFile(`${path}.bai`, (await indexOfFile(header, whole, undefined)).bytes)
  const jobs = new Map<string, number>()
  const slicer = new FileSlicer({ path, indexPath: `${path}.bai` }, counting(jobs))
  const intervals = bam.references.map(({ name }) => {
    return { reference: name, start: 0, end: Number.POSITIVE_INFINITY }
  })
  const bytes = await slicer.bytes({ intervals, unplaced: true })
  expect(readBam(inflateAll(bytes)).inflated).toEqual(bam.inflated)
  expect(jobs.get('slicing.verify')).toBeGreaterThan(0)
  expect(jobs.get('slicing.verify')).toBeLessThan(whole.blockLength.length / 100)
  await slicer.close()
})

/** An executor that counts jobs by name. */
function counting(jobs: Map<string, number>): Executor {
  return {
    parallelism: 1,
    run: (job, ...given) => {
      jobs.set(job.name, (jobs.get(job.name) ?? 0) + 1)
      return inlineExecutor.run(job, ...given)
    },
  }
}

test('without a directory, thousands of regions take few jobs, and give the same records', async () => {
  const indexed = join(folder, 'indexed.bam')
  await makeBam({ path: indexed, seed: 93, scale: 400_000, style: 'htslib', index: 'bai' })
  const { references } = readBam(inflateAll(await readFile(indexed)))
  const intervals = references.flatMap(({ name, length }) =>
    Array.from({ length: 400 }, (_, i) => {
      const start = Math.floor((i * length) / 400)
      return { reference: name, start, end: start + 20 }
    }),
  )
  const request = { intervals, unplaced: false }
  const jobs = new Map<string, number>()
  await makeDirectory(indexed, `${indexed}.directory`)
  const byIndex = new FileSlicer({ path: indexed, indexPath: `${indexed}.bai` }, counting(jobs))
  const byDirectory = new FileSlicer({ path: indexed, directoryPath: `${indexed}.directory` })
  const records = async (slicer: FileSlicer) =>
    readBam(inflateAll(await slicer.bytes(request))).inflated
  expect(await records(byIndex)).toEqual(await records(byDirectory))
  expect(intervals.length).toBeGreaterThan(1000)
  expect(jobs.get('slicing.locate')).toBeGreaterThan(0)
  expect(jobs.get('slicing.locate')).toBeLessThan(intervals.length / 8)
  await Promise.all([byIndex.close(), byDirectory.close()])
})
