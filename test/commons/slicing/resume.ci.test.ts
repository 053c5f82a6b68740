import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openEngine } from '../../../engine/index.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { type ServedEngine, serveEngine } from '../../clients/support/served-engine.ts'
import { depth } from '../../depth.ts'
import { eventually } from '../../eventually.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'

// A slice that broke off can be resumed at that byte on any node, and together the parts are equal to the whole
// slice. The expected slice is streamed by a separate slicer.

const CUTS_OF_SMALL = depth(60, 400, Number.POSITIVE_INFINITY)
const CUTS_OF_LARGE = depth(20, 80, 1000)

let folder = ''
let pool: ThreadPool
let path = ''
let node: Node
let fileId = ''
let small: Buffer
let large: Buffer

interface Node {
  readonly served: ServedEngine
  readonly dataFolder: string
}

async function serve(dataFolder: string, objects?: S3Server['options']): Promise<ServedEngine> {
  return serveEngine(await openEngine({ dataFolder, executor: pool, objects }))
}

async function importInto(dataFolder: string, objects?: S3Server['options']): Promise<string> {
  const engine = await openEngine({ dataFolder, executor: pool, objects })
  const { file } = await engine.commons.importBam({ path, access: 'open' })
  await engine.close()
  return file.id
}

const SMALL = 'region=chr1:10005000-10006000'
const LARGE = 'region=chr1:10000000&region=chr2'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-resume-'))
  pool = new ThreadPool({ threads: 2 })
  path = join(folder, 'made.bam')
  await makeBam({ path, seed: 12, style: 'htslib', scale: 3e6 })
  await makeDirectory(path, `${path}.directory`)
  const dataFolder = join(folder, 'node')
  fileId = await importInto(dataFolder)
  node = { served: await serve(dataFolder), dataFolder }
  const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
  const chr2 = { reference: 'chr2', start: 0, end: Infinity }
  small = await slicer.bytes({
    intervals: [{ reference: 'chr1', start: 10_004_999, end: 10_006_000 }],
    unplaced: false,
  })
  large = await slicer.bytes({
    intervals: [{ reference: 'chr1', start: 9_999_999, end: Infinity }, chr2],
    unplaced: false,
  })
  await slicer.close()
})
afterAll(async () => {
  await node?.served.close()
  await pool?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Given {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly id?: string
}

const ask = ({ address }: ServedEngine, query: string, { id = fileId, ...init }: Given = {}) =>
  fetch(`${address}/slicing/view/${id}?${query}`, init)

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

/** Requests the rest of a slice from a byte on, as the holder of its beginning does. */
async function rest(from: ServedEngine, query: string, etag: string, at: number, id = fileId) {
  const headers = { Range: `bytes=${at}-`, 'If-Range': etag }
  return ask(from, query, { headers, id })
}

async function expectResumed(
  whole: Buffer,
  query: string,
  cuts: Iterable<number>,
  { nodes = [node.served], id = fileId } = {},
): Promise<void> {
  const etag = (await ask(nodes[0]!, query, { method: 'HEAD', id })).headers.get('etag') ?? ''
  let turn = 0
  for (const at of cuts) {
    const response = await rest(nodes[turn++ % nodes.length]!, query, etag, at, id)
    const bytes = await bytesOf(response)
    const range = response.headers.get('content-range')
    if (range !== `bytes ${at}-${whole.length - 1}/${whole.length}`) {
      expect.fail(`from ${at} on came ${response.status} with range ${range}`)
    }
    if (!bytes.equals(whole.subarray(at))) expect.fail(`from ${at} on the bytes are others`)
  }
}

function* spread(size: number, count: number): Generator<number> {
  const step = Math.max(1, size / count)
  for (let at = 0; at < size; at += step) yield Math.floor(at)
  yield size - 1
}

test('a fresh slice has a length and a validator, and is no range', async () => {
  for (const init of [{}, { method: 'POST' }, { method: 'HEAD' }]) {
    const response = await ask(node.served, SMALL, init)
    expect(response.status).toBe(206)
    expect(response.headers.get('content-length')).toBe(String(small.length))
    expect(response.headers.get('etag')).toMatch(/^"[\w-]{22}"$/)
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(response.headers.has('content-range')).toBe(false)
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Accept-Ranges', 'Content-Range', 'ETag']))
    if (init.method !== 'HEAD') expect((await bytesOf(response)).equals(small)).toBe(true)
  }
})

test('a small slice is gone on with from every byte', async () => {
  expect(small.length).toBeGreaterThan(1000)
  await expectResumed(small, SMALL, spread(small.length, CUTS_OF_SMALL))
})

test('a large slice is gone on with from anywhere', async () => {
  expect(large.length).toBeGreaterThan(1e6)
  const random = randomFrom(3)
  const cuts = Array.from({ length: CUTS_OF_LARGE }, () => random.below(large.length))
  await expectResumed(large, LARGE, cuts)
})

test.each(['bai', 'csi'])('index=%s gives the index of the same slice', async (kind) => {
  const { headers } = await ask(node.served, SMALL, { method: 'HEAD' })
  const etag = headers.get('etag')?.replace(/"$/, `-${kind}"`) ?? ''
  for (const init of [{}, { method: 'POST' }, { method: 'HEAD' }]) {
    const response = await ask(node.served, `${SMALL}&index=${kind}`, init)
    const bytes = await bytesOf(response)
    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).toBe(etag)
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename=made_slice.bam.${kind}`,
    )
    if (init.method === 'HEAD') continue
    expect(bytes.length).toBe(Number(response.headers.get('content-length')))
    const magic = kind === 'bai' ? bytes : gunzipSync(bytes)
    expect(magic.toString('latin1', 0, 4)).toBe(kind === 'bai' ? 'BAI\u0001' : 'CSI\u0001')
  }
  const held = { headers: { 'If-None-Match': etag } }
  expect((await ask(node.served, `${SMALL}&index=${kind}`, held)).status).toBe(304)
  const wrong = await ask(node.served, `${SMALL}&index=tbi`)
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: expect.any(String) }])
})

