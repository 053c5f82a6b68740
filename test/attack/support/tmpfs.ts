import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = Buffer.alloc(1 << 20)
const PAGE_BYTES = 4096

/** A disk of a size of its own. */
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

  /** Fills it until no more than so many bytes are free; what filled it before stays. */
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

  /** Takes away what fills it. */
  clear(): void {
    rmSync(this.#filler, { force: true })
  }

  unmount(): void {
    // Lazily: a file that a failed test has left open would keep it.
    execFileSync('umount', ['-l', this.path])
    rmdirSync(this.path)
  }
}
