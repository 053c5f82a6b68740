import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { runTool } from '../tools.ts'

// The reader of all servers: a native client with its own clock, so that neither its start nor a
// second Node process is in the figures.

export interface Fetched {
  readonly milliseconds: number
  readonly firstByte: number
  readonly bytes: number
}

const FORMAT = '%{http_code} %{size_download} %{time_starttransfer} %{time_total}\\n'

export interface FetchOptions {
  /** All at once, each over a connection of its own, instead of one after another over one. */
  readonly atOnce?: boolean
}

/**
 * Fetches all of them and drops the bodies.
 * @throws Error when one is not answered in full
 */
export async function fetchAll(
  urls: readonly string[],
  { atOnce = false }: FetchOptions = {},
): Promise<Fetched[]> {
  const parallel = atOnce ? ['-Z', '--parallel-immediate', '--parallel-max', `${urls.length}`] : []
  const { output } = await runTool('curl', [...parallel, ...wordsFor(urls)])
  const fetched = output.trim().split('\n').map(readLine)
  if (fetched.length !== urls.length) throw new Error(`${fetched.length} of ${urls.length} answers`)
  return fetched
}

/** @throws Error when it is not answered in full */
export async function fetchTo(path: string, url: string): Promise<void> {
  await runTool('curl', ['-sS', '--fail', '-o', path, url])
}

function wordsFor(urls: readonly string[]): string[] {
  return ['-sS', '--fail', '-w', FORMAT, ...urls.flatMap((url) => ['-o', '/dev/null', url])]
}

function readLine(line: string): Fetched {
  const [status, bytes, firstByte, total] = line.split(' ').map(Number)
  if (status !== 200 && status !== 206) throw new Error(`status ${status}`)
  return { milliseconds: total! * 1000, firstByte: firstByte! * 1000, bytes: bytes! }
}

/** A reader that fetches the same thing again and again until it is stopped. */
interface Reader {
  /** How often it got everything so far. */
  rounds(): number
  running(): boolean
  stop(): Promise<void>
}

export function readOn(url: string): Reader {
  const times = 1000
  const words = wordsFor(Array.from({ length: times }, () => url))
  const child: ChildProcess = spawn('curl', words, { stdio: ['ignore', 'pipe', 'ignore'] })
  let rounds = 0
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    rounds += text.split('\n').length - 1
  })
  const exit = once(child, 'exit')
  return {
    rounds: () => rounds,
    running: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill()
      await exit
    },
  }
}
