import { execFileSync } from 'node:child_process'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { openEngine } from '../../engine/index.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { type Executor, inlineExecutor } from '../../engine/shared/executor.ts'
import type { EngineEvent } from '../../engine/shared/index.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { membersOf } from '../commons/contract/support/archives.ts'
import {
  idOf,
  md5Of,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { depth } from '../depth.ts'

// A disk changes bytes and leaves size, name and time as they were; a bucket returns wrong bytes.

const SMALL = { id: idOf(1), name: 'small.txt', bytes: someBytes(100, 1) }
const MIDDLE = { id: idOf(2), name: 'middle.bin', bytes: someBytes(300_000, 2) }
const LARGE = { id: idOf(3), name: 'large.bin', bytes: someBytes((2 << 20) + 17, 3) }
const FILES = [SMALL, MIDDLE, LARGE]

let world: DownloadWorld
let address = ''
let stop: () => Promise<void>
let jobs: string[] = []
let events: EngineEvent[] = []

/** Counts the jobs that run. */
const counting: Executor = {
  parallelism: 1,
  run(job, input, options) {
    jobs.push(job.name)
    return inlineExecutor.run(job, input, options)
  },
}

beforeAll(async () => {
  world = await openWorld(
    { ...SURROUNDINGS, files: FILES.map((file) => recordOf(file)) },
    { executor: counting, onEvent: (event) => events.push(event) },
  )
  for (const file of FILES) await world.store(file)
  const server = await listenFor(world.engine)
  address = server.address
  stop = () => server.close()
})
afterAll(async () => {
  await stop()
  await world.close()
})

interface Fetched {
  readonly status: number | undefined
  /** Whether the client was told that the answer is complete. */
  readonly isComplete: boolean
  readonly bytes: Buffer
}

async function fetched(path: string, headers: OutgoingHttpHeaders = {}): Promise<Fetched> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(address + path, { headers, agent: false }, resolve).on('error', reject)
  })
  const parts: Buffer[] = []
  try {
    for await (const part of answer) parts.push(part as Buffer)
  } catch {
    // The connection was broken off.
  }
  return { status: answer.statusCode, isComplete: answer.complete, bytes: Buffer.concat(parts) }
}

const placeOf = ({ id, name }: RetainedFile) => join(world.folder, 'files', id, name)
const md5OnDisk = (file: RetainedFile) =>
  execFileSync('md5sum', [placeOf(file)])
    .toString()
    .slice(0, 32)

/** Flips one bit of the file in place while `act` runs. */
async function withDamage(file: RetainedFile, at: number, act: () => Promise<void>): Promise<void> {
  const turn = async () => {
    const handle = await open(placeOf(file), 'r+')
    const byte = Buffer.alloc(1)
    await handle.read(byte, 0, 1, at)
    await handle.write(Buffer.of(byte.readUInt8() ^ 4), 0, 1, at)
    await handle.close()
  }
  await turn()
  expect(md5OnDisk(file)).not.toBe(md5Of(file.bytes))
  try {
    await act()
  } finally {
    await turn()
    expect(md5OnDisk(file)).toBe(md5Of(file.bytes))
  }
}

/** Offsets at the edges and in between. */
function places({ bytes: { length } }: RetainedFile): number[] {
  const random = randomFrom()
  random.reseed(length)
  const between = Array.from({ length: depth(1, 10, 40) }, () => random.below(length))
  return [0, length - 1, ...between]
}

async function shallow(): Promise<string[]> {
  const subjects: string[] = []
  for await (const { subject } of world.engine.check()) subjects.push(subject)
  return subjects
}

const metric = async (name: string) =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec((await fetched('/metrics')).bytes.toString())?.[1])

/** Ways to download the whole file: alone and in archives. */
const ways = ({ id }: RetainedFile) => [
  `/data/${id}`,
  `/data/${id}?tarfile`,
  `/data/${id}?compress`,
  `/data/${FILES.map((file) => file.id).join(',')}?tarfile`,
  `/data/${FILES.map((file) => file.id).join(',')}`,
]

