import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram, startProgram } from '../../bin/support/program.ts'
import { copyDemo } from '../demo/copy-demo.ts'
import { depth } from '../depth.ts'

// A service that keeps the record is killed while clients download controlled data. Of each answer whose first byte
// has arrived, the record must have the line.

const KILLS = depth(2, 20, 500)
const CLIENTS = 8
/** Requests that the demo answers with controlled data: a file, a slice, a ticket and a part of a file. */
const CONTROLLED = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02'
const PATHS: readonly string[] = [
  `/data/${CONTROLLED}`,
  `/slicing/view/${CONTROLLED}?region=chr17`,
  `/reads/${CONTROLLED}?referenceName=chr17`,
  `/alignments/${CONTROLLED}/coverage?region=chr17:7661779-7687550`,
]

let folder = ''
let data = ''
let token = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-killed-record-'))
  data = join(folder, 'data')
  await copyDemo(data)
  const words = ['token', 'create', '--user', 'ada', '--admin', '--data', data]
  token = (await runProgram(words)).out.trim()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start() {
  const settings = { CASEMILL_AUDIT: 'true', CASEMILL_SCRUB_BYTES_PER_SECOND: '0' }
  const words = ['serve', '--port', '0', '--data', data, '--threads', '1']
  const child = startProgram(words, { ...settings, CASEMILL_LOG_LEVEL: 'error' })
  child.stderr.resume()
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /http:\/\/[^\s)]+/.exec(line)?.[0]
    if (address !== undefined) return { child, address }
  }
  throw new Error(`it does not start, and ends with ${child.exitCode}`)
}

/** Sends a request. Returns the status once the head has arrived, or undefined if none has. */
function ask(address: string, path: string, request: string, agent: Agent) {
  return new Promise<number | undefined>((resolve) => {
    const headers = { 'X-Auth-Token': token, 'X-Request-Id': request }
    const sent = get(address + path, { headers, agent }, (answer) => {
      const { statusCode } = answer
      // Whatever comes after the head, the first byte has arrived.
      answer.on('close', () => resolve(statusCode)).on('error', () => {})
      answer.resume()
    })
    sent.on('error', () => resolve(undefined))
  })
}

/** Returns the requests with a complete line in any segment. */
function recorded(): ReadonlySet<string> {
  const root = join(data, 'audit')
  const texts = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(root, name), 'utf8').split('\n').slice(0, -1))
  return new Set(
    texts.flatMap((text) => (JSON.parse(text) as { readonly request?: string }).request ?? []),
  )
}

test('no byte has arrived without its line', { timeout: 0 }, async () => {
  const arrived = new Set<string>()
  for (let round = 0; round < KILLS; round++) {
    const { child, address } = await start()
    const ended = once(child, 'exit')
    const before = arrived.size
    const client = async (number: number) => {
      const agent = new Agent({ keepAlive: true })
      for (let i = number; ; i++) {
        const request = randomUUID()
        const status = await ask(address, PATHS[i % PATHS.length] ?? '', request, agent)
        if (status === undefined) return agent.destroy()
        expect(status).toBeLessThan(300)
        arrived.add(request)
        // The kill comes at another point of the work in each round.
        if (arrived.size - before === 20 + (round % 40)) {
          setTimeout(() => child.kill('SIGKILL'), (round * 3) % 17)
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
    await ended
    const lines = recorded()
    expect([...arrived].filter((request) => !lines.has(request))).toEqual([])
  }
  expect(arrived.size).toBeGreaterThan(20 * KILLS)
  const { status, out, err } = await runProgram(['audit', 'verify', '--data', data])
  expect([status, err], out).toEqual([0, 'the record is intact\n'])
})
