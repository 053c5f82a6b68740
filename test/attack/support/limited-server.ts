import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from '../../bare-environment.ts'

const PROGRAM = join(import.meta.dirname, '../../../bin/casemill.ts')

/** `casemill serve` in a separate process with limited descriptors. It needs Linux, for /proc. */
interface LimitedServer {
  readonly address: URL
  readonly port: number
  /** Resident memory in bytes. */
  residentBytes(): number
  /** The lines logged so far. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

/** @param openFiles the value for `ulimit -n` */
export async function serveLimited(
  data: string,
  openFiles: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<LimitedServer> {
  const heap = ['--max-semi-space-size=8', '--initial-old-space-size=16']
  const serve = [PROGRAM, 'serve', '--port', '0', '--data', data, '--threads', '2']
  const limited = ['-c', 'ulimit -n "$0" && exec "$@"', String(openFiles)]
  const server = spawn('sh', [...limited, process.execPath, ...heap, ...serve], {
    env: { ...bareEnvironment(), CASEMILL_LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  const log: string[] = []
  createInterface({ input: server.stderr }).on('line', (line) => log.push(line))
  const [first] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
  const address = new URL(/http:\/\/\S+/.exec(first)?.[0] ?? '')
  return {
    address,
    port: Number(address.port),
    residentBytes() {
      const text = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1])
    },
    log,
    async stop() {
      server.kill('SIGKILL')
      await ended
    },
  }
}
