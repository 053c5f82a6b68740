import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportBam } from '../../../engine/commons/index.ts'
import { loadDirectory, saveDirectory } from '../../../engine/commons/slicing/directory.ts'
import { findIndex, sliceFile } from '../../../engine/commons/slicing/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { Issue } from '../../../engine/shared/issue.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { eventually } from '../../eventually.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from '../contract/support/listen.ts'
import { run } from './support/htslib.ts'

// An index of an earlier run of the same file with the same first records does not fit the file. What is served
// must still find everything, like an index made anew by samtools, bcftools or tabix.

let folder = ''
let engine: Awaited<ReturnType<typeof openEngine>>
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-stale-index-'))
  engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
  server = await listenFor(engine)
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const sh = async (script: string) =>
  (await promisify(execFile)('sh', ['-c', script], { cwd: folder, maxBuffer: 1 << 26 })).stdout

const RECORDS = 20_000
async function issuesOf(of: typeof engine) {
  const found: Issue[] = []
  for await (const issue of of.check()) found.push(issue)
  return found
}

const bySymbols = async () => new Map()
const bases = (seed: number) =>
  Array.from({ length: 50 }, (_, i) => 'ACGT'[(seed * 2654435761 + i * i * 40503) % 4]).join('')

const samText = (records: number, moved: (i: number) => number = (i) => 100 + i * 20) =>
  [
    '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000000\n@SQ\tSN:chr2\tLN:1000000\n',
    ...Array.from({ length: records }, (_, i) => {
      const quality = 'I'.repeat(50)
      return `r${i}\t0\tchr1\t${moved(i)}\t60\t50M\t*\t0\t0\t${bases(i)}\t${quality}\n`
    }),
    `m1\t4\t*\t0\t0\t*\t*\t0\t0\t${bases(1)}\t*\n`,
    `m2\t4\t*\t0\t0\t*\t*\t0\t0\t${bases(2)}\t*\n`,
  ].join('')

const vcfText = (records: number) =>
  [
    '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n##contig=<ID=chr2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n',
    ...Array.from({ length: records }, (_, i) => `chr1\t${10 * i + 5}\tid${i}\tA\tT\t.\t.\t.\n`),
  ].join('')

const bedText = (records: number) =>
  Array.from({ length: records }, (_, i) => `chr1\t${20 * i}\t${20 * i + 15}\tn${i}\n`).join('')

const gffText = (records: number) =>
  Array.from(
    { length: records },
    (_, i) => `chr1\ta\tgene\t${20 * i + 1}\t${20 * i + 15}\t.\t+\t.\tID=${i}\n`,
  ).join('')

interface Kind {
  readonly name: string
  readonly kind: ImportBam['kind']
  readonly ending: string
  /** A command that makes NAME from a text. */
  readonly make: string
  readonly text: (records: number) => string
  readonly index: string
  /** A command that counts records of REGION in FILE by its index. */
  readonly count: (file: string, region: string) => string
}

const byTabix = (file: string, region: string) => `tabix ${file} ${region} | wc -l`
const bySamtools = (file: string, region: string) => `samtools view -c ${file} ${region}`
const byBcftools = (file: string, region: string) => `bcftools view -H -r ${region} ${file} | wc -l`
const BAM = 'samtools view --no-PG -b -o'
const KINDS: readonly Kind[] = [
  {
    name: 'a.bam',
    kind: 'BAM',
    ending: 'bai',
    make: BAM,
    text: samText,
    index: 'samtools index',
    count: bySamtools,
  },
  {
    name: 'b.bam',
    kind: 'BAM',
    ending: 'csi',
    make: BAM,
    text: samText,
    index: 'samtools index -c',
    count: bySamtools,
  },
  {
    name: 'c.vcf.gz',
    kind: 'variants',
    ending: 'tbi',
    make: 'bgzip -c >',
    text: vcfText,
    index: 'tabix -p vcf',
    count: byBcftools,
  },
  {
    name: 'd.vcf.gz',
    kind: 'variants',
    ending: 'csi',
    make: 'bgzip -c >',
    text: vcfText,
    index: 'tabix -C -p vcf',
    count: byTabix,
  },
  {
    name: 'e.bcf',
    kind: 'variants',
    ending: 'csi',
    make: 'bcftools view --no-version -Ob -o',
    text: vcfText,
    index: 'bcftools index',
    count: byBcftools,
  },
  {
    name: 'f.bed.gz',
    kind: 'variants',
    ending: 'tbi',
    make: 'bgzip -c >',
    text: bedText,
    index: 'tabix -p bed',
    count: byTabix,
  },
  {
    name: 'g.gff.gz',
    kind: 'variants',
    ending: 'tbi',
    make: 'bgzip -c >',
    text: gffText,
    index: 'tabix -p gff',
    count: byTabix,
  },
]
const REGIONS = [
  'chr1:1000-2000',
  'chr1:150000-150100',
  'chr1:199000-200000',
  'chr1:300000-400000',
  'chr1',
  'chr2',
]

