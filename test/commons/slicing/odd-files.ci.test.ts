import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportBam } from '../../../engine/commons/index.ts'
import { type Executor, inlineExecutor } from '../../../engine/shared/executor.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from '../contract/support/listen.ts'

// What htslib reads, imports read, and every door serves; what it refuses, imports refuse and say where.

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

const kindOf = (name: string): ImportBam['kind'] => (name.endsWith('.bam') ? 'BAM' : 'variants')

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

describe.skipIf(!available.bcftools)('a file that htslib reads', () => {
  test.each(['before.bam', 'behind.bam', 'long.bam', 'plain.bam'])(
    '%s: blocks with further subfields are read by every door',
    async (name) => {
      const { file, records } = await store(name)
      expect(records).toBe(6000)
      // samtools view -c plain.bam chr1:1001-2000
      expect(await sliced(file.id, 'chr1:1001-2000', 'samtools view -c')).toBe('100\n')
      const page = await get(`/alignments/${file.id}/records?region=chr1&size=100000`)
      expect(page.status).toBe(200)
      expect(JSON.parse(page.bytes.toString()).size).toBe(6000)
      const coverage = await get(`/alignments/${file.id}/coverage?region=chr1:1-60000&bins=1`)
      expect(JSON.parse(coverage.bytes.toString())).toMatchObject({ reads: 6000 })
      const ticket = await get(`/reads/${file.id}?referenceName=chr1&start=1000&end=2000`)
      expect(ticket.status).toBe(200)
    },
  )

  test('in blocks with further subfields, VCF is read by every door', async () => {
    const { file } = await store('before.vcf.gz')
    expect(await sliced(file.id, 'c1:100-300', 'bcftools view -H')).toBe(
      await sh('bcftools view -H plain.vcf.gz c1:100-300'),
    )
  })

  test.each([
    ['sparse.bcf', 'ctg12:1-5000', 199],
    ['idx.bcf', 'c1', 1],
    ['neg.bcf', 'c1:300-500', 5],
    ['neglong.bcf', 'c1:110-119', 1],
  ])('%s is stored, and a slice of %s has %i records', async (name, region, records) => {
    const { file } = await store(name)
    const ours = await sliced(file.id, region, 'bcftools view -H 2>/dev/null')
    await sh(`bcftools index -f ${name}`)
    expect(ours).toBe(await sh(`bcftools view -H -r ${region} ${name} 2>/dev/null`))
    expect(ours.trim().split('\n')).toHaveLength(records)
    const url = `${server.address}/data/${file.id}`
    expect(await sh(`bcftools view -H -r ${region} ${url} 2>/dev/null`)).toBe(ours)
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

// samtools view of each ends with status 1.
const REFUSED = [
  ['refused-mate-behind.bam', 'mate of a record is on reference 2, and the file has 2'],
  ['refused-mate-below.bam', 'mate of a record is on reference -2'],
  ['refused-no-name.bam', 'name of a record has length 0'],
  ['refused-text-cut.bam', 'an optional field is cut off'],
  ['refused-second-cut.bam', 'an optional field is cut off'],
  ['refused-array-long.bam', 'an optional field is cut off, or longer than its record'],
  ['refused-array-cut.bam', 'an optional field is cut off'],
  ['refused-array-unknown.bam', 'an optional field is cut off'],
  ['refused-number-cut.bam', 'an optional field is cut off'],
  ['refused-unknown-type.bam', 'type with code 113 of an optional field is unknown'],
  ['refused-duplicate.bam', 'reference "chr1" is in its header twice'],
] as const

describe.skipIf(!available.bcftools)('a file that htslib does not read', () => {
  test.each(REFUSED)('%s is refused: %s', async (name, what) => {
    await expect(sh(`samtools view ${name}`)).rejects.toThrow()
    const message = await refusal(name)
    expect(message).toContain(what)
    expect(message).toContain('htslib does not read it either')
    expect(message).not.toMatch(/damaged|copy it again|sort/)
    const [command] = /samtools .*$/.exec(message) ?? []
    if (command !== undefined) await sh(`${command} 2>/dev/null`)
  })

  test.each(['one', 'two', 'three', 'odd-hex'])(
    'taken-%s.bam is one that it reads',
    async (name) => {
      const { file } = await store(`taken-${name}.bam`)
      expect(await sliced(file.id, 'chr1', 'samtools view -c')).toBe('2\n')
      const page = await get(`/alignments/${file.id}/records?region=chr1`)
      expect(JSON.parse(page.bytes.toString()).size).toBe(2)
    },
  )

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
    ['comment.gff.gz', 'line 3: a comment or an empty line', 'comment.mended.gff.gz'],
    ['noindex.tsv.gz', 'has no index beside it', 'noindex.tsv.gz'],
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
})