test.each(FILES)('$name is never handed out whole with a byte changed', async (file) => {
  const whole = new Map<string, number>()
  for (const way of ways(file)) whole.set(way, (await fetched(way)).bytes.length)
  for (const at of places(file)) {
    await withDamage(file, at, async () => {
      for (const way of ways(file)) {
        const { status, isComplete, bytes } = await fetched(way)
        expect([way, at, isComplete && status === 200]).toEqual([way, at, false])
        // A client that does not check completeness does not get all bytes either.
        if (status === 200) expect(bytes.length).toBeLessThan(whole.get(way) ?? 0)
      }
    })
  }
})

test.each(FILES)('$name comes whole in all ways when it is sound', async (file) => {
  for (const way of ways(file)) {
    const { status, isComplete, bytes } = await fetched(way)
    expect([way, status, isComplete]).toEqual([way, 200, true])
    const got =
      way === `/data/${file.id}` ? bytes : (await membersOf(bytes)).find(isNamed(file))?.bytes
    expect(got?.equals(file.bytes)).toBe(true)
  }
})
const isNamed =
  ({ id, name }: RetainedFile) =>
  (member: { readonly name: string }) =>
    member.name === `${id}/${name}`

test('a large file is summed up by threads once its md5 was seen, and damage shows all the same', async () => {
  await fetched(`/data/${LARGE.id}`)
  jobs = []
  expect((await fetched(`/data/${LARGE.id}`)).isComplete).toBe(true)
  expect(jobs.filter((name) => name === 'integrity.checksum')).toHaveLength(2)
  await withDamage(LARGE, 1234, async () => {
    expect((await fetched(`/data/${LARGE.id}`)).isComplete).toBe(false)
  })
})

test('ranges, HEAD and conditions of a damaged file are answered without reading all of it', async () => {
  await withDamage(LARGE, 1 << 20, async () => {
    jobs = []
    const range = await fetched(`/data/${LARGE.id}`, { range: 'bytes=10-19' })
    expect(range).toMatchObject({ status: 206, isComplete: true })
    expect(range.bytes.equals(LARGE.bytes.subarray(10, 20))).toBe(true)
    const etag = `"${md5Of(LARGE.bytes)}"`
    expect((await fetched(`/data/${LARGE.id}`, { 'if-none-match': etag })).status).toBe(304)
    const head = await fetch(`${address}/data/${LARGE.id}`, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(LARGE.bytes.length))
    expect(jobs).toEqual([])
  })
  // A range that covers the whole file is checked like the whole file.
  await withDamage(LARGE, 1 << 20, async () => {
    const all = await fetched(`/data/${LARGE.id}`, { range: 'bytes=0-' })
    expect(all).toMatchObject({ status: 206, isComplete: false })
  })
})

test('damage is reported by the log, the metrics and check, until the file is stored again', async () => {
  const { engine, folder } = world
  for await (const _ of engine.check({ isDeep: true }));
  expect(await shallow()).toEqual([])
  const counted = await metric('casemill_damaged_files_found')
  events = []
  await withDamage(MIDDLE, 7, async () => {
    await fetched(`/data/${MIDDLE.id}`)
    expect(events).toMatchObject([{ level: 'error', fileId: MIDDLE.id }])
    expect(JSON.stringify(events)).not.toContain(MIDDLE.name)
    expect(await metric('casemill_damaged_files_found')).toBe(counted + 1)
    expect(await shallow()).toEqual([MIDDLE.id])
  })
  // Although the size is unchanged, the file is read again because it was found damaged.
  const { id, name, bytes } = MIDDLE
  const manifest = join(folder, 'manifest.txt')
  const row = [id, name, md5Of(bytes), bytes.length, 'released'].join('\t')
  await writeFile(manifest, `id\tfilename\tmd5\tsize\tstate\n${row}\n`)
  await mkdir(join(folder, 'from'))
  await writeFile(join(folder, 'from', name), bytes)
  const imported = await engine.commons.importFiles({ manifest, from: join(folder, 'from') })
  expect(imported).toMatchObject({ stored: 1, known: 0 })
  expect(await shallow()).toEqual([])
})

