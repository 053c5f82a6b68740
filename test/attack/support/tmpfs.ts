import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = Buffer.alloc(1 << 20)
const PAGE_BYTES = 4096

/** A disk with its own size. */
export class Tmpfs {
  readonly path: string
  readonly #filler: string

  private constructor(path: string) {
    this.path = path
    this.#filler = join(path, 'filler')
  }

  static mount(bytes: number): Tmpfs {
    const path = mkdtempSync(join(tmpdir(), 'casemill-tmpfs-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
    return new Tmpfs(path)
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path)
    return bavail * bsize
  }

  /** Fills the disk until at most `bytes` bytes are free, keeping what filled it before. */
  leave(bytes: number): void {
    const file = openSync(this.#filler, 'a')
    try {
      for (let left = this.freeBytes - bytes; left >= PAGE_BYTES; left = this.freeBytes - bytes) {
        writeSync(file, PIECE, 0, Math.min(PIECE.length, left - (left % PAGE_BYTES)))
      }
    } finally {
      closeSync(file)
    }
  }

  /** Deletes the filling. */
  clear(): void {
    rmSync(this.#filler, { force: true })
  }

  unmount(): void {
    // Unmounts lazily, because a file that a failed test left open would prevent it otherwise.
    execFileSync('umount', ['-l', this.path])
    rmdirSync(this.path)
  }
}
