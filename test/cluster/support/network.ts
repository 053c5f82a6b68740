import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A machine of the tests. */
export interface Machine {
  readonly name: string
  /** IPv4: what its processes listen on. */
  readonly address: string
}

/** Machines, and links between them that fail. */
export interface Network extends AsyncDisposable {
  /** Adds a machine, with its links up. */
  add(name: string): Machine
  /** The address by which a machine reaches a port of another one. */
  reach(from: Machine, to: Machine, port: number): Promise<string>
  /** Cuts a machine off from all others, without a word to anybody; connections stay open. */
  cut(machine: Machine): void
  /** Has all that comes to a machine come later. Namespaces do without: few kernels have netem. */
  slow?(machine: Machine, milliseconds: number): void
  /** Makes the links of a machine good again. */
  join(machine: Machine): void
  /** Runs a program on a machine. It is killed with the network. */
  spawn(
    machine: Machine,
    program: string,
    words: readonly string[],
    options?: SpawnOptions,
  ): ChildProcess
}

/** Processes that end with what they are part of. */
export class Processes implements AsyncDisposable {
  readonly #running = new Set<ChildProcess>()

  spawn(program: string, words: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const child = spawn(program, words, { stdio: 'ignore', ...options })
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#running].filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    )
    const ended = running.map((child) => once(child, 'exit'))
    for (const child of running) child.kill('SIGKILL')
    await Promise.all(ended)
  }
}
