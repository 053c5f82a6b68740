import { type ChildProcess, execFileSync, type SpawnOptions } from 'node:child_process'
import { type Machine, type Network, Processes } from './network.ts'

/** The subnet of the addresses, which differs between processes. */
const subnetOf = (pid: number) => `10.${64 + ((pid >> 8) % 64)}.${pid % 256}`

/**
 * Machines that are network namespaces, each with one link to a bridge between them. This process has an address
 * on the bridge. Needs root. Names and addresses come from the process id, so several such networks can exist at
 * once.
 */
export class NamespaceNetwork implements Network {
  readonly #subnet = subnetOf(process.pid)
  readonly hostAddress = `${this.#subnet}.1`
  /** The bridge's name, which the system limits to 15 characters. */
  readonly #bridge = `cm${process.pid}`
  readonly #machines = new Map<string, Machine>()
  readonly #processes = new Processes()

  constructor() {
    ip('link', 'add', this.#bridge, 'type', 'bridge')
    ip('addr', 'add', `${this.hostAddress}/24`, 'dev', this.#bridge)
    ip('link', 'set', this.#bridge, 'up')
  }

  add(name: string): Machine {
    const number = this.#machines.size + 2
    const machine = { name, address: `${this.#subnet}.${number}` }
    const space = this.#space(name)
    const [outer, inner] = [`${this.#bridge}o${number}`, `${this.#bridge}i${number}`]
    ip('netns', 'add', space)
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner)
    ip('link', 'set', inner, 'netns', space)
    ip('link', 'set', outer, 'master', this.#bridge)
    ip('link', 'set', outer, 'up')
    ip('-n', space, 'link', 'set', 'lo', 'up')
    ip('-n', space, 'addr', 'add', `${machine.address}/24`, 'dev', inner)
    ip('-n', space, 'link', 'set', inner, 'up')
    this.#machines.set(name, machine)
    return machine
  }

  async reach(_: Machine, { address }: Machine): Promise<string> {
    return address
  }

  cut({ name }: Machine): void {
    ip('link', 'set', this.#outerLink(name), 'down')
  }

  join({ name }: Machine): void {
    ip('link', 'set', this.#outerLink(name), 'up')
  }

  spawn(
    { name }: Machine,
    program: string,
    words: readonly string[],
    options?: SpawnOptions,
  ): ChildProcess {
    // `ip` executes the program in its own process, so signals reach the program.
    const all = ['netns', 'exec', this.#space(name), program, ...words]
    return this.#processes.spawn('ip', all, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]()
    for (const name of this.#machines.keys()) ip('netns', 'delete', this.#space(name))
    ip('link', 'delete', this.#bridge)
  }

  #space(name: string): string {
    return `${this.#bridge}-${name}`
  }

  #outerLink(name: string): string {
    return `${this.#bridge}o${[...this.#machines.keys()].indexOf(name) + 2}`
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] })
}
