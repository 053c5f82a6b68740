import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { grown } from '../../shared/arrays/growing.ts'
import type { Job } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { type BuildControl, reportRows } from './build-control.ts'
import { type DocumentArrays, GROUP_ROWS } from './documents.ts'
import { FileSink } from './file-sink.ts'
import { documentsKey } from './layout.ts'
import { LineReader } from './line-reader.ts'
import { type WrittenFiles, writeKey } from './written-files.ts'

interface DocumentsInput {
  readonly dataset: DatasetName
  readonly source: string
  readonly folder: string
  readonly control?: BuildControl | undefined
}

interface WrittenDocuments {
  readonly rows: number
  readonly files: Readonly<WrittenFiles>
}

/** Writes a dataset's documents line by line, unchanged, and records their positions. */
export const documentsJob: Job<DocumentsInput, WrittenDocuments> = {
  name: 'release.documents',
  run: writeDocuments,
}

const NEWLINE = 10

async function writeDocuments(input: DocumentsInput): Promise<WrittenDocuments> {
  const { dataset, source, folder, control } = input
  const reader = new LineReader(source)
  const path = `${documentsKey(dataset)}.text`
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  const sink = new FileSink(join(folder, path))
  try {
    const places = new Places()
    while (reader.next()) {
      // A line of the source may end with two characters (CR LF).
      reader.bytes[reader.end] = NEWLINE
      const line = reader.bytes.subarray(reader.start, reader.end + 1)
      places.add(sink.bytes, line)
      sink.write(line)
      reportRows(control)
    }
    const { rows } = places
    const file = sink.finish()
    if (rows === 0) {
      rmSync(join(folder, path))
      return { rows, files: {} }
    }
    const files: WrittenFiles = { [path]: file }
    await writeKey(folder, documentsKey(dataset), {}, { ...places.arrays(file.bytes) }, files)
    return { rows, files }
  } finally {
    reader.close()
    sink.close()
  }
}

const SHORT = 0xffff

class Places {
  rows = 0
  #lengths = new Uint32Array(1024)
  #checksums = new Uint32Array(1024)
  #starts = new Float64Array(16)
  #longest = 0

  add(start: number, line: Uint8Array): void {
    const row = this.rows++
    if (row >= this.#lengths.length) {
      this.#lengths = grown(this.#lengths, row + 1)
      this.#checksums = grown(this.#checksums, row + 1)
    }
    this.#lengths[row] = line.length
    this.#checksums[row] = crc32(line)
    this.#longest = Math.max(this.#longest, line.length)
    if (row % GROUP_ROWS === 0) this.#startGroup(row / GROUP_ROWS, start)
  }

  #startGroup(group: number, start: number): void {
    if (group >= this.#starts.length) this.#starts = grown(this.#starts, group + 1)
    this.#starts[group] = start
  }

  /**
   * Returns the arrays.
   * @param end end of all documents in bytes
   */
  arrays(end: number): DocumentArrays {
    const groups = Math.ceil(this.rows / GROUP_ROWS)
    this.#startGroup(groups, end)
    const lengths = this.#lengths.subarray(0, this.rows)
    return {
      lengths: this.#longest > SHORT ? lengths : Uint16Array.from(lengths),
      starts: this.#starts.subarray(0, groups + 1),
      checksums: this.#checksums.subarray(0, this.rows),
    }
  }
}
