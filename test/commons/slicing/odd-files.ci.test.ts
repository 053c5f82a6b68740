import { execFile } from 'node:child_process'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportBam } from '../../../engine/commons/index.ts'
import { findIndex, sliceFile } from '../../../engine/commons/slicing/index.ts'
import { type Executor, inlineExecutor } from '../../../engine/shared/executor.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from '../contract/support/listen.ts'

// What htslib reads, imports accept and every interface serves; what it rejects, imports reject with the location.

const MAKER = join(import.meta.dirname, 'support', 'odd-files.py')

let folder = ''
let engine: Awaited<ReturnType<typeof openEngine>>
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-odd-files-'))
  engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
  server = await listenFor(engine)
  if (available.bcftools) await promisify(execFile)('python3', [MAKER, folder])
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const sh = async (script: string) =>
  (await promisify(execFile)('sh', ['-c', script], { cwd: folder, maxBuffer: 1 << 26 })).stdout

function kindOf(name: string): ImportBam['kind'] {
  if (name.endsWith('.cram')) return 'CRAM'
  return name.endsWith('.bam') ? 'BAM' : 'variants'
}

const store = (name: string) =>
  engine.commons.importBam({ path: join(folder, name), kind: kindOf(name), access: 'open' })

const refusal = (name: string) =>
  store(name).then(
    () => 'stored',
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  )

