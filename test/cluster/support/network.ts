import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A machine of the tests. */
export interface Machine {
  readonly name: string
  /** The IPv4 address on which its processes listen. */
  readonly address: string
}

/** Machines with links that can fail. */
export interface Network extends AsyncDisposable {
  /** Adds a machine, with its links up. */
  add(name: string): Machine
  /** Returns the address at which a machine reaches a port of another one. */
  reach(from: Machine, to: Machine, port: number): Promise<string>
  /** The address of this process on the machines' network, if it differs from theirs; see Cluster.share. */
  readonly hostAddress?: string
  /** Silently cuts a machine off from all others; connections stay open. */
  cut(machine: Machine): void
  /** Delays everything that is sent to a machine. Namespaces do not have this, because few kernels have netem. */
  slow?(machine: Machine, milliseconds: number): void
  /** Restores the links of a machine. */
  join(machine: Machine): void
  /** Runs a program on a machine. It is killed when the network is disposed of. */
  spawn(
    machine: Machine,
    program: string,
    words: readonly string[],
    options?: SpawnOptions,
  ): ChildProcess
}

/** Processes that end together with their owner. */
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
