import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '../../bare-environment.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/casemill.ts', import.meta.url))

/** `casemill serve` in a separate process, which can be killed and started again. */
export class ServedFolder {
  readonly #dataFolder: string
  #child: ChildProcess | undefined
  #port = 0

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts the server, on the same port as before. */
  async start(): Promise<void> {
    const words = ['serve', '--port', String(this.#port), '--data', this.#dataFolder]
    const child = spawn(process.execPath, [PROGRAM, ...words, '--threads', '2'], {
      env: { ...bareEnvironment(), CASEMILL_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /http:\/\/[\w.]+:(\d+)/.exec(line)?.[1]
      if (port === undefined) continue
      this.#port = Number(port)
      child.stdout.resume()
      return
    }
    throw new Error('the server ended before it listened')
  }

  /** Kills the server, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
}