async function get(path: string) {
  const response = await fetch(`${server.address}${path}`)
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

const sliced = (id: string, region: string, count: string) =>
  sh(`curl -s '${server.address}/slicing/view/${id}?region=${region}' > s && ${count} s`)

async function deepIssues(of: typeof engine): Promise<string[]> {
  const found: string[] = []
  for await (const { problem, isNote } of of.check({ isDeep: true })) {
    if (!isNote) found.push(problem)
  }
  return found
}

/** Regions of a file, and the file that tools can search if they cannot search this one. */
interface Odd {
  readonly name: string
  readonly regions: string
  readonly truth?: string
}

const ALIGNMENTS: readonly Odd[] = [
  { name: 'plain.bam', regions: 'chr1:1001-2000' },
  // In blocks with further subfields, htslib finds nothing by an index.
  { name: 'before.bam', regions: 'chr1:1001-2000 chr1', truth: 'plain.bam' },
  { name: 'behind.bam', regions: 'chr1:1001-2000', truth: 'plain.bam' },
  { name: 'long.bam', regions: 'chr1:1001-2000', truth: 'plain.bam' },
  { name: 'middle.bam', regions: 'chr1:5001-6000 chr1:19000-20010' },
  { name: 'tiny.bam', regions: 'chr1:5001-6000 chr1:19000-20010' },
  { name: 'order.bam', regions: 'c0:1001-2000 c2:1-100 c3 c1' },
  { name: 'few.bam', regions: 'chr1:5001-6000 chr2' },
  { name: 'many.bam', regions: 'chr1:5001-6000 chr3' },
  {
    name: 'far.bam',
    regions:
      'chr1:1-100 chr1:536870900-536870915 chr1:1073741825-1073741826 chr1:2147483600-2147483647',
  },
  { name: 'none.bam', regions: 'chr1' },
  { name: 'nonul.bam', regions: 'chr1X' },
  { name: 'nulinside.bam', regions: 'ch:1001-2000' },
  { name: 'cigar.bam', regions: 'chr1:1-50 chr1:70099-70101' },
  { name: 'byname.bam', regions: 'chr1:1001-2000' },
  { name: 'taken-one.bam', regions: 'chr1' },
  { name: 'taken-two.bam', regions: 'chr1' },
  { name: 'taken-three.bam', regions: 'chr1' },
  { name: 'taken-odd-hex.bam', regions: 'chr1' },
]
const VARIANTS: typeof ALIGNMENTS = [
  { name: 'before.vcf.gz', regions: 'c1:100-300', truth: 'plain.vcf.gz' },
  { name: 'samples.vcf.gz', regions: 'chr1:12-16' },
  { name: 'sparse.bcf', regions: 'ctg12:100-1800' },
  { name: 'idx.bcf', regions: 'c1' },
  { name: 'neg.bcf', regions: 'c1:300-500' },
  { name: 'neglong.bcf', regions: 'c1:110-119' },
  { name: 'order.bcf', regions: 'c0:1001-2000 c2:1-100 c3:19900-20100 c1' },
  { name: 'order.vcf.gz', regions: 'c0:1001-2000 c2:1-100 c3:19900-20100 c1' },
  { name: 'crlf.vcf.gz', regions: 'chr1:10-20' },
  {
    name: 'ends.vcf.gz',
    regions: 'chr1:100-101 chr1:150-160 chr1:256-256 chr1:257-257 chr1:300-310 chr1:400-401',
  },
  { name: 'held.bcf', regions: 'c0:1-10 c0:8-400' },
  { name: 'nocontig.vcf.gz', regions: 'chr1:600-1000' },
]
const FEATURES: typeof ALIGNMENTS = [
  { name: 'track.bed.gz', regions: 'chr1:10-30 chr1:5900-6100' },
  { name: 'unended.bed.gz', regions: 'chr1:10-30 chr1:5900-6100' },
  { name: 'two.bed.gz', regions: 'chr1:11-11 chr1:21-21 chr1:22-30' },
]
const CRAMS: typeof ALIGNMENTS = [
  { name: 'plain.cram', regions: 'chr1:1001-2000 chr2:1-300' },
  { name: 'newer.cram', regions: 'chr1:1001-2000 chr2:1-300' },
  { name: 'small.cram', regions: 'chr1:1001-2000 chr2:1-300' },
  { name: 'several.cram', regions: 'chr1:1001-2000 chr2:1-300' },
  { name: 'norecords.cram', regions: 'chr1:1001-2000 chr2' },
]
const asQuery = (region: string) => {
  const [, name, start, end] = /^(.*?)(?::(\d+)-(\d+))?$/.exec(region)!
  return `referenceName=${name}${start === undefined ? '' : `&start=${Number(start) - 1}&end=${end}`}`
}

/** Slices of a file by the index next to it, as `casemill slice` makes them: `0.own` and so on. */
async function sliceByIndex(name: string, regions: readonly string[]): Promise<void> {
  const path = join(folder, name)
  const given = { path, indexPath: (await findIndex(path)) ?? '' }
  for (const [i, region] of regions.entries()) {
    const wanted = { regions: [region], genes: [], bySymbols: async () => new Map() }
    await using slice = await sliceFile(given, wanted, inlineExecutor)
    const file = await open(join(folder, `${i}.own`), 'w')
    for await (const part of slice.body) await file.writeFile(part)
    await file.close()
  }
}

/** A tool's output for each interface by name. One shell handles all regions, because starting one is slow. */
async function printed(
  regions: readonly string[],
  doors: Readonly<Record<string, (region: string, i: number) => string>>,
): Promise<Record<string, string>[]> {
  const commands = regions.flatMap((region, i) =>
    Object.entries(doors).map(([door, command]) => `(${command(region, i)}) > ${i}.${door}.txt`),
  )
  await sh(`${commands.join(' && ')}`)
  const read = (i: number, door: string) => readFile(join(folder, `${i}.${door}.txt`), 'utf8')
  return Promise.all(
    regions.map(async (_, i) => {
      const doorsOf = Object.keys(doors).map(async (door) => [door, await read(i, door)] as const)
      return Object.fromEntries(await Promise.all(doorsOf))
    }),
  )
}

function mustBeEqual(outputs: readonly Record<string, string>[], regions: readonly string[]) {
  for (const [i, { theirs, ...doors }] of outputs.entries()) {
    for (const [door, ours] of Object.entries(doors)) {
      expect(ours.trimEnd(), `${regions[i]} by ${door}`).toBe(theirs!.trimEnd())
    }
  }
}

async function mustBeServedWhole(id: string, name: string): Promise<void> {
  const object = JSON.parse((await get(`/ga4gh/drs/v1/objects/${id}`)).bytes.toString())
  const [{ access_url }] = object.access_methods
  const bytes = Buffer.from(await (await fetch(access_url.url)).arrayBuffer())
  expect(bytes.equals(await readFile(join(folder, name)))).toBe(true)
}

describe.skipIf(!available.bcftools)('a file that htslib reads', () => {
  test.each(ALIGNMENTS)(
    '$name is read by every door',
    async ({ name, regions: all, truth = name }) => {
      const regions = all.split(' ')
      const { file } = await store(name)
      const { address } = server
      await mustBeServedWhole(file.id, name)
      await sh(`ls ${name}.* 2>/dev/null || curl -s ${address}/data/${file.id}.bai -o ${name}.bai`)
      await sliceByIndex(name, regions)
      const outputs = await printed(regions, {
        theirs: (region) => `samtools view ${truth} ${region}`,
        depth: (region) =>
          `samtools depth -r ${region} ${truth} | awk '{ s += $3 } END { print s + 0 }'`,
        slice: (region) =>
          `curl -s '${address}/slicing/view/${file.id}?region=${region}' | samtools view`,
        ticket: (region) => `samtools view '${address}/reads/${file.id}?${asQuery(region)}'`,
        own: (_, i) => `samtools view ${i}.own`,
      })
      mustBeEqual(
        outputs.map(({ depth, ...others }) => others),
        regions,
      )
      for (const [i, region] of regions.entries()) {
        const { theirs = '', depth } = outputs[i]!
        const page = await get(`/alignments/${file.id}/records?region=${region}&size=100000`)
        const { records } = JSON.parse(page.bytes.toString())
        const names = records.map(({ qname }: { qname: string }) => qname)
        expect(names, region).toEqual(theirs.match(/^[^\t\n]+/gm) ?? [])
        const coverage = await get(`/alignments/${file.id}/coverage?region=${region}&bins=1`)
        const { mean, bases_per_bin } = JSON.parse(coverage.bytes.toString())
        expect(mean[0] * bases_per_bin, region).toBeCloseTo(Number(depth), 3)
      }
    },
  )

  test('bare.bam, without references, is read by every door that needs none', async () => {
    const { file } = await store('bare.bam')
    await mustBeServedWhole(file.id, 'bare.bam')
    await sliceByIndex('bare.bam', ['unmapped'])
    const url = `${server.address}/slicing/view/${file.id}?region=unmapped`
    const outputs = await printed(['unmapped'], {
      theirs: () => 'samtools view bare.bam',
      slice: () => `curl -s '${url}' | samtools view`,
      ticket: () => `samtools view '${server.address}/reads/${file.id}'`,
      own: () => 'samtools view 0.own',
    })
    mustBeEqual(outputs, ['unmapped'])
    expect(outputs[0]!.theirs!.split('\n')).toHaveLength(10)
  })

  test('several contigs in another order than the header are cut in the order of the file', async () => {
    const { file } = await store('order.bam')
    const regions = ['c3:100-200', 'c0:1-50', 'c2:1-90', 'c1']
    const theirs = await sh(`samtools view -M order.bam ${regions.join(' ')}`)
    const query = regions.map((region) => `region=${region}`).join('&')
    const url = `${server.address}/slicing/view/${file.id}?${query}`
    expect(await sh(`curl -s '${url}' > s && samtools view s`)).toBe(theirs)
    expect(await sh(`curl -s '${url}&index=bai' > s.bai && samtools view s c0:1-50`)).toBe(
      await sh('samtools view order.bam c0:1-50'),
    )
    expect(await sh(`samtools idxstats ${server.address}/data/${file.id}`)).toBe(
      await sh('samtools idxstats order.bam'),
    )
  })

  test.each(VARIANTS)(
    '$name is read by every door',
    async ({ name, regions: all, truth = name }) => {
      const regions = all.split(' ')
      const { file } = await store(name)
      const { address } = server
      await mustBeServedWhole(file.id, name)
      if (truth !== name) await sh(`curl -s ${address}/data/${file.id}.tbi -o ${name}.tbi`)
      await sh(`ls ${name}.* 2>/dev/null || bcftools index ${name} 2>/dev/null`)
      await sliceByIndex(name, regions)
      const view = 'bcftools view -H --no-version'
      const outputs = await printed(regions, {
        theirs: (region) => `${view} -r ${region} ${truth} 2>/dev/null`,
        slice: (region) =>
          `curl -s '${address}/slicing/view/${file.id}?region=${region}' | ${view}`,
        ticket: (region) => `${view} '${address}/variants/${file.id}?${asQuery(region)}'`,
        own: (_, i) => `${view} ${i}.own`,
        // These use the index served, because tools find nothing in blocks with further subfields.
        ...(truth === name && {
          url: (region: string) => `${view} -r ${region} ${address}/data/${file.id}`,
        }),
      })
      mustBeEqual(outputs, regions)
    },
  )

  test.each(FEATURES)('$name is read by every door', async ({ name, regions: all }) => {
    const regions = all.split(' ')
    const { file } = await store(name)
    const { address } = server
    await mustBeServedWhole(file.id, name)
    await sliceByIndex(name, regions)
    const rows = `gzip -dc | grep '^chr1'`
    const outputs = await printed(regions, {
      theirs: (region) => `tabix ${name} ${region}`,
      slice: (region) => `curl -s '${address}/slicing/view/${file.id}?region=${region}' | ${rows}`,
      own: (_, i) => `gzip -dc ${i}.own | grep '^chr1'`,
      url: (region) => `tabix ${address}/data/${file.id} ${region}`,
    })
    mustBeEqual(outputs, regions)
  })

  test('empty.bed.gz, without lines, is read by every door', async () => {
    const { file, records } = await store('empty.bed.gz')
    expect(records).toBe(0)
    await mustBeServedWhole(file.id, 'empty.bed.gz')
    await sliceByIndex('empty.bed.gz', [])
    const sliced = await get(`/slicing/view/${file.id}?region=chr1`)
    expect([sliced.status, gunzipSync(sliced.bytes).length]).toEqual([206, 0])
    expect(await sh(`tabix -l ${server.address}/data/${file.id}`)).toBe('')
  })

  test.each(CRAMS)('$name is read by every door that CRAM has', async ({ name, regions: all }) => {
    const regions = all.split(' ')
    const { address } = server
    const { file } = await store(name)
    await mustBeServedWhole(file.id, name)
    const outputs = await printed(regions, {
      theirs: (region) => `samtools view ${name} ${region}`,
      url: (region) => `samtools view ${address}/data/${file.id} ${region}`,
      // The ticket returns whole containers, from which samtools selects the region as from any file.
      ticket: (region) =>
        `samtools view -e 'rname == "${region.split(':')[0]}"' '${address}/reads/${file.id}?${asQuery(region)}' > t.sam && samtools view ${name} ${region} | grep -cvxFf t.sam | grep -x 0 > /dev/null && samtools view ${name} ${region}`,
    })
    mustBeEqual(outputs, regions)
    const [header, whole] = [`?class=header&referenceName=na`, '']
    for (const [query, option] of [
      [header, '-H --no-PG'],
      [whole, ''],
    ]) {
      expect(await sh(`samtools view ${option} '${address}/reads/${file.id}${query}'`)).toBe(
        await sh(`samtools view ${option} ${name}`),
      )
    }
    expect(await sh(`samtools idxstats ${address}/data/${file.id}`)).toBe(
      await sh(`samtools idxstats ${name}`),
    )
  })

  test('several are downloaded in one archive, byte for byte', async () => {
    const names = ['plain.bam', 'sparse.bcf', 'ends.vcf.gz', 'empty.bed.gz', 'plain.cram']
    const ids: string[] = []
    for (const name of names) ids.push((await store(name)).file.id)
    await sh(`mkdir archive && curl -s '${server.address}/data/${ids.join()}' | tar xz -C archive`)
    for (const [i, name] of names.entries()) {
      const bytes = await readFile(join(folder, 'archive', ids[i]!, name))
      expect(bytes.equals(await readFile(join(folder, name))), name).toBe(true)
    }
  })

  test('has no findings in a deep check', async () => {
    expect(await deepIssues(engine)).toEqual([])
  })

  test('a deep check goes on after a file that it cannot read', async () => {
    let failures = 1
    const executor: Executor = {
      ...inlineExecutor,
      run: (job, ...given) => {
        if (job.name !== 'slicing.count-otherwise' || failures-- <= 0) {
          return inlineExecutor.run(job, ...given)
        }
        return Promise.reject(new RangeError('no reader of ours'))
      },
    }
    const other = await openEngine({ dataFolder: join(folder, 'data'), executor })
    let read = 0
    const found: string[] = []
    for await (const { problem } of other.check({ isDeep: true, onProgress: () => read++ })) {
      found.push(problem)
    }
    expect(found).toEqual(['cannot be read to its end: RangeError: no reader of ours'])
    expect(read).toBe((await other.shared.files.totals()).files)
    await other.close()
  })
})

// samtools view exits with status 1 for each of them.
const REFUSED = [
  ['refused-mate-behind.bam', 'mate of a record is on reference 2, and the file has 2'],
  ['refused-mate-below.bam', 'mate of a record is on reference -2'],
  ['refused-reference.bam', 'a record is on reference 7, and the file has 2'],
  ['refused-no-name.bam', 'name of a record has length 0'],
  ['refused-text-cut.bam', 'an optional field is cut off'],
  ['refused-second-cut.bam', 'an optional field is cut off'],
  ['refused-array-long.bam', 'an optional field is cut off, or longer than its record'],
  ['refused-array-cut.bam', 'an optional field is cut off'],
  ['refused-array-unknown.bam', 'an optional field is cut off'],
  ['refused-number-cut.bam', 'an optional field is cut off'],
  ['refused-unknown-type.bam', 'type with code 113 of an optional field is unknown'],
  ['refused-header-line.bam', 'line 2 of its header does not begin with @'],
  ['refused-duplicate.bam', 'reference "chr1" is in its header twice'],
] as const

// bcftools view exits with a status other than 0 for each of them.
const REFUSED_VARIANTS = [
  ['refused-titles.vcf.gz', 'its line #CHROM has other titles than VCF'],
  ['refused-spaces.vcf.gz', 'its line #CHROM has other titles than VCF'],
  ['refused-hash.vcf.gz', 'its line #CHROM has other titles than VCF'],
  ['refused-samples.vcf.gz', 'its line #CHROM names a sample twice'],
  ['refused-crlf.bcf', 'its line #CHROM has other titles than VCF, or other bytes than tabs'],
  ['refused-twice.bcf', 'its header has the IDX 0 twice'],
  ['refused-ref.bcf', 'a record has no REF: the record at 7 of reference 0'],
  ['refused-alleles.bcf', 'ID, REF or ALT of a record is no text'],
  ['refused-id.bcf', 'ID, REF or ALT of a record is no text'],
  ['refused-infos.bcf', 'a field of a record reaches over its end'],
  ['refused-formats.bcf', 'a field of a record reaches over its end'],
  ['refused-filter.bcf', 'a filter, INFO or FORMAT field that is not in the header'],
  ['refused-samples.bcf', 'a record has 3 samples, and the header names 2'],
  ['refused-hole.bcf', 'contig number 1 of a record is not in the header'],
  ['refused-below.bcf', 'contig number -1 of a record is not in the header'],
] as const

describe.skipIf(!available.bcftools)('a file that htslib does not read', () => {
  test.each(REFUSED_VARIANTS)('%s is refused: %s', async (name, what) => {
    await expect(sh(`bcftools view -H ${name}`)).rejects.toThrow()
    const message = await refusal(name)
    expect(message).toContain(what)
    expect(message).toContain('htslib does not read it either')
    expect(message).not.toMatch(/damaged|copy it again|sort/)
  })

  test.each([
    ['one', 1],
    ['tab', 1],
    ['return', 1],
    ['none', 0],
    ['emptyformat', 0],
    ['noformat', 0],
    ['missing', 0],
  ])(
    'a line with fewer samples than the header is refused: fewer-%s.vcf.gz',
    async (name, found) => {
      const file = `fewer-${name}.vcf.gz`
      // bcftools rejects the last but one when it writes it.
      await expect(sh(`bcftools view ${file}`)).rejects.toThrow(
        /[Nn]umber of columns|FORMAT column/,
      )
      const message = await refusal(file)
      expect(message).toContain(`line 6: it has ${found} of the 2 samples that the header names`)
      expect(await sh(message.split('mend it: ')[1] ?? 'false')).toMatch(/^chr1\t12\t/)
    },
  )

  test.each(REFUSED)('%s is refused: %s', async (name, what) => {
    await expect(sh(`samtools view ${name}`)).rejects.toThrow()
    const message = await refusal(name)
    expect(message).toContain(what)
    expect(message).toContain('htslib does not read it either')
    expect(message).not.toMatch(/damaged|copy it again|sort/)
    const [command] = /samtools .*$/.exec(message) ?? []
    if (command !== undefined) await sh(`${command} 2>/dev/null`)
  })

  test.each([
    ['refused-split.bam', 'samtools index'],
    ['refused-split.bcf', 'bcftools index'],
    ['refused-split.vcf.gz', 'tabix -f -p vcf'],
  ])(
    '%s, a contig in two places, is refused, and the command that is said mends it',
    async (name, index) => {
      await expect(sh(`${index} ${name}`)).rejects.toThrow(/not continuous/)
      const message = await refusal(name)
      expect(message).toContain('is not in coordinate order; sort it: ')
      const command = message.split('sort it: ')[1]!
      const sorted = /-o (\S+)/.exec(command)![1]!
      await sh(`${command} 2>/dev/null && ${index} ${sorted}`)
      const { file } = await store(basename(sorted))
      expect((await get(`/slicing/view/${file.id}?region=c2`)).status).toBe(206)
    },
  )

  test('a header of more references than memory is reckoned for is refused before they are read', async () => {
    expect(await refusal('references-many.bam')).toBe(
      'too_large: "references-many.bam": its header lists 5000001 references; at most 5000000 are read, so leave out those without records',
    )
    expect(await refusal('references-cut.bam')).toContain('header is cut off')
  })

  test('records that are nowhere are counted, and told', async () => {
    const { file, warnings } = await store('nowhere.bam')
    expect(warnings.join()).toContain(
      '2 of its records are flagged as mapped and have no position; no slice of a region has them',
    )
    expect(warnings.join()).toContain('1 of its records have a position and no reference')
    expect(await sliced(file.id, 'chr1', 'samtools view -c')).toBe('1\n')
  })

  test.each([
    [
      'nofileformat.vcf.gz',
      'does not begin with ##fileformat=VCF: VCF has it',
      'nofileformat.mended.vcf.gz',
    ],
    ['bom.vcf.gz', 'does not begin with ##fileformat=VCF: a byte order mark', 'bom.mended.vcf.gz'],
    ['emptyline.vcf.gz', 'line 7: a comment or an empty line', 'emptyline.mended.vcf.gz'],
    ['emptyhead.vcf.gz', 'line 3: a comment or an empty line', 'emptyhead.mended.vcf.gz'],
    ['comment.gff.gz', 'line 3: a comment or an empty line', 'comment.mended.gff.gz'],
    ['fasta.gff.gz', 'line 2: a comment or an empty line', 'fasta.mended.gff.gz'],
    ['browser.bed.gz', 'line 1: a line has too few columns', 'browser.mended.bed.gz'],
    ['noindex.tsv.gz', 'has no index beside it', 'noindex.tsv.gz'],
    ['index-cut.vcf.gz', 'its index does not say what its lines are', 'index-cut.vcf.gz'],
    ['index-empty.vcf.gz', 'its index does not say what its lines are', 'index-empty.vcf.gz'],
    ['index-bai.vcf.gz', 'its index does not say what its lines are', 'index-bai.vcf.gz'],
    ['far.bed.gz', 'make one: tabix -C -p bed', 'far.bed.gz'],
    ['far.gff.gz', 'make one: tabix -C -p gff', 'far.gff.gz'],
    ['far.vcf.gz', 'make one: tabix -C -p vcf', 'far.vcf.gz'],
    ['extreme.vcf.gz', 'make one: tabix -C -p vcf', 'extreme.vcf.gz'],
    ['beyond.vcf.gz', 'make one: bcftools view -Oz', 'beyond.mended.vcf.gz'],
    ['beyond.bed.gz', 'make one: tabix -C -m 15 -p bed', 'beyond.bed.gz'],
    ['called.bed.gz', 'file is VCF, and its index is not one of VCF', 'called.bed.gz'],
  ])('%s is refused, and the command that is said mends it', async (name, what, mended) => {
    const message = await refusal(name)
    expect(message).toContain(what)
    expect(message).not.toMatch(/damaged|copy it again/)
    const [, command] = /(?:make one|mend it|take such lines out): (.*)$/.exec(message) ?? []
    await sh(`${command}`)
    const { file } = await store(mended)
    expect((await get(`/slicing/view/${file.id}?region=chr1`)).status).toBe(206)
  })

  test.each([
    ['zeros.bed.gz', 5001, 'chr1\t0110\t0220\ta\n'],
    ['float.bed.gz', 2, 'chr1\t3.5\t9\ta\n'],
  ])(
    '%s is refused by the number of its line, %i, and a command that shows it',
    async (name, line, shown) => {
      const message = await refusal(name)
      expect(message).toContain(`line ${line}: a position is no whole number`)
      expect(message).not.toMatch(/damaged|copy it again/)
      expect(await sh(message.split('mend it: ')[1] ?? 'false')).toBe(shown)
    },
  )

  test('a VCF file without titles, and one out of order without an index, are named as such', async () => {
    await expect(sh('bcftools view -H untitled.vcf.gz')).rejects.toThrow()
    expect(await refusal('untitled.vcf.gz')).toContain('header has no line #CHROM; htslib')
    await expect(sh('bcftools view -H old.bcf')).rejects.toThrow()
    expect(await refusal('old.bcf')).toContain('it is BCF 2.1, and only BCF 2.2 is read')
    expect(await refusal('unsorted.vcf.gz')).toContain('is not in coordinate order; sort it: bcft')
  })

  test('an index that lacks a contig is replaced by one that has it', async () => {
    const { file, warnings } = await store('lacking.vcf.gz')
    expect(warnings.join()).toContain('index "lacking.vcf.gz.tbi" is not that of the file')
    expect(await sh(`tabix ${server.address}/data/${file.id} c2:1000-1200`)).toBe(
      await sh('tabix -f -p vcf lacking.vcf.gz && tabix lacking.vcf.gz c2:1000-1200'),
    )
  })

  test.each(['unmarked.bam', 'unmarked.vcf.gz', 'unmarked.bcf'])(
    '%s, without an end marker, is refused, and the command that is said adds one',
    async (name) => {
      const message = await refusal(name)
      expect(message).toContain('may be cut off: it has no end marker')
      const [, command, whole = ''] = /write it anew: (.*?(\S*\.whole\S*).*)$/.exec(message) ?? []
      await sh(`${command}`)
      const index = name.endsWith('.bam') ? 'samtools' : 'bcftools'
      await sh(`${index} index ${whole}`)
      expect((await store(basename(whole))).file.size).toBeGreaterThan(0)
    },
  )

  test.each([
    ['swapped.bam', 'chr2', 'the file has records of another reference'],
    ['shifted.bam', 'chr1', 'cannot be read where its index says'],
    ['shifted.vcf.gz', 'c1', 'index is not that of the file: no line begins'],
    ['farther.bam', 'chr1', 'make one: samtools index -c'],
  ])(
    '%s, beside an index of another file, is not cut, and the command that is said mends it',
    async (name, region, what) => {
      const message = await sliceByIndex(name, [region]).then(
        () => 'sliced',
        (error: Error) => error.message,
      )
      expect(message).toContain(what)
      expect(message).not.toMatch(/^\S+ is damaged/)
      const [, command] = /(?:make one|make the index anew): ([^;]*)/.exec(message) ?? []
      await sh(`${command}`)
      await sliceByIndex(name, [region])
      const view = name.endsWith('.bam') ? 'samtools view' : 'bcftools view -H'
      const [ours, theirs] = [`${view} 0.own`, `${view} ${name} ${region}`]
      expect(await sh(ours)).toBe(await sh(theirs))
    },
  )
})
