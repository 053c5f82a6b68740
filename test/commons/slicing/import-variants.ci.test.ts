import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportBam } from '../../../engine/commons/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { makeBed, makeGff, makeVcf } from '../../../fixtures/variants/make-variants.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from '../contract/support/listen.ts'
import { packed, run } from './support/htslib.ts'
import { everyBytes } from './support/pack-bam.ts'
import { splitBlocks } from './support/strict-bam.ts'

const SHARED = publicData('data/variants')
const REGION = 'chrX:400001-600000'

let folder = ''
let engine: Awaited<ReturnType<typeof openEngine>>
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-import-variants-'))
  engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
  server = await listenFor(engine)
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Writes text as BGZF with a TBI. */
async function indexed(name: string, preset: 'vcf' | 'bed' | 'gff', text: string): Promise<string> {
  const path = await blocked(name, text)
  await run('tabix', '-f', '-p', preset, path)
  return path
}

async function blocked(name: string, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  await writeFile(join(folder, name), packed(bytes, everyBytes(0xff00, bytes.length)))
  return join(folder, name)
}

const store = (path: string, more: Partial<ImportBam> = {}) =>
  engine.commons.importBam({ path, kind: 'variants', access: 'open', ...more })

const refusal = (path: string, more: Partial<ImportBam> = {}) =>
  store(path, more).then(
    () => undefined,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  )

