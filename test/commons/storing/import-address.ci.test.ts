import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RemoteFiles } from '../../../bin/remote/remote-files.ts'
import { RemoteHosts } from '../../../bin/remote/remote-hosts.ts'
import type { ImportAddress } from '../../../engine/commons/index.ts'
import type { Engine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { makeVcf } from '../../../fixtures/variants/make-variants.ts'
import { available } from '../../available.ts'
import { openEngine } from '../../places.ts'
import { appOf } from '../search/support/app.ts'
import { run } from '../slicing/support/htslib.ts'

// A server of files with ranges, whose bytes and behaviour each test changes.

let folder = ''
let server: Server
let origin = ''
let files: Map<string, Buffer>
let tag = '"one"'
/** The number of bytes to send before the connection breaks for good. */
let left = Number.POSITIVE_INFINITY
let ranges: string[] = []
let remote: RemoteFiles
let engine: Engine
let bam: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-address-'))
  const path = join(folder, 'a.bam')
  // The file is larger than one of the windows in which it is fetched.
  await makeBam({ path, seed: 12, style: 'htslib', scale: 9e6, level: 1 })
  bam = await readFile(path)
  const index = await readFile(`${path}.bai`)
  files = new Map([
    ['/files/a.bam', bam],
    ['/files/a.bam.bai', index],
  ])
  server = createServer((request, response) => {
    const bytes = files.get(request.url ?? '')
    if (!bytes) return void response.writeHead(404).end()
    if (request.headers['if-match'] && request.headers['if-match'] !== tag) {
      return void response.writeHead(412).end()
    }
    const [, from = '', to = ''] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)]
    if (end - start > 1) ranges.push(`${request.url} ${start}-${end}`)
    const range = `bytes ${start}-${end - 1}/${bytes.length}`
    response.writeHead(206, { etag: tag, 'content-range': range, 'content-length': end - start })
    const sent = bytes.subarray(start, Math.min(end, start + left))
    left -= sent.length
    response.write(sent, () => (left > 0 ? response.end() : response.destroy()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  remote = new RemoteFiles(new RemoteHosts([origin]), { pause: 1 })
})

beforeEach(async () => {
  tag = '"one"'
  left = Number.POSITIVE_INFINITY
  ranges = []
  const dataFolder = await mkdtemp(join(folder, 'data-'))
  engine = await openEngine({ dataFolder, executor: inlineExecutor, addresses: remote })
  return () => engine.close()
})

afterAll(async () => {
  remote.close()
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const incoming = () => readdir(join(engine.shared.dataFolder, 'incoming')).catch(() => [])
/** The index is fetched first. */
const bytesOfIndex = () => files.get('/files/a.bam.bai')?.length ?? 0
const rangesOfBam = () => ranges.filter((range) => range.startsWith('/files/a.bam '))
const importIt = (address = `${origin}/files/a.bam`) =>
  engine.commons.importAddress({ address, access: 'open', project: 'P' })

async function stored(): Promise<number> {
  return (await engine.shared.files.totals()).files
}

test('a BAM at an address is fetched in windows and stored with its index', async () => {
  const { file, records, known } = await importIt()
  expect(file).toMatchObject({
    fileName: 'a.bam',
    size: bam.length,
    indexName: 'a.bam.bai',
    md5: createHash('md5').update(bam).digest('hex'),
    access: 'open',
    linkedModified: null,
  })
  expect({ isEmpty: records === 0, known }).toEqual({ isEmpty: false, known: false })
  const window = 8 << 20
  const wanted = Array.from({ length: Math.ceil(bam.length / window) }, (_, i) => i * window)
  expect(rangesOfBam()).toEqual(
    wanted.map((start) => `/files/a.bam ${start}-${Math.min(start + window, bam.length)}`),
  )
  const path = engine.shared.blobs.folder.path({ id: file.id, name: file.fileName })
  expect((await readFile(path)).equals(bam)).toBe(true)
  expect(await incoming()).toEqual([])
  const found: unknown[] = []
  for await (const issue of engine.commons.check({ isDeep: true })) {
    if (!issue.isNote) found.push(issue)
  }
  expect(found).toEqual([])
})

test('what was broken off goes on where it was', async () => {
  left = bytesOfIndex() + (8 << 20) + 1000
  await expect(importIt()).rejects.toMatchObject({ code: 'unavailable' })
  expect(await stored()).toBe(0)
  left = Number.POSITIVE_INFINITY
  ranges = []
  await importIt()
  // Complete windows are not fetched again.
  expect(rangesOfBam()[0]).toBe(`/files/a.bam ${8 << 20}-${Math.min(16 << 20, bam.length)}`)
  expect(await stored()).toBe(1)
})

test('a file that changes while it is fetched is refused, and is stored as what it became', async () => {
  left = bytesOfIndex() + (8 << 20) + 1000
  await expect(importIt()).rejects.toMatchObject({ code: 'unavailable' })
  left = Number.POSITIVE_INFINITY
  const opened = await remote.open(`${origin}/files/a.bam`)
  tag = '"two"'
  const range = { key: '', entityTag: opened.identity.inode, start: 0, end: 100 }
  await expect(opened.reader.fetch(range, () => {})).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/another file than it was/),
  })
  ranges = []
  await importIt()
  // The new file contains nothing of the previous one.
  expect(rangesOfBam()[0]).toBe(`/files/a.bam 0-${8 << 20}`)
})

