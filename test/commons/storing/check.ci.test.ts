import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../../engine/engine.ts'
import type { StoredFile } from '../../../engine/shared/catalogue/files.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-check-'))
  await makeBam({ path: join(folder, 'x.bam'), seed: 95, scale: 'tiny', style: 'htsjdk' })
})
afterAll(() => rm(folder, { recursive: true }))

let dataFolder = ''
let engine: Engine
let file: StoredFile
beforeEach(async () => {
  dataFolder = await mkdtemp(join(folder, 'data-'))
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
  const path = join(folder, 'x.bam')
  file = (await engine.commons.importBam({ path, access: 'open' })).file
})
afterEach(() => engine.close())

const place = (name: string) => join(dataFolder, 'files', file.id, name)

async function problems(): Promise<string[]> {
  const found: string[] = []
  for await (const { subject, problem } of engine.check({ isDeep: true }))
    found.push(`${subject}: ${problem}`)
  return found
}

test('a data folder in order has no findings, and all bytes are read', async () => {
  let read = 0
  const onProgress = (bytes: number) => {
    read += bytes
  }
  for await (const issue of engine.check({ isDeep: true, onProgress }))
    expect(issue).toBeUndefined()
  expect(read).toBe(file.size)
})

test('a byte that the disk changed is reported by its md5 and by its block', async () => {
  const path = place('x.bam')
  // A time without fractions can be restored exactly.
  await utimes(path, 1000, 1000)
  await engine.commons.importBam({ path: join(folder, 'x.bam'), access: 'open' })
  expect(await problems()).toEqual([])
  const bytes = await readFile(path)
  const at = bytes.length >> 1
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  await writeFile(path, bytes)
  await utimes(path, 1000, 1000)
  expect(await problems()).toEqual([
    expect.stringMatching(/block at byte \d+ differs from the ledger \(1 such blocks\)/),
    expect.stringMatching(/md5 is [0-9a-f]{32}; [0-9a-f]{32} is on record/),
  ])
})

test('each part that is missing is reported', async () => {
  await rm(place('blocks.directory'))
  expect(await problems()).toEqual([`${file.id}: block directory is missing`])
  await rm(place('x.bam.bai'))
  expect(await problems()).toHaveLength(2)
  await rm(place('x.bam'))
  expect(await problems()).toEqual([`${file.id}: stored file cannot be opened`])
})

test('a file that is cut off is reported by its size, its end and its md5', async () => {
  const bytes = await readFile(place('x.bam'))
  await writeFile(place('x.bam'), bytes.subarray(0, bytes.length - 28))
  const found = (await problems()).join('\n')
  expect(found).toContain(`${bytes.length - 28} bytes; ${bytes.length} are on record`)
  expect(found).toContain('no end marker')
  expect(found).toContain('md5 is')
})

test('what belongs to no file is reported, in folders of files, too', async () => {
  await writeFile(place('notes.txt'), 'mine')
  await writeFile(join(dataFolder, 'files', 'notes.txt'), 'mine')
  expect((await problems()).map((line) => line.split(':')[0])).toEqual(
    expect.arrayContaining([join('files', 'notes.txt'), join('files', file.id, 'notes.txt')]),
  )
  expect(await problems()).toHaveLength(2)
})
