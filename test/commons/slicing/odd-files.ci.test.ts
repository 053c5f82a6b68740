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
      const ticket = await get(
        `/ga4gh/htsget/v1/reads/${file.id}?referenceName=chr1&start=1000&end=2000`,
      )
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
