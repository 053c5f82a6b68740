import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { THREADS } from './threads.ts'

/** The service in a process of its own, started as by anyone. */
export interface Service {
  /** Such as `http://127.0.0.1:8080`. */
  readonly address: string
  /** Megabytes of 1e6 bytes that the process holds now, and held at most. */
  memory(): { readonly now: number; readonly peak: number }
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..', '..')

/** The heap settings of the package's start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']

export async function startService(home: string): Promise<Service> {
  const serve = ['bin/casemill.ts', '--data', home, 'serve', '--port', '0']
  const words = [...HEAP, ...serve, '--threads', String(THREADS)]
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill()
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await exit
    clearTimeout(late)
  }
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    const address = /http:\/\/[\w.]+:\d+/.exec(said)?.[0]
    if (address === undefined) continue
    // Nobody reads on; a full pipe would stop the server.
    child.stdout.resume()
    const memory = () => ({ now: held(child.pid, 'VmRSS'), peak: held(child.pid, 'VmHWM') })
    return { address, memory, stop }
  }
  throw new Error('the service ended before it listened')
}

/** Linux only. */
export function held(pid: number | 'self' | undefined, name: 'VmHWM' | 'VmRSS'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return (Number(kilobytes) * 1024) / 1e6
}
