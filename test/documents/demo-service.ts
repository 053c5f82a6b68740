import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { copyDemo } from '../demo/copy-demo.ts'
import { isExhaustive } from '../depth.ts'
import { ROOT } from './page.ts'

/** The number of commands that the start prints to try. */
const CURLS = 12

/** `npm start` in a new folder, and its output. */
export class DemoService implements AsyncDisposable {
  readonly banner: readonly string[]
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, folder: string, banner: readonly string[]) {
    this.#child = child
    this.#folder = folder
    this.banner = banner
  }

  static async start(): Promise<DemoService> {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-demo-'))
    // The start would take ten seconds to make the demo, which only the exhaustive run waits for.
    if (!isExhaustive) await copyDemo(join(folder, 'casemill-demo'))
    // A setting of the person who runs the tests must not change what the program says.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('CASEMILL_')),
    )
    const words = [join(ROOT, 'bin/casemill.ts'), 'serve', '--port', '0']
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env: { ...env, CASEMILL_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const banner: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      banner.push(line)
      if (banner.filter((each) => each.startsWith('curl ')).length === CURLS) break
    }
    if (child.exitCode !== null || banner.length < CURLS) {
      throw new Error(`the demo did not start: ${banner.join('\n')}`)
    }
    child.stdout.resume()
    return new DemoService(child, folder, banner)
  }

  /** The folder `casemill-demo/` made by the start. */
  get data(): string {
    return join(this.#folder, 'casemill-demo')
  }

  get address(): string {
    return /http:\/\/[\d.]+:\d+/.exec(this.banner[0] ?? '')?.[0] ?? ''
  }

  get token(): string {
    return this.#secret('demo token')
  }

  get key(): string {
    return this.#secret('demo key')
  }

  #secret(start: string): string {
    return this.banner.find((line) => line.startsWith(start))?.split(': ')[1] ?? ''
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGINT')
    await ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
