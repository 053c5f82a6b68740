import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Tmpfs } from '../../attack/support/tmpfs.ts'
import { bareEnvironment } from '../../bare-environment.ts'
import { DATABASE_PORT, DatabasePair, databaseUrl } from './database-pair.ts'
import { LoopbackNetwork } from './loopback.ts'
import { NamespaceNetwork } from './namespaces.ts'
import type { Machine, Network } from './network.ts'
import { relay } from './relay.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PROGRAM = join(ROOT, 'bin/casemill.ts')
const RELAY = join(import.meta.dirname, 'relay.ts')
const SKEW = join(import.meta.dirname, 'skew.ts')
const S3_PROGRAM = join(import.meta.dirname, 's3-process.ts')
const BALANCER = join(ROOT, 'docs/haproxy/haproxy.cfg')

const NODE_PORT = 8080
const S3_PORT = 9000
const BALANCER_PORT = 8000
/** How long to wait until a server's health has changed; a busy machine takes minutes to fetch a release. */
const PATIENCE_SECONDS = 600
/** The size of the small disk of one node: more than two releases of the demo and the reserve. */
const DISK_BYTES = 320 << 20
const RESERVE_BYTES = 16 << 20
/** The servers in the balancer's configuration, in its order. */
const NODES = ['one', 'two', 'three'] as const
/** A server that the balancer gets later. */
const SPARE = 'four'

/** A server of casemill on its own machine. */
export interface Node {
  readonly machine: Machine
  readonly origin: string
  process: ChildProcess | undefined
}

interface ClusterOptions {
  /** Whether machines are loopback addresses; otherwise they are namespaces, which needs root. */
  readonly isLoopback: boolean
  /** Whether a disk can be mounted. */
  readonly hasDisk: boolean
  /** Further settings of all nodes. */
  readonly settings?: Readonly<Record<string, string>>
}

interface NodeOptions {
  /** By how much the clock of its machine is wrong. */
  readonly skewSeconds?: number
  /** The program to run instead of this checkout's. */
  readonly program?: string
}

/**
 * Servers of casemill behind the documented balancer, with a PostgreSQL primary and its standby, and a bucket.
 * Each runs on its own machine: a namespace, or a loopback address.
 */
export class Cluster implements AsyncDisposable {
  readonly nodes: readonly Node[]
  /** A node that the balancer does not know at first. */
  readonly spare: Node
  readonly origin: string
  readonly bucket: Machine
  readonly primary: Machine
  readonly standby: Machine
  readonly database: DatabasePair
  readonly folder: string
  /** The disk of the second node's data, if one can be mounted. */
  readonly disk: Tmpfs | undefined
  readonly #network: Network
  readonly #balancer: Machine
  readonly #more: Readonly<Record<string, string>>
  #balancing: ChildProcess | undefined
  #alone: ChildProcess | undefined
  #storage: Readonly<Record<string, string>> = {}

