import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../durable.ts'
import { hashOf, type RecordEntry, type SegmentMark, writeLine } from './record-line.ts'

const { O_CREAT, O_DSYNC, O_TRUNC, O_WRONLY } = constants
/** With O_DSYNC a write returns when its bytes are durable, which saves a second trip to a thread. */
const FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_DSYNC

/** A file that lines are appended to. Each line has the hash of the one before it. */
export class Segment {
  /** Name relative to the folder of the record, such as `2026-11-30/20261130T080000000Z-4711-5f3a.0.ndjson`. */
  readonly name: string
  readonly #file: FileHandle
  /** Durable size of the file in bytes. */
  #size = 0
  #lines = 0
  #before: string

  private constructor(name: string, file: FileHandle, before: string) {
    this.name = name
    this.#file = file
    this.#before = before
  }

  /**
   * Creates the file.
   * @param before hash for the first line
   */
  static async create(root: string, name: string, before: string): Promise<Segment> {
    const path = join(root, name)
    const folder = dirname(path)
    await mkdir(folder, { recursive: true })
    // An earlier attempt may have left the file when the disk was full.
    const file = await open(path, FLAGS)
    try {
      await syncFolder(folder)
      await syncFolder(root)
    } catch (error) {
      await file.close()
      throw error
    }
    return new Segment(name, file, before)
  }

  /** The part of the segment that is durable. */
  get mark(): SegmentMark {
    return { segment: this.name, lines: this.#lines, sha256: this.#before }
  }

  /**
   * Appends lines with one write, which includes the sync. When the promise resolves, they are durable. If it
   * rejects, none of them counts.
   */
  async append(entries: readonly RecordEntry[]): Promise<void> {
    let before = this.#before
    const texts = entries.map((entry, i) => {
      const text = writeLine(entry, this.#lines + i, before)
      before = hashOf(text)
      return `${text}\n`
    })
    const bytes = Buffer.from(texts.join(''))
    for (let written = 0; written < bytes.length; ) {
      const rest = bytes.length - written
      const { bytesWritten } = await this.#file.write(bytes, written, rest, this.#size + written)
      written += bytesWritten
    }
    this.#size += bytes.length
    this.#lines += entries.length
    this.#before = before
  }

  /** Cuts off what a failed append may have written. The segment can be used again if this resolves. */
  async restore(): Promise<void> {
    await this.#file.truncate(this.#size)
    await this.#file.datasync()
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
