import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIRECTORY_NAME } from '../../engine/commons/slicing/stored.ts'
import { openEngine } from '../../engine/index.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { type Random, randomFrom } from '../../fixtures/random.ts'
import { makeBed, makeGff, makeVcf } from '../../fixtures/variants/make-variants.ts'
import type { RunningServer } from '../../server/main.ts'
import { available } from '../available.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { printRegions, run } from '../commons/slicing/support/htslib.ts'
import { depth } from '../depth.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { runTool } from './support/tools.ts'

// Variants, features and CRAM in a bucket, by slice, by ticket and by the guessed names of their indexes:
// from a node that has their block directories, and from one that cuts them by their indexes alone.
// Truth is bcftools, tabix and samtools on the files as they were before the import.

const REGIONS = depth(3, 8, 250)
const NAMES = ['1', '2', 'chrX']

type Kind = 'vcf' | 'bcf' | 'bed' | 'gff'

interface Node {
  readonly engine: Awaited<ReturnType<typeof openEngine>>
  readonly server: RunningServer
}

let folder = ''
let s3: S3Server
let withDirectories: Node
let byIndex: Node
const paths: Record<string, string> = {}
const ids: Record<string, string> = {}

const open = async (dataFolder: string): Promise<Node> => {
  const engine = await openEngine({
    dataFolder,
    executor: inlineExecutor,
    objects: { ...s3.options, prefix: 'shared' },
    presigning: { open: true, controlled: false },
  })
  // An engine that was not started does no background work, so it makes no block directories.
  return { engine, server: await listenFor(engine) }
}

const isReady = available.bcftools && available.samtools

