import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { grown } from '../../shared/arrays/growing.ts'
import { capturedText } from './document-scanner.ts'
import type { Captured } from './document-tree.ts'
import { FileSink } from './file-sink.ts'
import { GROUP_ROWS, LINES_KEY } from './manifest-lines.ts'
import { type WrittenFiles, writeKey } from './written-files.ts'

/** Collects a download-manifest line per file. */
export class ManifestLineWriter {
  readonly #folder: string
  readonly #path: string
  readonly #sink: FileSink
  #lengths = new Uint32Array(256)
  #rows = 0
  #longest = 0
  #group = Buffer.allocUnsafeSlow(64 << 10)
  #filled = 0
  readonly #starts = [0]
  readonly #checksums: number[] = []

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, `${LINES_KEY}.text`)
    mkdirSync(dirname(this.#path), { recursive: true })
    this.#sink = new FileSink(this.#path)
  }

  /**
   * Adds a line.
   * @param members values of LINE_MEMBERS in the order of LINE_MEMBERS
   */
  add(members: readonly Captured[], bytes: Buffer): void {
    let line = ''
    for (const [i, member] of members.entries()) {
      const text = capturedText(member, bytes)
      // Only a text with escapes can contain tabs or line breaks.
      line += `${i === 0 ? '' : '\t'}${member.kind === 2 ? text.replace(/[\t\r\n]/g, ' ') : text}`
    }
    line += '\n'
    const most = line.length * 3
    if (most > this.#group.length - this.#filled) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#group.length + most)
      this.#group.copy(larger, 0, 0, this.#filled)
      this.#group = larger
    }
    const length = this.#group.write(line, this.#filled)
    this.#filled += length
    const row = this.#rows++
    if (row >= this.#lengths.length) this.#lengths = grown(this.#lengths, row + 1)
    this.#lengths[row] = length
    this.#longest = Math.max(this.#longest, length)
    if (this.#rows % GROUP_ROWS === 0) this.#flush()
  }

  #flush(): void {
    const bytes = this.#group.subarray(0, this.#filled)
    this.#checksums.push(crc32(bytes))
    this.#sink.write(bytes)
    this.#starts.push(this.#sink.bytes)
    this.#filled = 0
  }

  async finish(): Promise<WrittenFiles> {
    if (this.#rows === 0) {
      rmSync(this.#path)
      return {}
    }
    if (this.#filled > 0) this.#flush()
    const files: WrittenFiles = { [`${LINES_KEY}.text`]: this.#sink.finish() }
    const lengths = this.#lengths.subarray(0, this.#rows)
    await writeKey(
      this.#folder,
      LINES_KEY,
      {},
      {
        lengths: this.#longest > 0xffff ? lengths : Uint16Array.from(lengths),
        starts: Float64Array.from(this.#starts),
        checksums: Uint32Array.from(this.#checksums),
      },
      files,
    )
    return files
  }

  close(): void {
    this.#sink.close()
  }
}
