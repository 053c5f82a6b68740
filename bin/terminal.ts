import type { EventEmitter } from 'node:events'
import type { Writable } from 'node:stream'

/** A stream that may be a terminal. */
type Output = Writable & { readonly isTTY: boolean }

/** The process that a command runs in, or a replacement in tests. */
export interface Surroundings extends EventEmitter {
  readonly argv: readonly string[]
  readonly stdout: Output
  readonly stderr: Output
  exitCode?: NodeJS.Process['exitCode']
}

/** A command's access to its environment: two streams and the signal to stop. */
export interface Terminal {
  readonly out: Output
  readonly err: Output
  /**
   * Aborts when the command should end early. The reason is an `Interrupted`, or the error of standard output if
   * its reader has closed it. A second Ctrl-C ends the process at once.
   */
  readonly signal: AbortSignal
  /** Resolves when the bytes are written, so that long output does not accumulate in memory. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Prints a message for people to standard error, separate from the output. */
  explain(line: string): void
}

/** Thrown when the user or the system ends a command. */
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
    // The listener is removed after the first signal, so that a second one has its default effect.
    process.once(name, () => stop.abort(new Interrupted(name)))
  }
  out.on('error', (error) => {
    stop.abort(error)
    process.exitCode = 1
  })
  // If standard error is closed, errors cannot be reported to anyone.
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
