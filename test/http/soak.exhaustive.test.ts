import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngine } from '../../engine/index.ts'
import { END_MARKER } from '../../engine/shared/formats/bgzf.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { eventually } from '../eventually.ts'

// After ten thousand mixed requests on 64 connections, a third of them broken off, no resources remain in use.
// It reads /proc, so it needs Linux.

const REQUESTS = 10_000
// The number of requests until the memory of threads has grown to what concurrent requests need.
const WARM_UP = 4_000
const CONNECTIONS = 64
/** Two megabytes for each item that all slices may have in progress (ARCHITECTURE.md). */
const MAX_BUFFER_BYTES = 64 * 2 * 1024 * 1024
const OPEN = '11111111-2222-5333-8444-555555555501'
const CONTROLLED = '11111111-2222-5333-8444-555555555502'
const folder = mkdtempSync(join(tmpdir(), 'casemill-soak-'))

let server: ChildProcess
let address: URL
let stderr = ''

beforeAll(async () => {
  const data = join(folder, 'data')
  const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
  for (const [id, access, seed] of [
    [OPEN, 'open', 1],
    [CONTROLLED, 'controlled', 2],
  ] as const) {
    const path = join(folder, `${access}.bam`)
    await makeBam({ path, seed, style: seed === 1 ? 'htslib' : 'htsjdk', scale: 'demo' })
    await engine.commons.importBam({ path, id, access, project: 'P' })
  }
  await engine.close()
  server = spawn(
    process.execPath,
    [
      '--max-semi-space-size=8',
      '--initial-old-space-size=16',
      'bin/casemill.ts',
      'serve',
      '--port',
      '0',
      '--data',
      data,
    ],
    {
      env: { ...process.env, CASEMILL_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const lines = createInterface({ input: server.stdout! })
  const [first] = (await once(lines, 'line')) as [string]
  address = new URL(/http:\/\/\S+/.exec(first)![0])
  // The threads' memory still grows after the first answers.
  await eventually(async () =>
    expect((await fetch(new URL('/health/ready', address))).status).toBe(200),
  )
})

afterAll(() => {
  server?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Ask {
  readonly path: string
  readonly status: number
  /** The number of bytes after which the client leaves; Infinity reads to the end. */
  readonly leaveAfter: number
}

function asks(seed: number): () => Ask {
  const random = randomFrom(seed)
  const region = () => {
    const start = 1 + random.below(80_000_000)
    return `chr${1 + random.below(22)}:${start}-${start + random.below(5_000_000)}`
  }
  const genes = [7_661_779, 43_044_295, 7_600_000]
  return () => {
    const leaveAfter = random.chance(1 / 3) ? random.below(2_000_000) : Infinity
    const view = `/slicing/view/${OPEN}`
    switch (random.below(10)) {
      case 0:
        return { path: `${view}?region=chr7&region=chr17`, status: 206, leaveAfter }
      case 1:
        return { path: `${view}?region=unmapped`, status: 206, leaveAfter }
      case 2:
        return { path: `${view}?region=chr1:x`, status: 400, leaveAfter: Infinity }
      case 3:
        return {
          path: `/slicing/view/${CONTROLLED}?region=chr1`,
          status: 403,
          leaveAfter: Infinity,
        }
      case 4:
        return { path: '/slicing/view/nothing?region=chr1', status: 404, leaveAfter: Infinity }
      case 5:
        return { path: view, status: 206, leaveAfter }
      case 6: {
        const regions = Array.from({ length: 20 }, () => `region=${region()}`).join('&')
        return { path: `${view}?${regions}`, status: 206, leaveAfter }
      }
      default: {
        const start = genes[random.below(genes.length)]! + random.below(20_000)
        return { path: `${view}?region=chr17:${start}-${start + 9_000}`, status: 206, leaveAfter }
      }
    }
  }
}

async function send(agent: Agent, { path, status, leaveAfter }: Ask): Promise<void> {
  const asked = request(new URL(path, address), { agent })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(status)
  let length = 0
  let tail = Buffer.alloc(0)
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    tail = Buffer.concat([tail, chunk]).subarray(-END_MARKER.length)
    if (length > leaveAfter) {
      asked.destroy()
      return
    }
  }
  if (status === 206) expect(tail.equals(END_MARKER)).toBe(true)
}

async function soak(count: number, seed: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const next = asks(seed)
  let left = count
  const worker = async () => {
    while (left-- > 0) await send(agent, next())
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  agent.destroy()
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', address))).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

/** The targets of the server's handles: files by path, sockets as `socket`. */
function openHandles(): { files: string[]; sockets: number } {
  const folder = `/proc/${server.pid}/fd`
  const links = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(join(folder, fd))
    } catch {
      return 'gone'
    }
  })
  return {
    files: links.filter((link) => link.startsWith('/')).sort(),
    sockets: links.filter((link) => link.startsWith('socket:')).length,
  }
}

/**
 * Resident memory without the buffers of slices. Their number is the highest ever in use at a time, which
 * depends on the timing of requests; they have a limit of their own.
 */
async function residentKilobytes(): Promise<number> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const all = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
  const buffers = await metric('casemill_buffer_bytes')
  expect(buffers).toBeLessThanOrEqual(MAX_BUFFER_BYTES)
  return all - buffers / 1024
}

async function settled(): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const active = await metric('casemill_slices_active')
    if (active === 0) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // Broken sockets disappear a moment after their slices.
  await new Promise((resolve) => setTimeout(resolve, 500))
}

test.skipIf(process.platform !== 'linux')(
  'ten thousand mixed requests with random disconnects leave nothing behind',
  async () => {
    await soak(WARM_UP, 1)
    await settled()
    const handles = openHandles()
    const resident = await residentKilobytes()
    await soak(REQUESTS - WARM_UP, 2)
    await settled()
    expect(await metric('casemill_slices_active')).toBe(0)
    expect(await metric('casemill_slices_queued')).toBe(0)
    expect(openHandles().files).toEqual(handles.files)
    // Connections for metrics may be open or not.
    expect(openHandles().sockets).toBeLessThanOrEqual(handles.sockets + 2)
    const left = await residentKilobytes()
    expect(left).toBeLessThan(1.1 * resident)
    expect(stderr).toBe('')
    expect(server.exitCode).toBe(null)
    console.log(`resident ${resident} kB after ${WARM_UP}, ${left} kB after ${REQUESTS}`)
  },
)
