import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  countOtherwise,
  countRecords,
  disagreements,
} from '../../../engine/commons/slicing/decode/second-reader.ts'
import { headerJob } from '../../../engine/commons/slicing/header.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import type { OpenBlob } from '../../../engine/shared/blobs/blob.ts'
import { BlobFilehandle } from '../../../engine/shared/blobs/blob-filehandle.ts'
import { openFile } from '../../../engine/shared/blobs/folder-store.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { available } from '../../available.ts'
import { sample } from '../../depth.ts'
import { SHARED_BAM, samtools } from './support/clients.ts'
import { everyBytes, packBam } from './support/pack-bam.ts'
import { sharedBams } from './support/sources.ts'
import { inflateAll, readBam } from './support/strict-bam.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-second-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function headerOf(blob: OpenBlob) {
  const header = await blob.run(inlineExecutor, headerJob, {})
  if (!header) throw new Error('no header')
  return header
}

async function bothCounts(path: string) {
  const blob = await openFile(path)
  try {
    const header = await headerOf(blob)
    const others = await countOtherwise(new BlobFilehandle(blob), header, inlineExecutor)
    return {
      ours: [...(await countRecords(localAlignment({ path }), inlineExecutor))],
      others: [...others],
    }
  } finally {
    await blob.close()
  }
}

describe.skipIf(!available.shared || !available.samtools)('of shared files', () => {
  // samtools adds no header line to large_coords, whose header it cannot parse.
  const files = sharedBams().filter((name) => !/badeof|badheader/.test(name))

  // samtools view FILE | cut -f3 | sort | uniq -c
  test('both readers count what samtools prints', async () => {
    expect(files.length).toBeGreaterThanOrEqual(41)
    for (const name of sample(files, 8)) {
      const path = join(SHARED_BAM, name)
      const { ours, others } = await bothCounts(path)
      const lines = (await samtools('view', '--no-PG', path)).toString().split('\n').slice(0, -1)
      const references =
        (await samtools('view', '-H', '--no-PG', path)).toString().match(/^@SQ\t.*$/gm) ?? []
      const names = references.map((line) => /\tSN:([^\t]*)/.exec(line)?.[1] ?? '')
      const counts = new Map<string, number>()
      for (const line of lines) {
        const place = line.split('\t')[2] ?? ''
        counts.set(place, (counts.get(place) ?? 0) + 1)
      }
      const expected = [...names, '*'].map((place) => counts.get(place) ?? 0)
      expect(ours, name).toEqual(expected)
      expect(others, name).toEqual(expected)
    }
  })
})

test('records over many blocks and windows are counted once by both', async () => {
  const path = join(folder, 'long.bam')
  await makeBam({
    path,
    seed: 21,
    scale: 'tiny',
    style: 'htsjdk',
    longRecords: true,
    emptyBlocks: true,
  })
  const bam = readBam(inflateAll(await readFile(path)))
  const { ours, others } = await bothCounts(path)
  const expected = bam.references.map(
    (_, n) => bam.records.filter((one) => one.reference === n).length,
  )
  expected.push(bam.records.filter(({ reference }) => reference < 0).length)
  expect(ours).toEqual(expected)
  expect(others).toEqual(expected)
  const told: string[] = []
  for await (const problem of disagreements(localAlignment({ path }), inlineExecutor))
    told.push(problem)
  expect(told).toEqual([])
})

test('a record that names a reference of none is refused by both', async () => {
  const path = join(folder, 'nowhere.bam')
  await makeBam({ path, seed: 22, scale: 'tiny', style: 'htslib', index: 'none' })
  const bam = readBam(inflateAll(await readFile(path)))
  const bytes = Buffer.from(bam.inflated)
  bytes.writeInt32LE(bam.references.length, (bam.records[3]?.from ?? 0) + 4)
  await writeFile(path, packBam(bytes, everyBytes(60_000, bytes.length)))
  await expect(countRecords(localAlignment({ path }), inlineExecutor)).rejects.toMatchObject({
    code: 'corrupt_source',
  })
  const blob = await openFile(path)
  const header = await headerOf(blob)
  await expect(
    countOtherwise(new BlobFilehandle(blob), header, inlineExecutor),
  ).rejects.toMatchObject({ code: 'corrupt_source' })
  await blob.close()
})

test('a reader that asks for too much at once is refused', async () => {
  const path = join(folder, 'large')
  await writeFile(path, '')
  const blob = await openFile(path)
  const identity = { ...blob.identity, size: 1 << 30 }
  const file = new BlobFilehandle({ ...blob, identity, read: async () => 0 })
  await expect(file.readFile()).rejects.toMatchObject({ code: 'too_large' })
  expect(await file.stat()).toEqual({ size: 1 << 30 })
  await blob.close()
})