  private constructor(folder: string, { isLoopback, hasDisk, settings = {} }: ClusterOptions) {
    this.folder = folder
    this.#more = settings
    this.disk = hasDisk ? Tmpfs.mount(DISK_BYTES) : undefined
    this.#network = isLoopback ? new LoopbackNetwork() : new NamespaceNetwork()
    this.#balancer = this.#network.add('balancer')
    this.origin = `http://${this.#balancer.address}:${BALANCER_PORT}`
    this.bucket = this.#network.add('bucket')
    this.primary = this.#network.add('db-one')
    this.standby = this.#network.add('db-two')
    const node = (name: string): Node => {
      const machine = this.#network.add(name)
      return { machine, origin: `http://${machine.address}:${NODE_PORT}`, process: undefined }
    }
    this.nodes = NODES.map(node)
    this.spare = node(SPARE)
    this.database = new DatabasePair(this.#network, join(folder, 'postgresql'))
  }

  /** Starts everything except the nodes. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-cluster-'))
    // PostgreSQL's user needs to enter the folder.
    chmodSync(folder, 0o755)
    const cluster = new Cluster(folder, options)
    try {
      await cluster.#start()
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  async #start(): Promise<void> {
    await this.database.start(this.primary, this.standby)
    await this.#startBucket()
    await this.balance(this.nodes)
  }

  async #startBucket(): Promise<void> {
    const words = [S3_PROGRAM, this.bucket.address, String(S3_PORT)]
    const { stdout } = this.#network.spawn(this.bucket, process.execPath, words, {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (!stdout) throw new Error('the bucket has no output')
    const [settings] = await once(createInterface({ input: stdout }), 'line')
    this.#storage = JSON.parse(settings)
  }

  /**
   * Starts the balancer with these nodes. One that runs hands over to the new one, and finishes its connections, as
   * at a reload of its configuration.
   */
  async balance(nodes: readonly Node[]): Promise<void> {
    const file = await readFile(BALANCER, 'utf8')
    const documented = nodes.includes(this.spare)
      ? file.replace(/^( +)server three ([\d.]+)(:\d+)$/m, `$&\n$1server ${SPARE} 192.0.2.14$3`)
      : file
    const reach = (machine: Machine, port: number) =>
      this.#network.reach(this.#balancer, machine, port)
    const addresses = await Promise.all([
      ...nodes.map(({ machine }) => reach(machine, NODE_PORT)),
      ...[this.primary, this.standby].map((machine) => reach(machine, DATABASE_PORT)),
    ])
    const examples = [...documented.matchAll(/^ +server \w+ ([\d.]+):/gm)].map(([, found]) => found)
    if (examples.length !== addresses.length) throw new Error('the balancer has other servers')
    let text = documented
    for (const [i, example] of examples.entries()) {
      text = text.replace(`${example}:`, `${addresses[i]}:`)
    }
    text = text.replaceAll(' bind :', ` bind ${this.#balancer.address}:`)
    // A process without root cannot change its user.
    if (process.getuid?.() !== 0) text = text.replace(/^ +(user|group) haproxy\n/gm, '')
    // All requests come from one client, so its limit is raised.
    text = text.replace('gt 6000', 'gt 6000000')
    const path = join(this.folder, 'haproxy.cfg')
    await writeFile(path, text)
    const former = this.#balancing?.pid
    const handOver = former === undefined ? [] : ['-sf', String(former)]
    this.#balancing = this.#spawn(this.#balancer, 'haproxy', ['-db', '-f', path, ...handOver])
  }

  /** Lets the nodes reach a port of this process's loopback at their own. */
  async share(port: number): Promise<void> {
    const { hostAddress } = this.#network
    if (hostAddress === undefined) return
    await relay({ host: hostAddress, port }, { host: '127.0.0.1', port })
    for (const { machine } of [...this.nodes, this.spare]) {
      this.#spawn(machine, process.execPath, [
        ...[RELAY, '127.0.0.1', String(port)],
        ...[hostAddress, String(port)],
      ])
    }
  }

  /** Settings for a process outside the machines that works on the nodes' data. */
  get settings(): Readonly<Record<string, string>> {
    return this.#settingsBy(this.#balancer.address, this.bucket.address)
  }

  async #settingsOf({ machine }: Node): Promise<Readonly<Record<string, string>>> {
    const database = await this.#network.reach(machine, this.#balancer, DATABASE_PORT)
    return this.#settingsBy(database, await this.#network.reach(machine, this.bucket, S3_PORT))
  }

  #settingsBy(database: string, bucket: string): Readonly<Record<string, string>> {
    const storage = Object.entries(this.#storage).map(([name, value]) => [
      name,
      value.replace(`//${this.bucket.address}:`, `//${bucket}:`),
    ])
    return {
      ...bareEnvironment(),
      CASEMILL_STATE_URL: databaseUrl(database),
      CASEMILL_TRUSTED_PROXIES: '1',
      CASEMILL_DRAIN_LEAD_SECONDS: '4',
      CASEMILL_DRAIN_SECONDS: '10',
      CASEMILL_RESERVE_BYTES: String(RESERVE_BYTES),
      ...this.#more,
      ...Object.fromEntries(storage),
    }
  }

  dataFolderOf({ machine }: Node): string {
    const disk = machine.name === NODES[1] ? this.disk?.path : undefined
    return join(disk ?? this.folder, machine.name)
  }

  /** Starts a node, without waiting for it to be ready. */
  async start(node: Node, { skewSeconds, program = PROGRAM }: NodeOptions = {}): Promise<void> {
    const { machine } = node
    mkdirSync(this.dataFolderOf(node), { recursive: true })
    const place = ['--host', machine.address, '--port', String(NODE_PORT)]
    const words = [program, 'serve', '--data', this.dataFolderOf(node), '--threads', '1', ...place]
    const settings = await this.#settingsOf(node)
    node.process =
      skewSeconds === undefined
        ? this.#spawn(machine, process.execPath, words, settings)
        : this.#spawn(machine, process.execPath, ['--import', SKEW, ...words], {
            ...settings,
            CLUSTER_SKEW_SECONDS: String(skewSeconds),
          })
  }

  /** Starts a single server of a folder on the balancer's machine, and returns its address. */
  async startAlone(
    dataFolder: string,
    { program = PROGRAM }: Pick<NodeOptions, 'program'> = {},
  ): Promise<string> {
    const port = BALANCER_PORT + 1
    const place = ['--host', this.#balancer.address, '--port', String(port)]
    const words = [program, 'serve', '--data', dataFolder, '--threads', '1', ...place]
    this.#alone = this.#spawn(this.#balancer, process.execPath, words)
    const origin = `http://${this.#balancer.address}:${port}`
    await this.untilReady(origin)
    return origin
  }

  /** Stops the single server. */
  async endAlone(): Promise<void> {
    if (!this.#alone) return
    const ended = once(this.#alone, 'exit')
    this.#alone.kill('SIGTERM')
    await ended
  }

  /** Deletes all data of a node that is not running. */
  empty(node: Node): Promise<void> {
    return rm(this.dataFolderOf(node), { recursive: true, force: true })
  }

  /** Sends a node a signal, and resolves when it has ended. */
  async end(node: Node, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { process: running } = node
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
  }

  cut(machine: Machine): void {
    this.#network.cut(machine)
  }

  /** Whether links can be made slow. */
  get hasSlowLinks(): boolean {
    return this.#network.slow !== undefined
  }

  slow(machine: Machine, milliseconds: number): void {
    this.#network.slow?.(machine, milliseconds)
  }

  join(machine: Machine): void {
    this.#network.join(machine)
  }

  /** Waits until the balancer sends no more requests to a node. */
  async untilNotReady({ origin }: Node): Promise<void> {
    await this.#untilHealth(origin, 503, PATIENCE_SECONDS)
  }

  /** Waits for an answer of 200 to `/health/ready`. */
  async untilReady(origin: string): Promise<void> {
    await this.#untilHealth(origin, 200, PATIENCE_SECONDS)
  }

  async #untilHealth(origin: string, status: number, seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000
    let said = 'nothing'
    while (performance.now() < end) {
      try {
        const signal = AbortSignal.timeout(5000)
        const response = await fetch(`${origin}/health/ready`, { signal })
        said = await response.text()
        if (response.status === status) return
      } catch (error) {
        said = String(error)
      }
      await sleep(100)
    }
    throw new Error(`${origin} does not come to say ${status} of its health: ${said}`)
  }

  /** Spawns a process that logs to a file in its machine's folder. */
  #spawn(
    machine: Machine,
    program: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = bareEnvironment(),
  ): ChildProcess {
    const child = this.#network.spawn(machine, program, words, {
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const log = createWriteStream(join(this.folder, `${machine.name}.log`), { flags: 'a' })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    child.once('close', () => log.end())
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network[Symbol.asyncDispose]()
    this.disk?.unmount()
    if (process.env.CASEMILL_KEEP_CLUSTER === undefined) {
      await rm(this.folder, { recursive: true, force: true })
    }
  }
}
