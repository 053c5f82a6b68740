import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { stop } from '../../child-server.ts'

/** A process that answers one line with one line. */
export class LineChild {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #lines: AsyncIterator<string>
  #complaint = ''

  constructor(program: string, words: readonly string[]) {
    this.#child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-2000)
    })
    // What fails here is told where the answer is missing.
    this.#child.stdin.on('error', () => {})
  }

  /** @throws Error when the process ends instead */
  ask(line: string): Promise<string> {
    this.#child.stdin.write(`${line}\n`)
    return this.next()
  }

  /** A line that the process prints unasked. @throws Error when it ends instead */
  async next(): Promise<string> {
    const { done, value } = await this.#lines.next()
    if (done) throw new Error(`${this.#child.spawnargs.join(' ')} ended: ${this.#complaint}`)
    return value
  }

  stop(): Promise<void> {
    return stop(this.#child)
  }
}
