import { createHash } from 'node:crypto'
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** What nobody wrote to for so long is nobody's, also where its process cannot be seen. */
const ABANDONED_MILLISECONDS = 24 * 60 * 60 * 1000

/**
 * Makes a folder of a name that nobody else has, for as long as this process works with it. Those that processes
 * left behind which were killed are removed first: the name says whose a folder is.
 * @throws what the file system says, of the new one alone
 */
export async function ownedFolder(parent: string, prefix: string): Promise<string> {
  const space = await processSpace()
  await removeAbandoned(parent, prefix, space).catch(() => {})
  const started = await startOf(process.pid)
  return mkdtemp(join(parent, `${prefix}${space}.${process.pid}.${started}.`))
}

async function removeAbandoned(parent: string, prefix: string, space: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const owner = name.startsWith(prefix) ? OWNER.exec(name.slice(prefix.length)) : null
    if (!owner) continue
    const [, itsSpace, pid, started = ''] = owner
    const path = join(parent, name)
    const isGone = itsSpace === space && (await startOf(Number(pid))) !== started
    if (isGone || (await isUntouched(path))) {
      await rm(path, { recursive: true, force: true }).catch(() => {})
    }
  }
}

/** Where processes are, the number of one, when it started, and what makes the name the only one. */
const OWNER = /^([0-9a-f]{8})\.(\d+)\.(\d+)\.[A-Za-z0-9]{6}$/

/**
 * Tells apart where a number means another process: another machine, or container, or before the machine
 * started.
 */
async function processSpace(): Promise<string> {
  const parts = [
    hostname(),
    await readlink('/proc/self/ns/pid').catch(() => ''),
    await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8)
}

const NOT_RUNNING = ''
/** Of a process that runs, where the system does not say when it started. */
const SOME_TIME = '0'

/** When a process started, in what the system counts; empty for one that does not run. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name of the program before it may hold anything.
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]
  return started ?? (isRunning(pid) ? SOME_TIME : NOT_RUNNING)
}

/** Behind the name of the program (proc(5), `starttime`). */
const START_FIELD = 19

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function isUntouched(folder: string): Promise<boolean> {
  const since = Date.now() - ABANDONED_MILLISECONDS
  const names = await readdir(folder).catch(() => [])
  for (const path of [folder, ...names.map((name) => join(folder, name))]) {
    const found = await lstat(path).catch(() => undefined)
    if (!found || found.mtimeMs > since) return false
  }
  return true
}
