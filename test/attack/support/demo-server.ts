import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../../bin/support/program.ts'
import { type Database, KeyStore, TokenStore } from '../../../engine/shared/internal.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { bareEnvironment } from '../../bare-environment.ts'
import { copyDemo } from '../../demo/copy-demo.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/casemill.ts', import.meta.url))
/** The heap settings of the start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']

/**
 * Turns off the comparison of files with their md5 in the background, which would read the whole demo in the
 * first seconds.
 */
const QUIET = { CASEMILL_LOG_LEVEL: 'error', CASEMILL_SCRUB_BYTES_PER_SECOND: '0' }

/** Settings with which people can log in. The institution does not answer. */
export const LOGIN_SETTINGS = Object.freeze({
  CASEMILL_PUBLIC_URL: 'https://data.example.org',
  CASEMILL_LOGIN_ISSUER: 'http://127.0.0.1:9',
  CASEMILL_LOGIN_CLIENT_ID: 'casemill',
  CASEMILL_LOGIN_CLIENT_SECRET: 'secret',
})

/** The demo, served by a separate process like that of `npm start`. */
export class DemoServer implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'casemill-attacked-'))
  #child: ChildProcess | undefined
  #stderr = ''
  /** The server's data folder. An existing one is served at the first start, completed to the demo if necessary. */
  readonly data = join(this.#folder, 'casemill-demo')
  address = ''
  /** The headers of the demo's own token and key, as the start prints them. */
  credentials: Readonly<Record<string, string>> = {}

  /** Starts the server, and creates the demo at the first start. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    if (!existsSync(this.data)) await copyDemo(this.data)
    const child = spawn(process.execPath, [...HEAP, PROGRAM, 'serve', '--port', '0'], {
      cwd: this.#folder,
      env: { ...bareEnvironment(), ...QUIET, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    for await (const line of createInterface({ input: child.stdout })) {
      const [, kind, secret = ''] = /^demo (token|key) .*: (\S+)$/.exec(line) ?? []
      if (kind) {
        const name = kind === 'token' ? 'X-Auth-Token' : 'X-SEERAPI-Key'
        this.credentials = { ...this.credentials, [name]: secret }
      }
      const port = /^curl .*http:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1]
      if (port === undefined) continue
      this.address = `http://127.0.0.1:${port}`
      child.stdout.resume()
      return
    }
    throw new Error(`the server ended before it listened: ${this.#stderr}`)
  }

  /** The errors in the log, without the messages of the start. */
  errors(): string[] {
    return this.#stderr.split('\n').filter((line) => line.startsWith('{'))
  }

  isAlive(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  /** Resident memory in bytes. It is read from /proc, so it needs Linux. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, 'utf8')
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
  }

  /** The names in a subfolder of the data folder; empty if it does not exist. */
  namesIn(folder: string): string[] {
    const path = join(this.data, folder)
    return existsSync(path) ? readdirSync(path) : []
  }

  /** Runs a command that prints a secret, such as `token create --admin`, and returns the secret. */
  async secret(...words: string[]): Promise<string> {
    const { status, out, err } = await runProgram([...words, '--data', this.data])
    if (status !== 0) throw new Error(err)
    return out.trim()
  }

  /** Creates tokens and keys as the commands do. */
  async inState<T>(
    make: (tokens: TokenStore, keys: KeyStore, state: Database) => Promise<T>,
  ): Promise<T> {
    const state = sharedState({ dataFolder: this.data })
    const clock = () => new Date()
    try {
      return await make(new TokenStore(state, clock), new KeyStore(state, clock), state)
    } finally {
      await state.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isAlive() && this.#child) {
      const exit = once(this.#child, 'exit')
      this.#child.kill('SIGKILL')
      await exit
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
