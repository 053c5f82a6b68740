import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually } from '../../eventually.ts'

/** A server in a process of its own, whose memory is looked at. Linux only, for /proc. */
export interface WatchedServer {
  readonly address: URL
  /** How far the resident memory went above what it was, at its highest, in kB. */
  growthOf(work: () => Promise<unknown>): Promise<number>
  stop(): void
}

/** As the start script starts it. */
export async function watchServer(
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<WatchedServer> {
  const heap = ['--max-semi-space-size=8', '--initial-old-space-size=16']
  const serve = ['bin/casemill.ts', 'serve', '--port', '0', '--data', data]
  const server = spawn(process.execPath, [...heap, ...serve], {
    env: { ...process.env, CASEMILL_TESTS: undefined, CASEMILL_LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [first] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
  const address = new URL(/http:\/\/\S+/.exec(first)?.[0] ?? '')
  // Its threads gather what they will hold behind the first answers.
  await eventually(async () =>
    expect((await fetch(new URL('/health/ready', address))).status).toBe(200),
  )
  const kilobytes = (name: 'VmRSS' | 'VmHWM') => {
    const text = readFileSync(`/proc/${server.pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1])
  }
  return {
    address,
    async growthOf(work) {
      // Sets the peak back to what is held now.
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
      const before = kilobytes('VmRSS')
      await work()
      return kilobytes('VmHWM') - before
    },
    stop: () => void server.kill('SIGKILL'),
  }
}

/** Reads an answer to its end and tells its length; waits 10 ms behind each of the first pieces. */
export async function lengthOf(answer: AsyncIterable<Buffer>, waits: number): Promise<number> {
  let length = 0
  let left = waits
  for await (const chunk of answer) {
    length += chunk.length
    if (left-- > 0) await pause(10)
  }
  return length
}
