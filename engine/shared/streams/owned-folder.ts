import { createHash, randomBytes } from 'node:crypto'
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Age after which an unmodified folder is removed, even if its process cannot be identified. */
const ABANDONED_MILLISECONDS = 24 * 60 * 60 * 1000

/**
 * Creates a folder with a unique name for this process. First removes the folders of processes that were killed,
 * which are recognised by the owner in the folder's name.
 * @throws the file system's error about the new folder
 */
export async function ownedFolder(parent: string, prefix: string): Promise<string> {
  return mkdtemp(await ownedPrefix(parent, prefix))
}

/** Like ownedFolder, but only returns a unique path for a file or folder, and creates nothing. */
export async function ownedPath(parent: string, prefix: string): Promise<string> {
  return `${await ownedPrefix(parent, prefix)}${randomBytes(3).toString('hex')}`
}

async function ownedPrefix(parent: string, prefix: string): Promise<string> {
  const space = processSpace()
  await removeAbandoned(parent, prefix, space).catch(() => {})
  const started = await startOf(process.pid)
  return join(parent, `${prefix}${await space}.${process.pid}.${started}.`)
}

/**
 * Removes the files and folders of processes that were killed.
 * @throws the file system's error if the parent cannot be listed
 */
export async function removeAbandoned(
  parent: string,
  prefix: string,
  ownSpace = processSpace(),
): Promise<void> {
  const space = await ownSpace
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

/** Matches the owner in a name: process space, process id, start time, and a random suffix. */
const OWNER = /^([0-9a-f]{8})\.(\d+)\.(\d+)\.[A-Za-z0-9]{6}$/

/** Identifies the space in which a process id is unique: the machine, the container and the boot. */
async function processSpace(): Promise<string> {
  const parts = [
    hostname(),
    await readlink('/proc/self/ns/pid').catch(() => ''),
    await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 8)
}

const NOT_RUNNING = ''
/** Start time of a running process, if the system does not report start times. */
const SOME_TIME = '0'

/** Returns the start time of a process in clock ticks. Empty if the process is not running. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // Fields are counted after the program name, which may contain any characters.
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]
  return started ?? (isRunning(pid) ? SOME_TIME : NOT_RUNNING)
}

/** Index of `starttime` after the program name (proc(5)). */
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