async function sliceOf(id: string, region: string) {
  const query = `region=${encodeURIComponent(region)}`
  const response = await fetch(`${server.address}/slicing/view/${id}?${query}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, name: response.headers.get('content-disposition'), bytes }
}

/** Returns the output of a shell command with a slice as its standard input. */
async function piped(script: string, input: Buffer): Promise<string> {
  const running = promisify(execFile)('sh', ['-c', script], { maxBuffer: 1 << 26 })
  // A command that reads no input may have ended before it receives it.
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(input)
  return (await running).stdout
}

describe.skipIf(!available.bcftools)('files of variants and features', () => {
  test('are stored with their index, and /slicing/view has the records of the tools', async () => {
    const vcf = await indexed('calls.vcf.gz', 'vcf', makeVcf({ seed: 31, records: 3000 }))
    const bcf = join(folder, 'calls.bcf')
    await run('bcftools', 'view', '--no-version', '-Ob', '-o', bcf, vcf)
    await run('bcftools', 'index', bcf)
    const bed = await indexed('peaks.bed.gz', 'bed', makeBed({ seed: 32, records: 3000 }))
    const gff = await indexed('genes.gff3.gz', 'gff', makeGff({ seed: 33, records: 3000 }))
    const cases = [
      [vcf, 'VCF', 'calls_slice.vcf.gz', 'bcftools view -H --no-version'],
      [bcf, 'BCF', 'calls_slice.bcf', 'bcftools view -H --no-version'],
      [bed, 'BED', 'peaks_slice.bed.gz', undefined],
      [gff, 'GFF', 'genes_slice.gff3.gz', undefined],
    ] as const
    for (const [path, dataFormat, name, view] of cases) {
      const { file, records } = await store(path)
      expect(file).toMatchObject({ dataFormat, access: 'open' })
      expect(records).toBe(3000)
      const slice = await sliceOf(file.id, REGION)
      expect(slice.status).toBe(206)
      expect(slice.name).toContain(name)
      const ours = await piped(view ? `${view} -` : "bgzip -dc | grep -v '^#'", slice.bytes)
      const theirs = view ? `${view} -r ${REGION} ${path}` : `tabix ${path} ${REGION}`
      expect(ours).toBe(await piped(theirs, Buffer.alloc(0)))
      expect(ours.split('\n').length).toBeGreaterThan(30)
    }
    for await (const issue of engine.commons.check({ isDeep: true })) {
      expect(issue).toMatchObject({ isNote: true })
    }
  })

  test('a contig that the header has and no record is on is known, and empty', async () => {
    const path = await indexed('empty.vcf.gz', 'vcf', makeVcf({ seed: 34, records: 100 }))
    const { file } = await store(path)
    const url = `${server.address}/slicing/view/${file.id}`
    const response = await fetch(`${url}?region=3`)
    expect(response.headers.get('x-warnings')).toBe(null)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(await piped('bcftools view -H -', bytes)).toBe('')
    expect((await fetch(`${url}?region=4`)).headers.get('x-warnings')).toContain('no reference')
  })

  test('one that changed its place is found by its index, and its directory is made anew', async () => {
    const path = await indexed('moved.bed.gz', 'bed', makeBed({ seed: 35, records: 500 }))
    const { file } = await store(path, { link: true })
    // A copy has the same bytes with another identity.
    await copyFile(path, `${path}.copy`)
    await rm(path)
    await copyFile(`${path}.copy`, path)
    const { bytes, status } = await sliceOf(file.id, '1:1-500000')
    expect(status).toBe(206)
    const theirs = await piped(`tabix ${path} 1:1-500000`, Buffer.alloc(0))
    expect(await piped("bgzip -dc | grep -v '^#'", bytes)).toBe(theirs)
  })
})

describe.skipIf(!available.bcftools)('what cannot be stored is refused with what to do', () => {
  const VCF = makeVcf({ seed: 41, records: 400 })

  test('a file without an index, of each kind', async () => {
    const vcf = await blocked('alone.vcf.gz', VCF)
    expect(await refusal(vcf)).toBe(
      `no_index: "alone.vcf.gz" has no index beside it; make one: tabix -p vcf ${vcf}`,
    )
    const bed = await blocked('alone.bed.gz', makeBed({ seed: 1, records: 40 }))
    expect(await refusal(bed)).toMatch(/make one: tabix -p bed/)
    const gff = await blocked('alone.gff.gz', makeGff({ seed: 1, records: 40 }))
    expect(await refusal(gff)).toMatch(/make one: tabix -p gff/)
  })

  test('the index of another file', async () => {
    const one = await indexed('one.vcf.gz', 'vcf', VCF)
    const other = await indexed('other.vcf.gz', 'vcf', makeVcf({ seed: 42, records: 40_000 }))
    const larger = await store(other, { indexPath: `${one}.tbi` })
    expect(larger.warnings.join()).toMatch(/index "one.vcf.gz.tbi" is not that of the file: /)
    // The other index has as many references and fits the file's offsets. The lines name their references, and
    // the bins are made anew.
    const { warnings } = await store(one, { indexPath: `${other}.tbi` })
    expect(warnings.join()).toMatch(/index "other.vcf.gz.tbi" is not that of the file: /)
    const bed = await indexed('as.bed.gz', 'bed', makeBed({ seed: 42, records: 400 }))
    expect(await refusal(one, { indexPath: `${bed}.tbi` })).toMatch(/^no_index: .*tabix -f -p vcf/)
  })

  test('records out of order, which the index of the sorted file does not show', async () => {
    const sorted = await indexed('sorted.vcf.gz', 'vcf', VCF)
    const lines = VCF.trimEnd().split('\n')
    const [a, b] = [lines.length - 3, lines.length - 2]
    ;[lines[a], lines[b]] = [lines[b]!, lines[a]!]
    const path = await blocked('unsorted.vcf.gz', `${lines.join('\n')}\n`)
    expect(await refusal(path, { indexPath: `${sorted}.tbi` })).toMatch(
      /^bad_input: "unsorted.vcf.gz" is not in coordinate order; sort it: bcftools sort -Oz -o \S+unsorted.sorted.vcf.gz \S+unsorted.vcf.gz$/,
    )
  })

  // tabix 1.16: it prints "Failed to parse TBX_GENERIC" and none of the following lines
  test.each([
    ['a comment', '###\n', /a comment or an empty line/],
    ['an empty line', '\n', /a comment or an empty line/],
    ['a line without a position', '1\tx\n', /a position is no whole number/],
    ['a line that ends before it starts', '1\t900\t800\n', /a line ends before it starts/],
  ])('%s between records', async (_, extra, message) => {
    const text = makeBed({ seed: 43, records: 400 })
    const path = await indexed('extra.bed.gz', 'bed', text)
    const lines = text.split(/(?<=\n)/)
    lines.splice(50, 0, extra)
    const damaged = await blocked('damaged.bed.gz', lines.join(''))
    expect(await refusal(damaged, { indexPath: `${path}.tbi` })).toMatch(message)
  })

  test('a block that is damaged, and a file that is cut off', async () => {
    const path = await indexed('whole.vcf.gz', 'vcf', makeVcf({ seed: 44, records: 9000 }))
    const bytes = await readFile(path)
    const blocks = splitBlocks(bytes)
    expect(blocks.length).toBeGreaterThan(8)
    const { offset, length } = blocks[4]!
    const damaged = Buffer.from(bytes)
    damaged[offset + length - 6]! ^= 1
    const broken = join(folder, 'broken.vcf.gz')
    await writeFile(broken, damaged)
    const given = { indexPath: `${path}.tbi` }
    expect(await refusal(broken, given)).toMatch(
      new RegExp(
        `^corrupt_source: "broken.vcf.gz" is damaged or cut off: block at byte ${offset} `,
      ),
    )
    for (const end of [bytes.length - 28, bytes.length - 10, blocks[6]!.offset, offset + 99]) {
      await writeFile(broken, bytes.subarray(0, end))
      expect(await refusal(broken, given), `${end}`).toMatch(/^(corrupt_source|no_index): /)
    }
  })

  test('what is not packed, or packed otherwise', async () => {
    const plain = join(folder, 'plain.vcf')
    await writeFile(plain, VCF)
    expect(await refusal(plain)).toBe(
      `bad_input: "plain.vcf" is not packed; pack it: bgzip ${plain}`,
    )
    await run('sh', '-c', `gzip -c ${plain} > ${plain}.gz`)
    expect(await refusal(`${plain}.gz`)).toMatch(/is gzip, but not in blocks; .* \| bgzip > /)
    await writeFile(plain, '')
    expect(await refusal(plain)).toMatch(/is empty/)
  })

  test('BCF as BAM and BAM as variants', async () => {
    const vcf = await indexed('kinds.vcf.gz', 'vcf', VCF)
    const bcf = join(folder, 'kinds.bcf')
    await run('bcftools', 'view', '-Ob', '-o', bcf, vcf)
    await expect(engine.commons.importBam({ path: bcf })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('is BCF, not BAM'),
    })
    if (!available.shared) return
    const bam = join(SHARED, 'htsnexus_test_NA12878.bam')
    expect(await refusal(bam)).toMatch(/is BAM; store it with "casemill import bam"/)
  })
})
