import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineDisagreements } from '../../../engine/commons/slicing/decode/second-line-reader.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { makeBed, makeGff, makeVcf } from '../../../fixtures/variants/make-variants.ts'
import { available } from '../../available.ts'
import { packed, run } from './support/htslib.ts'
import { everyBytes } from './support/pack-bam.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-lines-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Writes lines as BGZF, in blocks of `block` bytes. */
async function writeLines(name: string, text: string, block = 997): Promise<string> {
  const path = join(folder, name)
  const bytes = Buffer.from(text)
  await writeFile(path, packed(bytes, everyBytes(block, bytes.length)))
  return path
}

async function problemsOf(path: string, indexPath: string): Promise<string[]> {
  const problems: string[] = []
  for await (const one of lineDisagreements(localAlignment({ path, indexPath }), inlineExecutor)) {
    problems.push(one)
  }
  return problems
}

const FILES = [
  ['vcf', 'variants', makeVcf({ seed: 1, records: 3000 })],
  ['gff', 'features', makeGff({ seed: 2, records: 3000 })],
  ['bed', 'intervals', makeBed({ seed: 3, records: 3000 })],
  ['gff', 'without a last line end', makeGff({ seed: 4, records: 300 }).trimEnd()],
  ['bed', 'without a header', makeBed({ seed: 5, records: 300 }).replace(/^#.*\n/, '')],
] as const

describe.skipIf(!available.bcftools)('both readers count the same', () => {
  test.each(FILES)('lines of %s %s, by TBI and CSI', async (kind, name, text) => {
    const path = await writeLines(`${name.replaceAll(' ', '-')}.${kind}.gz`, text)
    await run('tabix', '-f', '-C', '-p', kind, path)
    await run('tabix', '-f', '-p', kind, path)
    expect(await problemsOf(path, `${path}.csi`)).toEqual([])
    expect(await problemsOf(path, `${path}.tbi`)).toEqual([])
  })

  test('lines at positions that no TBI reaches', async () => {
    const text = makeVcf({ seed: 6, records: 500, offset: 5_000_000_000 })
    const path = await writeLines('far.vcf.gz', text)
    await run('tabix', '-f', '-C', '-p', 'vcf', path)
    expect(await problemsOf(path, `${path}.csi`)).toEqual([])
  })
})

describe.skipIf(!available.shared)('of shared files', () => {
  test.each(['sample1-bcbio-cancer.vcf.gz', 'spec-v4.3.vcf.gz'])('%s', async (name) => {
    const path = join(folder, name)
    for (const end of ['', '.tbi']) {
      await copyFile(join(publicData('data/variants'), `${name}${end}`), `${path}${end}`)
    }
    expect(await problemsOf(path, `${path}.tbi`)).toEqual([])
  })
})

// The index of tabix -p bed FIRST.bed.gz lies next to a longer file.
test.skipIf(!available.bcftools)('lines that the index misses are reported', async () => {
  const lines = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, i) => `chr1\t${10 * (from + i)}\t${10 * (from + i) + 5}\n`,
    )
  const first = lines(0, 700).join('')
  const all = first + lines(700, 1000).join('')
  // The blocks are the same up to the end of the first file.
  const path = await writeLines('first.bed.gz', first, first.length)
  await run('tabix', '-f', '-p', 'bed', path)
  const longer = join(folder, 'longer.bed.gz')
  await writeFile(longer, packed(Buffer.from(all), [first.length]))
  await copyFile(`${path}.tbi`, `${longer}.tbi`)
  expect((await readFile(longer)).length).toBeGreaterThan((await readFile(path)).length)
  expect(await problemsOf(longer, `${longer}.tbi`)).toEqual([
    '1000 lines of chr1 by our reader; 700 by @gmod/tabix',
  ])
})

test.skipIf(!available.bcftools)('what is no index is refused', async () => {
  const path = await writeLines('short.bed.gz', 'chr1\t1\t2\n')
  await run('tabix', '-f', '-p', 'bed', path)
  await writeFile(`${path}.tbi`, 'no index')
  await expect(problemsOf(path, `${path}.tbi`)).rejects.toMatchObject({ code: 'corrupt_source' })
})
