import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

// A cluster of Slurm on this machine: munged, slurmctld, and a slurmd for each node, all with the machine's name
// and different ports (https://slurm.schedmd.com/programmer_guide.html#multiple_slurmd_support).

const NODES = ['n1', 'n2'] as const
type Node = (typeof NODES)[number]

/** Debian installs servers in folders that are on the path of root only. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

export class SlurmCluster implements AsyncDisposable {
  readonly #folder: string
  readonly #servers = new Map<string, ChildProcess>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async start(): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(mkdtempSync(join(tmpdir(), 'casemill-slurm-')))
    try {
      await cluster.#startMunge()
      writeFileSync(cluster.#at('slurm.conf'), await cluster.#configuration())
      cluster.#serve('slurmctld', '-i', '-D')
      for (const node of NODES) cluster.startNode(node)
      await eventually(async () => {
        const states = await cluster.run('sinfo', '-h', '-N', '-o', '%T')
        if (states.trim() !== 'idle\nidle') throw new Error(`nodes are ${states}`)
      })
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  startNode(node: Node): void {
    this.#serve(node, '-D', '-N', node)
  }

  /** Ends a node like a loss of power: its server and everything that it runs, at once. */
  async killNode(node: Node): Promise<void> {
    await this.#kill(node)
    const tasks = this.#processesOn(node)
    // The parents end first, because they would report the end of a task.
    for (const pid of [...tasks.map(({ parent }) => parent), ...tasks.map(({ pid }) => pid)]) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process has ended with its parent.
      }
    }
  }

  /** Runs a program of Slurm and returns its output. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const env = this.#environment()
    return (await promisify(execFile)(program, args, { env, cwd: this.#folder })).stdout
  }

  /** The servers' logs, for a failure. */
  logs(): string {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith('.log'))
    return names.map((name) => `${name}:\n${readFileSync(this.#at(name), 'utf8')}`).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of NODES) await this.killNode(node)
    for (const name of this.#servers.keys()) await this.#kill(name)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #at(name: string): string {
    return join(this.#folder, name)
  }

  #environment() {
    return { ...process.env, PATH, SLURM_CONF: this.#at('slurm.conf') }
  }

  #serve(name: string, ...args: readonly string[]): void {
    const program = (NODES as readonly string[]).includes(name) ? 'slurmd' : name
    const server = spawn(program, args, { env: this.#environment(), stdio: 'ignore' })
    this.#servers.set(name, server)
  }

  async #kill(name: string): Promise<void> {
    const server = this.#servers.get(name)
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }

  async #startMunge(): Promise<void> {
    // munged checks who may write to each folder above its files.
    chmodSync(this.#folder, 0o711)
    mkdirSync(this.#at('munge'), { mode: 0o700 })
    writeFileSync(this.#at('munge/key'), randomBytes(128), { mode: 0o400 })
    const files = ['key', 'pid', 'log', 'seed'].map((name) => {
      return `--${name}-file=${this.#at(`munge/${name}`)}`
    })
    this.#serve('munged', '--foreground', '--force', ...files, `--socket=${this.#at('socket')}`)
    await eventually(() => this.run('munge', '-n', `--socket=${this.#at('socket')}`))
  }

  async #configuration(): Promise<string> {
    const host = hostname().split('.')[0]
    const user = userInfo().username
    const control = await freePort()
    const ports = await Promise.all(NODES.map(freePort))
    const nodes = NODES.map(
      (node, i) =>
        `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=1 RealMemory=500`,
    )
    return `${[
      ...['ClusterName=casemill', `SlurmctldHost=${host}(127.0.0.1)`, `SlurmctldPort=${control}`],
      ...[`SlurmUser=${user}`, `SlurmdUser=${user}`, 'AuthType=auth/munge', 'CredType=cred/munge'],
      `AuthInfo=socket=${this.#at('socket')}`,
      ...[`StateSaveLocation=${this.#at('state')}`, `SlurmdSpoolDir=${this.#at('%n')}`],
      ...[`SlurmctldPidFile=${this.#at('ctld.pid')}`, `SlurmdPidFile=${this.#at('%n.pid')}`],
      ...[`SlurmctldLogFile=${this.#at('ctld.log')}`, `SlurmdLogFile=${this.#at('%n.log')}`],
      ...['ProctrackType=proctrack/linuxproc', 'TaskPlugin=task/none', 'MpiDefault=none'],
      ...['SelectType=select/cons_tres', 'SelectTypeParameters=CR_CPU'],
      ...['SchedulerParameters=sched_interval=1', 'ReturnToService=2', 'MinJobAge=300'],
      ...nodes,
      `PartitionName=all Nodes=${NODES.join()} Default=YES`,
    ].join('\n')}\n`
  }

  /** Processes of tasks on a node of this cluster with their parents; the first has slurmstepd as its parent. */
  #processesOn(node: Node): { readonly pid: number; readonly parent: number }[] {
    const marks = [`\0SLURMD_NODENAME=${node}\0`, `\0SLURM_CONF=${this.#at('slurm.conf')}\0`]
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return []
      try {
        const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
        if (!marks.every((mark) => environment.includes(mark))) return []
        // The name in parentheses is followed by the state and the parent.
        const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')
        const parent = Number(fields?.[1])
        return parent > 1
          ? [{ pid: Number(pid), parent }]
          : [{ pid: Number(pid), parent: Number(pid) }]
      } catch {
        // The process has ended meanwhile.
        return []
      }
    })
  }
}