beforeAll(async () => {
  if (!isReady) return
  folder = await mkdtemp(join(tmpdir(), 'casemill-bucket-'))
  s3 = await startS3()
  await makeFiles()
  withDirectories = await open(join(folder, 'data'))
  const { commons, shared } = withDirectories.engine
  for (const [name, path] of Object.entries(paths)) {
    const kind = name === 'cram' ? 'CRAM' : 'variants'
    ids[name] = (await commons.importBam({ path, kind, access: 'open' })).file.id
  }
  const other = join(folder, 'other')
  await cp(join(folder, 'data'), other, { recursive: true })
  await rm(join(other, 'files'), { recursive: true })
  for (const id of Object.values(ids)) {
    await shared.blobs.writing.remove({ id, name: DIRECTORY_NAME })
  }
  byIndex = await open(other)
})
afterAll(async () => {
  for (const node of [withDirectories, byIndex]) {
    await node?.server.close()
    await node?.engine.close()
  }
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function makeFiles(): Promise<void> {
  const lines = { bed: makeBed, gff: makeGff }
  paths.vcf = join(folder, 'calls.vcf.gz')
  await packLines('vcf', paths.vcf, makeVcf({ seed: 61, records: 8000, samples: 10 }))
  for (const kind of ['bed', 'gff'] as const) {
    paths[kind] = join(folder, `features.${kind}.gz`)
    await packLines(kind, paths[kind], lines[kind]({ seed: 62, records: 12_000 }))
  }
  paths.bcf = join(folder, 'calls.bcf')
  await run('bcftools', 'view', '--no-version', '-Ob', '-o', paths.bcf, paths.vcf)
  await run('bcftools', 'index', paths.bcf)
  const bam = join(folder, 'reads.bam')
  await makeBam({ path: bam, seed: 63, scale: 1e6, style: 'htslib' })
  paths.cram = join(folder, 'reads.cram')
  const options = ['no_ref=1', 'seqs_per_slice=100'].flatMap((one) => ['--output-fmt-option', one])
  await run('samtools', 'view', '-C', ...options, '-o', paths.cram, bam)
  await run('samtools', 'index', paths.cram)
}

async function packLines(preset: string, path: string, text: string): Promise<void> {
  const plain = path.replace(/\.gz$/, '')
  await writeFile(plain, text)
  await run('bgzip', plain)
  await run('tabix', '-p', preset, path)
}

const nodes = [
  ['by block directory', () => withDirectories],
  ['by index', () => byIndex],
] as const

/** The region is long enough to have blocks between its ends. */
const LONG: Region = { reference: '2', start: 100_000, end: 1_900_000 }

function drawRegion(random: Random): Region {
  const start = random.below(1_900_000)
  const end = start + 1 + Math.floor(10 ** (6 * random.unit()))
  return { reference: NAMES[random.below(NAMES.length)]!, start, end }
}

const drawRegions = (seed: number) => {
  const random = randomFrom(seed)
  return [LONG, ...Array.from({ length: REGIONS }, () => drawRegion(random))]
}

interface Region {
  readonly reference: string
  readonly start: number
  readonly end: number
}

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url)
  if (!response.ok) expect.fail(`${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

const sliceOf = ({ server }: Node, kind: Kind, { reference, start, end }: Region) =>
  bytesOf(`${server.address}/slicing/view/${ids[kind]}?region=${reference}:${start + 1}-${end}`)

const ticketOf = async ({ server }: Node, path: string) =>
  JSON.parse((await bytesOf(`${server.address}${path}`)).toString()) as Ticket

const queryOf = ({ reference, start, end }: Region) =>
  `referenceName=${encodeURIComponent(reference)}&start=${start}&end=${end}`

/** Expects the records fetched for each region to be those that the tool finds in the local file. */
async function expectRecords(
  kind: Kind,
  regions: readonly Region[],
  fetched: (region: Region) => Promise<Buffer>,
): Promise<void> {
  const work = await mkdtemp(join(folder, 'printed-'))
  for (const [i, region] of regions.entries()) {
    await writeFile(join(work, `${i}.ours`), await fetched(region))
  }
  const printed = await printRegions(kind, paths[kind]!, regions, work)
  let lengths = 0
  for (const [i, { ours, theirs }] of printed.entries()) {
    expect(ours.equals(theirs), `${kind} ${JSON.stringify(regions[i])}`).toBe(true)
    lengths += theirs.length
  }
  expect(lengths).toBeGreaterThan(0)
}

describe.skipIf(!isReady).each(nodes)('in a bucket, %s', (how, nodeOf) => {
  test.each(['vcf', 'bcf', 'bed', 'gff'] as const)(
    'slices of %s have the records of the tool',
    async (kind) => {
      await expectRecords(kind, drawRegions(64), (region) => sliceOf(nodeOf(), kind, region))
    },
  )

  test.each(['vcf', 'bcf'] as const)('tickets of %s have the records of bcftools', async (kind) => {
    const node = nodeOf()
    const regions = drawRegions(65)
    let fetched = 0
    await expectRecords(kind, regions, async (region) => {
      const ticket = await ticketOf(node, `/variants/${ids[kind]}?${queryOf(region)}`)
      const bytes = await bytesOfTicket(ticket)
      expect(bytes.equals(await sliceOf(node, kind, region))).toBe(true)
      for (const { url } of ticket.htsget.urls) {
        if (url.startsWith('data:')) continue
        // If the blocks in between are unknown, the ticket contains no range of the bucket.
        const origin = how === 'by index' ? node.server.address : s3.options.endpoint
        expect(new URL(url).origin).toBe(origin)
        fetched++
      }
      return bytes
    })
    expect(fetched).toBeGreaterThan(0)
  })

  test('tickets of CRAM have all records of the file, after the local filter', async () => {
    let found = 0
    for (const [i, { start, end }] of drawRegions(66).entries()) {
      const region = { reference: `chr${1 + (i % 2)}`, start: start * 50, end: end * 50 }
      const ticket = join(folder, 'ticket.cram')
      const { htsget } = await ticketOf(nodeOf(), `/reads/${ids.cram}?${queryOf(region)}`)
      await writeFile(ticket, await bytesOfTicket({ htsget }))
      await run('samtools', 'quickcheck', ticket)
      await writeFile(`${ticket}.bed`, `${region.reference}\t${region.start}\t${region.end}\n`)
      // samtools view -c -L BED FILE tests every record without an index.
      const count = async (file: string) =>
        Number(await run('samtools', 'view', '-c', '-L', `${ticket}.bed`, file))
      expect(await count(ticket)).toBe(await count(paths.cram!))
      found += await count(ticket)
    }
    expect(found).toBeGreaterThan(0)
  })

  test('each index lies under the name that readers guess, and under no other', async () => {
    const { address } = nodeOf().server
    for (const [kind, ending, other] of [
      ['vcf', 'tbi', 'csi'],
      ['bed', 'tbi', 'csi'],
      ['gff', 'tbi', 'bai'],
      ['bcf', 'csi', 'tbi'],
      ['cram', 'crai', 'bai'],
    ] as const) {
      const url = `${address}/data/${ids[kind]}`
      const index = await bytesOf(`${url}.${ending}`)
      const brought = kind === 'cram' && gunzipSync(await readFile(`${paths[kind]}.crai`))
      if (brought) expect(gunzipSync(index).equals(brought)).toBe(true)
      else expect(gunzipSync(index).toString('latin1', 0, 3)).toBe(ending.toUpperCase())
      expect((await fetch(`${url}.${other}`)).status).toBe(404)
    }
  })

  test('tools read regions by the address of the file alone', async () => {
    const { address } = nodeOf().server
    for (const [program, kind, words, region] of [
      ['tabix', 'bed', [], '2:500001-700000'],
      ['tabix', 'gff', [], 'chrX:1-300000'],
      ['bcftools', 'bcf', ['view', '--no-version', '-H', '-r', '1:900001-1200000'], ''],
      ['samtools', 'cram', ['view', '-c'], 'chr1:1000001-90000000'],
    ] as const) {
      // For BCF, the tools do not guess the index's name from an address without an extension.
      const remote = `${address}/data/${ids[kind]}`
      const indexed = kind === 'bcf' ? `${remote}##idx##${remote}.csi` : remote
      const behind = region === '' ? [] : [region]
      // The tools leave a copy of the index in the folder.
      const cwd = await mkdtemp(join(folder, 'cwd-'))
      const ours = await runTool(program, [...words, indexed, ...behind], { cwd })
      const theirs = await runTool(program, [...words, paths[kind]!, ...behind], { cwd })
      expect(ours.equals(theirs), `${program} ${kind}`).toBe(true)
      expect(ours.length).toBeGreaterThan(2)
    }
  })

  test('only one of the nodes has block directories', async () => {
    const url = `${nodeOf().server.address}/slicing/view/${ids.vcf}?region=1`
    const { headers } = await fetch(url, { method: 'HEAD' })
    // Without a directory the blocks in between are unknown, because they would have to be fetched.
    expect(headers.has('etag')).toBe(how !== 'by index')
    expect((await s3.keys()).filter((key) => key.endsWith(DIRECTORY_NAME))).toEqual([])
  })
})

test.skipIf(!isReady)('a deep check misses the block directories, and nothing else', async () => {
  const missing: string[] = []
  for await (const issue of byIndex.engine.commons.check({ isDeep: true })) {
    if (issue.isNote) continue
    expect(issue.problem).toBe('block directory is missing')
    missing.push(issue.subject)
  }
  const { cram: _, ...sliced } = ids
  expect(missing.toSorted()).toEqual(Object.values(sliced).toSorted())
})
