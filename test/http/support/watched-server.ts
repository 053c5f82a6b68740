import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { eventually } from '../../eventually.ts'

/** A server in a separate process whose memory is measured. It needs Linux, for /proc. */
export interface WatchedServer {
  readonly address: URL
  /** The maximum growth of resident memory during the work, in kB. */
  growthOf(work: () => Promise<unknown>): Promise<number>
  stop(): void
}

/** Starts a server as the start script does. */
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
  // The threads' memory still grows after the first answers.
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
      // Resets the peak to the current value.
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
      const before = kilobytes('VmRSS')
      await work()
      return kilobytes('VmHWM') - before
    },
    stop: () => void server.kill('SIGKILL'),
  }
}

/** Reads an answer to its end and returns its length; waits 10 ms after each of the first pieces. */
export async function lengthOf(answer: AsyncIterable<Buffer>, waits: number): Promise<number> {
  let length = 0
  let left = waits
  for await (const chunk of answer) {
    length += chunk.length
    if (left-- > 0) await pause(10)
  }
  return length
}
