import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A server in a process of its own. */
export interface ChildServer {
  /** Such as `http://127.0.0.1:8080`. */
  readonly address: string
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '..')

/**
 * Starts this Node with the words, and variables beside those of this process; resolves when the
 * process has printed an address.
 * @param folder in which it is started; left out, the checkout
 */
export async function startNode(
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  folder = ROOT,
): Promise<ChildServer & { readonly pid: number | undefined }> {
  const env = { ...process.env, ...variables }
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    const address = /http:\/\/[\w.]+:\d+/.exec(said)?.[0]
    if (address === undefined) continue
    // Nobody reads on; a full pipe would stop the server.
    child.stdout.resume()
    return { address, pid: child.pid, stop: () => stop(child) }
  }
  throw new Error(`${words.join(' ')} ended before it listened`)
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill()
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exit
  clearTimeout(late)
}
