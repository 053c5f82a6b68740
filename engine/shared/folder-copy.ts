import { constants, createReadStream, createWriteStream, type Stats } from 'node:fs'
import {
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncFile, syncFolder } from './durable.ts'
import { NO_PATH, unlessAbsent } from './unless-absent.ts'

interface FolderCopyOptions {
  readonly from: string
  readonly to: string
  /** Folder of an earlier copy. Unchanged files are hard-linked from it. */
  readonly previous?: string | undefined
  readonly signal?: AbortSignal | undefined
}

interface CopyFileOptions {
  /** Whether the file never changes under its name, so that it may be hard-linked. By default true. */
  readonly isFinal?: boolean
  /** Writes the content of the copy, of any size. Defaults to copying the bytes. */
  readonly write?: (source: string, part: string) => Promise<void>
}

/** Tolerance in milliseconds for comparing times, because times are set with less precision than they are read. */
const SAME_MILLISECONDS = 1
const READ_BYTES = 1 << 20

/**
 * Copies a folder while other processes write to it. Each copied file is complete and has the modification time
 * of its source, so that a second run skips it. Paths are relative to the two folders.
 */
export class FolderCopy {
  readonly from: string
  readonly to: string
  readonly #previous: string | undefined
  readonly #signal: AbortSignal | undefined
  /** Copies of files with several names, keyed by device and inode. */
  readonly #known = new Map<string, string>()
  readonly #changed = new Set<string>()

  constructor({ from, to, previous, signal }: FolderCopyOptions) {
    this.from = from
    this.to = to
    this.#previous = previous
    this.#signal = signal
  }

  /**
   * Copies a file.
   * @returns false if the file does not exist, or no longer exists
   */
  async file(path: string, { isFinal = true, write }: CopyFileOptions = {}): Promise<boolean> {
    this.#signal?.throwIfAborted()
    const source = join(this.from, path)
    const stats = await unlessAbsent(lstat(source), NO_PATH)
    if (!stats) return false
    const target = join(this.to, path)
    const isSame = write ? isOfTime : isOfTimeAndSize
    const isThere = isSame(stats, await unlessAbsent(lstat(target), NO_PATH))
    if (!isThere) {
      const part = `${target}.part`
      await mkdir(dirname(target), { recursive: true })
      await rm(part, { force: true })
      const isMade =
        (isFinal && (await this.#secondName(path, stats, part, isSame))) ||
        (await isDone(
          stats.isSymbolicLink() ? copyLink(source, part) : this.#copy(source, part, stats, write),
        ))
      if (!isMade) return false
      await rename(part, target)
      this.#changed.add(dirname(target))
    }
    if (isFinal && stats.nlink > 1) this.#known.set(keyOf(stats), target)
    return true
  }

  /**
   * Copies all files below a folder.
   * @param last name of a file to copy after all others
   * @returns false if a file disappeared meanwhile
   */
  async folder(path: string, last?: string, options?: CopyFileOptions): Promise<boolean> {
    const entries = (await this.#entries(path)).sort((a) => (a.name === last ? 1 : -1))
    let isWhole = true
    for (const entry of entries) {
      const inner = join(path, entry.name)
      const isCopied = entry.isDirectory()
        ? await this.folder(inner, undefined, options)
        : await this.file(inner, options)
      isWhole &&= isCopied
    }
    return isWhole
  }

  /** Removes everything from a folder of the copy, except these names. */
  async keepOnly(path: string, names: ReadonlySet<string>): Promise<void> {
    const folder = join(this.to, path)
    for (const name of (await unlessAbsent(readdir(folder), NO_PATH)) ?? []) {
      if (names.has(name)) continue
      await rm(join(folder, name), { recursive: true })
      this.#changed.add(folder)
    }
  }

  /** Returns the names in a folder of the source. */
  async names(path: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#entries(path)).map(({ name }) => name))
  }

  /** Syncs all folders that have changed. */
  async sync(): Promise<void> {
    for (const folder of this.#changed) await unlessAbsent(syncFolder(folder))
    this.#changed.clear()
  }

  async #entries(path: string) {
    const reading = readdir(join(this.from, path), { withFileTypes: true })
    return (await unlessAbsent(reading, NO_PATH)) ?? []
  }

  /** Creates a hard link to an existing copy: that of another name of this file, or that in the earlier copy. */
  async #secondName(path: string, stats: Stats, part: string, isSame: IsSame): Promise<boolean> {
    const known = this.#known.get(keyOf(stats))
    const before = this.#previous === undefined ? undefined : join(this.#previous, path)
    for (const copy of [known, before]) {
      if (copy === undefined || !isSame(stats, await unlessAbsent(lstat(copy), NO_PATH))) continue
      const isLinked = await link(copy, part).then(
        () => true,
        // After any failure (another disk, no support for links, too many links), the file is really copied.
        () => false,
      )
      if (isLinked) return true
    }
    return false
  }

  async #copy(
    source: string,
    part: string,
    { atime, mtime }: Stats,
    write: CopyFileOptions['write'],
  ): Promise<void> {
    if (write) await write(source, part)
    else await this.#copyBytes(source, part)
    await utimes(part, atime, mtime)
    await syncFile(part)
  }

  async #copyBytes(source: string, part: string): Promise<void> {
    try {
      // Instant on file systems that can share blocks between files.
      await copyFile(source, part, constants.COPYFILE_FICLONE_FORCE)
    } catch {
      await pipeline(
        createReadStream(source, { highWaterMark: READ_BYTES }),
        createWriteStream(part),
        { signal: this.#signal },
      )
    }
  }
}

const keyOf = ({ dev, ino }: Stats) => `${dev}:${ino}`

type IsSame = (a: Stats, b: Stats | undefined) => boolean

/** Links are always copied again, because their times say nothing about their target. */
const isOfTime: IsSame = (a, b) =>
  b !== undefined &&
  !a.isSymbolicLink() &&
  !b.isSymbolicLink() &&
  Math.abs(a.mtimeMs - b.mtimeMs) < SAME_MILLISECONDS

const isOfTimeAndSize: IsSame = (a, b) => isOfTime(a, b) && a.size === b?.size

async function copyLink(source: string, part: string): Promise<void> {
  await symlink(await readlink(source), part)
}

/** Waits until a copy is done. Returns false if its source no longer exists. */
async function isDone(copying: Promise<void>): Promise<boolean> {
  return (await unlessAbsent(copying.then(() => true))) ?? false
}