test('the scrub finds what nobody has asked for, and makes one pass for all starts', async () => {
  const { folder } = world
  const found: EngineEvent[] = []
  const options = {
    dataFolder: folder,
    executor: inlineExecutor,
    scrubBytesPerSecond: 1e12,
    onEvent: (event: EngineEvent) => found.push(event),
  }
  await withDamage(LARGE, 99, async () => {
    const engine = await openEngine(options)
    await engine.start()
    const isOver = () => expect(engine.load().lastScrubSeconds).toBeGreaterThan(0)
    await vi.waitFor(isOver, { timeout: 60_000 })
    expect(engine.load()).toMatchObject({
      damageFound: 1,
      scrubbedFiles: 3,
      scrubbedBytes: FILES.reduce((sum, { bytes }) => sum + bytes.length, 0),
    })
    await engine.close()
    const told = found.filter(({ level }) => level === 'error')
    expect(told).toMatchObject([{ fileId: LARGE.id }])
    expect(await shallow()).toEqual([LARGE.id])
  })
  const next = await openEngine(options)
  await next.start()
  await vi.waitFor(() => expect(next.load().lastScrubSeconds).toBeGreaterThan(0))
  await next.close()
  expect(next.load().scrubbedBytes).toBe(0)
})

test('check --deep reads everything at once, and ends with status 1', async () => {
  const run = (...more: string[]) => runProgram(['check', '--data', world.folder, ...more])
  // The check lists files found damaged by the scrub, and those repaired since.
  expect(await run()).toMatchObject({ status: 1, out: expect.stringContaining(LARGE.id) })
  expect(await run('--deep')).toMatchObject({ status: 0, out: '' })
  expect(await shallow()).toEqual([])
  await withDamage(LARGE, 1 << 20, async () => {
    expect(await shallow()).toEqual([])
    const deep = await run('--deep')
    expect(deep).toMatchObject({ status: 1, out: expect.stringContaining(LARGE.id) })
    expect(deep.out).toContain(`md5 is ${md5OnDisk(LARGE)}; ${md5Of(LARGE.bytes)} is on record`)
    expect(await shallow()).toEqual([LARGE.id])
  })
})

test('a bucket that changes bytes and keeps their tag has no download completed', async () => {
  const s3: S3Server = await startS3()
  const records = { ...SURROUNDINGS, files: FILES.map((file) => recordOf(file)) }
  const remote = await openWorld(records, { objects: s3.options })
  const server = await listenFor(remote.engine)
  const here = address
  try {
    for (const file of FILES) {
      const path = join(remote.folder, 'sent')
      await writeFile(path, file.bytes)
      await remote.engine.shared.blobs.writing.take({ id: file.id, name: file.name }, path)
      await remote.store(file, { storage: 's3' })
    }
    address = server.address
    for (const file of FILES) {
      // The second round shows that an earlier correct read is not trusted.
      for (const _ of [1, 2]) {
        expect((await fetched(`/data/${file.id}`)).bytes.equals(file.bytes)).toBe(true)
      }
      s3.intercept = (_, response) => changing(response)
      for (const way of ways(file)) {
        const { status, isComplete } = await fetched(way)
        expect([way, isComplete && status === 200]).toEqual([way, false])
      }
      s3.intercept = () => false
    }
    const found: string[] = []
    for await (const { subject } of remote.engine.check()) found.push(subject)
    expect(found).toEqual(expect.arrayContaining(FILES.map(({ id }) => id)))
  } finally {
    address = here
    await server.close()
    await remote.close()
    await s3.stop()
  }
})

/** Flips a bit in the first bytes of a body; the server continues to answer. */
function changing(response: ServerResponse): false {
  const write = response.write.bind(response)
  const state = { isDone: false }
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    if (chunk instanceof Uint8Array && !state.isDone && response.statusCode < 300) {
      state.isDone = true
      const changed = Buffer.from(chunk)
      changed.writeUInt8(changed.readUInt8(0) ^ 1, 0)
      return Reflect.apply(write, response, [changed, ...rest])
    }
    return Reflect.apply(write, response, [chunk, ...rest])
  }
  return false
}