async function makeFile({ name, make, text }: Kind, records: number): Promise<void> {
  await writeFile(join(folder, 'text'), text(records))
  await sh(
    `${make} ${name} text`
      .replace('-c > ', '-c text > ')
      .replace(/ text$/, make.endsWith('>') ? '' : ' text'),
  )
}

describe.skipIf(!available.bcftools)('an index of an earlier run of the same file', () => {
  test.each(KINDS)('is not served beside $name', async (kind) => {
    const { name, index, ending, count } = kind
    await makeFile(kind, 6000)
    await sh(`${index} ${name}`)
    await makeFile(kind, RECORDS)
    const { file, warnings } = await engine.commons.importBam({
      ...{ path: join(folder, name), kind: kind.kind, access: 'open' },
    })
    expect(file.indexName).toBe(`${name}.${ending}`)
    expect(warnings.join()).toMatch(/index "[^"]+" is not that of the file: it ends before/)
    await sh(`${index} -f ${name} 2>/dev/null || ${index} ${name}`)
    // Compares the index of /data/ID with one that the tool makes anew.
    const url = `${server.address}/data/${file.id}`
    for (const region of REGIONS) {
      expect(await sh(count(url, region)), region).toBe(await sh(count(name, region)))
    }
    const again = await engine.commons.importBam({
      ...{ path: join(folder, name), kind: kind.kind, access: 'open' },
    })
    expect(again.warnings.join()).not.toContain('index')
  })

  test('has no counts of what is there: samtools idxstats and "*" know by the one that is served', async () => {
    const url = `${server.address}/data/`
    for (const kind of [KINDS[0]!, KINDS[1]!, KINDS[4]!]) await makeFile(kind, RECORDS)
    for (const name of ['a.bam', 'b.bam']) {
      const { file } = await engine.commons.importBam({ path: join(folder, name), access: 'open' })
      await sh(`samtools index ${name}`)
      expect(await sh(`samtools idxstats ${url}${file.id}`)).toBe(
        await sh(`samtools idxstats ${name}`),
      )
      expect(await sh(`samtools view -c ${url}${file.id} '*'`)).toBe('2\n')
    }
    const { file } = await engine.commons.importBam({
      ...{ path: join(folder, 'e.bcf'), kind: 'variants', access: 'open' },
    })
    await sh(`cp e.bcf n.bcf; curl -s ${url}${file.id}.csi > n.bcf.csi`)
    expect(await sh('bcftools index -n n.bcf')).toBe(`${RECORDS}\n`)
  })

  test('that differs in one record alone is no index of the file either', async () => {
    // The file is not compressed, so all blocks keep their offsets.
    const path = join(folder, 'moved.bam')
    const regions = ['chr1:30000-30100', 'chr1:60000-60100', 'chr1:90000-90100']
    const place = (middle: number) => (i: number) => [1000, middle, 90_000][i] ?? 0
    for (const middle of [30_000, 60_000]) {
      await writeFile(join(folder, 'moved.sam'), samText(3, place(middle)))
      await run('samtools', 'view', '--no-PG', '-u', '-b', '-o', path, join(folder, 'moved.sam'))
      if (middle === 30_000) await run('samtools', 'index', path)
    }
    const { file } = await engine.commons.importBam({ path, access: 'open' })
    const url = `${server.address}/data/${file.id}`
    const counts: string[] = []
    for (const region of regions) counts.push(await sh(bySamtools(url, region)))
    expect(counts).toEqual(['0\n', '1\n', '1\n'])
  })

  test.each(KINDS.slice(0, 2))(
    'that lacks the last record alone is told beside $name',
    async (kind) => {
      const { name, index } = kind
      // The reference is followed by unplaced reads, or is the last of the file.
      const placed = (records: number) => samText(records).split('m1\t')[0]!
      for (const text of [samText, placed]) {
        await makeFile({ ...kind, text }, 3000)
        await sh(`rm -f ${name}.*; ${index} ${name}`)
        await makeFile({ ...kind, text }, 3001)
        const path = join(folder, name)
        const { warnings } = await engine.commons.importBam({ path, access: 'open' })
        expect(warnings.join()).toContain('it lacks the last records of "chr1"')
        await sh(`rm -f ${name}.*; ${index} ${name}`)
        const again = await engine.commons.importBam({ path, access: 'open' })
        expect(again.warnings.join()).not.toContain('index')
      }
    },
  )

  test.each(KINDS)(
    'beside $name is named by casemill slice, with a command that mends it',
    async (kind) => {
      const path = join(folder, `stale.${kind.name}`)
      const indexPath = `${path}.${kind.ending}`
      await makeFile(kind, 6000)
      await sh(`cp ${kind.name} ${path}; ${kind.index} ${path}`)
      await makeFile(kind, RECORDS)
      await sh(`cp ${kind.name} ${path}`)
      const slice = () =>
        sliceFile(
          { path, indexPath },
          { regions: ['chr1:1000-2000'], genes: [], bySymbols },
          inlineExecutor,
        )
      const { message } = await slice().then(
        () => new Error('sliced'),
        (error: Error) => error,
      )
      expect(message).toMatch(/index ends before the file does/)
      const [command = ''] = /(samtools|bcftools|tabix) .*$/.exec(message) ?? []
      // The file may have a CSI, whereas the advised command makes a BAI or TBI.
      await sh(`${command} && rm -f ${indexPath}.gone`)
      const again = (await findIndex(path)) ?? ''
      await using sliced = await sliceFile(
        { path, indexPath: again },
        { regions: ['chr1:1000-2000'], genes: [], bySymbols },
        inlineExecutor,
      )
      expect(sliced.body).toBeDefined()
    },
  )

  test('is told as what it is where it is none', async () => {
    const path = join(folder, 'odd.bam')
    await makeFile(KINDS[0]!, RECORDS)
    await copyFile(join(folder, 'a.bam'), path)
    await writeFile(`${path}.bai`, 'no index')
    const { file, warnings } = await engine.commons.importBam({ path, access: 'open' })
    expect(warnings.join()).toContain('"odd.bam.bai" is not that of the file: it cannot be read')
    const url = `${server.address}/data/${file.id}`
    expect(await sh(bySamtools(url, 'chr1:300000-300100'))).toBe('8\n')
  })

  // A directory of an earlier version has no counts, and without a directory nothing shows how much the index finds.
  test.each([
    ['without counts', /index "a.bam.bai" is not that .* ends before/],
    ['without a directory', /block directory is missing/],
  ])('stored %s is named by a check, and replaced after the next start', async (how, problem) => {
    const dataFolder = join(folder, how)
    const path = join(folder, 'a.bam')
    await makeFile(KINDS[0]!, RECORDS)
    const first = await openEngine({ dataFolder, executor: inlineExecutor })
    const { file } = await first.commons.importBam({ path, access: 'open' })
    const place = (name: string) => join(dataFolder, 'files', file.id, name)
    const { directory, facts } = await loadDirectory(place('blocks.directory'))
    const { runRecords, runUnmapped, ...rest } = directory
    await rm(place('blocks.directory'))
    if (how === 'without counts') await saveDirectory(place('blocks.directory'), rest, facts)
    await makeFile(KINDS[0]!, 6000)
    await sh(`samtools index -o "${place('a.bam.bai')}" a.bam`)
    const found = await issuesOf(first)
    expect(found.map(({ problem }) => problem).join()).toMatch(problem)
    await first.close()
    const logs: string[] = []
    const second = await openEngine({
      ...{ dataFolder, executor: inlineExecutor },
      onEvent: ({ message }) => logs.push(message),
    })
    await second.start()
    await eventually(() => expect(logs.join()).toContain(`index of file ${file.id} was replaced`))
    expect(await issuesOf(second)).toEqual([])
    await second.close()
  })

  test('is replaced although the storage of a file before it is not set up', async () => {
    const dataFolder = join(folder, 'no storage')
    const path = join(folder, 'a.bam')
    await makeFile(KINDS[0]!, RECORDS)
    const first = await openEngine({ dataFolder, executor: inlineExecutor })
    const ids = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff']
    for (const id of ids) {
      const { file } = await first.commons.importBam({ path, id, access: 'open' })
      await rm(join(dataFolder, 'files', id, 'blocks.directory'), { force: true })
      if (id === ids[0]) await first.shared.files.add({ ...file, storage: 's3' })
    }
    await makeFile(KINDS[0]!, 6000)
    await sh(`samtools index -o "${join(dataFolder, 'files', ids[1]!, 'a.bam.bai')}" a.bam`)
    await first.close()
    const logs: string[] = []
    const second = await openEngine({
      ...{ dataFolder, executor: inlineExecutor },
      onEvent: ({ message }) => logs.push(message),
    })
    await second.start()
    await eventually(() => expect(logs.join()).toContain(`index of file ${ids[1]} was replaced`))
    expect(logs.join()).not.toContain('cannot be looked at')
    await second.close()
  })
})