test.each([
  ['elsewhere', 'https://elsewhere.example/a.bam', /not among the hosts/],
  ['absent', '/files/none.bam', /there is no file/],
  ['of no name', '/files/', /no plain file name/],
  ['of a bad name', '/files/%2e%2e%2fa.bam', /no plain file name/],
])('a file %s is refused', async (_, address, message) => {
  const whole = address.startsWith('/') ? origin + address : address
  await expect(importIt(whole)).rejects.toThrow(message)
  expect(await stored()).toBe(0)
})

describe.skipIf(!available.bcftools)('variants at an address', () => {
  const importVcf = (more: Partial<ImportAddress> = {}) =>
    engine.commons.importAddress({
      address: `${origin}/files/calls.vcf.gz`,
      kind: 'variants',
      access: 'open',
      ...more,
    })
  let path = ''
  beforeAll(async () => {
    await writeFile(join(folder, 'calls.vcf'), makeVcf({ seed: 14, records: 2000 }))
    await run('bgzip', join(folder, 'calls.vcf'))
    path = join(folder, 'calls.vcf.gz')
    await run('tabix', '-p', 'vcf', path)
    files.set('/files/calls.vcf.gz', await readFile(path))
  })
  beforeEach(async () => {
    files.set('/files/calls.vcf.gz.tbi', await readFile(`${path}.tbi`))
  })

  test('are stored with their index, and sliced as by bcftools', async () => {
    const { file, records } = await importVcf()
    expect(records).toBe(2000)
    expect(file).toMatchObject({ dataFormat: 'VCF', indexName: 'calls.vcf.gz.tbi' })
    const opened = await engine.commons.slicing.open(file.id, undefined)
    await using slice = await opened.slice({ regions: ['chrX:1-500000'], genes: [] })
    const parts: Buffer[] = []
    for await (const chunk of slice.body) parts.push(Buffer.from(chunk))
    await writeFile(join(folder, 'slice'), Buffer.concat(parts))
    const ours = await run('bcftools', 'view', '--no-version', '-H', join(folder, 'slice'))
    const words = ['view', '--no-version', '-H', '-r', 'chrX:1-500000']
    expect(ours.equals(await run('bcftools', ...words, path))).toBe(true)
    expect(ours.length).toBeGreaterThan(1000)
  })

  test('without an index none of their bytes are fetched, unless one is given', async () => {
    files.delete('/files/calls.vcf.gz.tbi')
    await expect(importVcf()).rejects.toMatchObject({
      code: 'no_index',
      message: expect.stringMatching(/\.tbi or \.csi behind it; give it as a file by --index/),
    })
    expect(ranges.filter((range) => range.startsWith('/files/calls.vcf.gz '))).toEqual([])
    expect((await importVcf({ indexPath: `${path}.tbi` })).records).toBe(2000)
  })

  test('are not served from there, and no BAM is taken for them', async () => {
    await expect(importVcf({ link: true })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('leave out --link'),
    })
    const other = { address: `${origin}/files/a.bam`, indexPath: `${path}.tbi` }
    await expect(importVcf(other)).rejects.toMatchObject({ code: 'bad_input' })
    await expect(importVcf({ kind: undefined })).rejects.toMatchObject({ code: 'bad_input' })
  })

  test('that change while they are fetched are refused', async () => {
    left = 4000
    await expect(importVcf()).rejects.toMatchObject({ code: 'unavailable' })
    expect(await stored()).toBe(0)
  })
})

