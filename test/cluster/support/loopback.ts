import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Machine, type Network, Processes } from './network.ts'

/** The link between two machines, which can be cut. */
class Link {
  /** Resolves when the link is up again; absent while it is up. */
  #down: PromiseWithResolvers<void> | undefined
  #milliseconds = 0

  cut(): void {
    this.#down ??= Promise.withResolvers()
  }

  slow(milliseconds: number): void {
    this.#milliseconds = milliseconds
  }

  join(): void {
    this.#milliseconds = 0
    this.#down?.resolve()
    this.#down = undefined
  }

  /** Resolves when the link lets the next bytes pass. */
  async passed(): Promise<void> {
    if (this.#milliseconds > 0) await sleep(this.#milliseconds)
    while (this.#down) await this.#down.promise
  }
}

interface Joined {
  /** Names of the machines. */
  readonly ends: readonly string[]
  readonly link: Link
  readonly proxy: Server
  readonly listening: Promise<unknown>
}

/**
 * Machines that are loopback addresses, for users who cannot make namespaces. Traffic between them passes a
 * proxy in this process. Connections to a machine that is cut off are accepted but get no data, whereas a real
 * machine would not accept them.
 */
export class LoopbackNetwork implements Network {
  /** A different network for each process. */
  readonly #net = `127.${64 + (process.pid % 128)}`
  readonly #machines: Machine[] = []
  readonly #joined = new Map<string, Joined>()
  readonly #sockets = new Set<Socket>()
  readonly #processes = new Processes()

  add(name: string): Machine {
    const machine = { name, address: `${this.#net}.0.${this.#machines.length + 2}` }
    this.#machines.push(machine)
    return machine
  }

  async reach(from: Machine, to: Machine, port: number): Promise<string> {
    const numberOf = (machine: Machine) => this.#machines.indexOf(machine) + 2
    const address = `${this.#net}.${numberOf(from)}.${numberOf(to)}`
    const key = `${address}:${port}`
    const known = this.#joined.get(key)
    if (known) {
      await known.listening
      return address
    }
    const link = new Link()
    const proxy = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const options = { host: to.address, port, allowHalfOpen: true, noDelay: true }
      const far = connect(options)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket.once('close', () => this.#sockets.delete(socket))
        // The error shows when the socket is read or written.
        socket.on('error', () => {})
      }
      void pass(near, far, link)
      void pass(far, near, link)
    })
    const listening = once(proxy.listen({ host: address, port }), 'listening')
    this.#joined.set(key, { ends: [from.name, to.name], link, proxy, listening })
    await listening
    return address
  }

  cut(machine: Machine): void {
    for (const link of this.#linksOf(machine)) link.cut()
  }

  slow(machine: Machine, milliseconds: number): void {
    for (const link of this.#linksOf(machine)) link.slow(milliseconds)
  }

  join(machine: Machine): void {
    for (const link of this.#linksOf(machine)) link.join()
  }

  #linksOf({ name }: Machine): readonly Link[] {
    return [...this.#joined.values()]
      .filter(({ ends }) => ends.includes(name))
      .map(({ link }) => link)
  }

  spawn(
    _: Machine,
    program: string,
    words: readonly string[],
    options?: SpawnOptions,
  ): ChildProcess {
    return this.#processes.spawn(program, words, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]()
    for (const { proxy } of this.#joined.values()) proxy.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Resolves when a socket accepts more data, or has closed. */
async function drained(socket: Socket): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })])
  } finally {
    // Otherwise, a listener would remain for as long as the socket lives.
    over.abort()
  }
}

/** Forwards the data of one side, and the way in which it ends. */
async function pass(from: Socket, to: Socket, link: Link): Promise<void> {
  try {
    for await (const bytes of from.iterator({ destroyOnReturn: false })) {
      await link.passed()
      if (to.destroyed) break
      if (!to.write(bytes)) await drained(to)
    }
    await link.passed()
    to.end()
  } catch {
    // The connection was reset or refused, so the other side is reset as well.
    await link.passed()
    to.destroy()
  } finally {
    if (to.destroyed) from.destroy()
  }
}
