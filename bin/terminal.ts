import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'

/** A stream that may lead to a person. */
export type Output = Writable & { readonly isTTY: boolean }

/** The process that a command runs in, or what a test gives in its place. */
export interface Surroundings extends EventEmitter {
  readonly argv: readonly string[]
  readonly stdout: Output
  readonly stderr: Output
  exitCode?: NodeJS.Process['exitCode']
}

/** What a command sees of the outside: two streams and the request to stop. */
export interface Terminal {
  readonly out: Output
  readonly err: Output
  /**
   * Aborted when the command should end early: its reason is an `Interrupted`, or the error of
   * standard output when nobody reads it any more. A second Ctrl-C ends the process at once.
   */
  readonly signal: AbortSignal
  /** Resolves when the bytes have left, so that a long output never piles up in memory. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Says something to the person on standard error, where it does not mix with the output. */
  explain(line: string): void
}

/** Why a command is ended when the person or the system asks for it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly by: 'SIGINT' | 'SIGTERM'

  constructor(by: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${by}`)
    this.by = by
  }
}

/** Listens to the process's signals and streams. Call it once. */
export function openTerminal(process: Surroundings): Terminal {
  const { stdout: out, stderr: err } = process
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    // Once: the second one finds no listener and has its usual effect.
    process.once(name, () => stop.abort(new Interrupted(name)))
  }
  out.on('error', (error) => {
    stop.abort(error)
    process.exitCode = 1
  })
  // Nobody is left to be reported to.
  err.on('error', () => {})
  return {
    out,
    err,
    signal: stop.signal,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        out.write(chunk, (error) => (error ? reject(error) : resolve()))
      }),
    explain: (line) => void err.write(`${line}\n`),
  }
}