describe.skipIf(!available.samtools)('CRAM at an address', () => {
  const importCram = (more: Partial<ImportAddress> = {}) =>
    engine.commons.importAddress({
      address: `${origin}/files/a.cram`,
      kind: 'CRAM',
      access: 'open',
      ...more,
    })
  let cram: Buffer
  beforeAll(async () => {
    const path = join(folder, 'a.cram')
    // Sequences are in the file, so no reference is needed.
    const output = 'cram,no_ref=1,seqs_per_slice=1000'
    await run('samtools', 'view', '-O', output, '-o', path, join(folder, 'a.bam'))
    await run('samtools', 'index', path)
    cram = await readFile(path)
    files.set('/files/a.cram', cram)
    files.set('/files/a.cram.crai', await readFile(`${path}.crai`))
  })

  test('is stored with its index', async () => {
    const { file, records } = await importCram()
    expect(file).toMatchObject({ dataFormat: 'CRAM', indexName: 'a.cram.crai', size: cram.length })
    expect(file.md5).toBe(createHash('md5').update(cram).digest('hex'))
    const count = await run('samtools', 'view', '-c', join(folder, 'a.cram'))
    expect(records).toBe(Number(count.toString()))
    for await (const issue of engine.commons.check({ isDeep: true })) {
      expect(issue).toMatchObject({ isNote: true })
    }
  })

  test('that breaks off is not stored', async () => {
    left = 4000
    await expect(importCram()).rejects.toMatchObject({ code: 'unavailable' })
    expect(await stored()).toBe(0)
  })
})

test('without a reader of addresses nothing is read', async () => {
  const dataFolder = await mkdtemp(join(folder, 'data-'))
  const other = await openEngine({ dataFolder, executor: inlineExecutor })
  const address = `${origin}/files/a.bam`
  await expect(other.commons.importAddress({ address })).rejects.toMatchObject({
    code: 'bad_input',
  })
  await other.close()
})

test('a reference is served from its address, and no copy is kept', async () => {
  const address = `${origin}/files/a.bam`
  const what = { address, access: 'open' as const, project: 'P', link: true }
  const { file, records } = await engine.commons.importAddress(what)
  expect(file).toMatchObject({ size: bam.length, md5: md5(bam), indexName: 'a.bam.bai' })
  expect(file.linkedModified).not.toBe(null)
  const folderOf = join(engine.shared.filesFolder, file.id)
  expect((await readdir(folderOf)).sort()).toEqual([
    'a.bam.bai',
    'blocks.directory',
    'file.address',
  ])
  expect(await incoming()).toEqual([])
  expect(await problems()).toEqual([])
  const copied = await engine.commons.importAddress({ ...what, link: false, project: 'Q' })
  expect(copied.records).toBe(records)

  const app = appOf(engine)
  const target = (id: string) => `/slicing/view/${id}?region=chr17`
  const [byReference, byCopy] = await Promise.all(
    [file.id, copied.file.id].map(async (id) => {
      const answer = await app.request(target(id))
      expect(answer.status).toBe(206)
      return Buffer.from(await answer.arrayBuffer())
    }),
  )
  expect(byReference?.equals(byCopy ?? Buffer.alloc(0))).toBe(true)
  const whole = await app.request(`/data/${file.id}`)
  expect(whole.status).toBe(200)
  expect(md5(Buffer.from(await whole.arrayBuffer()))).toBe(md5(bam))
  const part = await app.request(`/data/${file.id}`, { headers: { range: 'bytes=100-199' } })
  expect(Buffer.from(await part.arrayBuffer()).equals(bam.subarray(100, 200))).toBe(true)
})

test('a reference to what changed or went is not served, and a check tells', async () => {
  const address = `${origin}/files/a.bam`
  const what = { address, access: 'open' as const, project: 'P', link: true }
  const { file } = await engine.commons.importAddress(what)
  const app = appOf(engine)
  tag = '"two"'
  const answer = await app.request(`/data/${file.id}`)
  const body = await answer.arrayBuffer().catch(() => undefined)
  expect(answer.status !== 200 || body === undefined).toBe(true)
  // Another process has no memory of the transfer.
  const { dataFolder } = engine.shared
  await engine.close()
  engine = await openEngine({ dataFolder, executor: inlineExecutor, addresses: remote })
  const again = appOf(engine)
  expect((await again.request(`/slicing/view/${file.id}?region=chr17`)).status).toBe(503)
  expect((await problems()).join()).toMatch(/changed after it was stored/)
  files.delete('/files/a.bam')
  await engine.close()
  engine = await openEngine({ dataFolder, executor: inlineExecutor, addresses: remote })
  expect((await problems()).join()).toMatch(/at an address that cannot be read: there is no file/)
  files.set('/files/a.bam', bam)
  await engine.close()
  // The list of this service no longer contains the host.
  const closed = new RemoteFiles(new RemoteHosts([]))
  engine = await openEngine({ dataFolder, executor: inlineExecutor, addresses: closed })
  expect((await problems()).join()).toMatch(/not among the hosts/)
  closed.close()
})

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** The problems that a check finds in stored files. */
async function problems(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { problem, isNote } of engine.commons.check({ isDeep: false })) {
    if (!isNote) found.push(problem)
  }
  return found
}
