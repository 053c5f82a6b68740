import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { fetchSlice, openTarget } from '../../bin/get/fetch-slice.ts'
import { Link } from '../../bin/get/link.ts'
import { runProgram } from '../../bin/support/program.ts'
import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { type ServedEngine, serveEngine } from '../clients/support/served-engine.ts'
import { depth, isExhaustive } from '../depth.ts'

// `casemill slice --server` over breaking connections gives the same slice as a single request.

const TIMES = depth(6, 20, 60)
const REGIONS = ['chr1:10000000', 'chr2']

let folder = ''
let served: ServedEngine
let id = ''
let whole: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-slice-'))
  const path = join(folder, 'made.bam')
  await makeBam({ path, seed: 12, style: 'htslib', scale: 3e6 })
  const dataFolder = join(folder, 'data')
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  id = (await engine.commons.importBam({ path, access: 'open' })).file.id
  served = await serveEngine(engine)
  const query = REGIONS.map((region) => `region=${region}`).join('&')
  const answer = await fetch(`${served.address}/slicing/view/${id}?${query}`)
  whole = Buffer.from(await answer.arrayBuffer())
  expect(whole.length).toBeGreaterThan(1e6)
})
afterAll(async () => {
  await served?.close()
  await rm(folder, { recursive: true, force: true })
})

interface Trouble {
  /** The number of bytes of a body after which the connection is cut; undefined never cuts it. */
  readonly cutAfter: (turn: number) => number | undefined
  /** Changes the headers of a request. */
  readonly change?: (headers: Record<string, string>, turn: number) => void
}

/** A proxy in front of the server that breaks connections. */
async function startTrouble({ cutAfter, change = () => {} }: Trouble) {
  const seen: (string | undefined)[] = []
  const proxy = createServer((asked, response) => {
    const turn = seen.push(asked.headers.range)
    const headers = { ...asked.headers } as Record<string, string>
    change(headers, turn)
    const { method, url = '' } = asked
    const sent = request(served.address + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      let left = cutAfter(turn) ?? Number.POSITIVE_INFINITY
      answer.on('data', (chunk: Buffer) => {
        if (left <= 0) return
        const part = chunk.subarray(0, left)
        left -= part.length
        if (left > 0) response.write(part)
        else cut(response, part)
      })
      answer.on('end', () => response.end())
    })
    sent.on('error', () => response.destroy())
    asked.pipe(sent)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  return { server: new URL(`http://127.0.0.1:${port}`), seen }
}

const cut = (response: ServerResponse, part: Buffer) =>
  response.write(part, () => response.destroy())

async function fetchTo(server: URL, output: string): Promise<Buffer> {
  const { signal } = new AbortController()
  const link = new Link({ server, token: undefined, silenceMs: 10_000, signal })
  const patience = { tries: 3, firstPauseMs: 1, longestPauseMs: 2 }
  const target = await openTarget(output, { write: async () => {} })
  try {
    await fetchSlice({ id, regions: REGIONS, genes: [] }, target, { link, patience, signal })
    await target.finish()
    return await readFile(output)
  } catch (error) {
    await target.discard()
    throw error
  } finally {
    link.close()
  }
}

function ownFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'casemill-slice-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a slice over connections that break anywhere is the whole slice, and nothing comes twice', async () => {
  const random = randomFrom(8)
  const cuts = Array.from({ length: TIMES }, () => 1 + random.below(whole.length / TIMES))
  const { server, seen } = await startTrouble({ cutAfter: (turn) => cuts[turn - 1] })
  const bytes = await fetchTo(server, join(ownFolder(), 'slice.bam'))
  expect(bytes.equals(whole)).toBe(true)
  expect(seen).toHaveLength(TIMES + 1)
  // A cut may lose bytes in transit, so the next range starts there or earlier.
  const starts = seen.map((range) => Number(/\d+/.exec(range ?? '0')?.[0]))
  const sent = cuts.map((_, i) => starts[i]! + cuts[i]!)
  for (const [i, end] of sent.entries()) expect(starts[i + 1]).toBeLessThanOrEqual(end)
  expect(starts).toEqual([...starts].sort((a, b) => a - b))
  expect(starts.at(-1)).toBeGreaterThan(0)
})

test('a slice that has become another begins again', async () => {
  const { server, seen } = await startTrouble({
    cutAfter: (turn) => (turn === 1 ? 300_000 : undefined),
    change: (headers) => {
      if (headers['if-range'] !== undefined) headers['if-range'] = '"another"'
    },
  })
  expect((await fetchTo(server, join(ownFolder(), 'slice.bam'))).equals(whole)).toBe(true)
  expect(seen).toHaveLength(2)
})

test('a server that never gets further is given up, and nothing is left', async () => {
  const output = join(ownFolder(), 'slice.bam')
  const { server, seen } = await startTrouble({
    cutAfter: () => 1000,
    change: (headers) => {
      delete headers.range
    },
  })
  await expect(fetchTo(server, output)).rejects.toThrow('the connection')
  expect(seen.length).toBeLessThan(10)
  await expect(readFile(output)).rejects.toThrow('ENOENT')
  await expect(readFile(`${output}.part`)).rejects.toThrow('ENOENT')
})

test.runIf(isExhaustive)(
  'the command writes the slice, and says what a server refuses',
  async () => {
    const output = join(ownFolder(), 'slice.bam')
    const { server } = await startTrouble({
      cutAfter: (turn) => (turn === 1 ? 200_000 : undefined),
    })
    const common = ['slice', '--server', server.href, '--tries', '2']
    const made = await runProgram([...common, '-o', output, id, ...REGIONS])
    expect(made).toMatchObject({ status: 0 })
    expect((await readFile(output)).equals(whole)).toBe(true)
    const refused = await runProgram([...common, '-o', output, id, 'chr1:9-1'])
    expect(refused.status).toBe(1)
    expect(refused.err).toContain(`${server.origin}: the server answered 400: regions[0]: region`)
    const wrong = await runProgram([...common, '--format', 'sam', id, 'chr1'])
    expect(wrong.err).toContain('--server gives BAM')
  },
)