describe('what is asked for beside a range', () => {
  let etag = ''
  beforeAll(async () => {
    etag = (await ask(node.served, SMALL, { method: 'HEAD' })).headers.get('etag') ?? ''
  })
  const range = { Range: 'bytes=100-199' }
  const other = '"0123456789abcdefghijkl"'

  test.each([
    ['nothing', {}, 'whole'],
    ['any', { 'If-Match': '*' }, 'whole'],
    ['another slice', { 'If-Range': other }, 'whole'],
    ['this slice, weakly', { 'If-Range': 'W/ETAG' }, 'whole'],
    ['a date', { 'If-Range': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 'whole'],
    ['this slice', { 'If-Range': 'ETAG' }, 'part'],
    ['this slice as a condition', { 'If-Match': 'ETAG' }, 'part'],
    ['one of several', { 'If-Match': `${other}, ETAG` }, 'part'],
    ['another slice as a condition', { 'If-Match': other }, 412],
    ['several ranges', { 'If-Range': 'ETAG', Range: 'bytes=0-1,5-6' }, 'whole'],
    ['a range behind the end', { 'If-Range': 'ETAG', Range: 'bytes=999999999-' }, 416],
    ['that it is held', { 'If-None-Match': 'ETAG' }, 304],
  ] as const)('%s', async (_, given, expected) => {
    const named = Object.entries({ ...range, ...given }).map(([name, value]) => [
      name,
      value.replace('ETAG', etag),
    ])
    for (const method of ['GET', 'POST']) {
      const headers = Object.fromEntries(named)
      const response = await ask(node.served, SMALL, { method, headers })
      const bytes = await bytesOf(response)
      if (expected === 'whole' || expected === 'part') {
        const [start, end] = expected === 'part' ? [100, 200] : [0, small.length]
        expect(response.status).toBe(206)
        expect(response.headers.get('content-range')).toBe(
          expected === 'part' ? `bytes 100-199/${small.length}` : null,
        )
        expect(bytes.equals(small.subarray(start, end))).toBe(true)
        continue
      }
      // By RFC 9110 13.1.2, only reads are answered as not modified.
      expect(response.status).toBe(expected === 304 && method === 'POST' ? 412 : expected)
      if (expected === 416) {
        expect(response.headers.get('content-range')).toBe(`bytes */${small.length}`)
      }
    }
    const { headers } = await ask(node.served, SMALL, { method: 'HEAD' })
    expect(headers.get('content-length')).toBe(String(small.length))
  })

  test('places stay free, whatever became of the requests', async () => {
    const metrics = await (await fetch(`${node.served.address}/metrics`)).text()
    expect(metrics).toMatch(/^casemill_slices_active 0$/m)
  })
})

test('a copy of the folder goes on with a slice once it has a directory of its own', async () => {
  const dataFolder = join(folder, randomUUID())
  await cp(node.dataFolder, dataFolder, { recursive: true })
  const copy = await serve(dataFolder)
  onTestFinished(() => copy.close())
  const tagOf = async (from: ServedEngine) =>
    (await ask(from, LARGE, { method: 'HEAD' })).headers.get('etag') ?? ''
  const etag = await tagOf(node.served)
  // Its directory belongs to a file with another inode, so records are found by the index meanwhile.
  const first = await rest(copy, LARGE, etag, 1000)
  const found = await bytesOf(first)
  if (first.headers.get('etag') !== etag) {
    expect([first.status, first.headers.get('content-range')]).toEqual([206, null])
    expect(found.length).toBe(Number(first.headers.get('content-length')))
  }
  await eventually(async () => expect(await tagOf(copy)).toBe(etag))
  const nodes = [copy, node.served]
  await expectResumed(large, LARGE, spread(large.length, CUTS_OF_LARGE / 2), { nodes })
})

test('two nodes on one bucket go on with each other’s slices', async () => {
  const s3 = await startS3()
  onTestFinished(() => s3.stop())
  const dataFolder = join(folder, randomUUID())
  const id = await importInto(dataFolder, s3.options)
  const other = join(folder, randomUUID())
  await cp(dataFolder, other, { recursive: true })
  await rm(join(other, 'files'), { recursive: true, force: true })
  const nodes = [await serve(dataFolder, s3.options), await serve(other, s3.options)]
  onTestFinished(async () => {
    for (const each of nodes) await each.close()
  })
  await expectResumed(large, LARGE, spread(large.length, CUTS_OF_LARGE / 4), { nodes, id })
})

test('a file without a directory has a length where its blocks are soon found', async () => {
  const local = new FileSlicer({ path, indexPath: `${path}.bai` }, pool)
  const request = { intervals: [{ reference: 'chr2', start: 0, end: Infinity }], unplaced: false }
  await using plan = await local.plan(request)
  expect(plan.length).toBe((await local.bytes(request)).length)
  expect((await readFile(path)).length).toBeGreaterThan(plan.length ?? 0)
  await local.close()
})
